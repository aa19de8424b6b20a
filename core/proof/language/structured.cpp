// Unit vectors, and orthogonal, diagonal, skew-symmetric and triangular matrices.
#include "gradproof/core/proof/language/structured.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

bool is_taken(const Proof& proof, const std::string& name) {
    return proof.find(name) != nullptr || std::ranges::find(proof.given, name, &Given::name) != proof.given.end() ||
           std::ranges::find(proof.dims, name, &Dim::name) != proof.dims.end() || std::ranges::count(proof.functions, name) > 0;
}
std::string free_name(const Proof& proof, std::string name) {
    while (is_taken(proof, name)) name += "_";
    return name;
}

/// An input, or a constant where `of` is one, that the text has no name for.
Given hidden_of(const Given& of, std::string name, std::vector<ExprPtr> shape, Fill fill) {
    Given out;
    out.name = std::move(name);
    out.span = of.span;
    out.differentiable = of.differentiable;
    out.shape = std::move(shape);
    out.fill = fill;
    out.behind = of.name;
    out.form = of.fill;
    return out;
}

/// Cayley's (I + S)^{-1} (I - S) of a skew-symmetric S is a rotation; with rows turned round it is any orthogonal matrix.
ExprPtr orthogonal(const ExprPtr& free, const ExprPtr& signs, const ExprPtr& n) {
    const ExprPtr identity = call("eye", {n}), turned = transpose(free);
    const ExprPtr plus = sum(sum(identity, '+', free), '-', turned), minus = sum(sum(identity, '-', free), '+', turned);
    return product(product(call("diag", {signs}), '@', call("inverse", {plus})), '@', minus);
}

/// With 0 above the diagonal: the running sums of the rows of the identity are ones up to it.
ExprPtr lower_triangle(const ExprPtr& free, const ExprPtr& n) {
    return product(free, '*', call("cumsum", call("eye", {n}), {{"axis", number(0), {}}}));
}

}  // namespace

std::string_view word_of_structure(Fill fill) {
    switch (fill) {
        case Fill::unit: return "unit vector";
        case Fill::orthogonal: return "orthogonal";
        case Fill::frame: return "a matrix of orthonormal columns";
        case Fill::diagonal: return "diagonal";
        case Fill::skew: return "skew-symmetric";
        case Fill::lower: return "lower triangular";
        case Fill::upper: return "upper triangular";
        default: return "";
    }
}
bool is_structured(Fill fill) { return !word_of_structure(fill).empty(); }

bool may_be_structured(const Given& given, Fill fill) {
    if (fill == Fill::unit) return given.shape.size() == 1;
    if (fill == Fill::frame) return given.shape.size() == 2;
    return given.shape.size() == 2 && text_of(*given.shape[0]) == text_of(*given.shape[1]);
}

void with_structured_values(Proof& proof) {
    std::vector<Assignment> values;
    for (std::size_t i = 0; i < proof.given.size(); ++i) {
        const Given g = proof.given[i];
        if (!is_structured(g.fill)) continue;
        const ExprPtr n = g.shape[0];
        const std::vector<ExprPtr> shape = g.fill == Fill::diagonal ? std::vector{n}
                                           : g.fill == Fill::frame  ? std::vector{n, n}
                                                                    : g.shape;
        proof.given[i] = hidden_of(g, free_name(proof, "free_" + g.name), shape, Fill::normal);
        const ExprPtr free = name(proof.given[i].name);
        ExprPtr value;
        if (g.fill == Fill::unit) value = product(free, '/', call("norm", {free}));
        if (g.fill == Fill::diagonal) value = call("diag", {free});
        if (g.fill == Fill::skew) value = sum(free, '-', transpose(free));
        if (g.fill == Fill::lower) value = lower_triangle(free, n);
        if (g.fill == Fill::upper) value = transpose(lower_triangle(free, n));
        if (g.fill == Fill::orthogonal || g.fill == Fill::frame) {
            Given signs = hidden_of(g, free_name(proof, "signs_" + g.name), {n}, Fill::signs);
            signs.differentiable = false;
            value = orthogonal(free, name(signs.name), n);
            if (g.fill == Fill::frame) value = product(value, '@', call("eye", {n, g.shape[1]}));  // its first columns
            proof.given.insert(proof.given.begin() + static_cast<std::ptrdiff_t>(++i), std::move(signs));
        }
        Assignment a;
        a.name = g.name;
        a.value = value;
        a.statement = {g.span, proof.source->line(g.span.begin)};
        values.push_back(std::move(a));
        proof.holds_for.push_back(fmt::format("{} {}", word_of_structure(g.fill), g.name));
    }
    proof.forward.insert(proof.forward.begin(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}

}  // namespace gradproof::proof
