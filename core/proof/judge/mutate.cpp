// Planted bugs and the mutation score.
#include "gradproof/core/proof/judge/mutate.hpp"

#include <algorithm>

#include "gradproof/core/proof/evaluate/orientation.hpp"
#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

std::vector<ExprPtr> bugs_inside(const ExprPtr& e) {
    const std::vector<Place> all = places(e);
    std::size_t possible = 0;
    for (const Place& p : all)
        if (p.node->kind == Kind::sum || p.node->kind == Kind::product) possible += 2 * p.node->children.size();
    // Of a long line every k-th, so that all of them together are no longer than the budget.
    const std::size_t most = static_cast<std::size_t>(kMostBugParts) / all.size();
    const std::size_t stride = 1 + possible / std::max<std::size_t>(most, 1);
    std::size_t nth = 0;
    std::vector<ExprPtr> out;
    const auto plant = [&](const Place& p, auto change) {
        if (nth++ % stride == 0) out.push_back(p.with(change()));
    };
    for (const Place& p : all) {
        const Expr& n = *p.node;
        for (std::size_t i = 0; n.kind == Kind::sum && i < n.children.size(); ++i) {
            plant(p, [&] { return without(n, i); });
            if (i > 0) plant(p, [&] { return with_joint(n, i, n.joints[i] == '-' ? '+' : '-'); });
        }
        if (n.kind == Kind::transpose) plant(p, [&] { return n.children[0]; });
        for (std::size_t i = 1; n.kind == Kind::product && i < n.children.size(); ++i) plant(p, [&] { return without(n, i); });
    }
    return out;
}

std::vector<ExprPtr> planted_bugs(const ExprPtr& e) {
    std::vector<ExprPtr> out{negate(e), product(number(2), '@', e)};
    for (ExprPtr& bug : bugs_inside(e)) out.push_back(std::move(bug));
    return out;
}

namespace {

/// A matrix whose values are stated, transposed: it shows whether that is right only if it is not symmetric.
ExprPtr unseen_transpose(const Claim& claim) {
    const std::vector<Given>& given = claim.proof().given;
    for (const Place& p : places(claim.line().right)) {
        const bool stated = p.node->kind == Kind::name && std::any_of(given.begin(), given.end(), [&](const Given& g) {
                                return g.name == p.node->name && g.fill == Fill::literal;
                            });
        if (!stated || claim.draw(0).scope().values.at(p.node->name).shape().rank() < 2) continue;
        if (const ExprPtr bug = p.with(transpose(p.node)); claim.holds(bug)) return bug;
    }
    return nullptr;
}

/// Whether the bug is only a vector that is not transposed any more, and agrees: as numbers it is the same.
bool turns_a_vector(const Claim& claim, const ExprPtr& bug) {
    const std::string text = text_of(*bug);
    const std::vector<Place> all = places(claim.line().right);
    return std::ranges::any_of(all, [&](const Place& p) {
        if (p.node->kind != Kind::transpose || text_of(*p.with(p.node->children[0])) != text) return false;
        const std::optional<Shape> shape = shape_in(claim.draw(0).scope(), *p.node);
        return shape && shape->rank() < 2;
    });
}

}  // namespace

Score mutation_score(const Claim& claim) {
    constexpr double kUnseen = 50;  // a bug that is seen differs in the first draw already, of doubles
    const auto parts = static_cast<double>(parts_of(*claim.line().right));
    double spent = 0;
    Score score;
    for (const ExprPtr& bug : planted_bugs(claim.line().right)) {
        if (spent > kMostBugParts) break;
        const bool caught = !claim.holds(bug);
        if (!caught && turns_a_vector(claim, bug)) continue;
        ++score.planted;
        spent += caught ? parts : kUnseen * parts;
        if (caught)
            ++score.caught;
        else
            score.unseen.push_back(bug);
    }
    score.unseen_transpose = unseen_transpose(claim);
    return score;
}

}  // namespace gradproof::proof
