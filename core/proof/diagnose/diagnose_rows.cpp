// Diagnosis: the row terms of softmax and normalisations.
#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

std::vector<ExprPtr> row_forms(const Search& s, const ExprPtr& x, const ExprPtr& rest) {
    const auto less = [&](const ExprPtr& reduced) { return product(x, s.index_form ? '@' : '*', sum(rest, '-', reduced)); };
    if (!s.index_form) return {less(call("rowsum", {product(rest, '*', x)})), less(call("sum", {product(rest, '*', x)}))};
    if (x->kind != Kind::index || x->children.back()->kind != Kind::name) return {};
    const std::string last = x->children.back()->name, fresh = fresh_index(s);
    return {less(summed_over(fresh, product(renamed(x, last, fresh), '@', renamed(rest, last, fresh))))};
}

std::string fresh_index(const Search& s) {
    std::set<std::string> used;
    for (const Expr* side : {&s.left, s.right.get()})
        for_each(*side, [&](const Expr& e) {
            if (e.kind == Kind::name) used.insert(e.name);
            used.insert(e.bound.begin(), e.bound.end());
        });
    const auto& scope = s.claim.draw(0).scope();
    for (const char* c : {"k", "l", "p", "q", "r", "s", "t", "u"})
        if (!used.contains(c) && !scope.sizes.contains(c) && !scope.values.contains(c)) return c;
    return "index_";
}

namespace {

/// At one place a term that is missing.
void lacks(Search& s, const Place& p, const ExprPtr& term) {
    s.tries(Mistake::missing_row_term, p.with(sum(p.node, '-', term)), "the term - {} is missing", term);
}

void softmax_row_forms(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        for (std::size_t i = 0; n.kind == Kind::product && i < n.children.size(); ++i) {
            const ExprPtr& x = n.children[i];
            if ((x->kind != Kind::name && x->kind != Kind::index) || s.is_scalar(*x) || n.children.size() < 2 ||
                n.joints[std::max<std::size_t>(i, 1)] == '/')
                continue;
            std::vector<ExprPtr> forms = row_forms(s, x, without(n, i));
            if (i + 2 < n.children.size() && n.joints[i + 1] == '*')
                for (const ExprPtr& pair : row_forms(s, x, n.children[i + 1]))
                    forms.push_back(without(*with_child(n, i, pair), i + 1));
            for (const ExprPtr& full : forms)
                s.tries(Mistake::missing_row_term, p.with(full), "the row sum of the Jacobian is missing");
        }
    }
}

/// The outer product or the mean that a Jacobian lacks.
void jacobian_row_terms(Search& s) {
    if (s.left.kind != Kind::jacobian) return;
    const Place& whole = s.places.front();
    if (!s.index_form)
        for (const std::string& x : s.value_names()) lacks(s, whole, call("outer", {name(x), name(x)}));
    else if (contains(*s.right, Kind::delta))
        for (const ExprPtr& x : index_factors(s))
            if (x->kind == Kind::index)
                for (const ExprPtr& term : {call("exp", {x}), x}) lacks(s, whole, term);
    // δ[c,k] -> δ[c,k] - N[i,c] N[i,k] / d
    const auto split = s.left.children.begin() + static_cast<std::ptrdiff_t>(s.left.split);
    const std::vector<ExprPtr> of(s.left.children.begin(), split), by(split, s.left.children.end());
    for (const std::string& v : s.index_form&& of.size() == by.size() ? s.value_names() : std::vector<std::string>{}) {
        if (s.claim.draw(0).scope().values.at(v).shape().rank() != static_cast<int>(of.size())) continue;
        const ExprPtr outer = product(entry(name(v), of), '@', entry(name(v), by));
        for (const Place& p : s.places) {
            if (!contains(*p.node, Kind::delta)) continue;
            lacks(s, p, outer);
            for (const auto& [n, size] : s.claim.draw(0).sizes()) lacks(s, p, product(outer, '/', name(n)));
        }
    }
}

