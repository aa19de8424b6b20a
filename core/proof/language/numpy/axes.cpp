// Axes by their sizes.
#include "gradproof/core/proof/language/numpy/axes.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"

namespace gradproof::proof::numpy {
namespace {

std::optional<Axes> axes_of_value(const std::string& name, const Proof& proof) {
    if (const Assignment* const a = proof.find(name))
        return a->indices.empty() ? axes_of(*a->value, proof) : std::optional<Axes>();
    if (std::ranges::find(proof.dims, name, &Dim::name) != proof.dims.end()) return Axes{};
    const auto given = std::ranges::find(proof.given, name, &Given::name);
    if (given == proof.given.end() || given->value) return std::nullopt;
    Axes out;
    for (const ExprPtr& size : given->shape) out.push_back(text_of(*size));
    return out;
}

/// As broadcasting makes them.
std::optional<Axes> together(const std::optional<Axes>& a, const std::optional<Axes>& b) {
    if (!a || !b) return std::nullopt;
    if (a->size() < b->size()) return together(b, a);
    Axes out = *a;
    for (std::size_t i = 1; i <= b->size(); ++i) {
        std::string& size = out[out.size() - i];
        const std::string& other = (*b)[b->size() - i];
        if (size == "1") size = other;
        if (other != "1" && other != size) return std::nullopt;
    }
    return out;
}

std::optional<Axes> matrix_product(const std::optional<Axes>& a, const std::optional<Axes>& b) {
    if (!a || !b || a->empty() || b->empty() || a->size() > 2 || b->size() > 2) return std::nullopt;
    Axes out(a->begin(), a->end() - 1);
    if (b->size() == 2) out.push_back(b->back());
    return out;
}

/// A sum along one axis and the like, or over all of them.
std::optional<Axes> axes_of_reduction(const Expr& e, const Proof& proof) {
    std::optional<Axes> of = axes_of(*e.children[0], proof);
    const Option* const axis = find_option(e, "axis");
    const bool keeps = find_option(e, "keep") != nullptr;
    if (axis == nullptr || !of) return of && !keeps ? Axes{} : std::optional<Axes>();
    const std::optional<double> number = signed_number(*axis->value);
    const double at = number.value_or(99) < 0 ? *number + static_cast<double>(of->size()) : number.value_or(99);
    if (at < 0 || at >= static_cast<double>(of->size())) return std::nullopt;
    const auto here = of->begin() + static_cast<std::ptrdiff_t>(at);
    if (keeps)
        *here = "1";
    else
        of->erase(here);
    return of;
}

std::optional<Axes> axes_of_call(const Expr& e, const Proof& proof) {
    const bool of_rows = e.name.starts_with("row") || e.name.starts_with("col");
    if (is_reduction(e) && !of_rows && e.children.size() == 1) return axes_of_reduction(e, proof);
    if (e.name == "axis_size") return Axes{};
    if (e.name == "expand_dims") {
        std::optional<Axes> out = axes_of(*e.children.at(0), proof);
        const double axis = signed_number(*e.options.at(0).value).value_or(99);
        const double at = out && axis < 0 ? axis + static_cast<double>(out->size()) + 1 : axis;
        if (!out || at < 0 || at > static_cast<double>(out->size())) return std::nullopt;
        out->insert(out->begin() + static_cast<std::ptrdiff_t>(at), "1");
        return out;
    }
    if (e.name == "range" && e.children.size() == 1) return Axes{size_name(*e.children[0], proof)};
    if (e.name == "eye" && e.children.size() == 2)
        return Axes{size_name(*e.children[0], proof), size_name(*e.children[1], proof)};
    if (e.name == "onehot" && e.children.size() == 2) {
        std::optional<Axes> out = axes_of(*e.children[0], proof);
        if (out) out->push_back(size_name(*e.children[1], proof));
        return out;
    }
    const bool alike = is_elementwise(e.name) || e.name == "where" || e.name == "softmax" || e.name == "log_softmax";
    if (!alike || e.children.empty()) return std::nullopt;
    std::optional<Axes> out = Axes{};
    for (const ExprPtr& c : e.children) out = together(out, axes_of(*c, proof));
    return out;
}

}  // namespace

std::string size_name(const Expr& e, const Proof& proof) {
    if (e.kind != Kind::call || e.name != "axis_size") return text_of(e);
    const std::optional<Axes> of = axes_of(*e.children[0], proof);
    const std::optional<double> axis = signed_number(*e.options.at(0).value);
    if (!of || !axis) return "";
    const double at = *axis < 0 ? *axis + static_cast<double>(of->size()) : *axis;
    return at >= 0 && at < static_cast<double>(of->size()) ? (*of)[static_cast<std::size_t>(at)] : "";
}

std::optional<Axes> axes_of(const Expr& e, const Proof& proof) {
    switch (e.kind) {
        case Kind::number: return Axes{};
        case Kind::name:
        case Kind::gradient: return axes_of_value(e.name, proof);
        case Kind::helper: return e.bound.empty() && !e.children.empty() ? axes_of(*e.children[0], proof) : std::optional<Axes>();
        case Kind::negate: return axes_of(*e.children[0], proof);
        case Kind::call: return axes_of_call(e, proof);
        case Kind::transpose: {
            std::optional<Axes> of = axes_of(*e.children[0], proof);
            if (!of || of->size() > 2) return std::nullopt;
            std::ranges::reverse(*of);
            return of;
        }
        case Kind::sum:
        case Kind::product:
        case Kind::power: {
            std::optional<Axes> out = axes_of(*e.children[0], proof);
            for (std::size_t i = 1; i < e.children.size(); ++i) {
                const std::optional<Axes> next = axes_of(*e.children[i], proof);
                const bool by_matrix =
                    e.kind == Kind::product && e.joints[i] == '@' && out && next && !out->empty() && !next->empty();
                out = by_matrix ? matrix_product(out, next) : together(out, next);
            }
            return out;
        }
        default: return std::nullopt;
    }
}

bool are_places(const Expr& e, const Proof& proof) {
    if (e.kind == Kind::call && e.name == "argmax") return true;
    if (e.kind != Kind::name) return false;
    if (const Assignment* const a = proof.find(e.name)) return a->indices.empty() && are_places(*a->value, proof);
    const auto given = std::ranges::find(proof.given, e.name, &Given::name);
    return given != proof.given.end() && given->fill == Fill::index && !given->shape.empty();
}

bool each_row(const Expr& rows, const Expr& places, const Axes& axes, const Proof& proof) {
    if (rows.kind == Kind::name) {
        const Assignment* const a = proof.find(rows.name);
        return a != nullptr && a->indices.empty() && each_row(*a->value, places, axes, proof);
    }
    if (axes.empty() || rows.kind != Kind::call || rows.name != "range" || rows.children.size() != 1) return false;
    const std::optional<Axes> of_places = axes_of(places, proof);
    if (of_places && *of_places != Axes{axes[0]}) return false;
    return size_name(*rows.children[0], proof) == axes[0];
}

}  // namespace gradproof::proof::numpy
