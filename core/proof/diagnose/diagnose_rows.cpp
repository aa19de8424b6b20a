// Diagnosis: the row terms of softmax and normalisations.
#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

std::vector<ExprPtr> RepairSearch::row_forms(const ExprPtr& x, const ExprPtr& rest) const {
    std::vector<ExprPtr> out;
    if (!index_form_) {
        out.push_back(product(x, '*', sum(rest, '-', call("rowsum", {product(rest, '*', x)}))));
        out.push_back(product(x, '*', sum(rest, '-', call("sum", {product(rest, '*', x)}))));
        return out;
    }
    if (x->kind != Kind::index) return out;
    const Expr& last = *x->children.back();
    if (last.kind != Kind::name) return out;
    const std::string fresh = fresh_index();
    Expr s;
    s.kind = Kind::reduce;
    s.name = "sum";
    s.bound = {fresh};
    s.children = {product(renamed(x, last.name, fresh), '@', renamed(rest, last.name, fresh))};
    out.push_back(product(x, '@', sum(rest, '-', make(std::move(s)))));
    return out;
}

ExprPtr RepairSearch::renamed(const ExprPtr& e, const std::string& from, const std::string& to) {
    return rewritten(e, [&](const Expr& part) { return part.kind == Kind::name && part.name == from ? name(to) : nullptr; });
}

std::string RepairSearch::fresh_index() const {
    std::set<std::string> used;
    for (const ExprPtr& side : {claim_.line().left, right_})
        for_each(*side, [&](const Expr& e) {
            if (e.kind == Kind::name) used.insert(e.name);
            used.insert(e.bound.begin(), e.bound.end());
        });
    const auto& scope = claim_.draw(0).scope();
    for (const char* c : {"k", "l", "p", "q", "r", "s", "t", "u"})
        if (!used.contains(c) && !scope.sizes.contains(c) && !scope.values.contains(c)) return c;
    return "index_";
}

bool RepairSearch::row_terms() {
    if (softmax_row_forms() || jacobian_row_terms()) return true;
    return index_form_ ? index_row_terms() : matrix_row_terms();
}

bool RepairSearch::softmax_row_forms() {
    for (const Place& p : places_) {
        const Expr& n = *p.node;
        if (n.kind != Kind::product) continue;
        const auto try_form = [&](const ExprPtr& full) {
            return try_change("missing_row_term", "the row sum of the Jacobian is missing", p.with(full));
        };
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            const ExprPtr& x = n.children[i];
            if ((x->kind != Kind::name && x->kind != Kind::index) || is_scalar(*x) || n.children.size() < 2 ||
                (i > 0 && n.joints[i] == '/') || (i == 0 && n.joints[1] == '/'))
                continue;
            for (const ExprPtr& full : row_forms(x, without(n, i)))
                if (try_form(full)) return true;
            if (i + 2 >= n.children.size() || n.joints[i + 1] != '*') continue;
            for (const ExprPtr& pair : row_forms(x, n.children[i + 1]))
                if (try_form(without(*with_child(n, i, pair), i + 1))) return true;
        }
    }
    return false;
}

bool RepairSearch::jacobian_row_terms() {
    const Expr& l = *claim_.line().left;
    if (l.kind != Kind::jacobian) return false;
    const auto lacks = [&](const ExprPtr& term) {
        return try_change("missing_row_term", fmt::format("the term - {} is missing", text_of(*term)), sum(right_, '-', term));
    };
    if (!index_form_) {
        for (const std::string& x : value_names())
            if (lacks(call("outer", {name(x), name(x)}))) return true;
        return false;
    }
    if (!contains(*right_, Kind::delta)) return false;
    for (const ExprPtr& x : index_factors())
        if (x->kind == Kind::index && (lacks(call("exp", {x})) || lacks(x))) return true;
    return false;
}

