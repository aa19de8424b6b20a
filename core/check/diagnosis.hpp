// Why a gradient is wrong: patterns that turn the true gradient of a call into the claimed one are tried, simplest first.
//
//   for (const Diagnosis& d : explanations(evidence, 0)) fmt::print("{}; {}\n", d.text, d.repair);
//   // claimed = 2 * true; multiply d(x) by 1/2
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/check/mistake.hpp"
#include "gradproof/core/check/oracles.hpp"

namespace gradproof::check {

/// A constant that a formula may hold: a size, a scale, an attribute.
struct NamedNumber {
    std::string name;
    double value = 0;
};

/// A gradient that a wrong backward may compute instead of the true one: with an attribute left out, at other inputs.
struct Alternative {
    Mistake mistake{};
    std::string text, repair;
    std::function<double(int input, Index entry)> gradient;  ///< asked for entry by entry; NaN where there is none
    bool rare = false;                                       ///< tried after the patterns that need no alternative
};

/// One call and its claimed gradients. Only `claimed` and `truth` are needed; the more is given, the more can be recognised.
struct Evidence {
    std::vector<std::string> names;  ///< of the inputs
    Tensors claimed, truth;          ///< undefined for absent inputs; a true entry that is not known is NaN
    Tensors x;
    Tensor<double> y, u;                                        ///< the value and its cotangent
    Tensors jacobian;                                           ///< [size of y, size of x_i]
    std::vector<std::pair<std::string, Tensor<double>>> saved;  ///< what the op keeps beside its inputs and y
    std::vector<NamedNumber> constants;
    std::vector<Alternative> alternatives;
    /// 1 for an entry that the report calls wrong, 0 for one that agrees, NaN for one not compared; empty: the tolerance decides.
    Tensors off{};
    double tolerance = 1e-9;  ///< relative to the largest entry, claimed or true
    double noise = 0;         ///< errors up to this count as rounding
};

/// Explanations of the claimed gradient of one input in terms of the true one: all that fit, simplest first; none if it is right.
/// Each explanation reproduces every claimed entry.
std::vector<Diagnosis> explanations(const Evidence& e, int input);

/// For each of several calls of one op, the explanation that explains most of the calls: one that fits a small call by chance
/// does not fit the others. An explanation fitted to a single number is given only if another call confirms it.
std::vector<std::optional<Diagnosis>> explain_calls(const std::vector<const Evidence*>& calls, int input);

}  // namespace gradproof::check
