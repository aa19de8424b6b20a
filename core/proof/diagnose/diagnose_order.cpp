// Diagnosis: transposes, orders of factors, axes and indices, and names that stand for others.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

bool RepairSearch::orders() {
    for (const Place& p : places_)
        for (const auto& [what, changed] : reordered(p))
            if (try_change(what.first, what.second, changed)) return true;
    return false;
}

std::vector<RepairSearch::Reordered> RepairSearch::reordered(const Place& p) const {
    std::vector<Reordered> out;
    const Expr& n = *p.node;
    const bool matrix = n.kind == Kind::name || n.kind == Kind::gradient || n.kind == Kind::call || n.kind == Kind::product ||
                        n.kind == Kind::sum;
    if (n.kind == Kind::transpose)
        out.push_back({{"transpose", fmt::format("{} is not to be transposed", text_of(*n.children[0]))}, p.with(n.children[0])});
    else if (matrix && !is_scalar(n) && !index_form_)
        out.push_back({{"transpose", fmt::format("{} is to be transposed", text_of(n))}, p.with(transpose(p.node))});
    if (n.kind == Kind::product && !index_form_)
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            if (n.joints[i] != '@' || (i > 1 && n.joints[i - 1] != '@') || is_scalar(*n.children[i]) ||
                is_scalar(*n.children[i - 1]))
                continue;
            const ExprPtr &a = n.children[i - 1], &b = n.children[i];
            for (const int t : {0, 1, 2, 3})
                for (const bool swap : {false, true}) {
                    if (!swap && t != 3) continue;  // one transpose alone is tried above
                    const ExprPtr x = t & 1 ? transpose(a) : a, y = t & 2 ? transpose(b) : b;
                    const ExprPtr pair = with_child(*with_child(n, i - 1, swap ? y : x), i, swap ? x : y);
                    out.push_back(
                        {{"transpose", swap ? fmt::format("{} and {} stand in the wrong order{}", text_of(*a), text_of(*b),
                                                          t ? " or orientation" : "")
                                            : fmt::format("{} and {} are both to be transposed", text_of(*a), text_of(*b))},
                         p.with(pair)});
                }
        }
    // The gradient of x^T A x: 2 A x where (A + A^T) x belongs.
    if (n.kind == Kind::product && !index_form_ && n.children[0]->kind == Kind::number && n.children[0]->number == 2)
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            const ExprPtr& a = n.children[i];
            if (n.joints[i] != '@' || is_scalar(*a)) continue;
            out.push_back({{"transpose", fmt::format("{} is not its own transpose: 2 {} for {} + {}^T", text_of(*a), text_of(*a),
                                                     text_of(*a), text_of(*a))},
                           p.with(without(*with_child(n, i, sum(a, '+', transpose(a))), 0))});
        }
    if (n.kind == Kind::index && n.children.size() >= 3)
        for (std::size_t i = 1; i < n.children.size(); ++i)
            for (std::size_t j = i + 1; j < n.children.size(); ++j) {
                std::vector<ExprPtr> children = n.children;
                std::swap(children[i], children[j]);
                out.push_back({{n.children.size() == 3 ? "transpose" : "permuted_axes",
                                fmt::format("the indices of {} stand in the wrong order", text_of(n))},
                               p.with(with_children(n, std::move(children)))});
            }
    if (n.kind == Kind::call && (n.name == "transpose" || n.name == "concat"))
        for (const Option& o : n.options)
            if (o.value->kind == Kind::array || o.name == "axis")
                for (const ExprPtr& v : other_orders(o)) {
                    Expr copy = n;
                    copy.source.clear();
                    for (Option& mine : copy.options)
                        if (mine.name == o.name) mine.value = v;
                    out.push_back({{"permuted_axes", fmt::format("{}={} is another order of axes", o.name, text_of(*o.value))},
                                   p.with(make(std::move(copy)))});
                }
    return out;
}

