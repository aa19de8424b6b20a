// Diagnosis of wrong claims: changes of the line are tried, simplest first, until one makes it right in every draw.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::proof {

RepairSearch::RepairSearch(const Claim& claim, const Plan& plan)
    : claim_(claim), plan_(plan), right_(claim.line().right), places_(places(right_)) {
    const Expr& l = *claim.line().left;
    index_form_ = (l.kind == Kind::jacobian && !l.children.empty()) || (l.kind == Kind::index && contains_free_index(l));
    if (l.kind == Kind::gradient)
        of_ = l.name;
    else if (l.kind == Kind::index && l.children[0]->kind == Kind::gradient)
        of_ = l.children[0]->name;
    for (std::size_t i = 0; i < claim.draws(); ++i) {
        try {
            sides_.push_back(claim.sides(i, right_));
        } catch (const std::invalid_argument&) {
            sides_.clear();
            break;
        }
    }
    // Large arrays: fewer tries, so that an answer comes. A try that fails fails in the first draw.
    constexpr double kWork = 3e7, kLeast = 150;
    const double work = sides_.empty() ? static_cast<double>(claim.truth(0).size()) : sides_[0].work;
    most_tries_ = static_cast<int>(std::clamp(kWork / std::max(work, 1.0), kLeast, static_cast<double>(most_tries_)));
}

Diagnosis RepairSearch::run() {
    using Try = bool (RepairSearch::*)();
    using D = RepairSearch;
    // In index form a swapped index is likelier than a missing term;
    // where row terms stand, one of them is likelier wrong than a path.
    const bool rows = std::any_of(places_.begin(), places_.end(), [](const Place& p) { return p.in_row_term; });
    std::vector<Try> tries{&D::sign, &D::factor};
    if (index_form_ || sides_.empty()) tries.insert(tries.end(), {&D::orders, &D::everywhere});
    if (sides_.empty()) tries.push_back(&D::two_orders);
    tries.insert(tries.end(), {&D::masks, &D::repeated_term});
    if (rows) tries.insert(tries.end(), {&D::row_term_factors, &D::reductions, &D::row_term_constants, &D::row_terms});
    tries.insert(tries.end(), {&D::paths, &D::reductions, &D::diagonal, &D::row_terms, &D::orders, &D::everywhere, &D::reshapes,
                               &D::factors_inside, &D::chain_factors, &D::missing_terms, &D::wrong_scalars, &D::wrong_names,
                               &D::wrong_slopes, &D::other_forward, &D::two_orders, &D::unnamed_factor});
    for (const Try t : tries)
        if ((this->*t)()) return found_;
    found_.text = census();
    return found_;
}

bool RepairSearch::contains_free_index(const Expr& l) {
    return std::any_of(l.children.begin() + 1, l.children.end(), [](const ExprPtr& c) { return c->kind == Kind::name; });
}

bool RepairSearch::report(std::string kind, std::string text, const ExprPtr& repair) {
    found_.kind = std::move(kind);
    found_.text = std::move(text);
    if (repair) found_.repair = text_of(*repair);
    return true;
}

bool RepairSearch::try_change(const char* kind, const std::string& text, const ExprPtr& changed) {
    if (changed->depth > kDeepest || ++tried_ > most_tries_) return false;
    // A repair that needs the gradient which is claimed explains nothing.
    bool circular = false;
    for_each(*changed,
             [&](const Expr& e) { circular = circular || (e.kind == Kind::gradient && e.name == of_ && !of_.empty()); });
    if (circular) return false;
    return claim_.holds(changed) && report(kind, text, changed);
}

ExprPtr RepairSearch::gradient(const std::string& of) const {
    Expr g;
    g.kind = Kind::gradient;
    g.name = of;
    const std::string& left = claim_.line().left->source;
    if (left.starts_with("d") || left.starts_with("∇"))
        g.source = (left.starts_with("d") ? "d" : "∇") + of;
    else if (left.starts_with("∂Loss"))
        g.source = "∂Loss/∂" + of;
    return make(std::move(g));
}

bool RepairSearch::is_scalar_name(const std::string& n) const {
    const auto& scope = claim_.draw(0).scope();
    if (const auto v = scope.values.find(n); v != scope.values.end()) return v->second.shape().empty();
    return scope.sizes.contains(n) || n == "pi" || n == "e" || n == "π";
}

bool RepairSearch::is_scalar(const Expr& e) const {
    return is_plain_scalar(e, [&](const std::string& n) { return is_scalar_name(n); });
}

std::vector<std::string> RepairSearch::value_names() const {
    std::vector<std::string> out;
    for (const Given& g : claim_.proof().given) out.push_back(g.name);
    for (const Assignment& a : claim_.proof().forward) out.push_back(a.name);
    return out;
}

std::string RepairSearch::census() const {
    if (sides_.empty()) return "";
    const Sides& s = sides_[0];
    if (!(s.claimed.shape() == s.truth.shape())) return "";
    const check::Comparison c = check::compare(s.claimed, s.truth, {.relative = 1e-9, .scale = norm(s.truth)});
    return fmt::format("no simple explanation; {} of {} entries agree", c.agree, c.entries);
}

bool RepairSearch::sign() {
    for (const Place& p : places_)
        if (p.node->kind == Kind::negate &&
            try_change("sign", fmt::format("the minus before {} is wrong", text_of(*p.node->children[0])),
                       p.with(p.node->children[0])))
            return true;
    if (try_change("sign", "the sign is wrong", negate(right_))) return true;
    for (const Place& p : places_)
        if (p.node->kind == Kind::sum)
            for (std::size_t i = 0; i < p.node->children.size(); ++i) {
                const Expr& n = *p.node;
                if (try_change("sign", fmt::format("the sign of {} is wrong", text_of(*n.children[i])),
                               p.with(with_joint(n, i, n.joints[i] == '-' ? '+' : '-'))))
                    return true;
            }
    for (const Place& p : places_)
        if ((p.is_factor || p.is_term || p.is_argument) && p.node->kind != Kind::number &&
            try_change("sign", fmt::format("the sign of {} is wrong", text_of(*p.node)), p.with(negate(p.node))))
            return true;
    return false;
}

Diagnosis diagnose(const Claim& claim, const Plan& plan) { return RepairSearch(claim, plan).run(); }

}  // namespace gradproof::proof
