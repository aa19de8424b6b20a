// Given results of attention compared with the true ones, and the mistake in a kernel that explains each wrong one.
//
//   const AttentionCall<double> call{q, k, v, dy, {}, {.causal = true}};
//   const check::ComparedArrays r = attention_mistakes(call, attention_results(call), {{"dq", from_tensor(theirs)}});
//   r.arrays[0].mistake.text;       // "the row sum of the softmax Jacobian is missing: ds = w * dw; write ..."
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/check/compared_arrays.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/ops/attention.hpp"

namespace gradproof {

/// One call of attention; dy, the cotangent of its y, may be undefined.
template <class T>
struct AttentionCall {
    Tensor<T> q, k, v, dy;
    AttentionOptional<Tensor<T>> with;
    AttentionAttrs attrs;
};

/// The names of the results of a call, in the order in which they are written and judged.
inline constexpr std::array<std::string_view, 10> kAttentionResults = {
    "y", "dq", "dk", "dv", "dpast_key", "dpast_value", "dmask", "weights", "present_key", "present_value"};

/// Results by name.
template <class T>
using AttentionArrays = std::map<std::string, Tensor<T>, std::less<>>;

/// y; with dy, the gradients of all inputs; with a past, the keys and values for the next call; the weights if asked for.
/// Errors  those of attention(), ShapeError if dy does not have the shape of y.   T: float, double.
template <class T>
AttentionArrays<T> attention_results(const AttentionCall<T>& call, bool weights = false);

/// Compares `theirs`, with names of kAttentionResults, with `truth`, which holds the results of the call by the same names. A
/// wrong array that the comparison alone does not explain (by a factor, or two axes) is compared with the results of some two
/// dozen classic mistakes: masks, scales, the Jacobian of the softmax, groups of heads, soft caps. `dtype` is the type that the
/// results were probably computed in; the tolerance is that of the narrower of it and the array's own type.
/// Errors  ValueError for an array that `truth` does not hold; Stopped, when `control` ends the call (its progress counts arrays,
/// then mistakes).
check::ComparedArrays attention_mistakes(const AttentionCall<double>& call, const AttentionArrays<double>& truth,
                                         const std::vector<NamedArray>& theirs, DType dtype = DType::f64,
                                         const Control& control = {});

}  // namespace gradproof
