// Diagnosis: factors of the chain rule that are missing.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

bool RepairSearch::in_row_term(const Place& p) { return p.in_row_term || (p.is_term && has_reduction(*p.node)); }

bool RepairSearch::lacks_factor(const Place& p, char joint, const ExprPtr& f) {
    const std::string text = joint == '/' ? fmt::format("{} is to be divided by {}", text_of(*p.node), text_of(*f))
                                          : fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f));
    return try_change(in_row_term(p) ? "wrong_row_term" : "missing_chain_factor", text, p.with(product(p.node, joint, f)));
}

bool RepairSearch::local_slope() {
    if (claim_.line().left->kind == Kind::jacobian || of_.empty() || sides_.empty()) return false;
    for (const std::size_t c : plan_.consumers(of_)) {
        const std::string& y = claim_.proof().forward[c].name;
        if (!claims_gradient_of(y)) continue;
        return report("missing_chain_factor",
                      fmt::format("it equals {}: the derivative of {} by {} is missing", text_of(*gradient(y)), y, of_), nullptr);
    }
    return false;
}

bool RepairSearch::claims_gradient_of(const std::string& y) const {
    for (std::size_t d = 0; d < sides_.size(); ++d) {
        const Sides& s = sides_[d];
        const TrueGradient& g = claim_.draw(d).gradient(y);
        if (!(g.value.shape() == s.claimed.shape()) ||
            !agreement({s.claimed, g.value, std::max(s.magnitude, g.magnitude), ""}).agree)
            return false;
    }
    return true;
}

bool RepairSearch::chain_factors() {
    if (local_slope()) return true;
    if (index_form_) return index_chain_factors();
    const std::vector<ExprPtr> known = slopes();
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number && p.node != right_) continue;
        for (const ExprPtr& f : known)
            for (const char joint : {'*', '/'})
                if (lacks_factor(p, joint, f)) return true;
    }
    for (const Place& p : places_)
        for (const std::string& v : p.in_reduction ? value_names() : std::vector<std::string>{}) {
            if (claim_.proof().is_constant(v)) continue;
            const ExprPtr f = gradient(v);
            if (try_change(p.in_row_term ? "wrong_row_term" : "missing_chain_factor",
                           fmt::format("{} lacks the factor {}", text_of(*p.node), text_of(*f)), p.with(product(p.node, '*', f))))
                return true;
        }
    return missing_matrix_factor();
}

bool RepairSearch::missing_matrix_factor() {
    for (const Place& p : places_) {
        if (p.node->kind == Kind::number || is_scalar(*p.node)) continue;
        for (const std::string& v : value_names())
            for (const ExprPtr& f : {name(v), transpose(name(v))})
                for (const ExprPtr& changed : {product(p.node, '@', f), product(f, '@', p.node)})
                    if (try_change("missing_chain_factor", fmt::format("the factor {} is missing", text_of(*f)), p.with(changed)))
                        return true;
    }
    return false;
}

bool RepairSearch::index_chain_factors() {
    // The plain ones first, at every place: there are many of the others.
    const std::vector<ExprPtr> plain = index_factors(), known = index_slopes();
    for (const auto& [factors, joint] :
         {std::pair{&plain, '@'}, std::pair{&plain, '/'}, std::pair{&known, '@'}, std::pair{&known, '/'}})
        for (const Place& p : places_) {
            if (p.node->kind == Kind::number && p.node != right_) continue;
            for (const ExprPtr& f : *factors)
                if (lacks_factor(p, joint, f)) return true;
        }
    return false;
}

bool RepairSearch::missing_terms() {
    std::vector<ExprPtr> terms;
    if (index_form_)
        terms = index_factors();
    else
        for (const std::string& v : value_names())
            terms.insert(terms.end(), {name(v), claim_.proof().is_constant(v) ? name(v) : gradient(v)});
    for (const Place& p : places_) {
        if (p.in_reduction || is_scalar(*p.node) || (p.is_term && p.node->kind == Kind::sum)) continue;
        std::vector<ExprPtr> here = terms;
        const Expr& n = *p.node;
        if (!index_form_ && n.kind == Kind::product && n.children.size() == 2 && n.joints[1] == '@')
            here.push_back(product(transpose(n.children[0]), '@', n.children[1]));
        for (const ExprPtr& t : here)
            for (const char sign : {'-', '+'})
                if (try_change("missing_path", fmt::format("the term {} {} is missing", sign, text_of(*t)),
                               p.with(sum(p.node, sign, t))))
                    return true;
    }
    return false;
}

bool RepairSearch::row_term_factors() {
    std::vector<ExprPtr> factors;
    if (index_form_) {
        factors = index_factors();
    } else {
        for (const std::string& v : value_names()) {
            factors.insert(factors.end(), {name(v), call("exp", {name(v)})});
            if (!claim_.proof().is_constant(v)) factors.push_back(gradient(v));
        }
    }
    for (const Place& p : places_) {
        if (!in_row_term(p) || p.node->kind == Kind::number || is_scalar(*p.node)) continue;
        for (const ExprPtr& f : factors)
            if (lacks_factor(p, index_form_ ? '@' : '*', f)) return true;
    }
    return false;
}

}  // namespace gradproof::proof
