// Diagnosis: sums over axes, and Jacobians of which only the diagonal is used.
#include <algorithm>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

/// One number where the gradient has an entry for each: dy / n for dy / n ones(n).
void one_number(Search& s) {
    const Shape& shape = s.claim.truth(0).shape();
    if (s.index_form || s.sides[0].claimed.rank() > 0 || shape.rank() == 0) return;
    std::vector<ExprPtr> dims;
    for (const Index n : shape) {
        const auto& sizes = s.claim.draw(0).sizes();
        const auto named = std::find_if(sizes.begin(), sizes.end(), [&](const auto& size) { return size.second == n; });
        dims.push_back(named == sizes.end() ? number(static_cast<double>(n)) : name(named->first));
    }
    s.tries(product(s.right, '@', call("ones", dims)), "{} is one number, and every entry has one of its own", s.right);
}

/// Sums over an axis that are missing, stand there for nothing, or go the wrong way.
void reductions(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        if (n.kind == Kind::call && is_reduction(n) && n.children.size() == 1) {
            for (const std::string_view other : {"rowsum", "rowmean", "colsum", "colmean"}) {
                if (n.name == other) continue;
                const bool mean = n.name.ends_with("mean") != other.ends_with("mean");
                s.tries(p.is_term || p.is_factor ? Mistake::wrong_row_term
                        : mean                   ? Mistake::factor
                                                 : Mistake::missing_sum,
                        p.with(call(std::string(other), {n.children[0]})), "{} {}", n,
                        !mean                     ? "reduces the wrong axis"
                        : other.ends_with("mean") ? "where a mean belongs"
                                                  : "where a sum belongs");
            }
            s.tries(p.with(n.children[0]), "{} sums what is not to be summed", n);
        }
        if (n.kind == Kind::reduce) s.tries(p.with(n.children[0]), "{} sums what is not to be summed", n);
    }
    if (s.index_form) return;  // an index that is not bound is refused when the line is read
    const auto along = [](const ExprPtr& e, int axis) { return over_axis("sum", e, axis); };
    const auto kept_along = [](const ExprPtr& e, int axis) {
        return call("sum", e, {{"axis", number(axis), {}}, keep_option()});
    };
    for (const Place& p : s.places) {
        const ExprPtr& e = p.node;
        if (e->kind == Kind::number || s.is_scalar(*e)) continue;
        for (const ExprPtr& wrapped : {call("rowsum", {e}), call("colsum", {e}), call("sum", {e}), along(e, 0), along(e, 1),
                                       kept_along(e, 0), kept_along(e, 1)})
            s.tries(e == s.right || !p.in_reduction ? Mistake::missing_sum : Mistake::wrong_row_term, p.with(wrapped),
                    "{} is not summed", e);
    }
}

namespace {

ExprPtr without_two(const Expr& n, std::size_t i, std::size_t j) {
    const auto [first, last] = std::minmax(i, j);
    if (n.joints[last] == '/' || (first > 0 && n.joints[first] == '/')) return nullptr;
    const ExprPtr once = without(n, last);
    return once->kind == Kind::product ? without(*once, first) : nullptr;
}

}  // namespace

/// Only the diagonal of a softmax Jacobian: p (1 - p) where diag(p) - p pᵀ belongs.
void diagonal(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        for (std::size_t i = 0; i < n.children.size() && n.kind == Kind::product && n.children.size() > 2; ++i) {
            if (!is_one_minus(*n.children[i])) continue;
            const std::string x = text_of(*n.children[i]->children[1]);
            for (std::size_t j = 0; j < n.children.size(); ++j)
                if (const ExprPtr rest = j != i && text_of(*n.children[j]) == x ? without_two(n, i, j) : nullptr)
                    for (const ExprPtr& full : row_forms(s, n.children[j], rest))
                        s.tries(p.with(full), "only the diagonal of the Jacobian is used");
        }
    }
}

/// Of a Jacobian claim: right where the last indices of both sides are equal, and zero or alike elsewhere.
void diagonal_of_jacobian(Search& s) {
    const Expr& l = s.left;
    if (l.split == 0 || l.split == l.children.size()) return;
    const ExprPtr &j = l.children[l.split - 1], &k = l.children.back();
    if (j->kind != Kind::name || k->kind != Kind::name || j->name == k->name) return;
    s.tries(product(delta(j, k), '@', s.right), "it holds on the diagonal only");
    // A[i,j] δ[j,k] -> A[i,j] (δ[j,k] - A[i,k]), and the same where 1 - A stands for it.
    std::vector<ExprPtr> entries;
    for_each(*s.right, [&](const Expr& e) {
        if (e.kind == Kind::index) entries.push_back(make(e));
    });
    for (const ExprPtr& x : entries) {
        const ExprPtr at_j = renamed(x, k->name, j->name), at_k = renamed(x, j->name, k->name);
        const ExprPtr full = product(at_j, '@', sum(delta(j, k), '-', at_k));
        if (!s.mends(full)) continue;
        const ExprPtr own = product(at_j, '@', delta(j, k));
        if (s.mends(sum(s.right, '+', own))) s.found(Mistake::missing_term, full, fmt::format("the term {} is missing", own));
        if (contains(*s.right, Kind::sum)) s.found(full, "only the diagonal of the Jacobian is used");
        s.found(Mistake::missing_row_term, full, fmt::format("the term - {} {} is missing", at_j, at_k));
    }
}

}  // namespace gradproof::proof
