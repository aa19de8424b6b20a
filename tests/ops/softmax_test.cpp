// Softmax and log-softmax against closed forms: what contracts cannot tell, for a wrong forward has a right gradient of its own.
#include "gradproof/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gradproof/ops/log_softmax.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::kInf;

template <class T>
class SoftmaxOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SoftmaxOf, Types);

template <class T>
void expect_row(std::initializer_list<double> x, std::initializer_list<double> expected, const SoftmaxAttrs& attrs = {}) {
    Tensor<T> row({static_cast<Index>(x.size())});
    std::copy(x.begin(), x.end(), row.begin());
    const Tensor<T> y = softmax(row, attrs), log_y = log_softmax(row, {.axis = attrs.axis, .temperature = attrs.temperature});
    const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
    Index i = 0;
    for (const double e : expected) {
        EXPECT_NEAR(static_cast<double>(y[i]), e, tolerance) << "entry " << i;
        if (e > 0) {
            EXPECT_NEAR(static_cast<double>(log_y[i]), std::log(e), 8 * tolerance) << "entry " << i;
        }
        ++i;
    }
}

TYPED_TEST(SoftmaxOf, RowsOfKnownShares) {
    expect_row<TypeParam>({0, std::log(2.0), std::log(5.0)}, {1. / 8, 2. / 8, 5. / 8});
    expect_row<TypeParam>({7, 7, 7, 7}, {0.25, 0.25, 0.25, 0.25});
    expect_row<TypeParam>({-3}, {1});
    expect_row<TypeParam>({0, 2 * std::log(3.0)}, {0.25, 0.75}, {.temperature = 2});
}

TYPED_TEST(SoftmaxOf, ScoresOfAnySizeAreStable) {
    expect_row<TypeParam>({1e30, -1e30, 1e30}, {0.5, 0, 0.5});
    expect_row<TypeParam>({-1e30, -1e30}, {0.5, 0.5});
    expect_row<TypeParam>({1e30, 0, -1e30}, {1, 0, 0});
    expect_row<TypeParam>({-kInf, 3, -kInf, 3}, {0, 0.5, 0, 0.5});
}

TYPED_TEST(SoftmaxOf, ARowThatSeesNothingIsZeroAndSendsNothingBack) {
    using T = TypeParam;
    Tape<T> tape;
    Tensor<T> x({2, 3}, static_cast<T>(-kInf));
    for (Index j = 3; j < 6; ++j) x[j] = static_cast<T>(j);
    const Var<T> leaf = tape.leaf(x), y = softmax(leaf);
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(y.value()[j], T(0));
    Tensor<T> dy({2, 3}, T(1));
    dy[1] = dy[4] = T(-2);
    tape.backward(y, dy);
    const Tensor<T> dx = tape.grad(leaf);
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(dx[j], T(0));
    for (Index j = 3; j < 6; ++j) EXPECT_NE(dx[j], T(0));
}

TYPED_TEST(SoftmaxOf, AnyAxisIsThatOfTheTransposed) {
    using T = TypeParam;
    Tensor<T> x({4, 3}), turned({3, 4});
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 3; ++j)
            turned[j * 4 + i] = x[i * 3 + j] = static_cast<T>(std::sin(1.7 * static_cast<double>(i * 3 + j)));
    const Tensor<T> columns = softmax(x, {.axis = 0}), rows = softmax(turned);
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 3; ++j)
            EXPECT_NEAR(static_cast<double>(columns[i * 3 + j]), static_cast<double>(rows[j * 4 + i]),
                        4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

}  // namespace
}  // namespace gradproof
