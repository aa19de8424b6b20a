// Attention: the fused kernel against the readable one, on every instruction set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "tests/ops/attention_calls.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using namespace attention_test;

/// Small calls: the sizes leave whole, part and no vectors over.
std::vector<Call> small_calls() {
    std::vector<Call> calls;
    for (const Index L : {1, 3, 8, 13})
        for (const Index S : {1, 5, 8, 19})
            for (const Index size : {2, 16, 37})
                calls.push_back({{},
                                 wave({2, 2, L, size}, 1),
                                 wave({2, 2, S, size}, 2),
                                 wave({2, 2, S, size + 1}, 3),
                                 {},
                                 {},
                                 {},
                                 wave({2, 2, L, size + 1}, 8)});
    calls.push_back(
        {{.scale = 0.2}, wave({2, 6, 5, 7}, 1), wave({2, 2, 9, 7}, 2), wave({2, 2, 9, 4}, 3), {}, {}, {}, wave({2, 6, 5, 4}, 8)});
    calls.push_back({{.q_heads = 6, .kv_heads = 3},
                     wave({2, 5, 42}, 1),
                     wave({2, 9, 21}, 2),
                     wave({2, 9, 12}, 3),
                     {},
                     {},
                     {},
                     wave({2, 5, 24}, 8)});
    calls.push_back({{}, wave({1, 2, 3, 0}, 1), wave({1, 2, 4, 0}, 2), wave({1, 2, 4, 5}, 3), {}, {}, {}, wave({1, 2, 3, 5}, 8)});
    calls.push_back({{}, wave({1, 2, 3, 5}, 1), wave({1, 2, 0, 5}, 2), wave({1, 2, 0, 4}, 3), {}, {}, {}, wave({1, 2, 3, 4}, 8)});
    calls.push_back({{}, wave({1, 2, 0, 5}, 1), wave({1, 2, 4, 5}, 2), wave({1, 2, 4, 3}, 3), {}, {}, {}, wave({1, 2, 0, 3}, 8)});
    return calls;
}

template <class T>
void expect_equal_kernels() {
    // Sums of up to 38 products below 1 for a score, of up to 13 query rows and 3 heads for a gradient; scores pass through exp.
    const double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (const std::string& arch : archs()) {
        const ArchScope scope(arch);
        for (Call c : small_calls()) {
            SCOPED_TRACE(fmt::format("{}: q {} k {} v {}", arch, c.q.shape(), c.k.shape(), c.v.shape()));
            const Results fused = run<T>(c);
            c.attrs.kernel = AttentionKernel::reference;
            const Results readable = run<T>(c);
            EXPECT_TRUE(near(fused.y, readable.y, tolerance));
            for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(fused.gradients[i], readable.gradients[i], tolerance)) << i;
        }
    }
}
TEST(Attention, FusedGivesWhatTheReadableKernelGives) {
    expect_equal_kernels<double>();
    expect_equal_kernels<float>();
}

/// Scores that leave every shift behind, for some queries only, tile after tile or once;
/// one query has a NaN, which stays its own.
TEST(Attention, FusedFollowsScoresThatGrowFromTileToTile) {
    constexpr Index kQueries = 70, kKeys = 400;
    for (const double growth : {0.05, 0.5, 3.0, -3.0}) {
        Random rng(8);
        Call c{{},
               rng.normal<double>({1, 1, kQueries, 2}),
               rng.normal<double>({1, 1, kKeys, 2}),
               rng.normal<double>({1, 1, kKeys, 3}),
               {},
               {},
               {},
               rng.normal<double>({1, 1, kQueries, 3})};
        for (Index i = 0; i < kQueries; ++i) c.q.at({0, 0, i, 1}) = i % 3 == 0 ? 1 : 0.01;
        for (Index j = 0; j < kKeys; ++j) c.k.at({0, 0, j, 1}) = growth * static_cast<double>(j);
        c.attrs.kernel = AttentionKernel::reference;
        const Results truth = run<double>(c);
        c.attrs.kernel = AttentionKernel::fused;
        for (const std::string& arch : archs()) {
            SCOPED_TRACE(fmt::format("{}, growth {}", arch, growth));
            const ArchScope scope(arch);
            const Results fused = run<double>(c);
            Call bad = c;
            bad.q = c.q.clone();
            bad.q.at({0, 0, 7, 0}) = std::numeric_limits<double>::quiet_NaN();
            const Results beside = run<double>(bad);
            EXPECT_TRUE(near(fused.y, truth.y, 1e-11));
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_TRUE(near(fused.gradients[i], truth.gradients[i], 1e-9 * (1 + kKeys * std::abs(growth)))) << i;
            for (Index i = 0; i < kQueries; ++i)
                for (Index e = 0; e < 3 && i != 7; ++e) EXPECT_EQ(beside.y.at({0, 0, i, e}), fused.y.at({0, 0, i, e})) << i;
        }
    }
}

