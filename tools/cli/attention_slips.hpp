// The classic slips in a kernel for attention: what each makes of the results, and which of them explains an array that is wrong.
//
//   explain_slips({q, k, v, dy, with, attrs}, {{"dq", claimed, {.tolerance = 1e-9}}})["dq"];
//                                            // "the row sum of the softmax Jacobian is missing: ds = w * dw; write ..."
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/ops/kernels/attention_plan.hpp"

namespace gradproof::cli {

/// One call of attention, which attention() accepts; dy may be undefined.
struct AttentionCall {
    Tensor<double> q, k, v, dy;
    AttentionOptional<Tensor<double>> with;
    AttentionAttrs attrs;
};

/// Its sizes and masks.   Errors  those of attention().
AttentionPlan plan_of(const AttentionCall& call);

/// What a kernel gives: y and weights, and with dy also dq, dk and dv, in the layout of the call.
using AttentionArrays = std::map<std::string, Tensor<double>, std::less<>>;

/// The slips there are, in words.
std::vector<std::string_view> slip_names();
/// What a kernel gives that makes that slip; with "" the true results.   Errors  ValueError for another name.
AttentionArrays attention_with_slip(const AttentionCall& call, std::string_view slip);

/// An array that is wrong, and what counts as equal to it.
struct SlipClaim {
    std::string_view array;
    Tensor<double> claimed;
    check::CompareOptions options;
};
/// The slip behind each claim that one explains.
/// Slips of the backward are tried first, unless y is known to be wrong. Where there
/// are more than 2^21 weights it only says so: it takes some two dozen attentions, each with all its weights.
std::map<std::string, std::string, std::less<>> explain_slips(const AttentionCall& call, const std::vector<SlipClaim>& claims,
                                                              bool y_is_wrong = false);

}  // namespace gradproof::cli
