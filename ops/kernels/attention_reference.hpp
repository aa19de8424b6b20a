// The reference kernel of attention: the formulas line by line, for any element type. Only allowed positions are ever read.
#pragma once

#include "gradproof/ops/kernels/attention_plan.hpp"

namespace gradproof {

/// Fills y, the weights of allowed keys, and log_sum_exp where it is not null.
/// Weights of other keys are left as they are: nothing
/// is done for keys at or beyond kv_len. Of queries without a key y is 0.
template <Scalar T>
void attention_reference_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& weights,
                                 Tensor<T>* log_sum_exp);

/// Fills the members of dx that are defined; dx.mask is [B, Hq, L, columns], not yet summed over broadcast axes.
template <Scalar T>
void attention_reference_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& weights,
                                  const Tensor<T>& dy, AttentionOperands<T>& dx);

}  // namespace gradproof
