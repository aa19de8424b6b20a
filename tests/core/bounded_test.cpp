// Numbers with bounds of their rounding error: what is meant lies within the bound, of every function and on every op's page.
#include "gradproof/core/bounded.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "gradproof/core/check/subject.hpp"
#include "gradproof/core/quad.hpp"
#include "gradproof/core/random.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::kInf;
using B = Bounded<double>;
using Q = Bounded<Quad>;

/// |a - b| of a number and what is meant, in quadruple precision.
double gap(const B& a, const Q& b) { return std::abs(static_cast<double>(Quad(a.value) - b.value)); }

struct Function {
    const char* name;
    double low, high;
    B (*of_double)(const B&);
    Q (*of_quad)(const Q&);
};
#define GRADPROOF_TESTED(f, low, high)                                                            \
    Function {                                                                                    \
#f, low, high, [](const B& x) -> B { return f(x); }, [](const Q& x) -> Q { return f(x); } \
    }
const Function kFunctions[] = {
    GRADPROOF_TESTED(exp, -30, 30),    GRADPROOF_TESTED(expm1, -30, 5), GRADPROOF_TESTED(log, 1e-6, 50),
    GRADPROOF_TESTED(log1p, -0.99, 9), GRADPROOF_TESTED(sqrt, 0, 90),   GRADPROOF_TESTED(sin, -20, 20),
    GRADPROOF_TESTED(cos, -20, 20),    GRADPROOF_TESTED(tanh, -9, 9),   GRADPROOF_TESTED(erf, -4, 4),
    GRADPROOF_TESTED(erfc, -4, 9),     GRADPROOF_TESTED(abs, -2, 2),
};

TEST(Bounded, FunctionsStayWithinTheirBound) {
    Random random(3);
    for (const Function& f : kFunctions)
        for (int i = 0; i < 3000; ++i) {
            const double x = random.uniform(f.low, f.high);
            const double error = i % 3 == 0 ? 0 : std::pow(10.0, random.uniform(-15, -1));
            const B y = f.of_double(B(x, error));
            // What is meant may lie anywhere within the bound of x.
            for (const double side : {-1.0, random.uniform(-1, 1), 1.0}) {
                const Quad meant = Quad(x) + Quad(side) * Quad(error);
                if (meant < Quad(f.low)) continue;
                const Q z = f.of_quad(Q::exactly(meant));
                EXPECT_LE(gap(y, z), y.error) << f.name << "(" << x << " +- " << error << "), side " << side;
            }
            // A bound that is always infinite would pass the test above.
            if (error == 0) {
                EXPECT_LE(y.error, 1e-14 * std::max(std::abs(y.value), 1e-4)) << f.name << " " << x;
            }
        }
}

TEST(Bounded, PowersStayWithinTheirBound) {
    Random random(4);
    for (const double p : {-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0})
        for (int i = 0; i < 500; ++i) {
            const bool whole = p == std::floor(p) && p >= 0;
            const double x = random.uniform(whole ? -3 : 0.3, 3), error = i % 2 ? 0 : std::pow(10.0, random.uniform(-15, -1));
            const B y = pow(B(x, error), p);
            for (const double side : {-1.0, 0.3, 1.0})
                EXPECT_LE(gap(y, pow(Q::exactly(Quad(x) + Quad(side) * Quad(error)), p)), y.error)
                    << x << "^" << p << " +- " << error;
        }
}

/// A random formula of n steps over the same draws, at either precision.
template <class T>
T formula(std::uint64_t seed, int n) {
    Random random(seed);
    std::vector<Bounded<T>> x;
    for (int i = 0; i < 4; ++i) x.push_back(Bounded<T>::exactly(T(random.normal())));
    for (int i = 0; i < n; ++i) {
        const Bounded<T> a = x[static_cast<std::size_t>(random.below(static_cast<Index>(x.size())))],
                         b = x[static_cast<std::size_t>(random.below(static_cast<Index>(x.size())))];
        switch (random.below(6)) {
            case 0: x.push_back(a + b); break;
            case 1: x.push_back(a - b); break;
            case 2: x.push_back(a * b); break;
            case 3: x.push_back(a / (b * b + Bounded<T>(1))); break;
            case 4: x.push_back(tanh(a)); break;
            default: x.push_back(exp(-(a * a)) - sqrt(b * b + Bounded<T>(0.25))); break;
        }
    }
    Bounded<T> total(0);
    for (const auto& v : x) total += v;
    if constexpr (std::is_same_v<T, double>) {
        EXPECT_LE(gap(total, Q(formula<Quad>(seed, n), 0)), total.error) << "seed " << seed;
    }
    return total.value;
}
TEST(Bounded, FormulasStayWithinTheirBound) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) formula<double>(seed, 25);
}

