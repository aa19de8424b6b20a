// Ops that move values: transpose, reshape, gather.
#include <gtest/gtest.h>

#include "core/transforms.hpp"
#include "ops/gather.hpp"
#include "ops/reshape.hpp"
#include "ops/transpose.hpp"

namespace gradproof {
namespace {

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

template <class F>
std::string thrown(F&& call) {
    try {
        call();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was thrown";
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
    EXPECT_EQ(thrown([] { transpose(counted({2, 3}), {.perm = {1, -1}}); }), "transpose: axis 1 is named twice: perm is [1, -1]");
    EXPECT_EQ(thrown([] { transpose(counted({2, 3}), {.perm = {1}}); }), "transpose: perm is [1], expected each of 2 axes once");
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
    EXPECT_EQ(thrown([] { reshape(counted({2, 3}), {.shape = {4, 2}}); }),
              "reshape: sizes differ: x is [2, 3] (6 elements), shape is [4, 2] (in all 8)");
    EXPECT_EQ(thrown([] { reshape(counted({2, 3}), {.shape = {-1, 4}}); }),
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
    EXPECT_EQ(thrown([&] { gather(counted({4, 2}), {.ids = ids}); }),
              "gather: id out of range: ids[1, 0] is 4, expected 0 <= id < 4; table is [4, 2]");
    EXPECT_THROW(gather(counted({4, 2}), {}), ValueError);
    EXPECT_THROW(gather(D::scalar(1), {.ids = ids}), ShapeError);
}

}  // namespace
}  // namespace gradproof
