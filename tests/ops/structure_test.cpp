// Ops that move values: transpose, reshape, gather, slice, concat, stack, where, masked_fill, dropout.
#include <gtest/gtest.h>

#include "gradproof/core/transforms.hpp"
#include "gradproof/ops/concat.hpp"
#include "gradproof/ops/dropout.hpp"
#include "gradproof/ops/gather.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/select.hpp"
#include "gradproof/ops/slice.hpp"
#include "gradproof/ops/stack.hpp"
#include "gradproof/ops/transpose.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;
using D = Tensor<double>;

/// 0, 1, 2, ...
D counted(const Shape& shape) {
    D x(shape);
    for (Index i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    return x;
}

void expect_equal(const D& got, const D& expected) {
    ASSERT_EQ(got.shape(), expected.shape());
    for (Index i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << "at " << i;
}

TEST(Transpose, EveryPermutationOfFourAxesMovesEachElement) {
    for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{17, 1, 2, 18}, Shape{1, 33, 3, 2}, Shape{2, 0, 3, 1}}) {
        const D x = counted(shape);
        const Shape strides = strides_of(shape);
        Axes perm{0, 1, 2, 3};
        do {
            const D y = transpose(x, {.perm = perm});
            Shape sizes = shape, steps = shape;
            for (int i = 0; i < 4; ++i) {
                sizes[i] = shape[static_cast<int>(perm[i])];
                steps[i] = strides[static_cast<int>(perm[i])];
            }
            expect_equal(y, D::from_strided(x.data(), sizes, steps));
            expect_equal(vjp([&](const auto& v) { return transpose(v[0], {.perm = perm}); }, std::vector{x}, y).second[0], x);
        } while (std::next_permutation(perm.begin(), perm.end()));
    }
}

TEST(Transpose, EmptyPermReversesAndDualsMoveWhole) {
    expect_equal(transpose(counted({2, 3})), D::from({3, 2}, {0, 3, 1, 4, 2, 5}));
    const auto x = dual(counted({2, 3}), counted({2, 3}));
    EXPECT_EQ(transpose(x)[1].tangent, 3);
    EXPECT_EQ(transpose(D::scalar(4)).item(), 4);
}

TEST(Transpose, ErrorsNameThePermutation) {
    EXPECT_EQ(error_of([] {
                  transpose(counted({2, 3}), {.perm = {1, -1}});
              }),
              "transpose: axis 1 is named twice: perm is [1, -1]");
    EXPECT_EQ(error_of([] {
                  transpose(counted({2, 3}), {.perm = {1}});
              }),
              "transpose: perm is [1], expected each of 2 axes once");
    EXPECT_THROW(transpose(counted({2, 3}), {.perm = {0, 2}}), ValueError);
}

TEST(Reshape, SharesTheBufferBothWays) {
    const D x = counted({2, 6});
    const D y = reshape(x, {.shape = {3, -1}});
    EXPECT_EQ(y.shape(), (Shape{3, 4}));
    EXPECT_TRUE(y.shares_buffer_with(x));
    const D dy = counted({3, 4});
    const D g = vjp([](const auto& v) { return reshape(v[0], {.shape = {3, 4}}); }, std::vector{x}, dy).second[0];
    EXPECT_TRUE(g.shares_buffer_with(dy));
    EXPECT_EQ(g.shape(), x.shape());
}

TEST(Reshape, FillsInTheOpenSizeAlsoForEmptyTensors) {
    EXPECT_EQ(reshape(counted({0, 3}), {.shape = {-1, 5}}).shape(), (Shape{0, 5}));
    EXPECT_EQ(reshape(D::scalar(2), {.shape = {-1}}).shape(), Shape{1});
}

TEST(Reshape, ErrorsNameShapes) {
    EXPECT_EQ(error_of([] {
                  reshape(counted({2, 3}), {.shape = {4, 2}});
              }),
              "reshape: sizes differ: x is [2, 3] (6 elements), shape is [4, 2] (in all 8)");
    EXPECT_EQ(error_of([] {
                  reshape(counted({2, 3}), {.shape = {-1, 4}});
              }),
              "reshape: sizes differ: x is [2, 3] (6 elements), shape is [-1, 4] (a multiple of 4)");
    EXPECT_THROW(reshape(counted({2, 3}), {.shape = {-1, -1}}), ShapeError);
    EXPECT_THROW(reshape(counted({0, 3}), {.shape = {-1, 0}}), ShapeError);
    EXPECT_THROW(reshape(counted({2, 3}), {.shape = {Index{1} << 62, 4}}), ShapeError);
}

