// Fast paths of layer_norm and rms_norm over rows.
#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

/// 0 for a row without variance: its xhat and dx are 0, not NaN.
template <class T>
T inverse_root(T v) {
    return v == T(0) ? T(0) : T(1) / std::sqrt(v);
}

// Distances to the first element d = x - x_0 stand for x: far from 0 they are exact where a mean of x would be rounded.
// Then two passes for mean and variance: E[d^2] - E[d]^2 would lose digits.
template <class T>
void layer_norm(const T* x, const T* gamma, const T* beta, T* y, T* xhat, T* rstd, Index rows, Index n, T eps) {
    for (Index r = 0; r < rows; ++r, x += n, y += n) {
        const V<T> first(x[0]);
        const V<T> mean(sum_vectors<T>(n, [=](auto in) { return in(x)-first; }) / static_cast<T>(n));
        const T square = sum_vectors<T>(n, [=](auto in) {
            const V<T> d = (in(x)-first) - mean;
            return d * d;
        });
        const T inverse = inverse_root(square / static_cast<T>(n) + eps);
        if (rstd) rstd[r] = inverse;
        const V<T> factor(inverse);
        for_vectors<T>(n, [=](auto in, auto out) {
            V<T> h = ((in(x)-first) - mean) * factor;
            if (xhat) out(xhat + r * n, h);
            if (gamma) h = h * in(gamma);
            if (beta) h = h + in(beta);
            out(y, h);
        });
    }
}
// With g = dy gamma:  dx = rstd (g - mean(g) - xhat mean(g xhat));  dgamma = sum_r dy xhat;  dbeta = sum_r dy
template <class T>
void layer_norm_backward(const T* xhat, const T* rstd, const T* gamma, const T* dy, T* dx, T* dgamma, T* dbeta, Index rows,
                         Index n) {
    for (Index r = 0; r < rows; ++r, xhat += n, dy += n) {
        if (dx) {
            const auto g = [=](auto in) { return gamma ? in(dy)*in(gamma) : in(dy); };
            const V<T> mean_g(sum_vectors<T>(n, g) / static_cast<T>(n));
            const V<T> mean_gx(sum_vectors<T>(n, [=](auto in) { return g(in) * in(xhat); }) / static_cast<T>(n));
            const V<T> factor(rstd[r]);
            T* to = dx + r * n;
            for_vectors<T>(n, [=](auto in, auto out) { out(to, factor * (g(in) - mean_g - in(xhat)*mean_gx)); });
        }
        if (dgamma) for_vectors<T>(n, [=](auto in, auto out) { out(dgamma, fma(in(dy), in(xhat), in(dgamma))); });
        if (dbeta) for_vectors<T>(n, [=](auto in, auto out) { out(dbeta, in(dbeta) + in(dy)); });
    }
}

template <class T>
void rms_norm(const T* x, const T* gamma, T* y, T* rstd, Index rows, Index n, T eps) {
    for (Index r = 0; r < rows; ++r, x += n, y += n) {
        const T square = sum_vectors<T>(n, [=](auto in) {
            const V<T> v = in(x);
            return v * v;
        });
        rstd[r] = inverse_root(square / static_cast<T>(n) + eps);
        const V<T> factor(rstd[r]);
        for_vectors<T>(n, [=](auto in, auto out) {
            const V<T> h = in(x)*factor;
            out(y, gamma ? h * in(gamma) : h);
        });
    }
}
// With g = dy gamma and xhat = x rstd:  dx = rstd (g - xhat mean(g xhat));  dgamma = sum_r dy xhat
template <class T>
void rms_norm_backward(const T* x, const T* rstd, const T* gamma, const T* dy, T* dx, T* dgamma, Index rows, Index n) {
    for (Index r = 0; r < rows; ++r, x += n, dy += n) {
        const V<T> factor(rstd[r]);
        if (dx) {
            const auto g = [=](auto in) { return gamma ? in(dy)*in(gamma) : in(dy); };
            const V<T> slope(sum_vectors<T>(n, [=](auto in) { return g(in) * in(x); }) * rstd[r] * rstd[r] / static_cast<T>(n));
            T* to = dx + r * n;
            for_vectors<T>(n, [=](auto in, auto out) { out(to, factor * (g(in) - in(x)*slope)); });
        }
        if (dgamma) for_vectors<T>(n, [=](auto in, auto out) { out(dgamma, fma(in(dy), in(x)*factor, in(dgamma))); });
    }
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.layer_norm = layer_norm<T>;
    k.layer_norm_backward = layer_norm_backward<T>;
    k.rms_norm = rms_norm<T>;
    k.rms_norm_backward = rms_norm_backward<T>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_norms(Kernels<float>& k) noexcept { fill(k); }
void fill_norms(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