/// One query of one number over 128 keys, two tiles of them, in float.
Tensor<float> one_query(const Tensor<float>& keys, const Tensor<float>& values, bool masked) {
    const Tensor<float> q({1, 1, 1, 1}, 1.0f);
    return attention(q, keys, values, {.mask = masked ? Tensor<float>({128}, 0.0f) : Tensor<float>()},
                     {.scale = 1, .kernel = AttentionKernel::fused});
}
TEST(Attention, FusedKeepsTheWeightsOfTilesInProportionAtLargeScores) {
    Tensor<float> k({1, 1, 128, 1}, 2000.0f), v({1, 1, 128, 1}, 1.0f);
    std::fill(k.begin() + 64, k.end(), 2000.125f);
    std::fill(v.begin() + 64, v.end(), 0.0f);
    for (const std::string& arch : archs())
        for (const bool masked : {false, true}) {
            const ArchScope scope(arch);
            EXPECT_NEAR(one_query(k, v, masked)[0], 1 / (1 + std::exp(0.125)), 1e-6) << arch << masked;
        }
}
TEST(Attention, FusedLeavesLargeValuesTheirRange) {
    Tensor<float> k({1, 1, 128, 1}, 0.0f), v({1, 1, 128, 1}, 1e35f);
    std::fill(k.begin() + 64, k.end(), -1000.0f);
    k[64] = 13;
    for (const std::string& arch : archs()) {
        const ArchScope scope(arch);
        EXPECT_NEAR(one_query(k, v, false)[0], 1e35, 1e30) << arch;
    }
}

TEST(Attention, FusedLeavesOutGradientsNobodyNeeds) {
    Call c = small_calls()[20];
    const Results all = run<double>(c);
    for (std::size_t wanted = 0; wanted < 3; ++wanted) {
        Tape<double> tape;
        std::vector<Var<double>> x{c.q, c.k, c.v};
        x[wanted] = tape.leaf(x[wanted].value());
        tape.backward(attention(x[0], x[1], x[2]), c.dy);
        EXPECT_TRUE(near(tape.grad(x[wanted]), all.gradients[wanted], 0)) << wanted;
    }
}

