// Statistics that several experiments use: moments, fitted power laws, correlations, similarities.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gradproof/core/tensor.hpp"
#include "tools/experiments/experiment.hpp"

namespace gradproof::experiments {

struct Moments {
    double mean = 0;
    double variance = 0;  ///< divided by n
};
/// NaN for no numbers.
Moments moments(std::span<const double> x);
inline double mean(std::span<const double> x) { return moments(x).mean; }
/// NaN for no numbers.
double median(std::vector<double> x);
/// The mean of independent repeats with half the width of its 95 % interval by Student's t, infinite for a single repeat.
Estimate estimate(std::span<const double> repeats);
/// The same for one number of each repeat.
template <class Repeat, class Number>
Estimate estimate(const std::vector<Repeat>& repeats, Number number) {
    std::vector<double> out;
    for (const Repeat& r : repeats) out.push_back(std::invoke(number, r));
    return estimate(out);
}

/// A loss that is a quarter larger counts as clearly larger; this is the logarithm of that ratio.
inline const double kClearly = std::log(1.25);

/// y = factor x^exponent by least squares on logarithms; points that are not positive are left out.   NaN for fewer than two.
struct PowerLaw {
    double exponent = 0, factor = 0;
};
PowerLaw power_law(std::span<const std::pair<double, double>> points);

/// Pearson's correlation; NaN where either does not vary.   Errors: ShapeError for lists of different length.
double correlation(std::span<const double> x, std::span<const double> y);
/// Spearman's correlation of ranks; ties take the mean of their ranks.   Errors: as correlation.
double rank_correlation(std::span<const double> x, std::span<const double> y);

/// The cosine of the angle between two vectors; NaN if one is zero.   Errors: ShapeError for different lengths.
double cosine(std::span<const double> x, std::span<const double> y);
/// Half the sum of absolute differences: the total variation distance of two distributions.
/// Errors: ShapeError for different lengths.
double total_variation(std::span<const double> p, std::span<const double> q);
/// -sum p log p in nats.
double entropy(std::span<const double> p);
/// The Frobenius norm of diag(w) - w wᵀ, the derivative of a softmax whose weights are w.
double softmax_slope(std::span<const double> w);

/// Row r of x [..., n].
inline std::span<const double> row_of(const Tensor<double>& x, Index r) {
    const Index n = x.shape().last(0);
    return {x.data() + r * n, static_cast<std::size_t>(n)};
}

}  // namespace gradproof::experiments
