// Gradients down functions that move entries, choose among them, or are operators by another name.
#include <algorithm>

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

ExprPtr slice(const ExprPtr& from, const ExprPtr& to) {
    Expr e = node(Kind::slice);
    if (from) e.children = {from, to};
    return make(std::move(e));
}

ExprPtr of_operator(Kind kind, const ExprPtr& a, char joint, const ExprPtr& b) {
    Expr e = node(kind, {a, b});
    e.joints = {kind == Kind::sum ? '+' : '@', joint};
    return make(std::move(e));
}

}  // namespace

void Backward::concat(const ExprPtr& e, const Term& g) {
    const Axes of = matrices_.axes(e);
    const Option* option = find_option(*e, "axis");
    const std::optional<double> at = option ? signed_number(*option->value) : 0.0;
    if (!at) no_rule("no rule yet for {}", text_of(*e));
    const auto axis = static_cast<std::size_t>(*at < 0 ? *at + static_cast<double>(of.size()) : *at);
    ExprPtr from = number(0);
    for (const ExprPtr& c : e->children) {
        const Term size = matrices_.term(known().size(matrices_.axes(c)[axis]));
        const ExprPtr to = matrices_.expression(matrices_.add({matrices_.term(from), size}));
        if (concerns(c)) {
            std::vector<ExprPtr> slices(of.size(), slice(nullptr, nullptr));
            slices[axis] = slice(from, to);
            while (slices.size() > axis + 1) slices.pop_back();
            const Term full = matrices_.axes(g).empty() ? g : matrices_.filled(g, of);
            go_on("concatenation", e, c,
                  matrices_.axes(g).empty() ? g : Term{1, 1, {{entry(matrices_.expression(full), slices), 1}}});
        }
        from = to;
    }
}

/// X[a:b, :], X[i]: zeros stand where nothing was taken.
void Backward::part_of_array(const ExprPtr& e, const Term& g) {
    const ExprPtr& x = e->children[0];
    const Axes of = matrices_.axes(x), taken = matrices_.axes(e);
    Axes with_ones = of;
    std::vector<std::pair<ExprPtr, ExprPtr>> ranges(of.size());
    std::size_t from = 0;
    for (std::size_t a = 0; a < of.size(); ++a) {
        const ExprPtr at = a + 1 < e->children.size() ? e->children[a + 1] : nullptr;
        const bool is_slice = !at || at->kind == Kind::slice;
        with_ones[a] = is_slice ? taken[from++] : kSizeOne;
        if (is_slice && at && !at->children.empty()) ranges[a] = {at->children[0], at->children[1]};
        if (!is_slice) ranges[a] = {at, matrices_.expression(matrices_.add({matrices_.term(at), Algebra::number(1)}))};
    }
    ExprPtr all = matrices_.expression(matrices_.filled(g, taken));
    if (with_ones != taken) all = reshaped(known(), all, with_ones);
    Axes now = with_ones;
    for (std::size_t a = 0; a < of.size(); ++a) {
        if (!ranges[a].first) continue;
        const Term after =
            matrices_.add({matrices_.term(known().size(of[a])), Algebra::negated(matrices_.term(ranges[a].second))});
        std::vector<ExprPtr> before_it, after_it, parts;
        for (std::size_t i = 0; i < of.size(); ++i) {
            before_it.push_back(i == a ? ranges[a].first : known().size(now[i]));
            after_it.push_back(i == a ? matrices_.expression(after) : known().size(now[i]));
        }
        if (ranges[a].first->kind != Kind::number || ranges[a].first->number != 0)
            parts.push_back(proof::call("zeros", before_it));
        parts.push_back(all);
        if (!after.is_zero()) parts.push_back(proof::call("zeros", after_it));
        if (parts.size() > 1) all = axis_option(proof::call("concat", parts), static_cast<double>(a), false);
        now[a] = of[a];
    }
    go_on("part of an array", e, x, {1, 1, {{all, 1}}});
}

