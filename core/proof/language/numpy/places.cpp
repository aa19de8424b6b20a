// Arrays of whole numbers that pick entries.
#include "gradproof/core/proof/language/numpy/places.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof::numpy {

bool are_places(const Expr& e, const Proof& proof) {
    if (e.kind == Kind::call && e.name == "argmax") return true;
    if (e.kind != Kind::name) return false;
    if (const Assignment* const a = proof.find(e.name)) return a->indices.empty() && are_places(*a->value, proof);
    const auto given = std::ranges::find(proof.given, e.name, &Given::name);
    return given != proof.given.end() && given->fill == Fill::index && !given->shape.empty();
}

bool each_row(const Expr& rows, const Expr& places, const AxisNames& axes, const Proof& proof) {
    if (rows.kind == Kind::name) {
        const Assignment* const a = proof.find(rows.name);
        return a != nullptr && a->indices.empty() && each_row(*a->value, places, axes, proof);
    }
    if (axes.empty() || rows.kind != Kind::call || rows.name != "range" || rows.children.size() != 1) return false;
    const std::optional<AxisNames> of_places = axis_names(places, proof);
    if (of_places && *of_places != AxisNames{axes[0]}) return false;
    return size_name(*rows.children[0], proof) == axes[0];
}

bool is_range(const Expr& e, const Proof& proof) {
    if (e.kind == Kind::name) {
        const Assignment* const a = proof.find(e.name);
        return a != nullptr && a->indices.empty() && is_range(*a->value, proof);
    }
    return e.kind == Kind::call && e.name == "range" && e.children.size() == 1;
}

bool is_place(const Expr& e, const Proof& proof) {
    return e.kind == Kind::index && e.children.size() == 2 && are_places(*e.children[0], proof);
}

ExprPtr size_of(const std::string& size, const ExprPtr& of, double axis, const Names& names) {
    return names.dims.contains(size) ? name(size) : over_axis("axis_size", of, axis);
}

ExprPtr one_at(const Expr& place, const std::string& size, const ExprPtr& of, double axis, const Names& names) {
    return entry(call("onehot", {place.children[0], size_of(size, of, axis, names)}), {place.children[1]});
}

}  // namespace gradproof::proof::numpy
