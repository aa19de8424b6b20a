// Diagnosis: transposes, orders of factors, axes and indices, and names that stand for others.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/transforms.hpp"
#include "tools/proof/diagnostician.hpp"

namespace gradproof::proof {

bool Diagnostician::orders() {
    for (const Place& p : places_)
        for (const auto& [what, changed] : reordered(p))
            if (try_change(what.first, what.second, changed)) return true;
    return false;
}

std::vector<Diagnostician::Reordered> Diagnostician::reordered(const Place& p) const {
    std::vector<Reordered> out;
    const Expr& n = *p.node;
    const bool matrix = n.kind == Kind::name || n.kind == Kind::gradient || n.kind == Kind::call || n.kind == Kind::product || n.kind == Kind::sum;
    if (n.kind == Kind::transpose) out.push_back({{"transpose", fmt::format("{} is not to be transposed", text_of(*n.children[0]))}, p.with(n.children[0])});
    else if (matrix && !is_scalar(n) && !index_form_) out.push_back({{"transpose", fmt::format("{} is to be transposed", text_of(n))}, p.with(transpose(p.node))});
    if (n.kind == Kind::product && !index_form_)
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            if (n.joints[i] != '@' || (i > 1 && n.joints[i - 1] != '@') || is_scalar(*n.children[i]) || is_scalar(*n.children[i - 1])) continue;
            const ExprPtr &a = n.children[i - 1], &b = n.children[i];
            for (const int t : {0, 1, 2, 3})
                for (const bool swap : {false, true}) {
                    if (!swap && t != 3) continue;  // one transpose alone is tried above
                    const ExprPtr x = t & 1 ? transpose(a) : a, y = t & 2 ? transpose(b) : b;
                    const ExprPtr pair = with_child(*with_child(n, i - 1, swap ? y : x), i, swap ? x : y);
                    out.push_back({{"transpose", swap ? fmt::format("{} and {} stand in the wrong order{}", text_of(*a), text_of(*b), t ? " or orientation" : "")
                                                      : fmt::format("{} and {} are both to be transposed", text_of(*a), text_of(*b))},
                                   p.with(pair)});
                }
        }
    if (n.kind == Kind::index && n.children.size() >= 3)
        for (std::size_t i = 1; i < n.children.size(); ++i)
            for (std::size_t j = i + 1; j < n.children.size(); ++j) {
                std::vector<ExprPtr> children = n.children;
                std::swap(children[i], children[j]);
                out.push_back({{n.children.size() == 3 ? "transpose" : "permuted_axes", fmt::format("the indices of {} stand in the wrong order", text_of(n))}, p.with(with_children(n, std::move(children)))});
            }
    if (n.kind == Kind::call && (n.name == "transpose" || n.name == "concat"))
        for (const Option& o : n.options)
            if (o.value->kind == Kind::array || o.name == "axis")
                for (const ExprPtr& v : other_orders(o)) {
                    Expr copy = n;
                    copy.source.clear();
                    for (Option& mine : copy.options)
                        if (mine.name == o.name) mine.value = v;
                    out.push_back({{"permuted_axes", fmt::format("{}={} is another order of axes", o.name, text_of(*o.value))}, p.with(make(std::move(copy)))});
                }
    return out;
}

std::vector<ExprPtr> Diagnostician::other_orders(const Option& o) {
    std::vector<ExprPtr> out;
    if (o.value->kind != Kind::array) {
        for (const int axis : {0, 1, 2}) out.push_back(number(axis));
        return out;
    }
    std::vector<std::size_t> order(o.value->children.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int n = 0; n < 24 && order.size() <= 4 && std::next_permutation(order.begin(), order.end()); ++n) {
        std::vector<ExprPtr> children;
        for (const std::size_t i : order) children.push_back(o.value->children[i]);
        out.push_back(with_children(*o.value, std::move(children)));
    }
    return out;
}

bool Diagnostician::two_orders() {
    if (index_form_ || places_.size() > 24) return false;
    for (const Place& p : places_)
        for (const auto& [what, changed] : reordered(p))
            for (const Place& q : places(changed))
                for (const auto& [second, twice] : reordered(q))
                    if (try_change("transpose", what.second + ", and " + second.second, twice)) return true;
    return false;
}

bool Diagnostician::wrong_names() {
    const std::vector<std::string> names = value_names();
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::name && n.kind != Kind::gradient) continue;
        for (const std::string& other : names) {
            if (other == n.name || (n.kind == Kind::gradient && claim_.proof().is_constant(other))) continue;
            const ExprPtr leaf = n.kind == Kind::gradient ? gradient(other) : name(other);
            if (try_change("wrong_name", fmt::format("{} where {} belongs", text_of(n), text_of(*leaf)), p.with(leaf))) return true;
        }
    }
    return false;
}

}  // namespace gradproof::proof
