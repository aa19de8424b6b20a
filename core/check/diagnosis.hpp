// Why a gradient is wrong: patterns that turn the true gradient of a call into the claimed one, simplest first.
//
//   for (const Explanation& e : explanations(evidence, 0)) fmt::print("{}; {}\n", e.text, e.repair);
//   // claimed = 2 * true; multiply d(x) by 1/2
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/oracles.hpp"

namespace gradproof::check {

/// A constant that a formula may hold: a size, a scale, an attribute.
struct NamedNumber {
    std::string name;
    double value = 0;
};

/// The true gradient of something else that a backward may have been written for: with an attribute left out, at other inputs.
struct Alternative {
    std::string kind, text, repair;
    Tensors gradients;
};

/// One call and what is claimed of it. Only `claimed` and `truth` are needed; the more is given, the more can be recognised.
struct Evidence {
    std::vector<std::string> names;  ///< of the inputs
    Tensors claimed, truth;          ///< undefined for absent inputs; a true entry that is not known is NaN
    Tensors x;
    Tensor<double> y, u;  ///< the value and its cotangent
    Tensors jacobian;     ///< [size of y, size of x_i]
    std::vector<NamedNumber> constants;
    std::vector<Alternative> alternatives;
    double tolerance = 1e-9;  ///< relative to the largest entry, claimed or true
    double noise = 0;         ///< errors up to it are rounding
};

/// What a claimed gradient is, in terms of the true one. Every explanation given reproduces each claimed entry.
struct Explanation {
    std::string kind;    ///< factor, sign, missing_path ...: all of them are listed in diagnosis.cpp
    std::string text;    ///< "claimed = 2 * true"
    std::string repair;  ///< "multiply d(x) by 1/2", "" where it is not determined
    int fitted = 0;      ///< numbers in it that were fitted to the claim: 0 none, 1 one, 2 more, or it leaves entries out
};

/// All that fit the gradient of one input, simplest first; none where it is right.
std::vector<Explanation> explanations(const Evidence& e, int input);

/// Of several calls of one op the explanation of each that explains the most of them: what fits a small call by chance does not
/// fit the rest. What is fitted to a single number is said only where another call says it as well.
std::vector<std::optional<Explanation>> explain_calls(const std::vector<const Evidence*>& calls, int input);

}  // namespace gradproof::check
