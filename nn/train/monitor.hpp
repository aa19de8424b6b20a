// Recognises from a few numbers what goes wrong when attention is trained: uniform or over-focused weights, vanishing gradients,
// values that are not finite.
//
//   TrainingStats stats{.step = 400, .loss = 2.3, .first_loss = 2.4, .attention = attention_stats(weights),
//                       .gradients = {{"wq", 1e-9, 512}, {"readout", 0.1, 160}}};
//   for (const TrainingWarning& w : training_warnings(stats)) print(w.text(), w.advice);   // "vanishing gradient: wq: ..."
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// Summary of rows of attention weights, one row for each query.
struct AttentionStats {
    Index rows = 0;        ///< queries that count: those that may see at least two keys
    double entropy = 0;    ///< mean of H / log n over them, n the number of keys that the query may see: 1 is uniform
    double largest = 0;    ///< mean of the largest weight of each
    double saturated = 0;  ///< share of them whose largest weight is at least 0.99
    Index not_finite = 0;  ///< weights that are NaN or infinite
};
/// The summary of the rows of both.
AttentionStats merged(const AttentionStats& a, const AttentionStats& b);
/// Shapes  weights [..., n], each row a distribution; with `causal`, query i of the last two axes [L, n] may see keys 0 to
/// i + n - L.
/// Units   entropy, largest and saturated are in [0, 1].   Errors  ShapeError for rank 0, and for causal of rank 1 or L > n.
template <Scalar T>
AttentionStats attention_stats(const Tensor<T>& weights, bool causal = false);

/// The gradient of one parameter.
struct GradientStats {
    std::string name{};
    double norm = 0;  ///< Euclidean
    Index count = 1;  ///< of its entries
    double root_mean_square() const;
};

/// What is known of a step. Members that are left at their defaults raise no warning.
struct TrainingStats {
    Index step = 0;         ///< steps done so far
    double loss = 0;        ///< in any unit: it is only compared with first_loss
    double first_loss = 0;  ///< of the first step; 0 if not known
    AttentionStats attention{};
    std::vector<GradientStats> gradients{};
    std::vector<std::string> not_finite{};  ///< names of values that are not finite: outputs, parameters
};

struct MonitorLimits {
    double uniform = 0.97;    ///< entropy from which attention counts as uniform
    double focused = 0.9;     ///< share of saturated rows from which it counts as over-focused
    double vanishing = 1e-4;  ///< root mean square of a gradient, as a share of the largest one's, below which it vanishes
    double vanished = 1e-10;  ///< root mean square of the largest gradient below which all of them vanish
    double learned = 0.05;    ///< loss, as a share of the first one, below which small gradients and sharp attention are normal
    Index patience = 100;     ///< steps before uniform attention is a symptom: every run starts with it
};

enum class Symptom { not_finite, vanishing_gradient, over_focused, uniform_attention };
/// "over-focused attention"
std::string_view name(Symptom symptom);

struct TrainingWarning {
    Symptom symptom{};
    std::string evidence{};  ///< the numbers, beside their limits
    std::string advice{};
    /// "over-focused attention: ..."
    std::string text() const;
};

/// A warning for each symptom, the most serious first; none for a healthy step.
std::vector<TrainingWarning> training_warnings(const TrainingStats& stats, const MonitorLimits& limits = {});

extern template AttentionStats attention_stats(const Tensor<float>&, bool);
extern template AttentionStats attention_stats(const Tensor<double>&, bool);

}  // namespace gradproof
