// Sampling with a temperature from the k likeliest tokens, with one uniform random number for each token.
#include "gradproof/nn/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gradproof {

Sampler::Sampler(const SampleOptions& o) : options_(o), random_(o.seed, /*stream=*/0x5A3) {
    if (o.count < 0 || o.count > kMostSampledTokens)
        value_error("sample: tokens are {}, expected {} {}", o.count, o.count < 0 ? "at least" : "at most",
                    o.count < 0 ? 0 : kMostSampledTokens);
    if (!(o.temperature >= 0) || !std::isfinite(o.temperature))
        value_error("sample: temperature is {}, expected a finite number of at least 0, 0 for the likeliest", o.temperature);
    if (o.top_k < 0) value_error("sample: top-k is {}, expected at least 1, or 0 for all", o.top_k);
}

template <Scalar T>
Index Sampler::draw(const Tensor<T>& scores) {
    for (const T score : scores)
        if (std::isnan(static_cast<double>(score))) value_error("sample: a score is not a number: the model has gone bad");
    std::vector<Index> order(static_cast<std::size_t>(scores.size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto likelier = [&](Index a, Index b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; };
    const auto kept = static_cast<std::ptrdiff_t>(options_.temperature == 0 ? 1
                                                  : options_.top_k == 0     ? scores.size()
                                                                            : std::min(options_.top_k, scores.size()));
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), likelier);
    order.resize(static_cast<std::size_t>(kept));
    if (order.empty() || !std::isfinite(static_cast<double>(scores[order[0]])))
        value_error("sample: {}", order.empty()          ? "there are no scores"
                                  : scores[order[0]] > 0 ? "a score is inf: the model has gone bad"
                                                         : "all scores are -inf: there is nothing to draw from");
    if (kept == 1) return order[0];
    const double largest = static_cast<double>(scores[order[0]]);
    std::vector<double> up_to;
    double sum = 0;
    for (const Index i : order)
        up_to.push_back(sum += std::exp((static_cast<double>(scores[i]) - largest) / options_.temperature));
    const double u = random_.uniform() * sum;
    const auto at = std::upper_bound(up_to.begin(), up_to.end(), u) - up_to.begin();
    return order[static_cast<std::size_t>(std::min(at, kept - 1))];
}

template Index Sampler::draw(const Tensor<float>&);
template Index Sampler::draw(const Tensor<double>&);

}  // namespace gradproof