TEST(Gather, TakesRowsAndAddsTheirCotangents) {
    const D table = counted({4, 2});
    const GatherAttrs attrs{.ids = Tensor<Index>::from({2, 2}, {3, 1, 3, 0})};
    expect_equal(gather(table, attrs), D::from({2, 2, 2}, {6, 7, 2, 3, 6, 7, 0, 1}));
    const D g = vjp([&](const auto& v) { return gather(v[0], attrs); }, std::vector{table}, counted({2, 2, 2})).second[0];
    expect_equal(g, D::from({4, 2}, {6, 7, 2, 3, 0, 0, 0 + 4, 1 + 5}));
}

TEST(Gather, ErrorsNameTheIdAndItsPlace) {
    const auto ids = Tensor<Index>::from({2, 2}, {0, 1, 4, 0});
    EXPECT_EQ(error_of([&] {
                  gather(counted({4, 2}), {.ids = ids});
              }),
              "gather: id out of range: ids[1, 0] is 4, expected 0 <= id < 4; table is [4, 2]");
    EXPECT_THROW(gather(counted({4, 2}), {}), ValueError);
    EXPECT_THROW(gather(D::scalar(1), {.ids = ids}), ShapeError);
}

TEST(Slice, TakesRangesOfAnyAxis) {
    const D x = counted({2, 5});
    expect_equal(slice(x, {.axis = 1, .start = 1, .step = 2}), D::from({2, 2}, {1, 3, 6, 8}));
    expect_equal(slice(x, {.axis = -1, .start = -2, .stop = -1}), D::from({2, 1}, {3, 8}));
    expect_equal(slice(x, {.start = 1}), D::from({1, 5}, {5, 6, 7, 8, 9}));
    EXPECT_EQ(slice(x, {.axis = 1, .start = 5}).shape(), (Shape{2, 0}));
    EXPECT_EQ(slice(x, {.axis = 1, .step = Index{1} << 62}).shape(), (Shape{2, 1}));
    const auto f = [](const auto& v) { return slice(v[0], {.axis = 1, .start = 1, .step = 2}); };
    expect_equal(vjp(f, std::vector{x}, D::from({2, 2}, {1, 2, 3, 4})).second[0],
                 D::from({2, 5}, {0, 1, 0, 2, 0, 0, 3, 0, 4, 0}));
}

TEST(Slice, RefusesWhatNumpyClamps) {
    const D x = counted({4, 3});
    EXPECT_EQ(error_of([&] { slice(x, {.axis = 1, .stop = 4}); }),
              "slice: stop is 4, expected -3 <= stop <= 3 for axis 1 of [4, 3]");
    EXPECT_EQ(error_of([&] { slice(x, {.start = 3, .stop = 1}); }),
              "slice: start is after stop: start is 3, stop is 1, axis 0 of [4, 3]");
    EXPECT_THROW(slice(x, {.step = -1}), ValueError);
}

TEST(Concat, JoinsAndSplitsAlongAnAxis) {
    const D a = counted({2, 1}), b = counted({2, 2});
    const auto f = [](const auto& v) { return concat(v, {.axis = 1}); };
    expect_equal(concat(std::vector{a, b}, {.axis = -1}), D::from({2, 3}, {0, 0, 1, 1, 2, 3}));
    const auto g = vjp(f, std::vector{a, b}, counted({2, 3})).second;
    expect_equal(g[0], D::from({2, 1}, {0, 3}));
    expect_equal(g[1], D::from({2, 2}, {1, 2, 4, 5}));
}

TEST(Concat, OneInputTwiceAddsItsCotangents) {
    const auto f = [](const auto& v) { return concat(std::vector{v[0], v[0]}); };
    expect_equal(vjp(f, std::vector{counted({2})}, D::from({4}, {1, 2, 10, 20})).second[0], D::from({2}, {11, 22}));
}

TEST(Concat, ErrorsNameTheInput) {
    EXPECT_EQ(error_of([] {
                  concat(std::vector{counted({2, 3}), counted({1, 3}), counted({2, 4})});
              }),
              "concat: shapes differ outside axis 0: x[0] is [2, 3], x[2] is [2, 4]");
    EXPECT_EQ(error_of([] { concat(std::vector<D>{}); }), "concat: takes at least 1 input, got 0");
}

