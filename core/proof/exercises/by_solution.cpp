// Mistakes told by the solution.
#include "gradproof/core/proof/exercises/by_solution.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "gradproof/core/proof/judge/readings.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

using check::Mistake;

/// A sum, or a product with one sum in it, as its terms with their signs.
std::vector<ExprPtr> terms_of(const ExprPtr& e) {
    std::vector<ExprPtr> out;
    if (e->kind == Kind::sum) {
        for (std::size_t i = 0; i < e->children.size(); ++i)
            out.push_back(e->joints[i] == '-' ? negate(e->children[i]) : e->children[i]);
    } else if (e->kind == Kind::product) {
        for (std::size_t i = 0; i < e->children.size() && out.empty(); ++i) {
            if (e->children[i]->kind != Kind::sum || (i > 0 && e->joints[i] == '/')) continue;
            for (const ExprPtr& t : terms_of(e->children[i])) out.push_back(with_child(*e, i, t));
        }
    }
    return out;
}

/// (a - b)^2 as a^2 - b^2.
ExprPtr terms_raised(const Expr& power) {
    std::vector<ExprPtr> terms;
    for (const ExprPtr& t : power.children[0]->children) terms.push_back(power_of(t, power.children[1]));
    return with_children(*power.children[0], std::move(terms));
}

bool is_leaf(const Expr& e) { return e.kind == Kind::name || e.kind == Kind::gradient; }

class Finder {
  public:
    Finder(const Claim& answer, const ExprPtr& solution)
        : answer_(answer), right_(answer.line().right), solution_(solution), places_(places(right_)) {}

    Told find(Mistake said) {
        const bool jacobian = answer_.line().left->kind == Kind::jacobian, path = uses() > 1;
        if (!jacobian && (said == Mistake::missing_row_term || said == Mistake::diagonal_only)) return {said, nullptr};
        if (only_diagonal()) return {Mistake::diagonal_only, nullptr};
        if (another_power() || another_name()) return *found_;
        if (is_leaf(*right_) && said == Mistake::missing_chain_factor) return {said, nullptr};
        for (const ExprPtr& t : terms_of(solution_)) {
            const bool is_path = path && (said == Mistake::missing_path || said == Mistake::double_path);
            if (holds(sum(right_, '+', t), is_path ? said : Mistake::missing_term) ||
                holds(sum(right_, '-', t), is_path ? said : Mistake::extra_term))
                return *found_;
        }
        if (factor_too_much() || part_of_solution() || sign_as_others_write()) return *found_;
        const bool no_path = !path && (said == Mistake::missing_path || said == Mistake::double_path);
        return {no_path || (jacobian && said == Mistake::missing_row_term) ? Mistake::missing_term : said, nullptr};
    }

  private:
    /// In how many places of the forward the value stands.
    std::size_t uses() const {
        const Expr& left = *answer_.line().left;
        const Expr& base = without_indices(left);
        std::size_t n = 0;
        for (const Assignment& a : answer_.proof().forward)
            for_each(*a.value, [&](const Expr& e) { n += e.kind == Kind::name && e.name == base.name ? 1 : 0; });
        return n;
    }

    /// Of a Jacobian of a vector by a vector: the answer is 0 beside the diagonal, and the truth is not.
    bool only_diagonal() const {
        if (answer_.line().left->kind != Kind::jacobian) return false;
        const Sides s = answer_.sides(0, right_);
        if (s.truth.rank() != 2 || s.truth.dim(0) != s.truth.dim(1) || !(s.claimed.shape() == s.truth.shape())) return false;
        bool others = false;
        for (Index i = 0; i < s.truth.dim(0); ++i)
            for (Index j = 0; j < s.truth.dim(1); ++j) {
                if (i == j) continue;
                if (s.claimed[i * s.truth.dim(1) + j] != 0) return false;
                others = others || s.truth[i * s.truth.dim(1) + j] != 0;
            }
        return others;
    }

