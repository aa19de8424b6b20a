// Planted bugs and the mutation score.
#include "tools/proof/mutate.hpp"

namespace gradproof::proof {
namespace {

/// A part that a bug can be planted in by replacing it: not an index, an option or the inside of a literal.
bool has_open_children(const Expr& e) { return e.kind != Kind::array && e.kind != Kind::delta && e.kind != Kind::jacobian; }

ExprPtr without(const Expr& e, std::size_t i) {
    Expr copy = e;
    copy.source.clear();
    copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(i));
    copy.joints.erase(copy.joints.begin() + static_cast<std::ptrdiff_t>(i));
    return copy.children.size() == 1 && (e.kind == Kind::product || copy.joints[0] == '+') ? copy.children[0] : make(std::move(copy));
}

}  // namespace

std::vector<ExprPtr> at_every_node(const ExprPtr& e, const std::function<std::vector<ExprPtr>(const ExprPtr&)>& change) {
    std::vector<ExprPtr> out = change(e);
    if (!has_open_children(*e)) return out;
    const std::size_t last = e->kind == Kind::index || e->kind == Kind::power ? 1 : e->children.size();
    for (std::size_t i = 0; i < last; ++i)
        for (const ExprPtr& c : at_every_node(e->children[i], change)) {
            std::vector<ExprPtr> children = e->children;
            children[i] = c;
            out.push_back(with_children(*e, std::move(children)));
        }
    return out;
}

std::vector<Edit> planted_bugs(const ExprPtr& e) {
    std::vector<Edit> out{{"sign", "the sign is flipped", negate(e)}, {"factor", "twice as large", product(number(2), '*', e)}};
    const auto plant = [&](const std::string& kind, const std::string& what, const std::function<std::vector<ExprPtr>(const ExprPtr&)>& change) {
        for (ExprPtr& r : at_every_node(e, change)) out.push_back({kind, what, std::move(r)});
    };
    plant("dropped", "a term is dropped", [](const ExprPtr& n) {
        std::vector<ExprPtr> r;
        for (std::size_t i = 0; n->kind == Kind::sum && i < n->children.size(); ++i) r.push_back(without(*n, i));
        return r;
    });
    plant("sign", "the sign of a term is flipped", [](const ExprPtr& n) {
        std::vector<ExprPtr> r;
        for (std::size_t i = 1; n->kind == Kind::sum && i < n->children.size(); ++i) {
            Expr copy = *n;
            copy.source.clear();
            copy.joints[i] = copy.joints[i] == '-' ? '+' : '-';
            r.push_back(make(std::move(copy)));
        }
        return r;
    });
    plant("transpose", "a transpose is dropped", [](const ExprPtr& n) { return n->kind == Kind::transpose ? std::vector<ExprPtr>{n->children[0]} : std::vector<ExprPtr>{}; });
    plant("dropped", "a factor is dropped", [](const ExprPtr& n) {
        std::vector<ExprPtr> r;
        for (std::size_t i = 1; n->kind == Kind::product && i < n->children.size(); ++i) r.push_back(without(*n, i));
        return r;
    });
    return out;
}

Score mutation_score(const Claim& claim) {
    Score score;
    for (const Edit& bug : planted_bugs(claim.line().right)) {
        ++score.planted;
        if (!claim.holds(bug.result)) ++score.caught;
    }
    return score;
}

}  // namespace gradproof::proof
