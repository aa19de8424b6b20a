// Agglomerative clustering.
#include "tools/experiments/clustering.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"

namespace gradproof::experiments {
namespace {

double linkage(const Cluster& a, const Cluster& b, const Tensor<double>& s) {
    double sum = 0;
    for (const Index i : a)
        for (const Index j : b) sum += s[i * s.dim(0) + j];
    return sum / static_cast<double>(a.size() * b.size());
}

}  // namespace

std::vector<Cluster> average_linkage(const Tensor<double>& s, double alike) {
    if (s.rank() != 2 || s.dim(0) != s.dim(1)) shape_error("average_linkage: similarity is {}, expected [n, n]", s.shape());
    std::vector<Cluster> out;
    for (Index i = 0; i < s.dim(0); ++i) out.push_back({i});
    while (out.size() > 1) {
        double best = -INFINITY;
        std::size_t a = 0, b = 0;
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t j = i + 1; j < out.size(); ++j)
                if (const double l = linkage(out[i], out[j], s); l > best) best = l, a = i, b = j;
        if (!(best >= alike)) break;
        out[a].insert(out[a].end(), out[b].begin(), out[b].end());
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(b));
    }
    std::stable_sort(out.begin(), out.end(), [](const Cluster& a, const Cluster& b) { return a.size() > b.size(); });
    return out;
}

}  // namespace gradproof::experiments
