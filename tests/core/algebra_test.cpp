// The words of core/algebra: NumPy's rules, exact reductions, and what holds at the edges.
#include "gradproof/core/algebra.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/random.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::kInf;
using D = Tensor<double>;
using F = Tensor<float>;
using Dual1 = Dual<double>;

void expect_values(const D& x, const Shape& shape, std::initializer_list<double> values) {
    ASSERT_EQ(x.shape().str(), shape.str());
    Index i = 0;
    for (const double v : values) {
        if (std::isnan(v))
            EXPECT_TRUE(std::isnan(x[i])) << "at " << i << ": " << x[i];
        else
            EXPECT_DOUBLE_EQ(x[i], v) << "at " << i;
        ++i;
    }
}

TEST(Algebra, ArithmeticBroadcasts) {
    const D x = D::from({2, 3}, {1, 2, 3, 4, 5, 6}), row = D::from({3}, {10, 20, 30}), column = D::from({2, 1}, {1, -1});
    expect_values(x + row, {2, 3}, {11, 22, 33, 14, 25, 36});
    expect_values(row - x, {2, 3}, {9, 18, 27, 6, 15, 24});
    expect_values(x * column, {2, 3}, {1, 2, 3, -4, -5, -6});
    expect_values(column / D::from({1, 2}, {2, 4}), {2, 2}, {0.5, 0.25, -0.5, -0.25});
    expect_values(maximum(x, 3), {2, 3}, {3, 3, 3, 4, 5, 6});
    expect_values(minimum(x, row / 5), {2, 3}, {1, 2, 3, 2, 4, 6});
    expect_values(divide_or_zero(x, D::from({3}, {0, 1, 2})), {2, 3}, {0, 2, 1.5, 0, 5, 3});
}

TEST(Algebra, ANumberMayStandOnEitherSide) {
    const F x = F::from({2}, {1, 4});
    EXPECT_EQ((2 - x)[1], -2.0f);
    EXPECT_EQ((x - 2)[1], 2.0f);
    EXPECT_EQ((1.0 / x)[1], 0.25f);
    EXPECT_EQ((x / 8)[1], 0.5f);
    const Tensor<Dual1> d = Tensor<Dual1>::from({1}, {{3.0, 1.0}});
    EXPECT_EQ((1 / d)[0].tangent, -1.0 / 9);
    EXPECT_EQ((d * Dual1(2.0, 1.0))[0].tangent, 5.0);
}

TEST(Algebra, AnOperandThatSomeoneHoldsStaysAsItWas) {
    const D x = D::from({2}, {1, 2});
    D y = x;
    const D z = exp(std::move(y) + 1);
    EXPECT_EQ(x[0], 1);
    EXPECT_EQ(z[0], std::exp(2.0));
    const D alone = (x + 1) * x;
    EXPECT_EQ(alone[1], 6);
    EXPECT_EQ(x[1], 2);
}

TEST(Algebra, ReducedAxesStayWithSize1) {
    const D x = D::from({2, 3}, {1, 2, 3, 4, 5, 9});
    expect_values(sum(x, -1), {2, 1}, {6, 18});
    expect_values(sum(x, 0), {1, 3}, {5, 7, 12});
    expect_values(mean(x, Axes{}), {1, 1}, {4});
    expect_values(mean(x, Axes{0, 1}), {1, 1}, {4});
    expect_values(amax(x, 0), {1, 3}, {4, 5, 9});
}

TEST(Algebra, SumsArePairwise) {
    const F ones({Index{1} << 25}, 1.0f);
    EXPECT_EQ(sum(ones, 0)[0], 33554432.0f);
}

