// Every fast path, on every instruction set of this machine, against long double arithmetic: lengths 0 to 70, unaligned
// pointers, special values, nothing written outside.
#include "gradproof/ops/kernels/kernels.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"

namespace gradproof {
namespace {

using Long = long double;
constexpr Index kLongest = 70;  // more than four of the widest vectors, so each loop and each tail is run
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// |got - want| in units in the last place of `want`, which has the spacing of denormals near 0.
template <class T>
double ulps(T got, Long want) {
    const T rounded = static_cast<T>(want);
    if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : kInf;
    if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : kInf;
    const T size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
    const Long ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<Long>(got) - want) / ulp);
}

/// A buffer whose first element is off the vector alignment, with guards that must stay as they are.
template <class T>
class Guarded {
  public:
    explicit Guarded(Index n, T value = T(0)) : cells_(static_cast<std::size_t>(n) + 2 * kEdge, T(-77)), n_(n) {
        for (Index i = 0; i < n; ++i) data()[i] = value;
    }
    T* data() { return cells_.data() + kEdge; }
    T& operator[](Index i) { return data()[i]; }
    bool intact() const {
        for (std::size_t i = 0; i < kEdge; ++i)
            if (cells_[i] != T(-77) || cells_[cells_.size() - 1 - i] != T(-77)) return false;
        return true;
    }
    Index size() const { return n_; }

  private:
    static constexpr std::size_t kEdge = 3;
    std::vector<T> cells_;
    Index n_;
};

template <class T>
Guarded<T> draw(Random& rng, Index n, double low, double high) {
    Guarded<T> x(n);
    for (Index i = 0; i < n; ++i) x[i] = static_cast<T>(rng.uniform(low, high));
    return x;
}

template <class T>
class KernelsOf : public testing::Test {
  protected:
    /// Runs body once on each instruction set.
    void on_each_arch(const std::function<void(const Kernels<T>&)>& body) {
        for (const std::string& name : archs()) {
            SCOPED_TRACE(name);
            const ArchScope scope(name);
            body(kernels<T>());
        }
    }
    static constexpr Long eps = std::numeric_limits<T>::epsilon();
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsOf, Types);

/// Holds a map to f on a dense range, on special values, and on all lengths.
template <class T>
void expect_map(typename Kernels<T>::Map map, const std::function<Long(Long)>& f, double low, double high, double bound,
                const std::vector<std::pair<double, double>>& special) {
    Random rng(1);
    double worst = 0;
    T at = 0;
    constexpr Index kDense = 20000;
    Guarded<T> x = draw<T>(rng, kDense, low, high), y(kDense);
    map(x.data(), y.data(), kDense);
    for (Index i = 0; i < kDense; ++i)
        if (const double u = ulps(y[i], f(x[i])); u > worst) worst = u, at = x[i];
    EXPECT_LE(worst, bound) << "at x = " << at;
    testing::Test::RecordProperty("ulps", std::to_string(worst));
    for (const auto& [in, out] : special)
        for (const Index n : {1, 5, 16, 37}) {
            Guarded<T> a(n, static_cast<T>(in)), b(n);
            map(a.data(), b.data(), n);
            for (Index i = 0; i < n; ++i) EXPECT_LE(ulps(b[i], out), 1) << "f(" << in << ") = " << b[i] << ", expected " << out;
        }
    for (Index n = 0; n <= kLongest; ++n) {
        Guarded<T> a = draw<T>(rng, n, low, high), b(n);
        map(a.data(), b.data(), n);
        for (Index i = 0; i < n; ++i) EXPECT_LE(ulps(b[i], f(a[i])), bound) << "n = " << n << ", i = " << i;
        EXPECT_TRUE(b.intact()) << "n = " << n;
        map(a.data(), a.data(), n);  // in place
        for (Index i = 0; i < n; ++i) EXPECT_EQ(a[i], b[i]);
    }
}

