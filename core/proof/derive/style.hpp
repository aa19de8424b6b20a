// How a proof writes what has two ways: σ or sigmoid, √ or sqrt.
#pragma once

#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

class Style {
  public:
    explicit Style(const Proof& proof);
    ExprPtr of(const ExprPtr& e) const;

  private:
    bool roots_ = false, sigma_ = false;
};

}  // namespace gradproof::proof
