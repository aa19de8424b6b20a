// How a proof writes what has two ways: σ or sigmoid, √ or sqrt, and w^T x where vectors are columns.
#pragma once

#include "gradproof/core/proof/derive/known.hpp"

namespace gradproof::proof {

class Style {
  public:
    Style(const Proof& proof, const Known& known);
    ExprPtr of(const ExprPtr& e) const;

  private:
    ExprPtr with_rows(const Expr& e) const;
    const Known& known_;
    bool roots_ = false, sigma_ = false;
};

}  // namespace gradproof::proof