std::vector<ExprPtr> RepairSearch::other_orders(const Option& o) {
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

bool RepairSearch::everywhere() {
    const auto swap_names = [this](const std::string& a, const std::string& b) {
        return rewritten(right_, [&](const Expr& e) {
            return e.kind != Kind::name ? nullptr : e.name == a ? name(b) : e.name == b ? name(a) : nullptr;
        });
    };
    std::vector<std::string> indices;
    if (index_form_)
        for_each(*claim_.line().left, [&](const Expr& e) {
            if (e.kind == Kind::name && !is_scalar_name(e.name) &&
                std::find(indices.begin(), indices.end(), e.name) == indices.end())
                indices.push_back(e.name);
        });
    for (std::size_t i = 0; i < indices.size(); ++i)
        for (std::size_t j = i + 1; j < indices.size(); ++j)
            if (try_change("transpose", fmt::format("{} and {} stand in each other's place", indices[i], indices[j]),
                           swap_names(indices[i], indices[j])))
                return true;
    const auto other_axis = [](const Expr& e) -> ExprPtr {
        const std::string begin = e.kind == Kind::call ? e.name.substr(0, 3) : "";
        if (e.children.size() != 1 || !is_reduction(e) || (begin != "row" && begin != "col")) return nullptr;
        return call((begin == "row" ? "col" : "row") + e.name.substr(3), e.children);
    };
    // The outermost first: what lies below a reduction is not looked at again, and is the same in the claims this is for.
    return contains(*right_, Kind::call) &&
           try_change("wrong_row_term", "every reduction runs over the wrong axis", rewritten(right_, other_axis));
}

bool RepairSearch::reshapes() {
    std::vector<std::vector<Option>> shapes, orders;
    const auto collect = [&](const Expr& e) {
        if (e.kind == Kind::call && e.name == "reshape") shapes.push_back(e.options);
        if (e.kind == Kind::call && e.name == "transpose") orders.push_back(e.options);
    };
    for (const Assignment& a : claim_.proof().forward) for_each(*a.value, collect);
    const auto with_options = [](const char* function, const ExprPtr& x, const std::vector<Option>& options) {
        Expr e;
        e.kind = Kind::call;
        e.name = function;
        e.children = {x};
        e.options = options;
        return make(std::move(e));
    };
    for (const Place& p : places_) {
        if (p.node->kind != Kind::call || p.node->name != "reshape") continue;
        const ExprPtr& x = p.node->children[0];
        const std::string text = fmt::format("{} lacks a transpose of the axes", text_of(*p.node));
        for (const auto& order : orders) {
            if (try_change("permuted_axes", text, p.with(with_child(*p.node, 0, with_options("transpose", x, order)))))
                return true;
            for (const auto& shape : shapes)
                if (try_change("permuted_axes", text,
                               p.with(with_options("transpose", with_options("reshape", x, shape), order))))
                    return true;
        }
    }
    return false;
}

bool RepairSearch::two_orders() {
    if (index_form_ || places_.size() > 24) return false;
    for (const Place& p : places_)
        for (const auto& [what, changed] : reordered(p))
            for (const Place& q : places(changed))
                for (const auto& [second, twice] : reordered(q))
                    if (try_change("transpose", what.second + ", and " + second.second, twice)) return true;
    return false;
}

bool RepairSearch::wrong_names() {
    const std::vector<std::string> names = value_names();
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::name && n.kind != Kind::gradient) continue;
        for (const std::string& other : names) {
            if (other == n.name || (n.kind == Kind::gradient && claim_.proof().is_constant(other))) continue;
            const ExprPtr leaf = n.kind == Kind::gradient ? gradient(other) : name(other);
            if (try_change("wrong_name", fmt::format("{} where {} belongs", text_of(n), text_of(*leaf)), p.with(leaf)))
                return true;
        }
    }
    return false;
}

bool RepairSearch::wrong_slopes() {
    const std::vector<ExprPtr> known = index_form_ ? index_slopes() : slopes();
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (contains(n, Kind::gradient) || is_scalar(n) || n.kind == Kind::number) continue;
        const std::string stands = text_of(n);
        for (const ExprPtr& s : known) {
            const std::string belongs = text_of(*s);
            // f(x) for x is a factor of the chain rule that was left out; anything else is another value.
            const char* kind = belongs.find(stands) != std::string::npos ? "missing_chain_factor" : "wrong_name";
            if (try_change(kind, fmt::format("{} where {} belongs", stands, belongs), p.with(s))) return true;
        }
    }
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::product) continue;
        for (std::size_t i = 1; i < n.children.size(); ++i) {
            if (n.joints[i] == '/' || (i > 1 && n.joints[i - 1] == '/') || contains(*n.children[i], Kind::gradient) ||
                contains(*n.children[i - 1], Kind::gradient))
                continue;
            for (const ExprPtr& s : known) {
                const ExprPtr once = with_child(n, i - 1, s);
                if (try_change("wrong_name",
                               fmt::format("{} and {} where {} belongs", text_of(*n.children[i - 1]), text_of(*n.children[i]),
                                           text_of(*s)),
                               p.with(without(*once, i))))
                    return true;
            }
        }
    }
    return false;
}

}  // namespace gradproof::proof