Long sigmoid_of(Long x) { return 1 / (1 + std::exp(-x)); }
Long gelu_u(Long x) { return std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x); }

Long normal_cdf_of(Long x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }

TYPED_TEST(KernelsOf, ExpIsWithinTwoUlps) {
    using T = TypeParam;
    const double high = std::is_same_v<T, float> ? 88.7 : 709.7, low = std::is_same_v<T, float> ? -110 : -760;
    this->on_each_arch([&](const Kernels<T>& k) {
        const auto f = [](Long x) { return std::exp(x); };
        // Results range over normal numbers, denormals and 0.
        expect_map<T>(k.exp, f, low, high, 2,
                      {{-kInf, 0}, {kInf, kInf}, {kNaN, kNaN}, {1e30, kInf}, {-1e30, 0}, {0, 1}, {-0.0, 1}});
        expect_map<T>(k.exp, f, -1, 1, 2, {});
    });
}

TYPED_TEST(KernelsOf, TanhSigmoidSiluGeluAreAccurate) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        const auto tanh_of = [](Long x) { return std::tanh(x); };
        // The exponential within 2 ulps, then a sum, a quotient and a select: 1 rounding each.
        expect_map<T>(k.tanh, tanh_of, -10, 10, 3, {{-kInf, -1}, {kInf, 1}, {kNaN, kNaN}, {1e30, 1}, {-1e30, -1}, {0, 0}});
        expect_map<T>(k.tanh, tanh_of, -0.7, 0.7, 3, {});
        expect_map<T>(k.sigmoid, sigmoid_of, -80, 80, 4, {{-kInf, 0}, {kInf, 1}, {kNaN, kNaN}, {1e30, 1}, {-1e30, 0}, {0, 0.5}});
        expect_map<T>(k.silu, [](Long x) { return x * sigmoid_of(x); }, -80, 80, 5, {{kNaN, kNaN}, {1e30, 1e30}, {0, 0}});
        // Relative to |y| the argument's rounding shows |u| times: |2 u(-4)| = 11.
        expect_map<T>(k.gelu_tanh, [](Long x) { return x * sigmoid_of(2 * gelu_u(x)); }, -4, 6, 32,
                      {{kNaN, kNaN}, {1e5, 1e5}, {0, 0}});
        // 24 steps of Horner's rule whose terms are at most a few times their sum; without fma also x^2 / 2 = 12 in the exponent.
        expect_map<T>(k.gelu, [](Long x) { return x * normal_cdf_of(x); }, -5, 6, 24,
                      {{kNaN, kNaN}, {1e5, 1e5}, {-1e5, 0}, {kInf, kInf}, {0, 0}});
        expect_map<T>(k.relu, [](Long x) { return x > 0 ? x : 0; }, -3, 3, 0,
                      {{kNaN, kNaN}, {-kInf, 0}, {kInf, kInf}, {-0.0, 0}});
    });
}

