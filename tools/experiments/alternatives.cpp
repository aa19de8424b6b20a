// The null space of the values, and random steps in it.
#include "tools/experiments/alternatives.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"
#include "gradproof/ops/matmul.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/svd.hpp"

namespace gradproof::experiments {

Tensor<double> silent_directions(const Tensor<double>& v) {
    if (v.rank() != 2 || v.dim(0) <= v.dim(1) + 1)
        shape_error("silent_directions: v is {}, expected [T, E] with T > E + 1", v.shape());
    const Index length = v.dim(0), width = v.dim(1);
    Tensor<double> constraints({width + 1, length});
    for (Index t = 0; t < length; ++t) {
        for (Index c = 0; c < width; ++c) constraints[c * length + t] = v[t * width + c];
        constraints[width * length + t] = 1;
    }
    // The squared matrix has all right singular vectors; those of the singular value 0 span the null space.
    const Svd s = svd(matmul(constraints, constraints, {.transpose_a = true}));
    Tensor<double> out({length, length - width - 1});
    for (Index t = 0; t < length; ++t)
        for (Index k = 0; k < out.dim(1); ++k) out[t * out.dim(1) + k] = s.right[t * length + width + 1 + k];
    return out;
}

Weights furthest(const Weights& w, const Tensor<double>& directions, Random& random) {
    constexpr int kStarts = 20, kSteps = 6;
    Weights best = w;
    for (int start = 0; start < kStarts; ++start) {
        Weights at = w;
        for (int step = 0; step < kSteps; ++step) {
            Weights d(w.size(), 0.0);
            for (Index k = 0; k < directions.dim(1); ++k) {
                const double amount = random.normal();
                for (std::size_t t = 0; t < d.size(); ++t)
                    d[t] += amount * directions[static_cast<Index>(t) * directions.dim(1) + k];
            }
            double limit = INFINITY;
            for (std::size_t t = 0; t < d.size(); ++t)
                if (d[t] < 0) limit = std::min(limit, at[t] / -d[t]);
            for (std::size_t t = 0; t < d.size(); ++t) at[t] = std::max(0.0, at[t] + limit * d[t]);
            if (total_variation(at, w) > total_variation(best, w)) best = at;
        }
    }
    return best;
}

Weights output(const Weights& w, const Tensor<double>& v) {
    const Index width = v.dim(1);
    Weights out(static_cast<std::size_t>(width), 0.0);
    for (std::size_t t = 0; t < w.size(); ++t)
        for (std::size_t c = 0; c < out.size(); ++c) out[c] += w[t] * v[static_cast<Index>(t) * width + static_cast<Index>(c)];
    return out;
}

}  // namespace gradproof::experiments
