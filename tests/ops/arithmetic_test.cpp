// Golden values, broadcasting and errors of add, sub, mul, div, neg, scale, pow.
#include "gradproof/ops/arithmetic.hpp"

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/random.hpp"
#include "tests/ops/elementwise_case.hpp"

namespace gradproof {
namespace {

const Tensor<double> kA = Tensor<double>::from({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor<double> kRow = Tensor<double>::from({3}, {10, 20, 30});
const Tensor<double> kColumn = Tensor<double>::from({2, 1}, {2, -4});
const Tensor<double> kProductDy = Tensor<double>::from({2, 3}, {1, 10, 100, 2, 20, 200});

TEST(Arithmetic, BroadcastsARowAColumnAndAScalar) {
    expect_near(add(kA, kRow), {2, 3}, {11, 22, 33, 14, 25, 36});
    expect_near(sub(kRow, kA), {2, 3}, {9, 18, 27, 6, 15, 24});
    expect_near(mul(kA, kColumn), {2, 3}, {2, 4, 6, -16, -20, -24});
    expect_near(div(kA, kColumn), {2, 3}, {0.5, 1, 1.5, -1, -1.25, -1.5});
    expect_near(add(kColumn, kRow), {2, 3}, {12, 22, 32, 6, 16, 26});
    expect_near(mul(Tensor<double>::scalar(3), kA), {2, 3}, {3, 6, 9, 12, 15, 18});
    expect_near(sub(zeros<double>({0, 3}), kRow), {0, 3}, {});
}

TEST(Arithmetic, CotangentsAreSummedOverBroadcastAxes) {
    const Tensors g_add = pullback([](const auto& x) { return add(x[0], x[1]); }, {kA, kRow}, kProductDy);
    expect_near(g_add[0], {2, 3}, {1, 10, 100, 2, 20, 200});
    expect_near(g_add[1], {3}, {3, 30, 300});
    const Tensors g_sub = pullback([](const auto& x) { return sub(x[0], x[1]); }, {kA, kColumn}, kProductDy);
    expect_near(g_sub[1], {2, 1}, {-111, -222});
    const Tensors g_mul = pullback([](const auto& x) { return mul(x[0], x[1]); }, {kA, kColumn}, kProductDy);
    expect_near(g_mul[0], {2, 3}, {2, 20, 200, -8, -80, -800});
    expect_near(g_mul[1], {2, 1}, {1 + 20 + 300, 8 + 100 + 1200});
    // d(a/b)/da = 1/b;  d(a/b)/db = -a/b^2: row 0 has b = 2, row 1 b = -4.
    const Tensors g_div = pullback([](const auto& x) { return div(x[0], x[1]); }, {kA, kColumn}, kProductDy);
    expect_near(g_div[0], {2, 3}, {0.5, 5, 50, -0.5, -5, -50});
    expect_near(g_div[1], {2, 1}, {-321.0 / 4, -1308.0 / 16});
}

TEST(Arithmetic, VariablesHaveOperators) {
    Tape<double> tape;
    const auto a = tape.leaf(kA), b = tape.leaf(kColumn);
    const auto y = (2 * a - b) / (a + kRow) * 0.5 - -a;
    const Tensor<double> x = (2 * kA - kColumn) / (kA + kRow) * 0.5 + kA;
    expect_near(y.value(), {2, 3}, {x[0], x[1], x[2], x[3], x[4], x[5]});
    tape.backward(y, ones<double>({2, 3}));
    // dy/da = (2 (a + r) - (2 a - b)) / (2 (a + r)^2) + 1 = (2 r + b) / (2 (a + r)^2) + 1
    EXPECT_NEAR(tape.grad(a)[1], (2 * 20 + 2) / (2.0 * 22 * 22) + 1, 1e-15);
    EXPECT_NEAR(tape.grad(b)[0], -0.5 * (1.0 / 11 + 1.0 / 22 + 1.0 / 33), 1e-15);
}

TEST(Arithmetic, CotangentOfAScalarIsSummedPairwise) {
    // One running float sum of ones stops at 2^24.
    EXPECT_EQ(unbroadcast(ones<float>({Index{1} << 25}), Shape{}).item(), 33554432.0F);
    EXPECT_EQ(unbroadcast(ones<float>({2, Index{1} << 24, 1}), Shape{1, 1}).item(), 33554432.0F);
    expect_near(unbroadcast(ones<double>({2, 3, 4, 5}), Shape{3, 1, 5}), {3, 1, 5}, std::vector<double>(15, 8));
    expect_near(unbroadcast(zeros<double>({0, 3}), Shape{1, 3}), {1, 3}, {0, 0, 0});
}

TEST(Arithmetic, OneValueUsedTwiceCollectsBothPaths) {
    const auto x = Tensor<double>::from({3}, {1, -2, 3});
    const auto dy = Tensor<double>::from({3}, {1, 10, 100});
    expect_near(pullback([](const auto& v) { return mul(v[0], v[0]); }, {x}, dy)[0], {3}, {2, -40, 600});
    expect_near(pullback([](const auto& v) { return add(v[0], v[0]); }, {x}, dy)[0], {3}, {2, 20, 200});
    expect_near(pullback([](const auto& v) { return sub(v[0], v[0]); }, {x}, dy)[0], {3}, {0, 0, 0});
}

TEST(Arithmetic, EveryPairOfShapesAgreesWithIndexing) {
    // All ways to make axes of [2, 3, 4] size 1 or leave out leading ones, on both sides.
    Random rng(11);
    std::vector<Shape> shapes;
    for (int mask = 0; mask < 8; ++mask) {
        const Shape full{mask & 1 ? 1 : 2, mask & 2 ? 1 : 3, mask & 4 ? 1 : 4};
        for (int from = 0; from <= 3; ++from) shapes.emplace_back(std::span<const Index>(full.begin() + from, full.end()));
    }
    for (const Shape& sa : shapes)
        for (const Shape& sb : shapes) {
            const auto a = rng.normal<double>(sa), b = rng.normal<double>(sb);
            const Tensor<double> y = sub(a, b);
            const Shape to = y.shape(), ia = broadcast_strides(sa, to), ib = broadcast_strides(sb, to), own = strides_of(to);
            for (Index o = 0; o < y.size(); ++o) {
                Index i = 0, j = 0;
                for (int axis = 0; axis < to.rank(); ++axis) {
                    const Index k = o / own[axis] % to[axis];
                    i += k * ia[axis];
                    j += k * ib[axis];
                }
                ASSERT_EQ(y[o], a[i] - b[j]) << sa.str() << " - " << sb.str() << " at " << o;
            }
        }
}

TEST(Arithmetic, NegAndScale) {
    const auto x = Tensor<double>::from({3}, {1, -2, 0.5});
    const auto dy = Tensor<double>::from({3}, {1, 10, 100});
    expect_near(neg(x), {3}, {-1, 2, -0.5});
    expect_near(scale(x, {.factor = -3}), {3}, {-3, 6, -1.5});
    expect_near(pullback([](const auto& v) { return neg(v[0]); }, {x}, dy)[0], {3}, {-1, -10, -100});
    expect_near(pullback([](const auto& v) { return scale(v[0], {.factor = -3}); }, {x}, dy)[0], {3}, {-3, -30, -300});
}

TEST(Arithmetic, PowMatchesReferenceValues) {
    // PyTorch 1.13, float64.
    const auto x = Tensor<double>::from({5}, {0.25, 0.75, 1.0, 2.5, 9.0});
    const auto f = [](const auto& v) { return pow(v[0], {.exponent = 2.5}); };
    expect_near(pow(x, {.exponent = 2.5}), {5}, {0.03125, 0.48713928962874675, 1.0, 9.882117688026186, 243.0});
    expect_near(pullback(f, {x}, ones<double>({5}))[0], {5}, {0.3125, 1.6237976320958225, 2.5, 9.882117688026185, 67.5});
}

TEST(Arithmetic, PowAtZero) {
    const auto x = Tensor<double>::from({2}, {0, -2});
    const auto slope = [&](double p) {
        return pullback([p](const auto& v) { return pow(v[0], PowAttrs{.exponent = p}); }, {x}, ones<double>({2}))[0];
    };
    expect_near(slope(0), {2}, {0, 0});
    expect_near(slope(1), {2}, {1, 1});
    expect_near(slope(2), {2}, {0, -4});
    expect_near(slope(3), {2}, {0, 12});
    expect_near(pow(x, {.exponent = 0}), {2}, {1, 1});
}

TEST(Arithmetic, ErrorsNameTheOpAndBothShapes) {
    EXPECT_EQ(error_of([] { add(kA, ones<double>({2})); }), "add: shapes do not broadcast: a is [2, 3], b is [2] (3 != 2)");
    EXPECT_EQ(error_of([] {
                  div(ones<double>({4, 1}), ones<double>({2, 3, 5}));
              }),
              "div: shapes do not broadcast: a is [4, 1], b is [2, 3, 5] (4 != 3)");
    EXPECT_EQ(error_of([] { scale(kA, {.factor = NAN}); }), "scale: factor is nan, expected a finite number");
    EXPECT_EQ(error_of([] { pow(kA, {.exponent = INFINITY}); }), "pow: exponent is inf, expected a finite number");
}

}  // namespace
}  // namespace gradproof