    /// Whether the answer is right so changed; then that is what was found.
    bool holds(const ExprPtr& changed, Mistake mistake) {
        if (!answer_.holds(changed)) return false;
        found_ = Told{mistake, changed};
        return true;
    }

    bool another_power() {
        return std::ranges::any_of(places_, [&](const Place& p) {
            if (p.node->kind == Kind::power)
                return holds(p.with(p.node->children[0]), Mistake::wrong_exponent) ||
                       (p.node->children[0]->kind == Kind::sum && holds(p.with(terms_raised(*p.node)), Mistake::wrong_exponent));
            return is_leaf(*p.node) && holds(p.with(squared(p.node)), Mistake::wrong_exponent);
        });
    }

    bool another_name() {
        std::set<std::string> values, gradients;
        for (const ExprPtr* side : {&right_, &solution_})
            for_each(**side, [&](const Expr& e) {
                if (e.kind == Kind::gradient) gradients.insert(e.name);
            });
        for (const auto& [name, value] : answer_.draw(0).scope().values) values.insert(name);
        for (const Place& p : places_) {
            if (!is_leaf(*p.node)) continue;
            const bool is_value = p.node->kind == Kind::name;
            for (const std::string& n : is_value ? values : gradients)
                if (n != p.node->name && holds(p.with(is_value ? name(n) : gradient_of(n)), Mistake::wrong_name)) return true;
        }
        return two_exchanged();
    }
    bool two_exchanged() {
        std::set<std::string> names;
        for_each(*right_, [&](const Expr& e) {
            if (e.kind == Kind::name) names.insert(e.name);
        });
        for (const std::string& a : names)
            for (const std::string& b : names) {
                if (a >= b) continue;
                const ExprPtr changed = rewritten(right_, [&](const Expr& e) -> ExprPtr {
                    if (e.kind != Kind::name || (e.name != a && e.name != b)) return nullptr;
                    return name(e.name == a ? b : a);
                });
                if (holds(changed, Mistake::wrong_name)) return true;
            }
        return false;
    }

    bool factor_too_much() {
        return std::ranges::any_of(without_a_factor(right_),
                                   [&](const ExprPtr& e) { return holds(e, Mistake::missing_chain_factor); });
    }

    bool part_of_solution() {
        std::vector<ExprPtr> parts;
        for (const Place& p : places(solution_))
            if (p.node != solution_ && p.node->kind != Kind::number) parts.push_back(p.node);
        return std::ranges::any_of(places_, [&](const Place& p) {
            const bool small = is_leaf(*p.node) || p.node->kind == Kind::number;
            return small && p.node != right_ &&
                   std::ranges::any_of(parts, [&](const ExprPtr& part) { return holds(p.with(part), Mistake::wrong_name); });
        });
    }

    /// Of u v^T with vectors as columns, and the like: one sign differs.
    bool sign_as_others_write() {
        return std::ranges::any_of(other_readings(answer_), [&](const Reading& r) {
            return std::ranges::any_of(places(r.right), [&](const Place& p) {
                return p.node->kind != Kind::number && holds(p.with(negate(p.node)), Mistake::sign);
            });
        });
    }

    const Claim& answer_;
    const ExprPtr right_, solution_;
    const std::vector<Place> places_;
    std::optional<Told> found_;
};

/// What a diagnosis names that a student would name so too.
bool is_plain(Mistake m) {
    using enum Mistake;
    constexpr Mistake kOpen[] = {none,         values,      entries,          missing_chain_factor, wrong_slope, two_slips,
                                 missing_path, double_path, missing_row_term, missing_term,         extra_term,  diagonal_only};
    return std::ranges::find(kOpen, m) == std::end(kOpen);
}

}  // namespace

Told told_by_solution(const Claim& answer, const ExprPtr& solution, Mistake said) {
    constexpr std::size_t kFewParts = 60;  // of a longer answer the diagnosis has to do
    if (is_plain(said) || parts_of(*answer.line().right) > kFewParts) return {said, nullptr};
    return Finder(answer, solution).find(said);
}

}  // namespace gradproof::proof
