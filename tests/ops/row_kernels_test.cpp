// The fast loops over rows and parameters, on every instruction set of this machine, against long double arithmetic.
#include "tests/ops/kernels_of.hpp"

namespace gradproof {
namespace {

template <class T>
using RowKernels = KernelsOf<T>;
TYPED_TEST_SUITE(RowKernels, Types);

TYPED_TEST(RowKernels, ColumnSumsAreAccurateAndRepeatable) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(4);
        for (Index n = 0; n <= kLongest; ++n) {
            constexpr Index rows = 5;
            Guarded<T> a = draw<T>(rng, rows * n, -1, 1), columns(n), again(n);
            const double tolerance =
                static_cast<double>(static_cast<Long>(rows * n + 1) * this->eps);  // n additions of terms below 1
            k.sum_columns(a.data(), n, columns.data(), rows, n);
            k.sum_columns(a.data(), n, again.data(), rows, n);
            for (Index c = 0; c < n; ++c) {
                Long want = 0;
                for (Index r = 0; r < rows; ++r) want += a[r * n + c];
                EXPECT_NEAR(static_cast<double>(columns[c]), static_cast<double>(want), tolerance);
                EXPECT_EQ(columns[c], again[c]);
            }
            EXPECT_TRUE(columns.intact());
        }
    });
}

TYPED_TEST(RowKernels, SoftmaxRowsMatchTheFormulas) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(5);
        for (const T t : {T(1), T(0.7)})
            for (Index n = 1; n <= kLongest; ++n) {
                constexpr Index rows = 3;
                Guarded<T> x = draw<T>(rng, rows * n, -4, 4), dy = draw<T>(rng, rows * n, -1, 1), y(rows * n), l(rows * n),
                           dx(rows * n);
                if (n > 2) x[1] = x[n + 2] = T(-kInf);
                k.softmax(x.data(), y.data(), rows, n, t);
                k.log_softmax(x.data(), l.data(), rows, n, t);
                for (Index r = 0; r < rows; ++r) {
                    Long m = -kInf, sum = 0;
                    for (Index i = 0; i < n; ++i) m = std::max(m, Long(x[r * n + i]));
                    for (Index i = 0; i < n; ++i) sum += std::exp((x[r * n + i] - m) / t);
                    for (Index i = 0; i < n; ++i) {
                        const Long z = (x[r * n + i] - m) / t, want = std::exp(z) / sum;
                        // The argument's rounding shows |z| times, exp and the quotient a few, the sum n / lanes times.
                        const Long relative = this->eps * (8 + std::abs(std::isinf(z) ? 0 : z) + static_cast<Long>(n));
                        EXPECT_NEAR(static_cast<double>(y[r * n + i]), static_cast<double>(want),
                                    static_cast<double>(relative * want));
                        if (std::isinf(z)) {
                            EXPECT_EQ(l[r * n + i], T(-kInf));
                        } else {
                            EXPECT_NEAR(static_cast<double>(l[r * n + i]), static_cast<double>(z - std::log(sum)),
                                        static_cast<double>(this->eps * (16 + std::abs(z))));
                        }
                    }
                }
                EXPECT_TRUE(y.intact() && l.intact());

                k.softmax_backward(y.data(), dy.data(), dx.data(), rows, n, t);
                for (Index r = 0; r < rows; ++r) {
                    Long inner = 0;
                    for (Index i = 0; i < n; ++i) inner += Long(y[r * n + i]) * dy[r * n + i];
                    for (Index i = 0; i < n; ++i)
                        EXPECT_NEAR(static_cast<double>(dx[r * n + i]),
                                    static_cast<double>(y[r * n + i] * (dy[r * n + i] - inner) / t),
                                    static_cast<double>(16 * this->eps));
                }
                k.log_softmax_backward(l.data(), dy.data(), dx.data(), rows, n, t);
                for (Index r = 0; r < rows; ++r) {
                    Long total = 0;
                    const auto masked = [&](Index i) { return std::isinf(l[r * n + i]); };
                    for (Index i = 0; i < n; ++i) total += masked(i) ? 0 : dy[r * n + i];
                    for (Index i = 0; i < n; ++i)
                        EXPECT_NEAR(
                            static_cast<double>(dx[r * n + i]),
                            masked(i) ? 0.0 : static_cast<double>((dy[r * n + i] - std::exp(Long(l[r * n + i])) * total) / t),
                            static_cast<double>(static_cast<Long>(16 + n) * this->eps));
                }
                EXPECT_TRUE(dx.intact());
            }
    });
}

