// The fused kernel of attention: tiles of scores that are worked out, used and forgotten; memory grows with L, not with L S.
#pragma once

#include "gradproof/ops/attention_plan.hpp"

namespace gradproof {

/// Fills y, and log_sum_exp [2, B, Hq, L] in two parts:
/// a score of each query that few others exceed by much, and the sum of exp of
/// the scores less that (0 and 0 without a key), so that large scores lose nothing.
/// Where nothing but the scale is done to scores, they are before it.
/// Source  Dao et al. 2022 alg. 1; Milakov, Gimelshein 2018 (the running maximum).
template <class T>
void attention_fused_forward(const AttentionPlan& plan, const AttentionOperands<T>& x, Tensor<T>& y, Tensor<T>& log_sum_exp);

/// The gradients, from y and log_sum_exp of the forward.
/// Source  Dao et al. 2022 app. B.
template <class T>
void attention_fused_backward(const AttentionPlan& plan, const AttentionOperands<T>& x, const Tensor<T>& y,
                              const Tensor<T>& log_sum_exp, const Tensor<T>& dy, AttentionOperands<T>& dx);

}  // namespace gradproof