bool RepairSearch::matrix_row_terms() {
    const std::vector<std::string> names = value_names();
    const std::vector<Constant> scalars = forward_scalars();
    for (const Place& p : places_) {
        if (is_scalar(*p.node) || p.node->kind == Kind::number) continue;
        const ExprPtr& q = p.node;
        const ExprPtr part = first_of_sum(q);
        const auto lacks = [&](const ExprPtr& term) {
            return try_change("missing_row_term", fmt::format("the term - {} is missing", text_of(*term)),
                              p.with(sum(q, '-', term)));
        };
        for (const char* reduce : {"rowmean", "rowsum", "colmean", "colsum"}) {
            if (lacks(call(reduce, {q}))) return true;
            for (const std::string& x : names) {
                const ExprPtr projected = product(name(x), '*', call(reduce, {product(part, '*', name(x))}));
                if (lacks(projected) || lacks(projected->children[1]) ||
                    lacks(product(call("exp", {name(x)}), '*', call(reduce, {part}))))
                    return true;
                if (part != q && lacks(call(reduce, {part}))) return true;
                const ExprPtr both = sum(sum(q, '-', call(reduce, {q})), '-', projected);
                if (try_change(
                        "missing_row_term",
                        fmt::format("the terms - {} and - {} are missing", text_of(*call(reduce, {q})), text_of(*projected)),
                        p.with(both)))
                    return true;
                if (std::string_view(reduce).ends_with("sum"))
                    for (const Constant& c : scalars)
                        if (c.expression->kind != Kind::number && lacks(product(projected, '/', c.expression))) return true;
            }
        }
    }
    return false;
}

ExprPtr RepairSearch::first_of_sum(const ExprPtr& e) { return e->kind == Kind::sum && e->joints[0] == '+' ? e->children[0] : e; }

/// X[i,j] -> X[i,j] - logsumexp(X, axis=1)[i]
bool RepairSearch::lacks_log_sum(const Place& p) {
    const Expr& n = *p.node;
    if (n.children[0]->kind != Kind::name || n.children.size() < 2) return false;
    Expr c;
    c.kind = Kind::call;
    c.name = "logsumexp";
    c.children = {n.children[0]};
    c.options.push_back({"axis", number(static_cast<double>(n.children.size() - 2)), {}});
    Expr at;
    at.kind = Kind::index;
    at.children = {make(std::move(c))};
    at.children.insert(at.children.end(), n.children.begin() + 1, n.children.end() - 1);
    const ExprPtr term = at.children.size() > 1 ? make(std::move(at)) : at.children[0];
    return try_change("missing_row_term", fmt::format("the term - {} is missing", text_of(*term)),
                      p.with(sum(p.node, '-', term)));
}

/// q -> q - Σ_k q[k] / n, and q - x Σ_k q[k] x[k] / n, over an index of the left side of size n.
bool RepairSearch::index_row_terms() {
    const Expr& l = *claim_.line().left;
    if (l.kind != Kind::index) return false;
    const std::map<std::string, Index> sizes = index_sizes();
    for (std::size_t i = l.children.size() - 1; i > 0; --i)
        if (const auto index = sizes.find(l.children[i]->name);
            index != sizes.end() && index_row_terms(index->first, index->second))
            return true;
    return false;
}

bool RepairSearch::index_row_terms(const std::string& over, Index n) {
    const std::string fresh = fresh_index();
    std::vector<ExprPtr> sizes{nullptr};
    for (const auto& [size, value] : claim_.draw(0).sizes())
        if (value == n) sizes.push_back(name(size));
    const auto summed_over = [&](const ExprPtr& body, const ExprPtr& size) {
        Expr s;
        s.kind = Kind::reduce;
        s.name = "sum";
        s.bound = {fresh};
        s.children = {renamed(body, over, fresh)};
        const ExprPtr out = make(std::move(s));
        return size ? product(out, '/', size) : out;
    };
    const std::vector<ExprPtr> factors = index_factors();
    for (const Place& p : places_) {
        if (p.node->kind == Kind::index && lacks_log_sum(p)) return true;
        if (p.in_reduction || is_scalar(*p.node)) continue;
        const ExprPtr part = first_of_sum(p.node);
        for (const ExprPtr& size : sizes) {
            const auto lacks = [&](const ExprPtr& term) {
                return try_change("missing_row_term", fmt::format("the term - {} is missing", text_of(*term)),
                                  p.with(sum(p.node, '-', term)));
            };
            if (lacks(summed_over(part, size))) return true;
            for (const ExprPtr& x : factors) {
                if (x->kind != Kind::index || x->children[0]->kind != Kind::name) continue;
                const ExprPtr projected = summed_over(product(part, '@', x), size);
                if (lacks(product(x, '@', projected)) || lacks(projected) ||
                    lacks(product(call("exp", {x}), '@', summed_over(part, size))))
                    return true;
            }
        }
    }
    return false;
}

}  // namespace gradproof::proof
