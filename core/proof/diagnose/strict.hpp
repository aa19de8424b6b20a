// The requirements that a repair must meet before it is offered: wrong advice costs more than none.
//
//   Strict strict(claim, plan, {.draw = options.draw, .prover = &prover});
//   strict.accepts(*repair);      // true in draws that the search did not see, and by residues
#pragma once

#include "gradproof/core/proof/diagnose/diagnose.hpp"

namespace gradproof::proof {

class Strict {
  public:
    /// All three arguments must outlive it.
    Strict(const Claim& claim, const Plan& plan, const FurtherEvidence& further)
        : claim_(claim), plan_(plan), further_(further) {}
    /// Whether a repair that agrees in the draws of the claim also agrees in others. With chained lines there are no others.
    bool accepts(const ExprPtr& repair);
    /// Whether it is made of what is claimed, or of something that cancels: x / (x / y), x + y - x, 1 x, sqrt(x^2).
    bool is_circular(const Expr& repair) const;
    /// Whether a condition in it is none, as where(A[i,j], x, 0), or compares what neither the claim nor the forward does.
    bool compares_oddly(const Expr& repair) const;
    /// Whether it is more than half longer than the claim, unless it is only longer by the one term that a short claim lacks.
    bool is_long(const Expr& repair) const;

  private:
    const Claim& claim_;
    const Plan& plan_;
    const FurtherEvidence& further_;
    std::vector<std::unique_ptr<Instance>> draws_;
    int judged_ = 0;
};

}  // namespace gradproof::proof