ExprPtr first_of_sum(const ExprPtr& e) { return e->kind == Kind::sum && e->joints[0] == '+' ? e->children[0] : e; }

void matrix_row_terms(Search& s) {
    const std::vector<Constant> scalars = forward_scalars(s);
    for (const Place& p : s.places) {
        const ExprPtr &q = p.node, part = first_of_sum(q);
        if (s.is_scalar(*q) || q->kind == Kind::number) continue;
        for (const std::string reduce : {"rowmean", "rowsum", "colmean", "colsum"}) {
            const ExprPtr reduced = call(reduce, {q});
            lacks(s, p, reduced);
            for (const std::string& v : s.value_names()) {
                const ExprPtr x = name(v), projected = product(x, '*', call(reduce, {product(part, '*', x)}));
                lacks(s, p, projected);
                lacks(s, p, projected->children[1]);
                lacks(s, p, product(call("exp", {x}), '*', call(reduce, {part})));
                if (part != q) lacks(s, p, call(reduce, {part}));
                s.tries(Mistake::missing_row_term, p.with(sum(sum(q, '-', reduced), '-', projected)),
                        "the terms - {} and - {} are missing", reduced, projected);
                if (reduce.ends_with("sum"))
                    for (const Constant& c : scalars)
                        if (c.expression->kind != Kind::number) lacks(s, p, product(projected, '/', c.expression));
            }
        }
    }
}

/// X[i,j] -> X[i,j] - logsumexp(X, axis=1)[i]
void lacks_log_sum(Search& s, const Place& p) {
    const Expr& n = *p.node;
    if (n.kind != Kind::index || n.children[0]->kind != Kind::name || n.children.size() < 2) return;
    const ExprPtr total = over_axis("logsumexp", n.children[0], static_cast<double>(n.children.size() - 2));
    lacks(s, p, n.children.size() > 2 ? entry(total, {n.children.begin() + 1, n.children.end() - 1}) : total);
}

/// q -> q - Σ_k q[k] / n, and q - x Σ_k q[k] x[k] / n, over an index of the left side of size n.
void index_row_terms(Search& s, const std::string& over, Index n) {
    const std::string fresh = fresh_index(s);
    std::vector<ExprPtr> sizes{nullptr};
    for (const auto& [size, value] : s.claim.draw(0).sizes())
        if (value == n) sizes.push_back(name(size));
    const std::vector<ExprPtr> factors = index_factors(s);
    for (const Place& p : s.places) {
        lacks_log_sum(s, p);
        if (p.in_reduction || s.is_scalar(*p.node)) continue;
        const ExprPtr part = first_of_sum(p.node);
        for (const ExprPtr& size : sizes) {
            const auto reduced = [&](const ExprPtr& body) {
                const ExprPtr out = summed_over(fresh, renamed(body, over, fresh));
                return size ? product(out, '/', size) : out;
            };
            lacks(s, p, reduced(part));
            for (const ExprPtr& x : factors) {
                if (x->kind != Kind::index || x->children[0]->kind != Kind::name) continue;
                const ExprPtr projected = reduced(product(part, '@', x));
                lacks(s, p, product(x, '@', projected));
                lacks(s, p, projected);
                lacks(s, p, product(call("exp", {x}), '@', reduced(part)));
            }
        }
    }
}

}  // namespace

/// A term with a sum or mean over the row that is missing: softmax, normalisations.
void row_terms(Search& s) {
    softmax_row_forms(s);
    jacobian_row_terms(s);
    if (!s.index_form) return matrix_row_terms(s);
    if (s.left.kind != Kind::index) return;
    const std::map<std::string, Index> sizes = index_sizes(s);
    for (std::size_t i = s.left.children.size() - 1; i > 0; --i)
        if (const auto index = sizes.find(s.left.children[i]->name); index != sizes.end())
            index_row_terms(s, index->first, index->second);
}

}  // namespace gradproof::proof