TYPED_TEST(RowKernels, SoftmaxKeepsMaskedRowsHugeScoresAndNaN) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        for (const Index n : {1, 3, 8, 16, 21}) {
            Guarded<T> x(n, T(-kInf)), y(n, T(9)), dx(n, T(9)), dy(n, T(1));
            k.softmax(x.data(), y.data(), 1, n, T(1));
            k.softmax_backward(y.data(), dy.data(), dx.data(), 1, n, T(1));
            for (Index i = 0; i < n; ++i) EXPECT_TRUE(y[i] == T(0) && dx[i] == T(0)) << y[i] << " " << dx[i];
            k.log_softmax(x.data(), y.data(), 1, n, T(2));
            dx = Guarded<T>(n, T(9));
            k.log_softmax_backward(y.data(), dy.data(), dx.data(), 1, n, T(2));
            for (Index i = 0; i < n; ++i) EXPECT_TRUE(y[i] == T(-kInf) && dx[i] == T(0)) << y[i] << " " << dx[i];
            for (const double huge : {1e30, -1e30}) {
                x = Guarded<T>(n, static_cast<T>(huge));
                k.softmax(x.data(), y.data(), 1, n, T(0.1));
                for (Index i = 0; i < n; ++i) EXPECT_NEAR(static_cast<double>(y[i]), 1.0 / static_cast<double>(n), 1e-7);
            }
            x = Guarded<T>(n, T(0));
            x[n - 1] = T(kNaN);
            k.softmax(x.data(), y.data(), 1, n, T(1));
            for (Index i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(y[i]));
            k.log_softmax(x.data(), y.data(), 1, n, T(1));
            for (Index i = 0; i < n; ++i) EXPECT_TRUE(std::isnan(y[i]));
        }
    });
}

TYPED_TEST(RowKernels, NormsMatchTheFormulas) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(6);
        for (Index n = 1; n <= kLongest; ++n) {
            constexpr Index rows = 3;
            const auto size = rows * n;
            Guarded<T> x = draw<T>(rng, size, -2, 3), dy = draw<T>(rng, size, -1, 1), gamma = draw<T>(rng, n, 0.5, 1.5),
                       beta = draw<T>(rng, n, -1, 1);
            for (const bool rms : {false, true}) {
                Guarded<T> y(size), xhat(size), rstd(rows), dx(size), dgamma(n, T(0.5)), dbeta(n, T(0.25));
                const T floor = T(1e-2);  // large, so that n = 1 has a slope
                if (rms)
                    k.rms_norm(x.data(), gamma.data(), y.data(), rstd.data(), rows, n, floor);
                else
                    k.layer_norm(x.data(), gamma.data(), beta.data(), y.data(), xhat.data(), rstd.data(), rows, n, floor);
                if (rms)
                    k.rms_norm_backward(x.data(), rstd.data(), gamma.data(), dy.data(), dx.data(), dgamma.data(), rows, n);
                else
                    k.layer_norm_backward(xhat.data(), rstd.data(), gamma.data(), dy.data(), dx.data(), dgamma.data(),
                                          dbeta.data(), rows, n);
                const double tolerance =
                    static_cast<double>(static_cast<Long>(64 + 4 * n) * this->eps);  // n additions, values below 10
                std::vector<Long> sum_gamma(static_cast<std::size_t>(n), 0.5L), sum_beta(static_cast<std::size_t>(n), 0.25L);
                for (Index r = 0; r < rows; ++r) {
                    Long mean = 0, square = 0;
                    for (Index i = 0; i < n; ++i) mean += Long(x[r * n + i]) / static_cast<Long>(n);
                    if (rms) mean = 0;
                    for (Index i = 0; i < n; ++i) square += (x[r * n + i] - mean) * (x[r * n + i] - mean) / static_cast<Long>(n);
                    const Long inverse = 1 / std::sqrt(square + floor);
                    EXPECT_NEAR(static_cast<double>(rstd[r]), static_cast<double>(inverse),
                                tolerance * static_cast<double>(inverse));
                    Long mean_g = 0, mean_gx = 0;
                    for (Index i = 0; i < n; ++i) {
                        const Long h = (x[r * n + i] - mean) * inverse, g = Long(dy[r * n + i]) * gamma[i];
                        EXPECT_NEAR(static_cast<double>(xhat[r * n + i]), rms ? 0.0 : static_cast<double>(h), tolerance);
                        EXPECT_NEAR(static_cast<double>(y[r * n + i]), static_cast<double>(h * gamma[i] + (rms ? 0 : beta[i])),
                                    tolerance);
                        mean_g += rms ? 0 : g / static_cast<Long>(n);
                        mean_gx += g * h / static_cast<Long>(n);
                        sum_gamma[static_cast<std::size_t>(i)] += dy[r * n + i] * h;
                        sum_beta[static_cast<std::size_t>(i)] += dy[r * n + i];
                    }
                    for (Index i = 0; i < n; ++i) {
                        const Long h = (x[r * n + i] - mean) * inverse, g = Long(dy[r * n + i]) * gamma[i];
                        EXPECT_NEAR(static_cast<double>(dx[r * n + i]), static_cast<double>(inverse * (g - mean_g - h * mean_gx)),
                                    tolerance * std::max(1.0, static_cast<double>(inverse)));
                    }
                }
                for (Index i = 0; i < n; ++i) {
                    EXPECT_NEAR(static_cast<double>(dgamma[i]), static_cast<double>(sum_gamma[static_cast<std::size_t>(i)]),
                                tolerance);
                    EXPECT_NEAR(static_cast<double>(dbeta[i]),
                                rms ? 0.25 : static_cast<double>(sum_beta[static_cast<std::size_t>(i)]), tolerance);
                }
                EXPECT_TRUE(y.intact() && xhat.intact() && rstd.intact() && dx.intact() && dgamma.intact() && dbeta.intact());
            }
            Guarded<T> flat(n, T(3)), level(n, T(9));  // no variance, eps 0: zeros, not NaN
            k.layer_norm(flat.data(), nullptr, nullptr, level.data(), nullptr, nullptr, 1, n, T(0));
            for (Index i = 0; i < n; ++i) EXPECT_EQ(level[i], T(0));
            // Absent gamma and beta count as 1 and 0; nothing asked for is nothing written.
            Guarded<T> y(size), bare(size);
            k.layer_norm(x.data(), nullptr, nullptr, y.data(), bare.data(), nullptr, rows, n, T(1e-2));
            for (Index i = 0; i < size; ++i) EXPECT_EQ(y[i], bare[i]);
            k.layer_norm_backward(bare.data(), nullptr, nullptr, dy.data(), nullptr, nullptr, nullptr, rows, n);
        }
    });
}

