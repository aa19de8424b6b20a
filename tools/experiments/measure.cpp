// Statistics of short lists.
#include "tools/experiments/measure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "gradproof/core/errors.hpp"

namespace gradproof::experiments {
namespace {

void same_length(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size()) shape_error("lists of different length: {} and {}", x.size(), y.size());
}

std::vector<double> ranks(std::span<const double> x) {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    std::vector<double> out(x.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i + 1;
        while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
        for (std::size_t k = i; k < end; ++k) out[order[k]] = 0.5 * static_cast<double>(i + end - 1);
        i = end;
    }
    return out;
}

}  // namespace

Moments moments(std::span<const double> x) {
    Moments out;
    for (const double v : x) out.mean += v;
    out.mean /= static_cast<double>(x.size());
    for (const double v : x) out.variance += (v - out.mean) * (v - out.mean);
    out.variance /= static_cast<double>(x.size());
    return out;
}

double median(std::vector<double> x) {
    if (x.empty()) return NAN;
    std::sort(x.begin(), x.end());
    return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

Estimate estimate(std::span<const double> repeats) {
    // The 0.975 quantiles for 1 to 10 degrees of freedom; for more, that of 10 serves, which is slightly too large.
    static constexpr double kStudent[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const Moments m = moments(repeats);
    const std::size_t n = repeats.size();
    if (n < 2) return {m.mean, INFINITY};
    return {m.mean,
            kStudent[std::min<std::size_t>(n - 1, std::size(kStudent)) - 1] * std::sqrt(m.variance / static_cast<double>(n - 1))};
}

PowerLaw power_law(std::span<const std::pair<double, double>> points) {
    std::vector<double> x, y;
    for (const auto& p : points)
        if (p.first > 0 && p.second > 0 && std::isfinite(p.second)) {
            x.push_back(std::log(p.first));
            y.push_back(std::log(p.second));
        }
    if (x.size() < 2) return {NAN, NAN};
    const Moments mx = moments(x), my = moments(y);
    double covariance = 0;
    for (std::size_t i = 0; i < x.size(); ++i) covariance += (x[i] - mx.mean) * (y[i] - my.mean) / static_cast<double>(x.size());
    const double exponent = covariance / mx.variance;
    return {exponent, std::exp(my.mean - exponent * mx.mean)};
}

double correlation(std::span<const double> x, std::span<const double> y) {
    same_length(x, y);
    const Moments mx = moments(x), my = moments(y);
    double covariance = 0;
    for (std::size_t i = 0; i < x.size(); ++i) covariance += (x[i] - mx.mean) * (y[i] - my.mean) / static_cast<double>(x.size());
    // Equal numbers are recognised directly: rounding of their mean would give them a variance.
    const auto varies = [](std::span<const double> v) {
        return std::any_of(v.begin(), v.end(), [&](double a) { return a != v.front(); });
    };
    return varies(x) && varies(y) ? covariance / (std::sqrt(mx.variance) * std::sqrt(my.variance)) : NAN;
}
double rank_correlation(std::span<const double> x, std::span<const double> y) {
    same_length(x, y);
    return correlation(ranks(x), ranks(y));
}

double cosine(std::span<const double> x, std::span<const double> y) {
    same_length(x, y);
    const auto dot = [](std::span<const double> a, std::span<const double> b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    const double norms = std::sqrt(dot(x, x) * dot(y, y));
    return norms > 0 ? dot(x, y) / norms : NAN;
}

double total_variation(std::span<const double> p, std::span<const double> q) {
    same_length(p, q);
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) total += std::abs(p[i] - q[i]);
    return total / 2;
}

double entropy(std::span<const double> p) {
    double total = 0;
    for (const double v : p)
        if (v > 0) total -= v * std::log(v);
    return total;
}

double softmax_slope(std::span<const double> w) {
    double square = 0;
    for (std::size_t i = 0; i < w.size(); ++i)
        for (std::size_t j = 0; j < w.size(); ++j) square += std::pow((i == j ? w[i] : 0) - w[i] * w[j], 2);
    return std::sqrt(square);
}

}  // namespace gradproof::experiments
