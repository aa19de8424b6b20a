// Conversions between attribute fields and the values callers pass by name.
#include "gradproof/core/attrs.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"

namespace gradproof {

std::string attr_kind(const AttrValue& value) {
    constexpr std::string_view kinds[] = {"a boolean", "an integer",       "a number",       "a string",
                                          "a list",    "an integer array", "a boolean array"};
    return std::string(kinds[value.index()]);
}

namespace detail {
namespace {

std::optional<Index> integer(double x) {
    if (std::nearbyint(x) != x || std::abs(x) > 9007199254740992.0) return std::nullopt;
    return static_cast<Index>(x);
}

}  // namespace

bool assign(bool& field, const AttrValue& value) {
    const auto* b = std::get_if<bool>(&value);
    if (b) field = *b;
    return b != nullptr;
}

bool assign(Index& field, const AttrValue& value) {
    if (const auto* i = std::get_if<Index>(&value)) return field = *i, true;
    if (const auto* d = std::get_if<double>(&value))
        if (const auto i = integer(*d)) return field = *i, true;
    return false;
}

bool assign(double& field, const AttrValue& value) {
    if (const auto* d = std::get_if<double>(&value)) return field = *d, true;
    if (const auto* i = std::get_if<Index>(&value)) return field = static_cast<double>(*i), true;
    return false;
}

bool assign(int& field, const AttrValue& value) {
    Index wide = 0;
    if (!assign(wide, value) || !std::in_range<int>(wide)) return false;
    field = static_cast<int>(wide);
    return true;
}

bool assign(float& field, const AttrValue& value) {
    double wide = 0;
    if (!assign(wide, value)) return false;
    field = static_cast<float>(wide);
    return true;
}

bool assign(Axes& field, const AttrValue& value) {
    Index single = 0;
    if (assign(single, value)) return field = Axes{single}, true;
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (!list || list->size() > kMaxRank) return false;
    Axes axes;
    for (const double x : *list) {
        const auto i = integer(x);
        if (!i) return false;
        axes.push_back(*i);
    }
    field = axes;
    return true;
}

bool assign(Tensor<Index>& field, const AttrValue& value) {
    if (const auto* t = std::get_if<Tensor<Index>>(&value)) return field = *t, true;
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (!list) return false;
    Tensor<Index> ids(Shape{static_cast<Index>(list->size())});
    for (std::size_t k = 0; k < list->size(); ++k) {
        const auto i = integer((*list)[k]);
        if (!i) return false;
        ids[static_cast<Index>(k)] = *i;
    }
    field = ids;
    return true;
}

bool assign(Tensor<bool>& field, const AttrValue& value) {
    const auto* t = std::get_if<Tensor<bool>>(&value);
    if (t) field = *t;
    return t != nullptr;
}

bool assign(AttrValue& field, const AttrValue& value) {
    const auto as = [&](auto own) {
        if (!assign(own, value)) return false;
        field = detail::value(own);
        return true;
    };
    if (std::holds_alternative<bool>(field)) return as(false);
    if (std::holds_alternative<Index>(field)) return as(Index{});
    if (std::holds_alternative<double>(field)) return as(0.0);
    if (std::holds_alternative<std::vector<double>>(field)) return as(Axes{});
    if (std::holds_alternative<Tensor<Index>>(field)) return as(Tensor<Index>());
    if (std::holds_alternative<Tensor<bool>>(field)) return as(Tensor<bool>());
    field = value;
    return true;
}

std::string one_of(const std::string_view* names, std::size_t count) {
    return fmt::format("one of {}", fmt::join(names, names + count, ", "));
}

void no_attribute(std::string_view op, std::string_view name, const std::vector<std::string>& known) {
    value_error("{}: no attribute named {}{}", op, printable(name, 60), did_you_mean(std::string(name), known));
}

std::string text(bool field) { return field ? "true" : "false"; }
std::string text(Index field) { return std::to_string(field); }
std::string text(double field) { return fmt::format("{:g}", field); }
std::string text(const Axes& field) { return field.str(); }
std::string text(const Tensor<Index>& field) { return field.defined() ? "int " + field.shape().str() : "none"; }
std::string text(const Tensor<bool>& field) { return field.defined() ? "bool " + field.shape().str() : "none"; }
std::string text(const AttrValue& field) {
    if (const auto* word = std::get_if<std::string>(&field)) return *word;
    if (const auto* list = std::get_if<std::vector<double>>(&field)) return fmt::format("[{}]", fmt::join(*list, ", "));
    std::string out;
    if (const auto* v = std::get_if<bool>(&field)) out = text(*v);
    if (const auto* v = std::get_if<Index>(&field)) out = text(*v);
    if (const auto* v = std::get_if<double>(&field)) out = text(*v);
    if (const auto* v = std::get_if<Tensor<Index>>(&field)) out = text(*v);
    if (const auto* v = std::get_if<Tensor<bool>>(&field)) out = text(*v);
    return out;
}

}  // namespace detail
}  // namespace gradproof
