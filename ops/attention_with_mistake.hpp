// A readable attention with one classic mistake in it: the results of a kernel that makes the mistake, and which mistake explains
// an array.
//
//   attention_with_mistake({q, k, v, dy, with, attrs}, "the causal mask is left out").at("dq");
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/ops/attention_mistakes.hpp"
#include "gradproof/ops/attention_plan.hpp"

namespace gradproof {

/// The sizes and masks of a call.   Errors  those of attention().
AttentionPlan plan_of(const AttentionCall<double>& call);

/// The mistakes there are, in words.
std::vector<std::string_view> attention_mistake_names();
/// y and weights, and with dy also dq, dk and dv, in the layout of the call, of a kernel that makes that mistake; with "" the
/// true results.   Errors  ValueError for another name.
AttentionArrays<double> attention_with_mistake(const AttentionCall<double>& call, std::string_view mistake);

/// An array that is wrong, and what counts as equal to it.
struct WrongArray {
    std::string_view name;
    Tensor<double> claimed;
    check::CompareOptions options;
};
/// By name, the mistake that explains each array, if one does. Mistakes in the backward are tried first, unless y is known to be
/// wrong. With more than 2^21 weights nothing is tried, and the result says so, since it takes two dozen attentions with all
/// weights.
std::map<std::string, check::Diagnosis, std::less<>> explain_by_mistakes(const AttentionCall<double>& call,
                                                                         const std::vector<WrongArray>& wrong, bool y_is_wrong);

}  // namespace gradproof