TEST(Algebra, TheLargestCarriesNan) {
    const D x = D::from({3, 3}, {1, NAN, 2, -kInf, -kInf, -kInf, 7, kInf, 0});
    expect_values(amax(x, -1), {3, 1}, {NAN, -kInf, kInf});
    expect_values(amax(x, 0), {1, 3}, {7, NAN, 2});
    expect_values(exp_shift(x, -1), {3, 1}, {NAN, 0, kInf});
    EXPECT_TRUE(std::isnan(amax(F::from({20}, {NAN, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), 0)[0]));
}

TEST(Algebra, RowsOfNothingHaveAValue) {
    const D nothing({2, 0});
    expect_values(sum(nothing, -1), {2, 1}, {0, 0});
    expect_values(mean(nothing, -1), {2, 1}, {0, 0});
    expect_values(amax(nothing, -1), {2, 1}, {-kInf, -kInf});
    expect_values(exp_shift(nothing, -1), {2, 1}, {0, 0});
    EXPECT_EQ((nothing + D({2, 1}, 1)).shape(), (Shape{2, 0}));
    EXPECT_EQ(amax(nothing, 0).shape(), (Shape{1, 0}));
}

TEST(Algebra, TheLargestOfColumnsThatAreNotThereIsWrittenNowhere) {
    { const Tensor<double> large({16}, 7.0); }  // what a tensor of nothing may stand on
    const Tensor<double> x({4, 0});
    pool::GuardScope guards;
    { const Tensor<double> m = amax(x, 0); }
    EXPECT_TRUE(guards.breaches().empty());
}

TEST(Algebra, EqualLargestElementsShareTheirTangents) {
    const Tensor<Dual1> x = Tensor<Dual1>::from({2, 3}, {{3, 1}, {3, 5}, {2, 100}, {-kInf, 1}, {-kInf, 2}, {-kInf, 6}});
    const Tensor<Dual1> m = amax(x, -1);
    EXPECT_EQ(m[0].tangent, 3);
    EXPECT_EQ(m[1].tangent, 3);
    EXPECT_EQ(exp_shift(x, -1)[0].tangent, 0);
}

TEST(Algebra, WhatIsNotTakenIsNotRead) {
    const Tensor<bool> mask = Tensor<bool>::from({2}, {true, false});
    expect_values(where(mask, D::from({2, 2}, {1, NAN, 3, NAN}), 0), {2, 2}, {1, 0, 3, 0});
    expect_values(where(mask, -1, D::from({2}, {NAN, 4})), {2}, {-1, 4});
    expect_values(where(mask, D::from({2, 1}, {5, 6}), D::from({2}, {7, 8})), {2, 2}, {5, 8, 6, 8});
    EXPECT_EQ(where(isneginf(D::from({3}, {-kInf, kInf, NAN})), 1, D({3}, 0))[0], 1);
    EXPECT_FALSE(isneginf(D::from({1}, {kInf}))[0]);
    EXPECT_TRUE(isinf(D::from({1}, {kInf}))[0]);
}

TEST(Algebra, PartsOfAnAxisAreTakenAndWritten) {
    D x = D::from({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    expect_values(part(x, {.axis = -1, .start = 1, .count = 2, .step = 2}), {2, 2}, {1, 3, 6, 8});
    expect_values(entry(x, 0, 1), {5}, {5, 6, 7, 8, 9});
    expect_values(entry(x, 1, 2), {2}, {2, 7});
    set_part(x, {.axis = 1, .start = 3, .count = 2}, D({2, 2}, -1));
    set_entry(x, 1, 0, D::from({2}, {10, 20}));
    expect_values(x, {2, 5}, {10, 1, 2, -1, -1, 20, 6, 7, -1, -1});
    EXPECT_THROW(part(x, {.axis = 1, .start = 4, .count = 2}), ValueError);
    EXPECT_THROW(set_entry(x, 1, 0, D({3})), ShapeError);
}

TEST(Algebra, AxesArePermutedAndBroadcast) {
    Random rng(3);
    const D x = rng.normal<double>({3, 20, 17});
    const D y = transpose(x, Axes{2, 0, -2});
    ASSERT_EQ(y.shape(), (Shape{17, 3, 20}));
    for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 20; ++b)
            for (Index c = 0; c < 17; ++c) ASSERT_EQ(y.at({c, a, b}), x.at({a, b, c}));
    expect_values(broadcast_to(D::from({2, 1}, {1, 2}), {2, 2, 3}), {2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
    EXPECT_THROW(broadcast_to(D({2}), {3}), ShapeError);
    EXPECT_THROW(transpose(x, Axes{0, 1}), ValueError);
    EXPECT_THROW(transpose(x, Axes{0, 0, 1}), ValueError);
}

/// a b by three loops, of one pair of matrices.
D product(const D& a, bool ta, const D& b, bool tb) {
    const Index m = a.dim(ta), k = a.dim(!ta), n = b.dim(!tb);
    D c({m, n}, 0);
    for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j)
            for (Index l = 0; l < k; ++l) c[i * n + j] += (ta ? a.at({l, i}) : a.at({i, l})) * (tb ? b.at({j, l}) : b.at({l, j}));
    return c;
}

// Every scalar takes its own way through matmul: float and double a kernel, duals the plain loops.
TEST(Algebra, ProductsOfEveryScalarAgree) {
    Random rng(5);
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            const D a = rng.normal<double>(ta ? Shape{2, 1, 4, 3} : Shape{2, 1, 3, 4}),
                    b = rng.normal<double>(tb ? Shape{5, 2, 4} : Shape{5, 4, 2});
            const D c = matmul(Matrix<double>(a, ta), Matrix<double>(b, tb));
            ASSERT_EQ(c.shape(), (Shape{2, 5, 3, 2}));
            for (Index i = 0; i < 2; ++i)
                for (Index j = 0; j < 5; ++j) {
                    const D one = product(entry(entry(a, 0, i), 0, 0), ta, entry(b, 0, j), tb),
                            of_c = entry(entry(c, 0, i), 0, j);
                    for (Index e = 0; e < one.size(); ++e) EXPECT_NEAR(of_c[e], one[e], 1e-14);
                }
            const auto by_dual = matmul(Matrix<Dual1>(cast<Dual1>(a), ta), Matrix<Dual1>(cast<Dual1>(b), tb));
            const auto by_float = matmul(Matrix<float>(cast<float>(a), ta), Matrix<float>(cast<float>(b), tb));
            for (Index e = 0; e < c.size(); ++e) {
                EXPECT_NEAR(by_dual[e].value, c[e], 1e-14);
                EXPECT_NEAR(static_cast<double>(by_float[e]), c[e], 1e-5);
            }
        }
}

TEST(Algebra, WhatAMaskForbidsHasNoPartInAProduct) {
    const Tensor<bool> mask = Tensor<bool>::from({2, 3}, {true, false, false, true, true, false});
    const D a = D::from({2, 3}, {2, 0, 0, 3, 4, 0});
    for (const double hole : {kInf, double{NAN}}) {
        const D b = D::from({3, 2}, {1, 2, hole, 5, hole, hole});
        expect_values(matmul_where<double>(mask, a, b), {2, 2}, {2, 4, 4 * hole, 26});
        expect_values(matmul_where<double>(mask, a, mT(transpose(b, Axes{1, 0}))), {2, 2}, {2, 4, 4 * hole, 26});
        expect_values(matmul_where<double>(mask, mT(a), D::from({2, 2}, {1, hole, 1, 2})), {3, 2}, {5, hole, 4, 8, 0, 0});
    }
    expect_values(matmul_where<double>(mask, a, D::from({3, 1}, {1, 1, 1})), {2, 1}, {2, 7});
}

// A mask of one matrix lets products leave out what no row of a block meets: bands, gaps, empty blocks, either way round.
TEST(Algebra, AMaskedProductOfManyRowsIsTheWholeProduct) {
    const Index L = 300, S = 410, E = 5;
    const auto seen = [](Index i, Index j) { return (i >= 60 && j <= i && (j > 40 || i > 280)) || (i == 20 && j == 400); };
    Tensor<bool> mask({L, S});
    Random random(7);
    D a = random.normal<double>({2, L, S});
    for (Index e = 0; e < a.size(); ++e)
        if (!(mask.data()[e % (L * S)] = seen(e / S % L, e % S))) a[e] = 0;
    const D b = random.normal<double>({2, S, E}), c = random.normal<double>({2, L, E});
    for (const auto& [masked, whole] : {std::pair{matmul_where<double>(mask, a, b), matmul<double>(a, b)},
                                        std::pair{matmul_where<double>(mask, mT(a), c), matmul<double>(mT(a), c)}})
        for (Index e = 0; e < whole.size(); ++e) EXPECT_NEAR(masked[e], whole[e], 1e-12) << e;
}

// Two heads under one mask, and a mask of each head under one b.
TEST(Algebra, AMaskOfAProductBroadcastsOverItsBatch) {
    const D a = D::from({2, 1, 2}, {1, 0, 3, 4}), b = D::from({2, 1}, {5, NAN});
    const Tensor<bool> both = Tensor<bool>::from({1, 1, 2}, {true, false}),
                       each = Tensor<bool>::from({2, 1, 2}, {true, false, true, true});
    expect_values(matmul_where<double>(each, a, b), {2, 1, 1}, {5, NAN});
    expect_values(matmul_where<double>(both, D::from({2, 1, 2}, {1, 0, 3, 0}), b), {2, 1, 1}, {5, 15});
    const D two = D::from({2, 2, 1}, {5, NAN, 6, 7});
    expect_values(matmul_where<double>(both, D::from({2, 1, 2}, {1, 0, 3, 0}), two), {2, 1, 1}, {5, 18});
    expect_values(matmul_where<double>(each, a, two), {2, 1, 1}, {5, 46});
    const Tensor<Dual1> slope = matmul_where<Dual1>(Tensor<bool>::from({2}, {true, false}), cast<Dual1>(D::from({1, 2}, {2, 0})),
                                                    Tensor<Dual1>::from({2, 1}, {{1, 3}, {1, INFINITY}}));
    EXPECT_EQ(slope[0].value, 2);
    EXPECT_EQ(slope[0].tangent, 6);
}

TEST(Algebra, EntriesAreTakenAndSummedByTheirNumbers) {
    const D x = D::from({3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor<Index> numbers = Tensor<Index>::from({2, 2}, {2, 0, 2, 2});
    expect_values(take(x, numbers), {2, 2, 2}, {5, 6, 1, 2, 5, 6, 5, 6});
    expect_values(sum_by_number({3, 2}, numbers, take(x, numbers)), {3, 2}, {1, 2, 0, 0, 15, 18});
    EXPECT_THROW(take(x, Tensor<Index>::from({1}, {3})), ValueError);
    EXPECT_THROW(take(x, Tensor<Index>::from({1}, {-1})), ValueError);
    EXPECT_THROW(sum_by_number({3, 2}, numbers, x), ShapeError);
    for (const Index beyond : {-1, 3})
        EXPECT_THROW(sum_by_number({3, 2}, Tensor<Index>::from({1}, {beyond}), D({1, 2})), ValueError);
    expect_values(sum_by_number({2, 1, 2}, Tensor<Index>::from({2}, {1, 1}), D::from({2, 1, 2}, {1, 2, 30, 40})), {2, 1, 2},
                  {0, 0, 31, 42});
    EXPECT_EQ(take(x, Tensor<Index>(Shape{0})).shape(), (Shape{0, 2}));
}

TEST(Algebra, PartsOfAnAxisAreAddedTo) {
    D x = D::from({2, 3}, {1, 2, 3, 4, 5, 6});
    add_part(x, {.axis = 1, .start = 1, .count = 2}, D::from({2, 2}, {10, 20, 30, 40}));
    expect_values(x, {2, 3}, {1, 12, 23, 4, 35, 46});
    add_part(x, {.axis = -1, .start = 0, .count = 2, .step = 2}, D::from({2, 2}, {100, 200, 300, 400}));
    expect_values(x, {2, 3}, {101, 12, 223, 304, 35, 446});
    add_part(x, {.axis = 0, .start = 1, .count = 1}, D({1, 3}, -1));
    expect_values(x, {2, 3}, {101, 12, 223, 303, 34, 445});
    EXPECT_THROW(add_part(x, {.axis = 1, .start = 1, .count = 2}, D({2, 1})), ShapeError);
    EXPECT_THROW(add_part(x, {.axis = 1, .start = 2, .count = 2}, D({2, 2})), ValueError);
}

// So that a kernel is not held against itself.
TEST(Algebra, PagesAreHeldToTheFunctionsOfTheStandardLibrary) {
    const D x = D::from({5}, {-3, -0.7, 0.1, 1.3, 20});
    const KernelScope page("page");
    const D y = exp(x), t = tanh(x);
    for (Index i = 0; i < x.size(); ++i) EXPECT_TRUE(y[i] == std::exp(x[i]) && t[i] == std::tanh(x[i])) << i;
}

TEST(Algebra, AVectorIsARowOnTheLeftAndAColumnOnTheRight) {
    const D a = D::from({2, 3}, {1, 2, 3, 4, 5, 6}), v = D::from({3}, {1, 0, -1}), w = D::from({2}, {1, 1});
    expect_values(matmul(a, v), {2}, {-2, -2});
    expect_values(matmul(w, a), {3}, {5, 7, 9});
    expect_values(matmul(v, v), {}, {2});
}

TEST(Algebra, TheProductForABroadcastOperandIsSummed) {
    Random rng(7);
    const auto sums_to = [](const Shape& shape, const Matrix<double>& a, const Matrix<double>& b) {
        D all = matmul(a, b), got = matmul_to(shape, a, b);
        ASSERT_EQ(got.shape(), shape);
        for (int axis = 0; axis < all.rank() - 2; ++axis)
            if (axis < all.rank() - shape.rank() || shape[axis - all.rank() + shape.rank()] == 1) all = sum(all, axis);
        for (Index e = 0; e < got.size(); ++e) EXPECT_NEAR(got[e], all[e], 1e-13);
    };
    const D x = rng.normal<double>({3, 2, 4, 5}), y = rng.normal<double>({3, 2, 4, 6}), w = rng.normal<double>({6, 5});
    sums_to({5, 6}, mT(x), y);
    sums_to({2, 5, 6}, mT(x), y);
    sums_to({3, 1, 5, 6}, mT(x), y);
    sums_to({1, 4, 5}, y, w);
    sums_to({3, 2, 5, 6}, mT(x), y);
    EXPECT_THROW(matmul_to({4, 6}, mT(x), y), ShapeError);
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "no error";
}

TEST(Algebra, AnUndefinedTensorIsAnErrorThatSaysSo) {
    const D none, x({2});
    EXPECT_EQ(error_of([&] { x + none; }), "+: an operand is an undefined tensor");
    EXPECT_EQ(error_of([&] { exp(none); }), "exp: an operand is an undefined tensor");
    EXPECT_EQ(error_of([&] { matmul(x, none); }), "matmul: an operand is an undefined tensor");
    EXPECT_EQ(error_of([&] { sum(none, 0); }), "sum: an operand is an undefined tensor");
    EXPECT_EQ(error_of([&] { where(Tensor<bool>(), x, 0); }), "where: an operand is an undefined tensor");
    EXPECT_EQ(error_of([&] { none.shape(); }), "tensor: it is undefined: it has no shape and no elements");
}

TEST(Algebra, ShapesThatDoNotBroadcastAreAnError) {
    EXPECT_EQ(error_of([] { D({2, 3}) * D({4}); }), "*: shapes do not broadcast: a is [2, 3], b is [4] (3 != 4)");
    EXPECT_EQ(error_of([] { matmul(D({2, 3}), D({4, 5})); }), "matmul: inner sizes differ: a is [2, 3], b is [4, 5] (3 != 4)");
    EXPECT_EQ(error_of([] { sum(D({2}), 1); }), "sum: axis is 1, expected -1 <= axis < 1 for rank 1");
}

}  // namespace
}  // namespace gradproof
