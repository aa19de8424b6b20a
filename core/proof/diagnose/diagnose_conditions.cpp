// Diagnosis: comparisons that go the wrong way or are off at their edge, and sums over the wrong axis.
#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof {
namespace {

/// b - a of a - b, and x of 0 - x.
ExprPtr opposite(const ExprPtr& e) {
    if (e->kind == Kind::negate) return e->children[0];
    const bool difference = e->kind == Kind::sum && e->children.size() == 2 && e->joints[1] == '-';
    if (difference && is_number(*e->children[0], 0)) return e->children[1];
    return difference ? sum(e->children[1], '-', e->children[0]) : negate(e);
}

/// a - b, and a + 1 of b = -1.
ExprPtr difference(const ExprPtr& a, const ExprPtr& b) {
    if (b->kind == Kind::negate) return sum(a, '+', b->children[0]);
    return b->kind == Kind::number && b->number < 0 ? sum(a, '+', number(-b->number)) : sum(a, '-', b);
}

/// 1 where x is above 0, not 1 where -x is above 0: >=, which a strict comparison leaves out.
ExprPtr or_equal(const ExprPtr& compared) { return one_minus(call("step", {opposite(compared)})); }

bool is_step(const Expr& e) { return e.kind == Kind::call && e.name == "step" && e.children.size() == 1; }
/// x of 1 - step(x), which holds where x is at most 0; nullptr of others.
const Expr* step_left_out(const Expr& e) { return is_one_minus(e) && is_step(*e.children[1]) ? e.children[1].get() : nullptr; }

/// The other of a = b and a != b, as its author would write it.
ExprPtr turned_round(const Expr& written, const ExprPtr& other) {
    const std::size_t equals = written.source.find('=');
    if (equals == std::string::npos || written.spelling || written.source.find('=', equals + 1) != std::string::npos)
        return other;
    Expr out = *other;
    out.source = written.source;
    const bool differs = equals > 0 && out.source[equals - 1] == '!';
    out.source.replace(differs ? equals - 1 : equals, differs ? 2 : 1, differs ? "=" : "!=");
    return make(std::move(out));
}

void change_comparison(Search& s, const Place& p) {
    const Expr& n = *p.node;
    if (is_one_minus(n) && is_of_equality(*n.children[1])) {
        s.tries(p.with(turned_round(n, n.children[1])), "{} holds where the two are to differ", n);
    } else if (is_of_equality(n)) {
        s.tries(p.with(turned_round(n, one_minus(p.node))), "{} holds where the two are to be equal", n);
    } else if (const Expr* const step = step_left_out(n)) {
        const ExprPtr& x = step->children[0];
        s.tries(p.with(call("step", {opposite(x)})),
                "{} includes the edge, where both sides are equal: it belongs to the other side", n);
        s.tries(p.with(call("step", {x})), "the comparison in {} goes the wrong way", n);
        s.tries(p.with(or_equal(x)), "the comparison in {} goes the wrong way", n);
    } else if (is_step(n)) {
        const ExprPtr& x = n.children[0];
        s.tries(p.with(or_equal(x)), "{} leaves out the edge, where both sides are equal: it belongs to it", n);
        s.tries(p.with(call("step", {opposite(x)})), "the comparison in {} goes the wrong way", n);
        s.tries(p.with(or_equal(opposite(x))), "the comparison in {} goes the wrong way", n);
    }
    if (is_step(n) && s.index_form)
        for (const char joint : {'+', '-'})
            s.tries(p.with(call("step", {sum(n.children[0], joint, number(1))})), "the threshold in {} is off by one", n);
}

/// Of two that a clip has, one: dY (X < 1) for dY (X < 1) (X > -1).
void missing_conditions(Search& s) {
    std::vector<ExprPtr> compared;
    for (const Assignment& a : s.claim.proof().forward)
        for_each(*a.value, [&](const Expr& e) {
            if (e.kind != Kind::call || (e.name != "max" && e.name != "min") || e.children.size() != 2) return;
            const ExprPtr &x = e.children[0], &bound = e.children[1];
            const bool clips = x->kind == Kind::call && (x->name == "max" || x->name == "min") && x->children.size() == 2;
            compared.push_back(difference(clips ? x->children[0] : x, bound));
        });
    for (const ExprPtr& x : compared)
        for (const ExprPtr& holds : {call("step", {x}), call("step", {opposite(x)})})
            if (!s.index_form) s.tries(product(s.right, '*', holds), "the condition {} is missing", holds);
}

}  // namespace

/// < for >, < for <=, a threshold that is off by one, branches that are exchanged, and a condition that does not belong there.
void comparisons(Search& s) {
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        const bool where = n.kind == Kind::call && n.name == "where" && n.children.size() == 3;
        if (where && is_number(*n.children[2], 0))
            s.tries(p.with(n.children[1]), "it holds everywhere: the condition {} does not belong there", n.children[0]);
        if (where)
            s.tries(p.with(call("where", {n.children[0], n.children[2], n.children[1]})),
                    "the two sides of the condition {} are exchanged", n.children[0]);
        change_comparison(s, p);
    }
    missing_conditions(s);
}

/// sum(x, axis=1) for sum(x, axis=0).
void wrong_axes(Search& s) {
    constexpr int kMostAxes = 4;
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        if (n.kind != Kind::call || n.children.size() != 1 || !is_reduction(n)) continue;
        for (std::size_t o = 0; o < n.options.size(); ++o)
            for (int axis = 0; n.options[o].name == "axis" && axis < kMostAxes; ++axis) {
                Expr other = n;
                other.source.clear();
                other.options[o].value = number(axis);
                s.tries(p.with(make(std::move(other))), "{} runs over the wrong axis", n);
            }
    }
}

}  // namespace gradproof::proof
