// Gradients down an expression: operators, places and index form.
#include "gradproof/core/proof/derive/backward.hpp"

#include <algorithm>

#include "gradproof/core/proof/derive/entry_form.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/slopes.hpp"

namespace gradproof::proof {
namespace {

ExprPtr one_less(const ExprPtr& p) { return proof::sum(p, '-', number(1)); }

}  // namespace

ExprPtr first_factors(const Expr& e, std::size_t count) {
    if (count == 1) return e.children[0];
    Expr out = e;
    out.children.resize(count);
    out.joints.resize(count);
    return make(std::move(out));
}

Term outer_of(const Algebra& a, const Term& u, const Term& v) {
    const std::pair<Term, Term> left = a.apart(u);
    return a.times(left.first, a.of_arrays(v, [&](const ExprPtr& right) {
        return call("outer", {a.expression(left.second), right});
    }));
}

std::vector<Contribution> Backward::through(const Assignment& a) {
    if (const std::size_t parts = parts_of(*a.value); parts > kMostPartsToDerive)
        no_rule("{} has {} parts, at most {} (kMostPartsToDerive)", a.name, parts, kMostPartsToDerive);
    by_entries_ = !a.indices.empty() && !known().is_by_rows(*a.value);
    letters_ = a.indices;
    root_ = a.indices.empty() ? nullptr : a.value.get();
    Term g = a.is_loss ? Algebra::number(1) : matrices_.term(gradient_of(a.name));
    if (root_ != nullptr) {
        root_value_ = entry_at(name(a.name), a.indices);
        if (!matrices_.axes(g).empty()) g = at_indices(g, a);
    }
    visit(a.value, g);
    return std::exchange(found_, {});
}

/// Of a gradient that was put in, its entry, or its row, that the line is about.
Term Backward::at_indices(const Term& g, const Assignment& a) const {
    const Term gradient{1, 1, {{entry_at(gradient_of(a.name), a.indices), 1}}};
    if (!matrices_.inlined.contains(a.name)) return gradient;
    try {
        const EntryForm form(matrices_, entries_);
        return by_entries_ ? form.entries_of(g, a.indices) : form.row_of(g, a.indices, known().axes_of(a.name).size());
    } catch (const NoRule&) {
        return gradient;
    }
}

Term Backward::value(const ExprPtr& e) const {
    if (e.get() == root_) return {1, 1, {{root_value_, 1}}};
    return algebra().term(e);
}

RuleStep Backward::step(std::string_view rule, const ExprPtr& whole, const ExprPtr& part, const Term& g) const {
    const auto& rules = derivative_rules();
    const auto found = std::ranges::find(rules, rule, &DerivativeRule::name);
    return {&*found, whole, part, algebra().expression(g)};
}

void Backward::go_on(std::string_view rule, const ExprPtr& whole, const ExprPtr& part, const Term& g) {
    if (!concerns(part) || g.is_zero()) return;
    steps_.push_back(step(rule, whole, part, g));
    visit(part, g);
    steps_.pop_back();
}

void Backward::arrive(const Term& g, std::vector<ExprPtr> at) {
    found_.push_back({g, by_entries_, std::move(at), letters_, steps_});
}

void Backward::visit(const ExprPtr& e, const Term& g) {
    if (!concerns(e)) return;
    switch (e->kind) {
        case Kind::name: return arrive(g, {});
        case Kind::sum: return sum(e, g);
        case Kind::negate: return go_on("sign", e, e->children[0], Algebra::opposite(g));
        case Kind::transpose:
            return go_on("transpose", e, e->children[0], by_entries_ ? g : matrices_.transposed(g, matrices_.axes(e)));
        case Kind::product: return product(e, g);
        case Kind::power: return power(e, g);
        case Kind::index: return index(e, g);
        case Kind::reduce: return reduce(e, g);
        case Kind::call: return call(e, g);
        default: no_rule("no rule yet for {}", text_of(*e));
    }
}

void Backward::sum(const ExprPtr& e, const Term& g) {
    for (std::size_t i = 0; i < e->children.size(); ++i) {
        const ExprPtr& c = e->children[i];
        if (!concerns(c)) continue;
        const Term of_term = e->joints[i] == '-' ? Algebra::negated(g) : g;
        go_on("sum rule", e, c, algebra().unbroadcast(of_term, algebra().axes(e), algebra().axes(c)));
    }
}

void Backward::product(const ExprPtr& e, const Term& gradient) {
    if (e->children.size() > kMostFactorsToDerive)
        no_rule("a product of {} factors, at most {} (kMostFactorsToDerive)", e->children.size(), kMostFactorsToDerive);
    const Algebra& a = algebra();
    struct Found {
        std::string_view rule;
        ExprPtr whole, part;
        Term g;
        std::vector<RuleStep> before;  ///< factors further right that were taken off
    };
    std::vector<Found> found;  // from the last factor to the first: visited the other way round
    std::vector<RuleStep> before;
    Term g = gradient;
    for (std::size_t i = e->children.size(); i-- > 1;) {
        const ExprPtr left = first_factors(*e, i), right = e->children[i];
        const ExprPtr whole = i + 1 == e->children.size() ? e : first_factors(*e, i + 1);
        const Axes of = a.axes(whole);
        const bool divides = e->joints[i] == '/';
        const bool by_matrix = e->joints[i] == '@' && !a.axes(left).empty() && !a.axes(right).empty();
        const std::string_view rule = divides ? "quotient rule" : by_matrix ? "matrix product" : "product rule";
        if (concerns(right)) {
            const Term of_right = by_matrix ? right_of_product(whole, left, right, g)
                                  : divides ? Algebra::negated(a.divided(a.times(g, value(whole)), value(right)))
                                            : a.times(g, value(left));
            found.push_back(
                {rule, whole, right, a.unbroadcast(of_right, by_matrix ? a.axes(of_right) : of, a.axes(right)), before});
        }
        if (!concerns(left)) break;
        g = by_matrix ? left_of_product(whole, left, right, g) : divides ? a.divided(g, value(right)) : a.times(g, value(right));
        g = a.unbroadcast(g, by_matrix ? a.axes(g) : of, a.axes(left));
        if (i == 1)
            found.push_back({rule, whole, left, g, before});
        else
            before.push_back(step(rule, whole, left, g));
    }
    for (std::size_t i = found.size(); i-- > 0;) {
        const std::size_t depth = steps_.size();
        steps_.insert(steps_.end(), found[i].before.begin(), found[i].before.end());
        go_on(found[i].rule, found[i].whole, found[i].part, found[i].g);
        steps_.resize(depth);
    }
}

/// With an axis of size 1 at the end.
Term Backward::columns(const Term& g, Axes of) const {
    of.push_back(kSizeOne);
    return matrices_.of_arrays(g, [&](const ExprPtr& x) { return reshaped(known(), x, of); });
}

Term Backward::left_of_product(const ExprPtr& whole, const ExprPtr& left, const ExprPtr& right, const Term& gradient) const {
    const Algebra& a = matrices_;
    const Axes l = a.axes(left), r = a.axes(right);
    const Term g = a.filled(gradient, a.axes(whole));
    if (l.size() == 1 && r.size() == 1) return a.times(g, value(right));
    if (l.size() == 1 && r.size() == 2) return a.product(value(right), g);
    if (l.size() == 2 && r.size() == 1) return outer_of(a, g, value(right));
    if (r.size() == 1) return a.times(columns(g, a.axes(whole)), value(right));
    if (l.size() < 2 || r.size() < 2)
        no_rule("no rule yet for the product of {} axes and {} in {}", l.size(), r.size(), text_of(*whole));
    return a.product(g, a.transposed(value(right), r));
}

Term Backward::right_of_product(const ExprPtr& whole, const ExprPtr& left, const ExprPtr& right, const Term& gradient) const {
    const Algebra& a = matrices_;
    const Axes l = a.axes(left), r = a.axes(right);
    const Term g = a.filled(gradient, a.axes(whole));
    if (l.size() == 1 && r.size() == 1) return a.times(g, value(left));
    if (l.size() == 1 && r.size() == 2) return outer_of(a, value(left), g);
    if (r.size() == 1 && l.size() > 2) return a.times(columns(g, a.axes(whole)), value(left));
    if (l.size() < 2) no_rule("no rule yet for the product of {} axes and {} in {}", l.size(), r.size(), text_of(*whole));
    return a.product(a.transposed(value(left), l), g);
}

void Backward::power(const ExprPtr& e, const Term& g) {
    const Algebra& a = algebra();
    const ExprPtr& x = e->children[0];
    const ExprPtr& p = e->children[1];
    if (concerns(x)) {
        const Term exponent = a.term(p);
        const bool is_number = exponent.powers.empty();
        const Term rest = is_number ? a.power(value(x), gradproof::one_less(exponent.up / exponent.down))
                                    : Term{1, 1, {{power_of(x, one_less(p)), 1}}};
        go_on("power rule", e, x, a.unbroadcast(a.times(a.times(g, exponent), rest), a.axes(e), a.axes(x)));
    }
    if (concerns(p)) {
        const Term slope = a.times(value(e), {1, 1, {{proof::call("log", {x}), 1}}});
        go_on("power rule", e, p, a.unbroadcast(a.times(g, slope), a.axes(e), a.axes(p)));
    }
}

/// Of a recurrence in rows, the gradient is said row by row.
bool Backward::goes_by_rows(const Expr& base) const {
    const Assignment* a = base.kind == Kind::name ? known().find(base.name) : nullptr;
    return a != nullptr && a->is_recurrence() && known().is_by_rows(*a->value);
}

void Backward::index(const ExprPtr& e, const Term& g) {
    const ExprPtr& base = e->children[0];
    if (!concerns(base)) return;  // of E[t], where t has no gradient
    if (!by_entries_ && !mentions_any(*e, letters_) && !goes_by_rows(*base)) return part_of_array(e, g);
    const auto is_slice = [](const ExprPtr& c) { return c->kind == Kind::slice; };
    if (std::ranges::any_of(e->children, is_slice)) no_rule("no rule yet for {} in index form", text_of(*e));
    if (base->kind != Kind::name) no_rule("no rule yet for {} in index form", text_of(*e));
    arrive(g, {e->children.begin() + 1, e->children.end()});
}

/// Σ, in index form or as a number.
void Backward::reduce(const ExprPtr& e, const Term& g) {
    if (e->name != "sum") no_rule("no rule yet for {}", text_of(*e));
    const bool before = std::exchange(by_entries_, !known().is_by_rows(*e->children[0]));
    letters_.insert(letters_.end(), e->bound.begin(), e->bound.end());
    go_on("sum over an index", e, e->children[0], g);
    letters_.resize(letters_.size() - e->bound.size());
    by_entries_ = before;
}

}  // namespace gradproof::proof