TYPED_TEST(RowKernels, OptimiserStepsMatchTheFormulas) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(7);
        const double tolerance = static_cast<double>(32 * this->eps);
        for (Index n = 0; n <= kLongest; ++n)
            for (const double decay : {0.0, 0.1}) {
                Guarded<T> g = draw<T>(rng, n, -1, 1), p = draw<T>(rng, n, -1, 1), m = draw<T>(rng, n, -1, 1),
                           v = draw<T>(rng, n, 0.1, 1);
                Guarded<T> p1 = p, m1 = m, v1 = v, p2 = p, u = m;
                const AdamStep<T> adam{.rate = T(0.01),
                                       .beta1 = T(0.9),
                                       .beta2 = T(0.99),
                                       .root_bias2 = T(0.3),
                                       .eps = T(1e-3),
                                       .decay = T(decay),
                                       .shrink = T(0.98),
                                       .scale = T(0.75)};
                k.adam(adam, g.data(), p1.data(), m1.data(), v1.data(), n);
                const SgdStep<T> sgd{.rate = T(0.1), .momentum = T(0.9), .decay = T(decay), .scale = T(0.75)};
                k.sgd(sgd, g.data(), p2.data(), u.data(), n);
                for (Index i = 0; i < n; ++i) {
                    const Long grad = Long(adam.scale) * g[i] + Long(adam.decay) * p[i];
                    const Long first = Long(adam.beta1) * m[i] + (1 - Long(adam.beta1)) * grad;
                    const Long second = Long(adam.beta2) * v[i] + (1 - Long(adam.beta2)) * grad * grad;
                    EXPECT_NEAR(static_cast<double>(m1[i]), static_cast<double>(first), tolerance);
                    EXPECT_NEAR(static_cast<double>(v1[i]), static_cast<double>(second), tolerance);
                    EXPECT_NEAR(static_cast<double>(p1[i]),
                                static_cast<double>(p[i] * Long(adam.shrink) -
                                                    adam.rate * first / (std::sqrt(second) / adam.root_bias2 + adam.eps)),
                                tolerance);
                    const Long velocity = Long(sgd.momentum) * m[i] + grad;
                    EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(velocity), tolerance);
                    EXPECT_NEAR(static_cast<double>(p2[i]), static_cast<double>(p[i] - sgd.rate * velocity), tolerance);
                }
                EXPECT_TRUE(p1.intact() && m1.intact() && v1.intact() && p2.intact() && u.intact());
            }
    });
}

}  // namespace
}  // namespace gradproof