/// where(c, a, b): what is masked takes no gradient.
void Backward::choice(const ExprPtr& e, const Term& g) {
    if (e->children.size() != 3 || !e->options.empty()) no_rule("no rule yet for {}", text_of(*e));
    const Algebra& a = algebra();
    for (const bool yes : {true, false}) {
        const ExprPtr& part = e->children[yes ? 1 : 2];
        const Term taken{1, 1, {{proof::where(e->children[0], number(yes ? 1 : 0), number(yes ? 0 : 1)), 1}}};
        if (concerns(part)) go_on("choice", e, part, a.unbroadcast(a.times(g, taken), a.axes(e), a.axes(part)));
    }
}

/// max(a, b) is a where a > b, min(a, b) is b there.
void Backward::larger(const ExprPtr& e, const Term& g) {
    if (e->children.size() != 2) no_rule("no rule yet for {}", text_of(*e));
    const Algebra& a = algebra();
    const ExprPtr &x = e->children[0], &y = e->children[1];
    const ExprPtr opposite = is_number(*x, 0) ? a.expression(Algebra::negated(a.term(y))) : nullptr;
    const ExprPtr above = proof::call("step", {opposite ? opposite : is_number(*y, 0) ? x : proof::sum(x, '-', y)});
    const ExprPtr below = opposite ? proof::call("step", {y}) : one_minus(above);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const bool where_above = (i == 0) == (e->name == "max");
        const ExprPtr& part = e->children[i];
        const Term slope{1, 1, {{where_above ? above : below, 1}}};
        if (concerns(part)) go_on("larger of two", e, part, a.unbroadcast(a.times(g, slope), a.axes(e), a.axes(part)));
    }
}

void Backward::modulo(const ExprPtr& e, const Term& g) {
    const Algebra& a = algebra();
    const ExprPtr &x = e->children[0], &by = e->children[1];
    go_on("remainder", e, x, a.unbroadcast(g, a.axes(e), a.axes(x)));
    if (!concerns(by)) return;
    const Term times{-1, 1, {{proof::call("floor", {proof::product(x, '/', by)}), 1}}};
    go_on("remainder", e, by, a.unbroadcast(a.times(g, times), a.axes(e), a.axes(by)));
}

void Backward::reshape(const ExprPtr& e, const Term& g) {
    const ExprPtr& x = e->children[0];
    if (matrices_.axes(g).empty()) return go_on("reshape", e, x, g);
    const ExprPtr whole = matrices_.expression(matrices_.filled(g, matrices_.axes(e)));
    go_on("reshape", e, x, {1, 1, {{reshaped(known(), whole, matrices_.axes(x)), 1}}});
}

void Backward::permute(const ExprPtr& e, const Term& g) {
    const Option* perm = find_option(*e, "perm");
    if (!perm) return go_on("transpose", e, e->children[0], matrices_.transposed(g, matrices_.axes(e)));
    std::vector<ExprPtr> back(perm->value->children.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        const auto to = static_cast<std::size_t>(perm->value->children[i]->number);
        if (to >= back.size()) no_rule("no rule yet for {}", text_of(*e));
        back[to] = number(static_cast<double>(i));
    }
    if (matrices_.axes(g).empty()) return go_on("permutation", e, e->children[0], g);
    const ExprPtr whole = matrices_.expression(matrices_.filled(g, matrices_.axes(e)));
    go_on("permutation", e, e->children[0],
          {1, 1, {{proof::call("transpose", whole, std::vector<Option>{{"perm", array_of(std::move(back)), {}}}), 1}}});
}

/// pow(X, exponent=p) is X^p, scale(X, factor=c) is c X.
void Backward::as_operator(const ExprPtr& e, const Term& g) {
    const std::string& op = e->name;
    const std::vector<ExprPtr>& x = e->children;
    const auto is = [&](std::string_view name, std::size_t arguments, std::size_t options) {
        return op == name && x.size() == arguments && e->options.size() == options;
    };
    if (is("pow", 1, 1)) return visit(power_of(x[0], e->options[0].value), g);
    if (is("scale", 1, 1)) return visit(of_operator(Kind::product, e->options[0].value, '@', x[0]), g);
    no_rule("no rule yet for {}", text_of(*e));
}

}  // namespace gradproof::proof
