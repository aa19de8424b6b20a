// True gradients Jᵀ u of a subject by each oracle, and the comparison of a claim with them.
//
//   const Truth truth = dual_truth(s, random);
//   ContractResult f;
//   judge(s, claimed, truth, f).empty();                 // every entry agrees
#pragma once

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/check/subject.hpp"

namespace gradproof::check {

/// Jᵀ u by one oracle.
struct Truth {
    Tensors value;       ///< NaN where the oracle gave nothing finite or was not asked
    Tensors scale;       ///< for each entry, the unit in which its error is measured
    double bound = 0;    ///< the largest error that still counts as right, in these units
    Tensors error;       ///< by differences: the largest error of the difference itself; it is part of the scale
    double rounded = 0;  ///< by differences: |u (|y| + |J x|)|, the size of the numbers that are rounded on the way
    Tolerance tolerance(int input) const { return {.relative = bound, .scales = scale[static_cast<std::size_t>(input)]}; }
    std::int64_t probed = 0;    ///< entries the oracle was asked about
    std::int64_t answered = 0;  ///< of these, the ones it answered with a finite number
    double norm = 0;            ///< of the answered part
    /// By differences: the median of their error estimates, relative to the largest |gradient|. By dual numbers: how much
    /// rounding the inputs may change the gradient (absolute).
    double noise = 0;
};

/// By dual numbers, one column of J at a time. The scale of an entry is the largest of: max |gradient| of its input;
/// sum_i |u_i J_ik|, the terms that cancel in it; a hundredth of max |gradient| over all inputs; and how much rounding the inputs
/// may change the gradient, at most 1e-9 of it (layer_norm far from 0 loses the digits that x holds of its mean).
/// If there are more than `limit` entries, a random part of them is computed.
Truth dual_truth(const Subject& s, Random random, Index limit = 256);
/// By fourth-order differences of the double forward, each with a step of its own (measure in oracles.hpp). The scale is
/// max |gradient| of the input, plus (in units of the bound) the error of the difference: its truncation, and the rounding of y
/// and of the inputs, eps / h |u (|y| + |J x|)|. If that error dominates, the oracle cannot tell, and `noise` is large.
Truth difference_truth(const Subject& s, const Function& forward, Random random, Index limit = 96);

/// The entries of a claim that disagree with an oracle where it gave an answer; a claim of NaN always disagrees.
/// `f` receives how each input compares: entries, error, the worst entry, census.
std::vector<Entry> judge(const Subject& s, const Tensors& claimed, const Truth& truth, ContractResult& f);

/// <u, column>, with NaN and infinity carried through.
double weigh(const Tensor<double>& u, const Tensor<double>& column);

/// The one-sided derivatives of <u, f> at an entry.
struct Kink {
    double left = 0, right = 0;
    bool is_kink = false;
    /// Whether a claimed slope lies between the two.
    bool admits(double claimed) const;
};
Kink find_kink(const Subject& s, Entry e, const Function& forward);
inline Kink find_kink(const Subject& s, Entry e) { return find_kink(s, e, forward_of(s)); }
/// "kink at d(x)[0]: ..."
std::string kink_text(const std::string& where, const Kink& kink, double claimed);

}  // namespace gradproof::check
