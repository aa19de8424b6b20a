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
        counts_from_one_ = counts_from_one_ || has_start(name);
        for (const ExprPtr& i : letters_of(parts->second)) to.push_back(i);
    } else if (const auto numbered = numbered_entry(name)) {
        name = numbered->first;
        to.push_back(numbered->second);
    } else if (part.children.size() > 1) {
        for (const auto& c : part.children[1]->children) add_entry(to, *c);
    }
    return name;
}

/// ∂vec(Y)/∂vec(X), and of a vector or the loss beside one such: the Jacobian with the columns of each one below the other.
ExprPtr Builder::derivative_of_columns(const Node& n) const {
    Expr e = node(Kind::jacobian);
    std::vector<ExprPtr> order, sizes;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const Node& part = *n.children[side];
        const bool columns = part.is_type<partial_vec>();
        if (part.is_type<partial_whole>() || (!columns && part.children.size() > 1))
            fail(n, "beside vec(X) a name is read: ∂vec(Y)/∂vec(X)");
        std::string& of = side == 0 ? e.name : e.other;
        of = name_in(*part.children[0]);
        const auto axis = static_cast<double>(order.size());
        const auto size = [&](double of_axis) { return over_axis("axis_size", name(of), of_axis); };
        if (columns) {
            order.insert(order.end(), {number(axis + 1), number(axis)});
            sizes.push_back(product(size(0), '@', size(1)));
        } else if (!names_.is_loss(of)) {
            order.push_back(number(axis));
            sizes.push_back(size(0));
        }
    }
    const ExprPtr turned = call("transpose", make(std::move(e)), {{"perm", array_of(order), {}}});
    return finish(n, *call("reshape", turned, {{"shape", array_of(sizes), {}}}));
}

ExprPtr Builder::derivative(const Node& n) const {
    if (n.children[0]->is_type<partial_vec>() || n.children[1]->is_type<partial_vec>()) return derivative_of_columns(n);
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
