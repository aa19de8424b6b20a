// The formulas of attention as small matrix products, for calls in which every query sees every key.
#pragma once

#include "ops/kernels/attention_plan.hpp"

namespace gradproof {

/// Whether attention_dense_* may do the work of a call: fast paths in use, kernel `auto`, and no option but scale and heads.
template <Scalar T>
bool attention_is_dense(const AttentionPlan& plan, const AttentionOperands<T>& x);

/// As attention_reference_forward, without the log-sum-exp. Errors: none; call only where attention_is_dense.
template <Scalar T>
void attention_dense_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& weights);

/// As attention_reference_backward.
template <Scalar T>
void attention_dense_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& weights, const Tensor<T>& dy,
                              AttentionOperands<T>& dx);

}  // namespace gradproof
