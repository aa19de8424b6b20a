// Shares of attention by the relation of key and query.
#include "gradproof/nn/head_statistics.hpp"

#include <cmath>

#include "gradproof/core/errors.hpp"

namespace gradproof {
namespace {

void add_to(Share& share, double weight, double even) {
    share.weight += weight;
    share.even += even;
}

/// Adds the weights that query i of a head gives to the keys it sees.
void add_query(HeadStatistics& s, const double* w, const std::vector<Index>& ids, Index i) {
    const double seen = static_cast<double>(i + 1);
    double entropy = 0;
    for (Index j = 0; j <= i; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (w[j] > 0) entropy -= w[j] * std::log(w[j]);
        s.distance += w[j] * static_cast<double>(i - j);
        if (j == i) add_to(s.itself, w[j], 1 / seen);
        if (j == i - 1) add_to(s.previous, w[j], 1 / seen);
        if (j == 0) add_to(s.first, w[j], 1 / seen);
        if (j < i && ids[at] == ids[static_cast<std::size_t>(i)]) add_to(s.same, w[j], 1 / seen);
        if (j > 0 && ids[at - 1] == ids[static_cast<std::size_t>(i)]) add_to(s.after_same, w[j], 1 / seen);
    }
    s.entropy += entropy / std::log(seen);
}

}  // namespace

std::string HeadStatistics::role() const {
    constexpr double kClear = 0.25;
    const std::pair<const char*, const Share*> roles[] = {{"itself", &itself},
                                                          {"previous symbol", &previous},
                                                          {"first symbol", &first},
                                                          {"same symbol", &same},
                                                          {"after the same symbol", &after_same}};
    const char* best = "spread";
    double most = kClear;
    for (const auto& [name, share] : roles)
        if (share->weight - share->even > most) {
            most = share->weight - share->even;
            best = name;
        }
    return best;
}

std::vector<HeadStatistics> head_statistics(const Tensor<double>& weights, const std::vector<Index>& ids, Index layer) {
    const auto length = static_cast<Index>(ids.size());
    if (weights.rank() != 3 || weights.dim(1) != length || weights.dim(2) != length)
        shape_error("heads: weights are {}, expected [heads, {}, {}]", weights.shape(), length, length);
    std::vector<HeadStatistics> out;
    for (Index h = 0; h < weights.dim(0); ++h) {
        HeadStatistics s{.layer = layer, .head = h};
        for (Index i = 1; i < length; ++i) add_query(s, weights.data() + (h * length + i) * length, ids, i);
        const double queries = static_cast<double>(std::max<Index>(1, length - 1));
        for (double* sum :
             {&s.entropy, &s.distance, &s.itself.weight, &s.itself.even, &s.previous.weight, &s.previous.even, &s.first.weight,
              &s.first.even, &s.same.weight, &s.same.even, &s.after_same.weight, &s.after_same.even})
            *sum /= queries;
        out.push_back(s);
    }
    return out;
}

}  // namespace gradproof
