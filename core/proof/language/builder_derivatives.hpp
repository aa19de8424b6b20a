// Derivatives as they are written: σ'(z), ∂y/∂x, ∂²f/∂x∂y.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gradproof/core/proof/language/builder.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
namespace {

/// σ'(z)
ExprPtr Builder::slope_called(const Node& n) const {
    const std::string name = n.children[0]->string();
    if (n.children.size() != 2) fail(n, fmt::format("{}' takes one argument, got {}", name, n.children.size() - 1));
    const ExprPtr of = call(names_.function_called(name), {build(*n.children[1])});
    const ExprPtr slope = slope_of_call(*of, of);
    if (!slope) fail(n, fmt::format("{0}': {0} has no derivative entry by entry that is known", name));
    return finish(n, *slope);
}

/// A value at its indices, of a derivative: its name, and the indices behind those there are.
std::string Builder::add_differentiated(const Node& part, std::size_t d, std::vector<ExprPtr>& to) const {
    std::string name = name_in(*part.children[0]).substr(d);
    if (part.children[0]->is_type<indexed_head>()) {
        name.pop_back();
        for (const ExprPtr& i : indices_of(part)) to.push_back(i);
    } else if (const auto parts = names_.subscripted(name)) {
        name = parts->first;
        for (const ExprPtr& i : letters_of(parts->second)) to.push_back(i);
    } else if (part.children.size() > 1) {
        for (const auto& c : part.children[1]->children) add_entry(to, *c);
    }
    return name;
}

ExprPtr Builder::derivative(const Node& n) const {
    Expr e = node(Kind::jacobian);
    const std::size_t d = n.is_type<d_by_d>() ? 1 : 0;
    const Node& top = *n.children[0];
    const bool whole = top.is_type<partial_whole>();
    if (!whole) e.name = add_differentiated(top, d, e.children);
    e.split = e.children.size();
    e.other = add_differentiated(*n.children[1], d, e.children);
    if (whole) e.children.push_back(build(*top.children[0]));
    return finish(n, std::move(e));  // told from a gradient once the names are known
}

/// ∂²f/∂x∂y: of the gradient by x, which its option says, by y.
ExprPtr Builder::second_derivative(const Node& n) const {
    Expr e = node(Kind::jacobian);
    std::string by;
    if (n.is_type<second_nabla>()) {
        e.name = name_in(*n.children.back());
        if (n.children.size() > 1) by = e.other = name_in(*n.children[0]);
    } else {
        const Node &top = *n.children[0], &last = *n.children.back();
        const bool whole = top.is_type<partial_whole>();
        if (!whole && top.children.size() > 1) fail(n, "a second derivative is of one number: ∂²f/∂x∂x^T");
        if (!whole) e.name = name_in(*top.children[0]);
        by = add_differentiated(*n.children[1], 0, e.children);
        e.split = e.children.size();
        e.other = add_differentiated(last.is_type<by_twice>() ? *n.children[1] : last, 0, e.children);
        if (whole) e.children.push_back(build(*top.children[0]));
    }
    e.options.push_back({"by", name(by), span(n)});
    return finish(n, std::move(e));
}

}  // namespace
}  // namespace gradproof::proof
