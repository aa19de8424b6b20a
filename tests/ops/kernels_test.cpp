// The fast maps and arithmetic, on every instruction set of this machine, against long double arithmetic: lengths 0 to 70,
// unaligned pointers, special values, nothing written outside.
#include "tests/ops/kernels_of.hpp"

namespace gradproof {
namespace {

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
    ::testing::Test::RecordProperty("ulps", std::to_string(worst));
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
