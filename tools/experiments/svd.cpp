// The one-sided Jacobi method, on a transposed copy so that columns are contiguous.
#include "tools/experiments/svd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradproof/core/errors.hpp"
#include "gradproof/ops/transpose.hpp"
#include "tools/experiments/measure.hpp"

namespace gradproof::experiments {
namespace {

double dot(const double* x, const double* y, Index n) { return std::inner_product(x, x + n, y, 0.0); }

void rotate(double* x, double* y, Index n, double c, double s) {
    for (Index i = 0; i < n; ++i) {
        const double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/// Rotates rows p and q of w so that they are orthogonal, and the same rows of v. False if they already are.
bool orthogonalise(double* wp, double* wq, Index m, double* vp, double* vq, Index n) {
    constexpr double kEpsilon = 1e-15;
    const double pp = dot(wp, wp, m), qq = dot(wq, wq, m), pq = dot(wp, wq, m);
    if (std::abs(pq) <= kEpsilon * std::sqrt(pp * qq) || pq == 0) return false;
    const double zeta = (qq - pp) / (2 * pq);
    const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::hypot(1.0, zeta)), c = 1 / std::hypot(1.0, t);
    rotate(wp, wq, m, c, c * t);
    rotate(vp, vq, n, c, c * t);
    return true;
}

}  // namespace

Svd svd(const Tensor<double>& a) {
    if (a.rank() != 2 || a.size() == 0) shape_error("svd: a is {}, expected [m, n] with entries", a.shape());
    for (const double v : a)
        if (!std::isfinite(v)) value_error("svd: an entry is {}, expected finite ones", v);
    const bool wide = a.dim(0) < a.dim(1);
    // Rows of w are the columns of a, or of its transpose if a is wide.
    const Tensor<double> columns = wide ? a.clone() : transpose(a);
    Tensor<double> w = columns.clone();
    const Index n = w.dim(0), m = w.dim(1);
    Tensor<double> v({n, n}, 0.0);
    for (Index i = 0; i < n; ++i) v[i * n + i] = 1;
    constexpr int kSweeps = 60;
    bool rotated = true;
    for (int sweep = 0; sweep < kSweeps && rotated; ++sweep) {
        rotated = false;
        for (Index p = 0; p < n; ++p)
            for (Index q = p + 1; q < n; ++q)
                rotated |= orthogonalise(w.data() + p * m, w.data() + q * m, m, v.data() + p * n, v.data() + q * n, n);
    }
    std::vector<double> norms;
    for (Index i = 0; i < n; ++i) norms.push_back(std::sqrt(dot(w.data() + i * m, w.data() + i * m, m)));
    std::vector<std::size_t> order(norms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return norms[i] > norms[j]; });

    Svd out{{}, Tensor<double>({m, n}), Tensor<double>({n, n})};
    for (Index j = 0; j < n; ++j) {
        const auto from = static_cast<Index>(order[static_cast<std::size_t>(j)]);
        const double norm = norms[order[static_cast<std::size_t>(j)]];
        out.values.push_back(norm);
        for (Index i = 0; i < m; ++i) out.left[i * n + j] = norm > 0 ? w[from * m + i] / norm : 0;
        for (Index i = 0; i < n; ++i) out.right[i * n + j] = v[from * n + i];
    }
    if (wide) std::swap(out.left, out.right);
    return out;
}

std::vector<double> singular_values(const Tensor<double>& a) { return svd(a).values; }

double effective_rank(std::span<const double> values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::vector<double> share;
    for (const double v : values) share.push_back(v / sum);
    return sum > 0 ? std::exp(entropy(share)) : 0;
}

Index numerical_rank(std::span<const double> values, double share) {
    const double limit = values.empty() ? 0 : share * *std::max_element(values.begin(), values.end());
    return std::count_if(values.begin(), values.end(), [&](double v) { return v > limit; });
}

Index rank_of_energy(std::span<const double> values, double share) {
    const double all = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    double sum = 0;
    Index n = 0;
    for (const double v : values) {
        if (sum >= share * all) break;
        sum += v * v;
        ++n;
    }
    return n;
}

}  // namespace gradproof::experiments
