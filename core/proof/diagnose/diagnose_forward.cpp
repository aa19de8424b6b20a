// Diagnosis: the claim is the gradient of another forward, one that lacks a term, a factor or a function.
#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {
namespace {

/// Whether the claim is the gradient with `other` in the place of what the consumer computes; `now` is what comes through it.
bool claims_gradient_with(const Search& s, std::size_t consumer, const std::vector<Tensor<double>>& now, const ExprPtr& other) {
    for (std::size_t d = 0; d < s.sides.size(); ++d) {
        const Tensor<double>& truth = s.sides[d].truth;
        if (!(s.sides[d].claimed.shape() == truth.shape())) return false;
        try {
            const Tensor<double> then = values_of(s.claim.draw(d).derivatives().path(s.of, consumer, other));
            if (then.size() != truth.size()) return false;
            Tensor<double> expected = truth.clone();
            for (Index i = 0; i < expected.size(); ++i) expected[i] += then[i] - now[d][i];
            if (!agreement(s.sides[d].beside(expected)).everywhere()) return false;
        } catch (const std::invalid_argument&) {
            return false;  // the other forward does not fit together
        }
    }
    return true;
}

}  // namespace

void other_forward(Search& s) {
    constexpr Index kMostEntries = 256;
    int left = 60;
    if (s.claim.truth(0).size() > kMostEntries) return;
    for (const std::size_t c : s.plan.consumers(s.of)) {
        const Assignment& a = s.claim.proof().forward[c];
        const ExprPtr used = renamed(a.value, s.of, kOneUse);
        std::vector<Tensor<double>> now;
        for (std::size_t d = 0; d < s.sides.size(); ++d)
            now.push_back(values_of(s.claim.draw(d).derivatives().path(s.of, c, used)));
        for (const Place& p : places(used)) {
            const Expr& n = *p.node;
            const auto lacks = [&](Mistake mistake, const std::string& what, const ExprPtr& lacking) {
                if (left-- > 0 && mentions(*lacking, kOneUse) && claims_gradient_with(s, c, now, lacking))
                    s.found(mistake, nullptr, fmt::format("it is the gradient of a forward without {} in {}", what, a.name));
            };
            for (std::size_t i = 0; i < n.children.size() && (n.kind == Kind::sum || n.kind == Kind::product); ++i) {
                const ExprPtr part = renamed(n.children[i], kOneUse, s.of);
                if (n.kind == Kind::sum)
                    lacks(Mistake::missing_path, fmt::format("the term {}", part), p.with(without(n, i)));
                else if (i > 0 || n.joints[1] != '/')
                    lacks(Mistake::missing_chain_factor, fmt::format("the factor {}", part), p.with(without(n, i)));
            }
            if (n.kind == Kind::call && n.children.size() == 1)
                lacks(Mistake::missing_chain_factor, fmt::format("the function {}", n.name), p.with(n.children[0]));
        }
    }
}

}  // namespace gradproof::proof
