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

/// Adds the weights that query i of a head gives to the first `seen` keys.
void add_query(HeadStatistics& s, const double* w, const std::vector<Index>& ids, Index i, Index seen) {
    const double even = 1 / static_cast<double>(seen);
    double entropy = 0;
    for (Index j = 0; j < seen; ++j) {
        const auto at = static_cast<std::size_t>(j), query = static_cast<std::size_t>(i);
        if (w[j] > 0) entropy -= w[j] * std::log(w[j]);
        s.distance += w[j] * static_cast<double>(std::abs(i - j));
        if (j == i) add_to(s.itself, w[j], even);
        if (j == i - 1) add_to(s.previous, w[j], even);
        if (j == i + 1) add_to(s.next, w[j], even);
        if (j == 0) add_to(s.first, w[j], even);
        if (j != i && ids[at] == ids[query]) add_to(s.same, w[j], even);
        if (j > 0 && j != i + 1 && ids[at - 1] == ids[query]) add_to(s.after_same, w[j], even);
    }
    s.entropy += entropy / std::log(static_cast<double>(seen));
}

}  // namespace

std::string HeadStatistics::role() const {
    constexpr double kClear = 0.25;
    const std::pair<const char*, const Share*> roles[] = {{"itself", &itself},    {"previous symbol", &previous},
                                                          {"next symbol", &next}, {"first symbol", &first},
                                                          {"same symbol", &same}, {"after the same symbol", &after_same}};
    const char* best = "spread";
    double most = kClear;
    for (const auto& [name, share] : roles)
        if (share->weight - share->even > most) {
            most = share->weight - share->even;
            best = name;
        }
    return best;
}

std::vector<HeadStatistics> head_statistics(const Tensor<double>& weights, const std::vector<Index>& ids, Index layer,
                                            Keys keys) {
    const auto length = static_cast<Index>(ids.size());
    if (weights.rank() != 3 || weights.dim(1) != length || weights.dim(2) != length)
        shape_error("heads: weights are {}, expected [heads, {}, {}]", weights.shape(), length, length);
    std::vector<HeadStatistics> out;
    for (Index h = 0; h < weights.dim(0); ++h) {
        HeadStatistics s{.layer = layer, .head = h};
        const Index first = keys == Keys::all ? 0 : 1;
        for (Index i = first; i < length && length > 1; ++i)
            add_query(s, weights.data() + (h * length + i) * length, ids, i, keys == Keys::all ? length : i + 1);
        const double queries = static_cast<double>(std::max<Index>(1, length - first));
        for (double* sum : {&s.entropy, &s.distance, &s.itself.weight, &s.itself.even, &s.previous.weight, &s.previous.even,
                            &s.next.weight, &s.next.even, &s.first.weight, &s.first.even, &s.same.weight, &s.same.even,
                            &s.after_same.weight, &s.after_same.even})
            *sum /= queries;
        out.push_back(s);
    }
    return out;
}

}  // namespace gradproof