/// The sum of squares of a - b.
double square_distance(const D& a, const D& b) {
    double sum = 0;
    for (Index i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/// Root mean squares of the errors of y and of three gradients, over some calls of one size.
struct Errors {
    std::array<double, 4> squares{}, sizes{};
    void add(const Results& x, const Results& truth) {
        squares[0] += square_distance(x.y, truth.y), sizes[0] += static_cast<double>(x.y.size());
        for (std::size_t i = 0; i < 3; ++i) {
            squares[i + 1] += square_distance(x.gradients[i], truth.gradients[i]);
            sizes[i + 1] += static_cast<double>(x.gradients[i].size());
        }
    }
    double operator[](std::size_t i) const { return std::sqrt(squares[i] / sizes[i]); }
};

/// y and gradients in float by both kernels, against the truth.
void expect_float_error_of_the_readable(const char* name, std::vector<Call> calls) {
    for (const std::string& arch : archs()) {
        const ArchScope scope(arch);
        Errors readable, fused;
        for (Call& c : calls) {
            c.attrs.kernel = AttentionKernel::reference;
            const Results truth = run<double>(c);
            readable.add(run<float>(c), truth);
            c.attrs.kernel = AttentionKernel::fused;
            fused.add(run<float>(c), truth);
        }
        // Where the readable kernel is exact, so dw = rowsum(dy * y), one rounding of each is allowed, numbers of size 1.
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_LE(fused[i], 2 * std::max(readable[i], 1.2e-7))
                << name << (i == 0 ? " y on " : fmt::format(" gradient {} on ", i - 1)) << arch;
    }
}

TEST(Attention, FusedFloatErrsAtMostTwiceAsMuchAsTheReadableKernel) {
    if (testing::kSanitized) GTEST_SKIP() << "the claim is of optimised code over many rows; the fuzz holds memory";
    for (const Index size : {64, 128}) {
        Random rng(20 + static_cast<std::uint64_t>(size));
        const auto normal = [&](double sigma) { return cast<double>(rng.normal<float>({1, 24, 150, size}, 0, sigma)); };
        Call c{{}, normal(1), normal(1), normal(1), {}, {}, {}, normal(1)};
        expect_float_error_of_the_readable("normal", {c});
        Call one_key = c;
        one_key.attrs.bool_mask = Tensor<bool>({150, 150}, false);
        for (Index i = 0; i < 150; ++i) one_key.attrs.bool_mask[i * 150 + i * 7 % 150] = true;
        expect_float_error_of_the_readable("one key", {one_key});
        c.attrs.causal = true;
        expect_float_error_of_the_readable("causal", {c});
        // Only rows of two scores nearly as large err at all: it takes some draws for either kernel to meet as many.
        std::vector<Call> large(6, c);
        for (Call& draw : large) draw.q = normal(1e4);
        expect_float_error_of_the_readable("scores of 1e4", large);
    }
}

template <class T>
void expect_exp2_within_two_units() {
    // The second key leads by so little beside the first that the sum is 1: y is exp2(x) as it was worked out.
    const T scale = T(0.693147180559945309417);
    ASSERT_EQ(scale * T(1.44269504088896340736), T(1)) << "the exponent is no longer the score";
    constexpr Index kMany = 4000;
    const double low = sizeof(T) == 4 ? -120 : -1000, high = sizeof(T) == 4 ? -30 : -60;
    Tensor<T> q({kMany, 1, 1, 1}, T(1)), k({kMany, 1, 2, 1}, T(0)), v({kMany, 1, 2, 1}, T(0));
    for (Index i = 0; i < kMany; ++i)
        k[2 * i + 1] = static_cast<T>(low + (high - low) * static_cast<double>(i) / kMany), v[2 * i + 1] = T(1);
    for (const std::string& arch : archs()) {
        const ArchScope scope(arch);
        const Tensor<T> y = attention(q, k, v, {.scale = static_cast<double>(scale), .kernel = AttentionKernel::fused});
        double worst = 0;
        for (Index i = 0; i < kMany; ++i) {
            const auto truth = std::exp2(static_cast<long double>(k[2 * i + 1]));
            const T nearest = static_cast<T>(truth);
            const T unit = std::nextafter(nearest, T(INFINITY)) - nearest;
            worst = std::max(
                worst, static_cast<double>(std::abs(static_cast<long double>(y[i]) - truth) / static_cast<long double>(unit)));
        }
        EXPECT_LE(worst, 2) << arch;
    }
}
TEST(Attention, FusedExponentialIsWithinTwoUnitsInTheLastPlace) {
    expect_exp2_within_two_units<float>();
    expect_exp2_within_two_units<double>();
}

TEST(Attention, FusedKeepsNothingThatGrowsWithBothLengths) {
    const auto kept = [](Index n) {
        Tape<float> tape;
        const auto x = tape.leaf(Tensor<float>({1, 1, n, 8}, 0.5f));
        const auto before = pool::use().live_bytes;
        const auto y = attention(x, x, x, {.kernel = AttentionKernel::fused});
        return pool::use().live_bytes - before;
    };
    EXPECT_LE(kept(1024), 2 * kept(512));
}

}  // namespace
}  // namespace gradproof