TYPED_TEST(KernelsOf, BackwardMapsMatchTheirFormulas) {
    using T = TypeParam;
    struct Case {
        const char* name;
        void (*Kernels<T>::*kernel)(const T*, const T*, T*, Index);
        std::function<Long(Long)> slope;
        double low, high;
    };
    const std::vector<Case> cases{
        {"tanh", &Kernels<T>::tanh_backward, [](Long y) { return 1 - y * y; }, -1, 1},
        {"sigmoid", &Kernels<T>::sigmoid_backward, [](Long y) { return y * (1 - y); }, 0, 1},
        {"relu", &Kernels<T>::relu_backward, [](Long x) { return x > 0 ? 1 : 0; }, -2, 2},
        {"silu", &Kernels<T>::silu_backward,
         [](Long x) {
             const Long s = sigmoid_of(x);
             return s * (1 + x * (1 - s));
         },
         -9, 9},
        {"gelu", &Kernels<T>::gelu_backward,
         [](Long x) { return normal_cdf_of(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L)); }, -9, 9},
        {"gelu_tanh", &Kernels<T>::gelu_tanh_backward,
         [](Long x) {
             const Long s = sigmoid_of(2 * gelu_u(x));
             return s + x * s * (1 - s) * 2 * std::sqrt(2 / std::acos(-1.0L)) * (1 + 3 * 0.044715L * x * x);
         },
         -4, 4},
    };
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(2);
        for (const Case& c : cases)
            for (Index n = 0; n <= kLongest; ++n) {
                Guarded<T> x = draw<T>(rng, n, c.low, c.high), dy = draw<T>(rng, n, -1, 1), dx(n);
                (k.*c.kernel)(x.data(), dy.data(), dx.data(), n);
                // Terms of size about 1 are added: errors are absolute, of a few roundings each.
                for (Index i = 0; i < n; ++i)
                    EXPECT_NEAR(static_cast<double>(dx[i]), static_cast<double>(dy[i] * c.slope(x[i])),
                                static_cast<double>(16 * this->eps))
                        << c.name << " at " << x[i];
                EXPECT_TRUE(dx.intact()) << c.name << ", n = " << n;
            }
        Guarded<T> zero(1), one(1, T(1)), dx(1, T(5));
        k.relu_backward(zero.data(), one.data(), dx.data(), 1);
        EXPECT_EQ(dx[0], T(0)) << "relu'(0) = 0";
    });
}

TYPED_TEST(KernelsOf, ArithmeticIsExact) {
    using T = TypeParam;
    this->on_each_arch([&](const Kernels<T>& k) {
        Random rng(3);
        for (Index n = 0; n <= kLongest; ++n) {
            Guarded<T> a = draw<T>(rng, n, -2, 2), b = draw<T>(rng, n, -2, 2), y(n);
            k.add(a.data(), b.data(), y.data(), n);
            for (Index i = 0; i < n; ++i) EXPECT_EQ(y[i], a[i] + b[i]);
            k.sub(a.data(), b.data(), y.data(), n);
            for (Index i = 0; i < n; ++i) EXPECT_EQ(y[i], a[i] - b[i]);
            k.mul(a.data(), b.data(), y.data(), n);
            for (Index i = 0; i < n; ++i) EXPECT_EQ(y[i], a[i] * b[i]);
            EXPECT_TRUE(y.intact());
        }
    });
}

TYPED_TEST(KernelsOf, ColumnSumsAreAccurateAndRepeatable) {
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

TYPED_TEST(KernelsOf, SoftmaxRowsMatchTheFormulas) {
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

TYPED_TEST(KernelsOf, SoftmaxKeepsMaskedRowsHugeScoresAndNaN) {
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

TYPED_TEST(KernelsOf, NormsMatchTheFormulas) {
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

TYPED_TEST(KernelsOf, OptimiserStepsMatchTheFormulas) {
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

TEST(Kernels, ArchitecturesAreListedAndSwitchedTo) {
    const std::vector<std::string> all = archs();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front(), "baseline");
    const std::string before(arch_name());
    for (const std::string& name : all) {
        const ArchScope scope(name);
        EXPECT_EQ(arch_name(), name);
    }
    EXPECT_EQ(arch_name(), before);
    try {
        use_arch("avx9");
        FAIL() << "no error";
    } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("no instruction set named 'avx9' here: available are baseline"), std::string::npos)
            << e.what();
    }
    EXPECT_EQ(arch_name(), before);
}

TEST(Kernels, DualsAndPlainScopesTakeNoFastPath) {
    EXPECT_TRUE(use_kernels<float>());
    EXPECT_TRUE(use_kernels<double>());
    EXPECT_FALSE(use_kernels<Dual<double>>());
    {
        const KernelScope outer("plain");
        const KernelScope inner("plain");
        EXPECT_FALSE(use_kernels<float>());
    }
    EXPECT_TRUE(use_kernels<float>());
}

}  // namespace
}  // namespace gradproof
