// Diagnosis: the claim is the gradient of another forward, one that lacks a term, a factor or a function.
#include <fmt/format.h>

#include "gradproof/core/proof/diagnose/repair_search.hpp"

namespace gradproof::proof {

bool RepairSearch::other_forward() {
    constexpr Index kMostEntries = 256;
    int left = 60;
    if (of_.empty() || sides_.empty() || claim_.line().left->kind == Kind::jacobian || claim_.truth(0).size() > kMostEntries)
        return false;
    for (const std::size_t c : plan_.consumers(of_)) {
        const Assignment& a = claim_.proof().forward[c];
        const ExprPtr used = renamed(a.value, of_, kOneUse);
        std::vector<Tensor<double>> now;
        for (std::size_t d = 0; d < sides_.size(); ++d) now.push_back(claim_.draw(d).path(of_, c, used));
        for (const Place& p : places(used)) {
            const Expr& n = *p.node;
            const auto tried = [&](const char* kind, const std::string& what, const ExprPtr& lacking) {
                return left-- > 0 && contains_name(*lacking, kOneUse) && claims_gradient_with(c, now, lacking) &&
                       report(kind, fmt::format("it is the gradient of a forward without {} in {}", what, a.name), nullptr);
            };
            if (n.kind == Kind::sum)
                for (std::size_t i = 0; i < n.children.size(); ++i)
                    if (tried("missing_path", fmt::format("the term {}", text_of(*renamed(n.children[i], kOneUse, of_))),
                              p.with(without(n, i))))
                        return true;
            if (n.kind == Kind::product)
                for (std::size_t i = 0; i < n.children.size(); ++i)
                    if ((i > 0 || n.joints[1] != '/') &&
                        tried("missing_chain_factor",
                              fmt::format("the factor {}", text_of(*renamed(n.children[i], kOneUse, of_))),
                              p.with(without(n, i))))
                        return true;
            if (n.kind == Kind::call && n.children.size() == 1 &&
                tried("missing_chain_factor", fmt::format("the function {}", n.name), p.with(n.children[0])))
                return true;
        }
    }
    return false;
}

bool RepairSearch::contains_name(const Expr& e, const std::string& of) {
    bool found = false;
    for_each(e, [&](const Expr& part) { found = found || (part.kind == Kind::name && part.name == of); });
    return found;
}

bool RepairSearch::claims_gradient_with(std::size_t consumer, const std::vector<Tensor<double>>& now,
                                        const ExprPtr& other) const {
    for (std::size_t d = 0; d < sides_.size(); ++d) {
        const Sides& s = sides_[d];
        if (!(s.claimed.shape() == s.truth.shape())) return false;
        try {
            const Tensor<double> then = claim_.draw(d).path(of_, consumer, other);
            if (then.size() != s.truth.size()) return false;
            Tensor<double> expected = s.truth.clone();
            for (Index i = 0; i < expected.size(); ++i) expected[i] += then[i] - now[d][i];
            if (!agreement({s.claimed, expected, s.magnitude}).agree) return false;
        } catch (const std::invalid_argument&) {
            return false;  // the other forward does not fit together
        }
    }
    return true;
}

}  // namespace gradproof::proof
