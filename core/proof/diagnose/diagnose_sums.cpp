// Diagnosis: sums over axes, and Jacobians of which only the diagonal is used.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

bool RepairSearch::reductions() {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind == Kind::call && is_reduction(n) && n.children.size() == 1) {
            const std::string text = text_of(n);
            for (const char* other : {"rowsum", "rowmean", "colsum", "colmean"}) {
                if (n.name == other) continue;
                const bool mean = n.name.ends_with("mean") != std::string_view(other).ends_with("mean");
                const bool row_term = p.is_term || p.is_factor;
                const std::string what =
                    mean ? fmt::format("{} where a {} belongs", text, std::string_view(other).ends_with("mean") ? "mean" : "sum")
                         : fmt::format("{} reduces the wrong axis", text);
                if (try_change(row_term ? "wrong_row_term"
                               : mean   ? "factor"
                                        : "missing_sum",
                               what, p.with(call(other, {n.children[0]}))))
                    return true;
            }
            if (try_change("extra_sum", fmt::format("{} sums what is not to be summed", text), p.with(n.children[0])))
                return true;
        }
        if (n.kind == Kind::reduce &&
            try_change("extra_sum", fmt::format("{} sums what is not to be summed", text_of(n)), p.with(n.children[0])))
            return true;
    }
    if (index_form_) return false;  // an index that is not bound is refused when the line is read
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number || is_scalar(*p.node)) continue;
        const std::string text = text_of(*p.node);
        for (const ExprPtr& wrapped :
             {call("rowsum", {p.node}), call("colsum", {p.node}), call("sum", {p.node}), summed(p.node, 0), summed(p.node, 1)}) {
            const bool whole = p.node == right_ || !p.in_reduction;
            if (try_change(whole ? "missing_sum" : "wrong_row_term", fmt::format("{} is not summed", text), p.with(wrapped)))
                return true;
        }
    }
    return false;
}

ExprPtr RepairSearch::summed(const ExprPtr& e, int axis) {
    Expr c;
    c.kind = Kind::call;
    c.name = "sum";
    c.children = {e};
    c.options.push_back({"axis", number(axis), {}});
    return make(std::move(c));
}

bool RepairSearch::diagonal() {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::product) continue;
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            const Expr& f = *n.children[i];
            const bool one_minus = f.kind == Kind::sum && f.children.size() == 2 && f.joints[1] == '-' &&
                                   f.children[0]->kind == Kind::number && f.children[0]->number == 1;
            if (!one_minus) continue;
            const std::string x = text_of(*f.children[1]);
            for (std::size_t j = 0; j < n.children.size(); ++j) {
                if (j == i || text_of(*n.children[j]) != x || n.children.size() < 3) continue;
                const ExprPtr rest = without_two(n, i, j);
                if (!rest) continue;
                for (const ExprPtr& full : row_forms(n.children[j], rest))
                    if (try_change("diagonal_only", "only the diagonal of the Jacobian is used", p.with(full))) return true;
            }
        }
    }
    return jacobian_diagonal();
}

ExprPtr RepairSearch::without_two(const Expr& n, std::size_t i, std::size_t j) {
    if (n.joints[std::max(i, j)] == '/' || (std::min(i, j) > 0 && n.joints[std::min(i, j)] == '/')) return nullptr;
    const ExprPtr once = without(n, std::max(i, j));
    return once->kind == Kind::product ? without(*once, std::min(i, j)) : nullptr;
}

bool RepairSearch::jacobian_diagonal() {
    const Expr& l = *claim_.line().left;
    if (l.kind != Kind::jacobian || l.split == 0 || l.split == l.children.size()) return false;
    const ExprPtr &j = l.children[l.split - 1], &k = l.children.back();
    if (j->kind != Kind::name || k->kind != Kind::name || j->name == k->name) return false;
    Expr d;
    d.kind = Kind::delta;
    d.children = {j, k};
    const ExprPtr delta = make(std::move(d));
    if (try_change("diagonal_only", "it holds on the diagonal only", product(delta, '@', right_))) return true;
    // A[i,j] δ[j,k] -> A[i,j] (δ[j,k] - A[i,k]), and the same where 1 - A stands for it.
    std::vector<ExprPtr> entries;
    for_each(*right_, [&](const Expr& e) {
        if (e.kind == Kind::index) entries.push_back(make(e));
    });
    for (const ExprPtr& x : entries) {
        const ExprPtr at_j = renamed(x, k->name, j->name), at_k = renamed(x, j->name, k->name);
        const ExprPtr full = product(at_j, '@', sum(delta, '-', at_k));
        if (!claim_.holds(full)) continue;
        const bool has_minus = contains(*right_, Kind::sum);
        return has_minus
                   ? report("diagonal_only", "only the diagonal of the Jacobian is used", full)
                   : report("missing_row_term", fmt::format("the term - {} {} is missing", text_of(*at_j), text_of(*at_k)), full);
    }
    return false;
}

}  // namespace gradproof::proof
