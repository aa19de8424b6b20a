// Forward mode: how a line of the forward moves when what it is made of moves.
//
//   Tangents tangents(matrices, entries);
//   tangents.of(s.value);            // of Q K^T / √d: dQ K^T / √d and Q dK^T / √d
#pragma once

#include "gradproof/core/proof/derive/term.hpp"

namespace gradproof::proof {

/// Every ∂L/∂X, and ∂L/∂X[i,j] with its places, as something else.
ExprPtr with_gradients(const ExprPtr& e, const std::function<ExprPtr(const std::string&, const std::vector<ExprPtr>&)>& f);

/// The node ∂L/∂X stands for the tangent of X: it has its shape.
class Tangents {
  public:
    /// `algebra` is that of the line, `entries` that of index form.
    Tangents(const Algebra& algebra, const Algebra& entries) : a_(algebra), entries_(entries) {}
    /// One term for each place that moves. Errors: NoRule.
    std::vector<Term> of(const ExprPtr& e) const;

  private:
    using Terms = std::vector<Term>;
    Terms of_product(const ExprPtr& e) const;
    Terms of_call(const ExprPtr& e) const;
    Terms of_sum(const ExprPtr& e) const;
    Terms along_axis(const ExprPtr& e, const Terms& dx) const;
    Terms applied(const ExprPtr& e, const Terms& dx, std::size_t argument) const;
    Term array(const ExprPtr& e) const { return a_.term(e); }
    const Algebra &a_, &entries_;
};

}  // namespace gradproof::proof