TEST(Bounded, CancellationWidensTheBoundAndExactZerosDoNot) {
    const B x = B::exactly(0.3), far = B(1e20);
    EXPECT_GT(((x + far) - far).error, 1e3);
    EXPECT_EQ((x - x).error, 0);
    EXPECT_EQ((B(0) * (x + far)).error, 0);
    EXPECT_EQ(exp(x + B(-kInf)).error, 0);  // a mask
    EXPECT_EQ(exp(x + B(-kInf)).value, 0);
    EXPECT_EQ(exp(B(1000)).error, kInf);          // an overflow
    EXPECT_GT((B(1e-200) * B(1e-200)).error, 0);  // an underflow
    EXPECT_EQ((x / ((x + far) - far)).error, kInf);
    EXPECT_EQ(log(B(1e-20, 1e-17)).error, kInf);
}

TEST(Bounded, WhatIsExactIsSo) {
    const B third = B::exactly(1.0 / 3), large = B(1e300);
    for (const B& y : {third * 2, third / 4, third + third, B(0.3) - B(0.25), B(3) * B(1.5), B(7.5) / B(2.5), B(1e16) + 4})
        EXPECT_EQ(y.error, 0) << y.value;
    for (const B& y : {third * 3, B::exactly(0.1) / 7, third + 1, B(1e16) + 1, third * third, large * large, large + 1,
                       B(1e-300) / 1e20, B(1) / 3})
        EXPECT_GT(y.error, 0) << y.value;
    EXPECT_EQ(Q(3) * Q(1.5) - Q(4.5), Q(0));
}

TEST(Bounded, WhatAFormulaItselfMakesInfiniteIsCertain) {
    for (const B& y : {log(B(0)), log(B(-1)), log1p(B(-1)), sqrt(B(-2)), pow(B(0), -1), pow(B(-2), 0.5), B(1) / B(0)}) {
        EXPECT_FALSE(std::isfinite(y.value));
        EXPECT_EQ(y.error, 0) << y.value;
    }
    const B none = exp(B(-1000));  // an underflow
    EXPECT_EQ(none.value, 0);
    EXPECT_EQ(log(none).error, kInf);
    EXPECT_EQ((B(1) / none).error, kInf);
    EXPECT_EQ(log(exp(B(1000))).error, kInf);
}

TEST(Bounded, QuadruplePrecisionHoldsLargerNumbers) {
    const Q large = exp(Q::exactly(10000)), small = exp(Q::exactly(-10000));
    EXPECT_TRUE(isfinite(large));
    EXPECT_EQ(primal(large), kInf);
    EXPECT_NEAR(primal(large * small), 1, 1e-25);
    EXPECT_LT((large * small).error, 1e-25);
    EXPECT_LT(log(large).error, 1e-25);
    EXPECT_NEAR(primal(log(large)), 10000, 1e-20);
    EXPECT_GT((large * large).error, std::numeric_limits<long double>::max());  // an overflow of these, too
}

TEST(Bounded, HaveNoBackward) {
    const OpTable<Dual<B>>& neg = registry().find("neg").table<Dual<B>>();
    alignas(64) std::byte payload[256];
    ASSERT_LE(neg.payload_bytes, sizeof payload);
    const NoFields none;
    neg.construct(payload, &none);
    Tape<Dual<B>> tape;
    EXPECT_THROW(neg.backward(payload, Tensor<Dual<B>>(Shape{1}), Cotangents<Dual<B>>(tape, 0)), TapeError);
    neg.destroy(payload);
}