TEST(Stack, PutsTheNewAxisAnywhere) {
    const D a = D::from({2}, {1, 2}), b = D::from({2}, {3, 4});
    expect_equal(stack(std::vector{a, b}), D::from({2, 2}, {1, 2, 3, 4}));
    expect_equal(stack(std::vector{a, b}, {.axis = -1}), D::from({2, 2}, {1, 3, 2, 4}));
    expect_equal(stack(std::vector{D::scalar(5), D::scalar(6), D::scalar(7)}), D::from({3}, {5, 6, 7}));
    const auto g = vjp([](const auto& v) { return stack(v, {.axis = 1}); }, std::vector{a, b}, counted({2, 2})).second;
    expect_equal(g[0], D::from({2}, {0, 2}));
    expect_equal(g[1], D::from({2}, {1, 3}));
    EXPECT_EQ(error_of([&] { stack(std::vector{a, counted({3})}); }), "stack: shapes differ: x[0] is [2], x[1] is [3]");
}

TEST(Where, KeepsNanOfTheOtherSideOut) {
    const auto mask = Tensor<bool>::from({2, 1}, {true, false});
    const D a = D::from({3}, {1, 2, 3}), b = D::from({2, 3}, {NAN, NAN, NAN, 4, 5, 6});
    const auto f = [&](const auto& v) { return select(v[0], v[1], {.mask = mask}); };
    expect_equal(select(a, b, {.mask = mask}), D::from({2, 3}, {1, 2, 3, 4, 5, 6}));
    const auto g = vjp(f, std::vector{a, b}, D::from({2, 3}, {1, 2, 3, NAN, 5, 6})).second;
    expect_equal(g[0], D::from({3}, {1, 2, 3}));
    EXPECT_TRUE(std::isnan(g[1][3]));
    EXPECT_EQ(g[1][0], 0);
    EXPECT_EQ(g[1][5], 6);
}

TEST(Where, ErrorsNameTheMask) {
    const auto mask = Tensor<bool>::from({2}, {true, false});
    EXPECT_EQ(error_of([&] {
                  select(counted({2, 3}), counted({3}), {.mask = mask});
              }),
              "where: mask does not broadcast with a and b: mask is [2], a is [2, 3], b is [3]");
    EXPECT_THROW(select(counted({3}), counted({3}), {}), ValueError);
}

TEST(MaskedFill, FillsAndStopsTheCotangent) {
    const auto mask = Tensor<bool>::from({3}, {false, true, false});
    const auto f = [&](const auto& v) { return masked_fill(v[0], {.mask = mask, .value = -INFINITY}); };
    const auto [y, g] = vjp(f, std::vector{counted({2, 3})}, D::from({2, 3}, {1, NAN, 3, 4, 5, 6}));
    expect_equal(y, D::from({2, 3}, {0, -INFINITY, 2, 3, -INFINITY, 5}));
    expect_equal(g[0], D::from({2, 3}, {1, 0, 3, 4, 0, 6}));
    EXPECT_EQ(error_of([&] { masked_fill(counted({4}), {.mask = mask}); }),
              "masked_fill: mask does not broadcast to x: mask is [3], x is [4]");
}

TEST(Dropout, ScalesWhatIsKept) {
    const auto mask = Tensor<bool>::from({4}, {true, false, true, false});
    const D x = D::from({4}, {1, NAN, 3, INFINITY});
    const auto f = [&](const auto& v) { return dropout(v[0], {.mask = mask, .p = 0.75}); };
    const auto [y, g] = vjp(f, std::vector{x}, D::from({4}, {1, 2, 3, 4}));
    expect_equal(y, D::from({4}, {4, 0, 12, 0}));
    expect_equal(g[0], D::from({4}, {4, 0, 12, 0}));
}

TEST(Dropout, ErrorsNameTheProbabilityAndTheMask) {
    const Tensor<bool> mask({4}, true);
    EXPECT_EQ(error_of([&] { dropout(counted({4}), {.mask = mask, .p = 1}); }), "dropout: p is 1, expected 0 <= p < 1");
    EXPECT_EQ(error_of([&] { dropout(counted({3}), {.mask = mask}); }), "dropout: mask is [4], x is [3]: their shapes differ");
    EXPECT_THROW(dropout(counted({4}), {.mask = mask, .p = NAN}), ValueError);
    EXPECT_THROW(dropout(counted({4}), {}), ValueError);
}

}  // namespace
}  // namespace gradproof
