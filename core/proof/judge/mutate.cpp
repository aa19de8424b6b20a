// Planted bugs and the mutation score.
#include "gradproof/core/proof/judge/mutate.hpp"

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

std::vector<ExprPtr> bugs_inside(const ExprPtr& e) {
    std::vector<ExprPtr> out;
    for (const Place& p : places(e)) {
        const Expr& n = *p.node;
        if (n.kind == Kind::sum)
            for (std::size_t i = 0; i < n.children.size(); ++i) {
                out.push_back(p.with(without(n, i)));
                if (i > 0) out.push_back(p.with(with_joint(n, i, n.joints[i] == '-' ? '+' : '-')));
            }
        if (n.kind == Kind::transpose) out.push_back(p.with(n.children[0]));
        if (n.kind == Kind::product)
            for (std::size_t i = 1; i < n.children.size(); ++i) out.push_back(p.with(without(n, i)));
    }
    return out;
}

std::vector<ExprPtr> planted_bugs(const ExprPtr& e) {
    std::vector<ExprPtr> out{negate(e), product(number(2), '@', e)};
    for (ExprPtr& bug : bugs_inside(e)) out.push_back(std::move(bug));
    return out;
}

Score mutation_score(const Claim& claim) {
    Score score;
    for (const ExprPtr& bug : planted_bugs(claim.line().right)) {
        ++score.planted;
        if (!claim.holds(bug))
            ++score.caught;
        else if (!score.unseen)
            score.unseen = bug;
    }
    return score;
}

}  // namespace gradproof::proof
