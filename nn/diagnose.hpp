// What goes wrong in training attention, told from numbers:
// uniform or over-focused weights, vanishing gradients, values that are not finite.
//
//   TrainingSigns signs{.step = 400, .loss = 2.3, .first_loss = 2.4, .attention = attention_signs(weights),
//                       .gradients = {{"wq", 1e-9, 512}, {"readout", 0.1, 160}}};
//   for (const Diagnosis& d : diagnose(signs)) print(d.text(), d.advice);   // "vanishing gradient: wq: ..."
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// What the rows of attention weights look like.
struct AttentionStats {
    Index rows = 0;        ///< queries seen; those that may see fewer than two keys are left out
    double entropy = 0;    ///< mean of H / log n over them, n the keys a query gives weight to or might: 1 is uniform
    double largest = 0;    ///< mean of the largest weight of each
    double saturated = 0;  ///< share of them whose largest weight is at least 0.99
    Index not_finite = 0;  ///< weights that are NaN or infinite
};
/// Those of the rows of both.
AttentionStats merged(const AttentionStats& a, const AttentionStats& b);
/// Shapes  weights [..., n], each row a distribution; with `causal` query i of the last two axes [L, n] sees keys 0 ..
/// i + n - L only.
/// Units   entropy, largest and saturated are in [0, 1].   Errors  ShapeError for rank 0, and for causal of rank 1 or L > n.
template <Scalar T>
AttentionStats attention_signs(const Tensor<T>& weights, bool causal = false);

/// The gradient of one parameter.
struct GradientStats {
    std::string name{};
    double norm = 0;  ///< Euclidean
    Index count = 1;  ///< of its entries
};

/// What one step showed. What was not looked at stays as it is.
struct TrainingSigns {
    Index step = 0;              ///< done so far
    double loss = 0;             ///< any unit; only compared with first_loss
    double first_loss = 0;       ///< of the first step; 0 if not known
    AttentionStats attention{};  ///< rows = 0: not looked at
    std::vector<GradientStats> gradients{};
    std::vector<std::string> not_finite{};  ///< names of values that are not finite: outputs, parameters
};

struct DiagnoseLimits {
    double uniform = 0.97;    ///< entropy from which attention counts as uniform
    double focused = 0.9;     ///< share of saturated rows from which it counts as over-focused
    double vanishing = 1e-4;  ///< root mean square of a gradient, as a share of the largest one's, below which it vanishes
    double vanished = 1e-10;  ///< the same for the largest of all, as it is
    double learned = 0.05;    ///< loss as a share of the first one below which small gradients and sharp attention are no fault
    Index patience = 100;     ///< steps before uniform attention is a fault: every run starts there
};

enum class Symptom { not_finite, vanishing_gradient, over_focused, uniform_attention };
/// "over-focused attention"
std::string_view name(Symptom symptom);

struct Diagnosis {
    Symptom symptom{};
    std::string evidence{};  ///< the numbers seen, beside their limits
    std::string advice{};    ///< what to do
    /// "over-focused attention: ..."
    std::string text() const;
};

/// The symptoms there are, the gravest first; none for a healthy step. A pure function of its arguments.
std::vector<Diagnosis> diagnose(const TrainingSigns& signs, const DiagnoseLimits& limits = {});

extern template AttentionStats attention_signs(const Tensor<float>&, bool);
extern template AttentionStats attention_signs(const Tensor<double>&, bool);

}  // namespace gradproof
