// Diagnosis: factors of the chain rule that are missing.
#include <algorithm>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {
namespace {

/// 1 / x
bool is_inverse(const Expr& e) {
    return e.kind == Kind::product && e.children.size() == 2 && e.joints[1] == '/' && is_number(*e.children[0], 1);
}

void lacks_factor(Search& s, const Place& p, char joint, const ExprPtr& f) {
    if (joint == '/' ? is_inverse(*f) : text_of(*f) == text_of(*p.node)) return;  // x / (1 / y) and x x are no repairs
    const bool ignored = contains(*f, Kind::gradient) && !contains(*s.right, Kind::gradient);
    const Mistake mistake = in_row_term(p) ? Mistake::wrong_row_term
                            : ignored      ? Mistake::cotangent_ignored
                                           : Mistake::missing_chain_factor;
    s.tries(mistake, p.with(times(p.node, joint, f)), "{} {} {}", p.node,
            joint == '/' ? "is to be divided by" : "lacks the factor", f);
}

/// A factor of a matrix product that is not there: ∂L/∂O for ∂L/∂O V^T.
void missing_matrix_factor(Search& s) {
    for (const Place& p : s.places) {
        if (p.node->kind == Kind::number || s.is_scalar(*p.node)) continue;
        for (const std::string& v : s.value_names())
            for (const ExprPtr& f : {name(v), transpose(name(v))})
                for (const ExprPtr& changed : {product(p.node, '@', f), product(f, '@', p.node)})
                    s.tries(p.with(changed), "the factor {} is missing", f);
    }
}

bool claims_gradient_of(const Search& s, const std::string& y) {
    bool is_zero = true;  // as any gradient is that does not reach the loss
    for (std::size_t d = 0; d < s.sides.size(); ++d) {
        const Sides& side = s.sides[d];
        const TrueGradient& g = s.claim.draw(d).gradient(y);
        if (!(g.value.shape() == side.claimed.shape()) || !agreement(side.beside(g.value)).everywhere()) return false;
        is_zero = is_zero && check::finite_largest(g.value) == 0;
    }
    return !is_zero;
}

}  // namespace

/// The claim is the gradient of a value computed from this one.
void local_slope(Search& s) {
    for (const std::size_t c : s.plan.consumers(s.of)) {
        const std::string& y = s.claim.proof().forward[c].name;
        if (!claims_gradient_of(s, y)) continue;
        ExprPtr repair;
        const std::vector<Use> uses = uses_on_paths(s);
        for (const ExprPtr& term : uses.size() == 1 ? terms_through(s, uses[0]) : std::vector<ExprPtr>{})
            if (!repair && s.mends(term)) repair = term;
        s.found(repair, fmt::format("it equals {}: the derivative of {} with respect to {} is missing", s.gradient(y), y, s.of));
    }
}

void chain_factors(Search& s) {
    const auto at_every_place = [&](const std::vector<ExprPtr>& factors, std::string_view joints) {
        for (const Place& p : s.places) {
            if (p.node->kind == Kind::number && p.node != s.right) continue;
            for (const ExprPtr& f : factors)
                for (const char joint : joints) lacks_factor(s, p, joint, f);
        }
    };
    if (s.index_form) {  // the plain ones first, at every place: there are many of the others
        for (const auto& factors : {index_factors(s), index_slopes(s)})
            for (const char* joint : {"@", "/"}) at_every_place(factors, joint);
        return;
    }
    for (const Place& p : s.places)
        for (std::size_t i = 0; p.node->kind == Kind::product && i < p.node->children.size(); ++i)
            for (std::size_t j = i + 1; j < p.node->children.size() && p.node->children.size() > 2; ++j)
                if (const Expr& n = *p.node; n.joints[j] == '*' && (i > 0 ? n.joints[i] : n.joints[1]) == '*')
                    s.tries(p.with(without(*without(n, j), i)), "the factors {} and {} are too much", n.children[i],
                            n.children[j]);
    at_every_place(slopes(s), "*/");
    const bool ignored = !contains(*s.right, Kind::gradient);
    for (const Place& p : s.places)
        if (p.in_reduction)
            for (const std::string& v : s.differentiable_names())
                s.tries(p.in_row_term ? Mistake::wrong_row_term
                        : ignored     ? Mistake::cotangent_ignored
                                      : Mistake::missing_chain_factor,
                        p.with(product(p.node, '*', s.gradient(v))), "{} lacks the factor {}", p.node, s.gradient(v));
    missing_matrix_factor(s);
}

/// dc * c_prev * f * (1 - f) as the gradient of f: it is that of what the sigmoid is taken of.
void own_slope(Search& s) {
    const bool negated = s.right->kind == Kind::negate;
    const Expr& n = negated ? *s.right->children[0] : *s.right;
    if (n.kind != Kind::product || s.of.empty()) return;
    ExprPtr rest, slope;
    for (std::size_t i = 0; i < n.children.size(); ++i) {
        if (n.joints[i == 0 ? 1 : i] == '@') return;
        const bool is_of_slope = mentions(*n.children[i], s.of) && (i == 0 || n.joints[i] == '*');
        ExprPtr& to = is_of_slope ? slope : rest;
        if (!to && i > 0 && n.joints[i] == '/') return;
        to = to ? product(to, n.joints[i], n.children[i]) : n.children[i];
    }
    if (!rest || !slope) return;
    const ExprPtr mended = negated ? negate(rest) : rest;
    constexpr const char* kText = "{} is too much: so it is the gradient of what {} is a function of";
    if (!s.index_form) return s.tries(mended, kText, slope, name(s.of));
    if (s.claim.holds(mended)) s.found(nullptr, fmt::format(kText, slope, name(s.of)));  // of a row no repair is written
}

/// A term that is missing: a value or its product with what stands there.
void missing_terms(Search& s) {
    std::vector<ExprPtr> terms;
    if (s.index_form)
        terms = index_factors(s);
    else
        for (const std::string& v : s.value_names())
            terms.insert(terms.end(), {name(v), s.claim.proof().is_constant(v) || s.is_loss(v) ? name(v) : s.gradient(v)});
    for (const Place& p : s.places) {
        const Expr& n = *p.node;
        if (p.in_reduction || s.is_scalar(n) || (p.is_term && n.kind == Kind::sum)) continue;
        std::vector<ExprPtr> here = terms;
        if (!s.index_form && n.kind == Kind::product && n.children.size() == 2 && n.joints[1] == '@')
            here.push_back(product(transpose(n.children[0]), '@', n.children[1]));
        for (const ExprPtr& t : here)
            for (const char sign : {'-', '+'}) s.tries(p.with(sum(p.node, sign, t)), "the term {} {} is missing", sign, t);
    }
}

/// What is summed in a row term lacks a factor.
void row_term_factors(Search& s) {
    std::vector<ExprPtr> factors;
    if (s.index_form)
        factors = index_factors(s);
    else
        for (const std::string& v : s.value_names()) {
            factors.insert(factors.end(), {name(v), call("exp", {name(v)})});
            if (!s.claim.proof().is_constant(v) && !s.is_loss(v)) factors.push_back(s.gradient(v));
        }
    for (const Place& p : s.places)
        if (in_row_term(p) && p.node->kind != Kind::number && !s.is_scalar(*p.node))
            for (const ExprPtr& f : factors) lacks_factor(s, p, s.index_form ? '@' : '*', f);
}

}  // namespace gradproof::proof
