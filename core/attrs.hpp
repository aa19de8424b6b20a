// Attributes by name: how an op's Attrs are set from a command line, JSON or the notation, and printed.
//
//   SoftmaxAttrs a;
//   set_attr("softmax", a, "axis", Index{0});
//   attrs_text(a);                       // "axis=0, temperature=1"
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// What a caller who knows an attribute by name only can pass.
using AttrValue = std::variant<bool, Index, double, std::string, std::vector<double>, Tensor<Index>, Tensor<bool>>;

/// An enumeration that may be an attribute: `names(E{})` found by ADL lists its values' names in order from 0.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
    names(e).size();
};

/// The kind of an AttrValue, for messages.
std::string attr_kind(const AttrValue& value);

namespace detail {
// One overload per field type; false where the value's kind does not fit.
bool assign(bool& field, const AttrValue& value);
bool assign(Index& field, const AttrValue& value);
bool assign(double& field, const AttrValue& value);
bool assign(Axes& field, const AttrValue& value);
bool assign(Tensor<Index>& field, const AttrValue& value);
bool assign(Tensor<bool>& field, const AttrValue& value);
template <class T>
bool assign(std::optional<T>& field, const AttrValue& value) {
    T inner{};
    if (!assign(inner, value)) return false;
    field = inner;
    return true;
}
template <NamedEnum E>
bool assign(E& field, const AttrValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return false;
    for (std::size_t i = 0; i < names(field).size(); ++i)
        if (names(field)[i] == *text) {
            field = static_cast<E>(i);
            return true;
        }
    return false;
}

std::string text(bool field);
std::string text(Index field);
std::string text(double field);
std::string text(const Axes& field);
std::string text(const Tensor<Index>& field);
std::string text(const Tensor<bool>& field);
template <class T>
std::string text(const std::optional<T>& field) {
    return field ? text(*field) : "none";
}
template <NamedEnum E>
std::string text(E field) {
    return std::string(names(field)[static_cast<std::size_t>(field)]);
}
}  // namespace detail

/// Sets one attribute. Errors: ValueError for a name the op does not have (with the nearest it has) or a wrong kind.
template <class Attrs>
void set_attr(std::string_view op, Attrs& attrs, const std::string& name, const AttrValue& value) {
    bool found = false;
    std::vector<std::string> known;
    Attrs::fields(attrs, [&](std::string_view field_name, auto& field) {
        known.emplace_back(field_name);
        if (field_name != name) return;
        found = true;
        if (!detail::assign(field, value))
            value_error("{}: attribute {} does not take {}, its value is {}", op, name, attr_kind(value), detail::text(field));
    });
    if (found) return;
    const std::string near = nearest(name, known);
    value_error("{}: no attribute named {}{}", op, name, near.empty() ? "" : "; did you mean " + near);
}

/// "axis=-1, temperature=1"
template <class Attrs>
std::string attrs_text(const Attrs& attrs) {
    std::string out;
    Attrs::fields(attrs, [&](std::string_view name, const auto& field) {
        out += (out.empty() ? "" : ", ") + std::string(name) + "=" + detail::text(field);
    });
    return out;
}

}  // namespace gradproof