TEST(Bounded, AnUnderflowIsNotExact) {
    EXPECT_GT(erfc(B::exactly(53)).error, 0);  // 1e-1222
    EXPECT_GT(pow(B::exactly(1e-200), 2.0).error, 0);
    EXPECT_GT(tanh(B::exactly(5e-324)).error, 0);
    EXPECT_LE(gap(sqrt(sqrt(erfc(B::exactly(53)))), sqrt(sqrt(erfc(Q::exactly(53))))), sqrt(sqrt(erfc(B::exactly(53)))).error);
    EXPECT_EQ(erf(B::exactly(0)).error, 0);
    EXPECT_EQ(pow(B::exactly(0), 2.0).error, 0);
    // Nor is a slope that underflows no slope: that of x^-3 at 1e84.
    const double start = 15.0 / 7;
    const auto deep = [](auto x) { return pow(pow(pow(pow(pow(x, 4.0), 4.0), 4.0), 4.0), -3.0); };
    EXPECT_LE(gap(deep(B::exactly(start)), deep(Q::exactly(start))), deep(B::exactly(start)).error);
}

TEST(Bounded, ConstantsOfFewDigitsAreMeantAsTheyAre) {
    for (const double v : {0.0, 3.0, -1e9, 1e20, 0.5, 1e-5, 0.044715, 1.702, 1e-8}) EXPECT_EQ(B(v).error, 0) << v;
    for (const double v : {1 / std::sqrt(3.0), std::numbers::pi, -std::sqrt(2 / std::numbers::pi)}) EXPECT_GT(B(v).error, 0) << v;
}

/// Of every op and sample: the page on doubles lies within its bound of the page in quadruple precision, value and slope.
TEST(Bounded, PagesStayWithinTheirBound) {
    using T = Dual<B>;
    using P = Dual<Q>;
    Index compared = 0;
    for (const auto& op : registry().all()) {
        ASSERT_TRUE(op->has_table<T>() && op->has_table<P>()) << op->info.name;
        for (const SampleCase& sample : op->samples()) {
            const check::Subject s = check::draw_subject(*op, sample, 5);
            const Tensors direction = check::draw(sample.args, Random(11));
            std::vector<Tensor<T>> x(s.x.size());
            std::vector<Tensor<P>> z(s.x.size());
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                if (!s.x[i].defined()) continue;
                x[i] = Tensor<T>(s.x[i].shape());
                z[i] = Tensor<P>(s.x[i].shape());
                for (Index k = 0; k < s.x[i].size(); ++k) {
                    x[i][k] = T(B::exactly(s.x[i][k]), B::exactly(direction[i][k]));
                    z[i][k] = P(Q::exactly(Quad(s.x[i][k])), Q::exactly(Quad(direction[i][k])));
                }
            }
            const auto run = [&](const auto& in) {
                using S = typename std::remove_cvref_t<decltype(in[0])>::value_type;
                std::vector<const Tensor<S>*> pointers;
                for (const auto& t : in) pointers.push_back(&t);
                return call(op->table<S>(), sample.attrs.get(), Inputs<S>(pointers.data(), static_cast<int>(pointers.size())));
            };
            const Tensor<T> y = run(x);
            const Tensor<P> w = run(z);
            ASSERT_EQ(y.shape(), w.shape());
            for (Index k = 0; k < y.size(); ++k) {
                if (!isfinite(y[k])) continue;
                // A factor of few digits is that decimal in more precision, and the double next to it in double.
                const double of_factor = op->info.name == "scale" ? 0x1p-52 * std::abs(primal(y[k].value)) : 0;
                EXPECT_LE(gap(y[k].value, w[k].value), y[k].value.error + w[k].value.error + of_factor)
                    << op->info.name << ", " << sample.name;
                EXPECT_LE(gap(y[k].tangent, w[k].tangent), y[k].tangent.error + w[k].tangent.error)
                    << op->info.name << ", slope, " << sample.name;
                compared += gap(y[k].value, w[k].value) > 0;
            }
        }
    }
    EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace gradproof
