// Terms of arrays: products of matrices, transposes, and sums over the axes that were broadcast.
#include <algorithm>

#include "gradproof/core/proof/derive/term.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

bool is_call(const Expr& e, std::string_view name) { return e.kind == Kind::call && e.name == name; }

}  // namespace

std::pair<Term, Term> Algebra::apart(const Term& t) const {
    Term numbers{t.up, t.down, {}}, arrays;
    for (const PowerOf& p : t.powers) (axes(p.base).empty() ? numbers : arrays).powers.push_back(p);
    return {numbers, arrays};
}

Term Algebra::filled(Term t, const Axes& of) const {
    if (by_entries_ || axes(t) == of) return t;
    return times(std::move(t), {1, 1, {{ones(known_, of), 1}}});
}

Term Algebra::of_arrays(const Term& t, const std::function<ExprPtr(const ExprPtr&)>& f) const {
    const auto [numbers, arrays] = apart(t);
    return times(numbers, {1, 1, {{f(expression(arrays)), 1}}});
}

Term Algebra::product(const Term& a, const Term& b) const {
    const auto [na, left] = apart(a);
    const auto [nb, right] = apart(b);
    const Term numbers = times(na, nb);
    const ExprPtr l = expression(left), r = expression(right);
    // A column stands behind a matrix, a row before one.
    const Vectors vectors = known_.proof().conventions.vectors;
    const std::size_t rank_l = axes(l).size(), rank_r = axes(r).size();
    if (vectors == Vectors::columns && rank_l == 1 && rank_r == 2) return product(transposed(b, axes(r)), a);
    if (vectors == Vectors::rows && rank_l == 2 && rank_r == 1) return product(b, transposed(a, axes(l)));
    if (is_call(*l, "eye") && axes(r).size() > 0) return times(numbers, right);
    if (is_call(*r, "eye") && axes(l).size() > 0) return times(numbers, left);
    Expr e = node(Kind::product);
    const auto append = [&](const ExprPtr& x, bool opened) {
        const std::vector<ExprPtr> children = opened ? x->children : std::vector<ExprPtr>{x};
        for (const ExprPtr& c : children) e.children.push_back(c), e.joints.push_back('@');
    };
    append(l, is_chain(*l));
    // A (B C) is A B C, but not where a vector stands before the last: A ((B x) C).
    append(r, is_chain(*r) &&
                  std::all_of(r->children.begin(), r->children.end() - 1, [&](const ExprPtr& c) { return axes(c).size() >= 2; }));
    return times(numbers, {1, 1, {{make(std::move(e)), 1}}});
}

Term Algebra::transposed(const Term& t, const Axes& of) const {
    if (of.size() < 2) return t;
    auto [numbers, arrays] = apart(t);
    if (arrays.powers.empty()) return t;
    if (axes(arrays).size() < 2) arrays = filled(arrays, of);
    if (arrays.powers.size() != 1 || arrays.powers[0].exponent < 0)
        return times(numbers, {1, 1, {{proof::transpose(expression(arrays)), 1}}});
    const auto [base, exponent] = arrays.powers[0];
    ExprPtr turned = proof::transpose(base);
    if (is_chain(*base)) {
        Term chain;
        for (std::size_t i = base->children.size(); i-- > 0;) {
            const Term one = transposed(term(base->children[i]), axes(base->children[i]));
            chain = chain.powers.empty() ? one : product(chain, one);
        }
        return times(numbers, power(chain, exponent));
    }
    if (is_call(*base, "eye") && base->children.size() == 1) turned = base;
    if (is_call(*base, "outer")) turned = call("outer", {base->children[1], base->children[0]});
    // A sum over an axis further left that stays is that of the transposes.
    const auto& options = base->options;
    if (is_call(*base, "sum") && options.size() == 2 && options[0].value->kind == Kind::number &&
        options[0].value->number + 2 < static_cast<double>(axes(base).size())) {
        const ExprPtr x = expression(transposed(term(base->children[0]), axes(base->children[0])));
        turned = call("sum", x, base->options);
    }
    if (is_call(*base, "ones")) {
        std::vector<ExprPtr> sizes = base->children;
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
        turned = call("ones", std::move(sizes));
    }
    return times(numbers, {1, 1, {{turned, exponent}}});
}

Term Algebra::summed(const Term& given, const Axes& of, std::size_t axis, bool keep) const {
    Term t = given;  // how large it is says `of`
    std::erase_if(t.powers, [](const PowerOf& p) { return is_call(*p.base, "ones"); });
    const std::size_t from_last = of.size() - axis;
    Term outside{t.up, t.down, {}}, inside;
    bool explicit_axis = false;
    for (const PowerOf& p : t.powers) {
        const Axes a = axes(p.base);
        const bool runs = a.size() >= from_last && a[a.size() - from_last] != kSizeOne;
        explicit_axis = explicit_axis || (!runs && a.size() >= from_last);
        (runs ? inside : outside).powers.push_back(p);
    }
    if (inside.powers.empty() && (keep || !explicit_axis))
        return of[axis] == kSizeOne ? t : times(outside, term(known_.size(of[axis])));
    if (!keep && explicit_axis) {
        inside.powers = t.powers;
        outside.powers.clear();
        inside = filled(inside, of);
    }
    const bool one = from_last == 1 && inside.powers.size() == 1 && inside.powers[0].exponent == 1;
    if (one && known_.sums_to_one(*inside.powers[0].base)) return outside;
    if (inside.powers.size() == 1 && inside.powers[0].exponent == 1 && known_.sums_to_zero(inside.powers[0].base, from_last))
        return number(0);
    const ExprPtr x = expression(inside);
    const std::size_t rank = axes(x).size();
    ExprPtr sum;
    if (keep && rank >= 2 && from_last <= 2)
        sum = call(from_last == 1 ? "rowsum" : "colsum", {x});
    else if (!keep && rank == 1)
        sum = call("sum", {x});
    else
        sum = axis_option(call("sum", {x}), static_cast<double>(rank - from_last), keep);
    return times(outside, {1, 1, {{sum, 1}}});
}

Term Algebra::summed(const Term& given, const Axes& of) const {
    Term t = given;
    std::erase_if(t.powers, [](const PowerOf& p) { return is_call(*p.base, "ones"); });
    auto [out, arrays] = apart(t);
    const Axes a = axes(arrays);
    for (std::size_t i = 1; i <= of.size(); ++i)
        if ((i > a.size() || a[a.size() - i] == kSizeOne) && of[of.size() - i] != kSizeOne)
            out = times(out, term(known_.size(of[of.size() - i])));
    if (arrays.powers.empty()) return out;
    ExprPtr x = expression(arrays);
    if ((is_call(*x, "rowsum") || is_call(*x, "colsum")) && a.size() <= 2) x = x->children[0];
    return times(out, {1, 1, {{call("sum", {x}), 1}}});
}

Term Algebra::unbroadcast(Term t, const Axes& from, const Axes& to) const {
    if (by_entries_ || from == to) return t;
    if (to.empty()) return summed(t, from);
    Axes now = from;
    while (now.size() > to.size()) {
        t = summed(t, now, 0, false);
        now.erase(now.begin());
    }
    for (std::size_t a = 0; a < to.size(); ++a)
        if (to[a] == kSizeOne && now[a] != kSizeOne) t = summed(t, now, a, true);
    return t;
}

}  // namespace gradproof::proof
