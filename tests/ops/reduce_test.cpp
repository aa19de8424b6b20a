// Golden values, long sums, ties, infinities and errors of the reductions.
#include "gradproof/ops/reduce.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/random.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/transpose.hpp"
#include "tests/ops/elementwise_case.hpp"

namespace gradproof {
namespace {

const Tensor<double> kSummed = Tensor<double>::from({2, 3}, {1, -2, 0.5, 3, 0.25, -1});

template <class F>
Tensor<double> slope(F f, const Tensor<double>& x) {
    const Tensor<double> y = f(x);
    return pullback([&](const auto& v) { return f(v[0]); }, {x}, ones<double>(y.shape()))[0];
}

// Of tensors, of values on a tape, and without a tape: a source may include both headers.
TEST(Reduce, OpsStandBesideTheWordsOfTheSameNames) {
    const auto by_ops = [](const auto& x) { return matmul(mean(x, {.axes = {0}}), transpose(x, {.perm = {1, 0}})); };
    const Tensor<double> x = Tensor<double>::from({2, 3}, {1, 2, 3, 3, 4, 5});
    expect_near(by_ops(x), {2}, {20, 38});
    expect_near(by_ops(Var<double>(x)).value(), {2}, {20, 38});
    expect_near(matmul(mean(x, 0), transpose(x, Axes{1, 0})), {1, 2}, {20, 38});
    expect_near(sum(x, Axes{0, 1}) - sum(x, {.axes = {0, 1}}), {1, 1}, {0});
    expect_near(sum(sum(x, {.axes = {0}}), -1), {1}, {18});
}

TEST(Reduce, SumAndMeanOverAxes) {
    expect_near(sum(kSummed), {}, {1.75});
    expect_near(sum(kSummed, {.axes = {0}}), {3}, {4, -1.75, -0.5});
    expect_near(sum(kSummed, {.axes = {-1}, .keep_dims = true}), {2, 1}, {-0.5, 2.25});
    expect_near(mean(kSummed, {.axes = {1}}), {2}, {-0.5 / 3, 0.75});
    expect_near(sum(kSummed, {.axes = {0, 1}, .keep_dims = true}), {1, 1}, {1.75});
    const auto dy = Tensor<double>::from({3}, {1, 10, 100});
    expect_near(pullback([](const auto& v) { return sum(v[0], {.axes = {0}}); }, {kSummed}, dy)[0], {2, 3},
                {1, 10, 100, 1, 10, 100});
    expect_near(pullback([](const auto& v) { return mean(v[0], {.axes = {0}}); }, {kSummed}, dy)[0], {2, 3},
                {0.5, 5, 50, 0.5, 5, 50});
}

TEST(Reduce, EverySetOfAxesAgreesWithIndexing) {
    Random rng(5);
    const auto x = rng.normal<double>({2, 3, 1, 4, 5});
    const Shape own = strides_of(x.shape());
    for (int mask = 1; mask < 32; ++mask)
        for (const bool keep : {false, true}) {
            Axes axes;
            for (int a = 0; a < 5; ++a)
                if (mask >> a & 1) axes.push_back(a);
            const Shape kept = reduced_shape(x.shape(), axes, true), to = broadcast_strides(kept, x.shape());
            std::vector<double> sums(static_cast<std::size_t>(kept.size())), largest(sums.size(), -INFINITY);
            for (Index i = 0; i < x.size(); ++i) {
                Index j = 0;
                for (int a = 0; a < 5; ++a) j += i / own[a] % x.dim(a) * to[a];
                sums[static_cast<std::size_t>(j)] += x[i];
                largest[static_cast<std::size_t>(j)] = std::max(largest[static_cast<std::size_t>(j)], x[i]);
            }
            const Shape out = reduced_shape(x.shape(), axes, keep);
            SCOPED_TRACE("axes " + axes.str());
            expect_near(sum(x, {.axes = axes, .keep_dims = keep}), out, sums, 120);  // at most 120 terms of size 1
            expect_near(max(x, {.axes = axes, .keep_dims = keep}), out, largest, 0);
        }
}

TEST(Reduce, LongSumsStayAccurateInFloat) {
    const Index n = Index{1} << 25;
    EXPECT_EQ(sum(ones<float>({n})).item(), 33554432.0F);
    EXPECT_EQ(mean(ones<float>({n})).item(), 1.0F);
    const Tensor<float> columns = sum(ones<float>({n / 2, 2}), {.axes = {0}});
    EXPECT_EQ(columns[0], 16777216.0F);
    EXPECT_EQ(columns[1], 16777216.0F);
    // 0.1 has a rounded float; the sum of 2^20 of them is exact in double. Pairwise: error <= (log2(2^20 / 256) + 32) eps.
    const double exact = static_cast<double>(0.1F) * 1048576;
    EXPECT_NEAR(static_cast<double>(sum(Tensor<float>({1048576}, 0.1F)).item()), exact, 44 * 1.2e-7 * exact);
}

TEST(Reduce, MaxSharesTheGradientAmongTies) {
    const auto x = Tensor<double>::from({2, 3}, {1, 3, 3, -2, -2, -2});
    const auto f = [](const auto& v) { return max(v, {.axes = {1}}); };
    expect_near(f(x), {2}, {3, -2}, 0);
    expect_near(slope(f, x), {2, 3}, {0, 0.5, 0.5, 1.0 / 3, 1.0 / 3, 1.0 / 3});
    const auto v = Tensor<double>::from({2, 3}, {5, 1, 2, 3, 4, 8});
    expect_near(jvp([&](const auto& z) { return f(z[0]); }, {x}, {v}).second, {2}, {1.5, 5});
    EXPECT_TRUE(std::isnan(max(Tensor<double>::from({3}, {1, NAN, 2})).item()));
    EXPECT_EQ(max(Tensor<double>::from({2}, {-INFINITY, -INFINITY})).item(), -INFINITY);
}

TEST(Reduce, VarMatchesReferenceValues) {
    // PyTorch 1.13, float64.
    const auto all = [](const auto& v) { return var(v); };
    expect_near(all(kSummed), {}, {2.467013888888889});
    expect_near(slope(all, kSummed), {2, 3},
                {0.23611111111111108, -0.7638888888888888, 0.06944444444444443, 0.9027777777777778, -0.013888888888888895,
                 -0.4305555555555556});
    const auto rows = [](const auto& v) { return var(v, {.axes = {1}, .correction = 1}); };
    expect_near(rows(kSummed), {2}, {2.5833333333333335, 4.1875});
    expect_near(slope(rows, kSummed), {2, 3}, {1.1666666666666667, -1.8333333333333333, 0.6666666666666666, 2.25, -0.5, -1.75});
    // In one pass, E x^2 - (E x)^2, float would lose all of it.
    expect_near(var(Tensor<float>::from({4}, {100001, 100002, 100004, 100003})), {}, {1.25});
}

TEST(Reduce, LogSumExpMatchesReferenceValues) {
    // PyTorch 1.13, float64.
    const auto rows = [](const auto& v) { return logsumexp(v, {.axes = {1}}); };
    expect_near(rows(kSummed), {2}, {1.5045969023422834, 3.0790362014040995});
    expect_near(slope(rows, kSummed), {2, 3},
                {0.6037488961486258, 0.030058887569574023, 0.3661922162818002, 0.924006473507867, 0.059069757592510236,
                 0.016923768899622826});
    const auto columns = [](const auto& v) { return logsumexp(v, {.axes = {0}}); };
    expect_near(columns(kSummed), {3}, {3.1269280110429727, 0.3502065589167471, 0.7014132779827524});
}

TEST(Reduce, LogSumExpOfInfinitiesHasNoNaN) {
    const auto x = Tensor<double>::from({4, 2}, {-INFINITY, -INFINITY, 0.5, -INFINITY, INFINITY, 1, 1e30, 1e30});
    const auto f = [](const auto& v) { return logsumexp(v, {.axes = {1}}); };
    expect_near(f(x), {4}, {-INFINITY, 0.5, INFINITY, 1e30});
    expect_near(slope(f, x), {4, 2}, {0, 0, 1, 0, 0, 0, 0.5, 0.5});  // at 1e30, y cannot show the log 2
    expect_near(jvp([&](const auto& z) { return f(z[0]); }, {x}, {ones<double>({4, 2})}).second, {4}, {0, 1, 0, 1});
    expect_near(logsumexp(zeros<double>({0, 2}), {.axes = {0}}), {2}, {-INFINITY, -INFINITY});
}

TEST(Reduce, RowsWithoutElements) {
    expect_near(sum(zeros<double>({0, 2}), {.axes = {0}}), {2}, {0, 0});
    expect_near(mean(zeros<double>({0, 2}), {.axes = {1}}), {0}, {});
    EXPECT_EQ(error_of([] {
                  mean(zeros<double>({0, 2}), {.axes = {0}});
              }),
              "mean: nothing to reduce: x is [0, 2], the axes hold 0 elements");
    EXPECT_EQ(error_of([] { max(zeros<double>({0, 2})); }), "max: nothing to reduce: x is [0, 2], the axes hold 0 elements");
    EXPECT_EQ(error_of([] {
                  var(ones<double>({1, 2}), {.axes = {0}, .correction = 1});
              }),
              "var: too few elements: x is [1, 2], the axes hold 1, correction is 1");
}

TEST(Reduce, ErrorsNameTheAxis) {
    EXPECT_EQ(error_of([] { sum(kSummed, {.axes = {2}}); }), "sum: axis is 2, expected -2 <= axis < 2 for rank 2");
    EXPECT_EQ(error_of([] { logsumexp(kSummed, {.axes = {1, -1}}); }), "logsumexp: axis 1 is named twice: axes are [1, -1]");
    EXPECT_EQ(error_of([] { var(kSummed, {.correction = NAN}); }), "var: correction is nan, expected a finite number >= 0");
}

}  // namespace
}  // namespace gradproof
