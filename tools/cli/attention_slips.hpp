// The classic slips in a kernel for attention: what each makes of the results, and which of them explains an array that is wrong.
//
//   AttentionSlips slips({q, k, v, dy, with, attrs});
//   slips.explain("dq", claimed, {.tolerance = 1e-9});     // "the row sum of the softmax Jacobian is missing"
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/compare.hpp"
#include "ops/attention.hpp"

namespace gradproof::cli {

/// One call of attention; dy may be undefined.
struct AttentionCall {
    Tensor<double> q, k, v, dy;
    AttentionOptional<Tensor<double>> with;
    AttentionAttrs attrs;
};

/// What a kernel gives: y and weights, and with dy also dq, dk and dv, in the layout of the call.
using AttentionArrays = std::map<std::string, Tensor<double>, std::less<>>;

class AttentionSlips {
  public:
    /// Shapes are those of attention(), which has accepted the call.
    explicit AttentionSlips(const AttentionCall& call);

    /// What slip gives the claimed array, to the tolerance; "" where none does, where the array is right or none of y, weights, dq, dk
    /// and dv, and where there are more than 2^22 weights. Slips of the backward come first, unless y is known to be wrong.
    std::string explain(std::string_view array, const Tensor<double>& claimed, const check::CompareOptions& options, bool y_is_wrong = false);

    /// The slips there are, in words.
    static std::vector<std::string_view> names();
    /// What a kernel gives that makes that slip; with "" the true results.
    AttentionArrays results(std::string_view slip) const;

  private:
    const AttentionArrays& worked_out(std::string_view slip);
    Tensor<double> unpacked(const Tensor<double>& x, Index heads) const;
    Tensor<double> packed(const Tensor<double>& x) const;

    AttentionAttrs attrs_;
    Tensor<double> q_, k_, v_, dy_;   ///< [B, Hq, L, D], [B, Hk, S, D], [B, Hk, S, E], [B, Hq, L, E]; keys with their past
    Tensor<double> added_;            ///< [B, Hq, L, S]: the float mask, -inf where a query may not look
    Index past_ = 0;
    double scale_ = 1;
    std::map<std::string_view, AttentionArrays> worked_out_;
};

}  // namespace gradproof::cli
