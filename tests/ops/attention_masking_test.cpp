// Attention: what is masked is never read, and a query without a key gives zeros.
#include <gtest/gtest.h>

#include "tests/ops/attention_calls.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::kInf, testing::kNaN;
using namespace attention_test;

void fill_rows(D& x, Index row, double value) {
    const Index width = x.shape().last();
    std::fill(x.data() + row * width, x.data() + (row + 1) * width, value);
}
bool row_is(const D& x, Index row, double value) {
    const Index width = x.shape().last();
    return std::all_of(x.data() + row * width, x.data() + (row + 1) * width, [&](double a) { return a == value; });
}
bool rows_equal(const D& a, const D& b, Index row) {
    const Index width = a.shape().last();
    return std::equal(a.data() + row * width, a.data() + (row + 1) * width, b.data() + row * width);
}
bool has_nan(const D& x, Index row) {
    const Index width = x.shape().last();
    return std::any_of(x.data() + row * width, x.data() + (row + 1) * width, [](double a) { return std::isnan(a); });
}

/// One head, four queries, five keys, and several ways to keep key 3 from everybody.
Call one_head() {
    return {{}, wave({1, 1, 4, 3}, 1), wave({1, 1, 5, 3}, 2), wave({1, 1, 5, 2}, 3), {}, {}, {}, wave({1, 1, 4, 2}, 8)};
}
std::vector<Call> without_key_3() {
    std::vector<Call> calls(5, one_head());
    calls[0].attrs.bool_mask = Tensor<bool>::from({5}, {true, true, true, false, true});
    calls[1].mask = D::from({5}, {0.1, -0.2, 0.3, -kInf, 0.5});
    calls[2].attrs.kv_len = Tensor<Index>::from({1}, {3});
    calls[3].mask = wave({4, 3}, 4);  // shorter than the keys
    calls[4].attrs.window_right = 0;
    calls[4].attrs.window_left = 1;
    calls[4].attrs.bool_mask = Tensor<bool>::from({4, 1}, {true, true, true, false});  // query 3 alone would see key 3
    return calls;
}

TEST(Attention, NonFiniteKeysAndValuesThatAreMaskedReachNothing) {
    for (std::size_t n = 0; n < without_key_3().size(); ++n)
        for (const double bad : {kNaN, kInf, -kInf}) {
            SCOPED_TRACE(fmt::format("case {}, {}", n, bad));
            Call c = without_key_3()[n];
            const Results clean = run<double>(c);
            c.k = c.k.clone();
            c.v = c.v.clone();
            fill_rows(c.k, 3, bad);
            fill_rows(c.v, 3, bad);
            const Results r = run<double>(c);
            EXPECT_TRUE(near(r.y, clean.y, 0));
            for (std::size_t i = 0; i < 4; ++i) {
                if (!clean.gradients[i].defined()) continue;
                EXPECT_TRUE(near(r.gradients[i], clean.gradients[i], 0)) << i;
            }
            for (const std::size_t i : {1u, 2u}) EXPECT_TRUE(row_is(r.gradients[i], 3, 0)) << i;
        }
}

TEST(Attention, NonFiniteMaskBehindAnotherMaskReachesNothing) {
    Call c = one_head();
    c.attrs.causal = true;
    c.mask = wave({4, 5}, 4);
    const Results clean = run<double>(c);
    for (Index i = 0; i < 4; ++i)
        for (Index j = i + 1; j < 5; ++j) c.mask.at({i, j}) = kNaN;
    const Results r = run<double>(c);
    EXPECT_TRUE(near(r.y, clean.y, 0));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(near(r.gradients[i], clean.gradients[i], 0)) << i;
    EXPECT_EQ(r.gradients[3].at({0, 1}), 0);
}

TEST(Attention, NaNInOneKeyReachesExactlyTheQueriesThatSeeIt) {
    Call c = one_head();
    c.attrs.causal = true;
    const Results clean = run<double>(c);
    c.k = c.k.clone();
    fill_rows(c.k, 2, kNaN);
    const Results r = run<double>(c);
    for (const Index i : {0, 1}) {
        EXPECT_TRUE(rows_equal(r.y, clean.y, i)) << i;
        EXPECT_TRUE(rows_equal(r.gradients[0], clean.gradients[0], i)) << i;
    }
    for (const Index i : {2, 3}) {
        EXPECT_TRUE(has_nan(r.y, i)) << i;
        EXPECT_TRUE(has_nan(r.gradients[0], i)) << i;
    }
}

TEST(Attention, PaddingInThePastIsNotReadEither) {
    Call c = one_head();
    c.past_key = wave({1, 1, 2, 3}, 5);
    c.past_value = wave({1, 1, 2, 2}, 6);
    c.attrs.bool_mask = Tensor<bool>::from({7}, {true, false, true, true, true, true, true});
    const Results clean = run<double>(c);
    fill_rows(c.past_key, 1, kNaN);
    fill_rows(c.past_value, 1, kInf);
    const Results r = run<double>(c);
    EXPECT_TRUE(near(r.y, clean.y, 0));
    for (const std::size_t i : {0u, 1u, 2u, 4u, 5u}) EXPECT_TRUE(near(r.gradients[i], clean.gradients[i], 0)) << i;
    EXPECT_TRUE(row_is(r.gradients[4], 1, 0));
}

// A cache of keys may have room for many more than there are.
TEST(Attention, WeightsBeyondTheLengthsAreZero) {
    struct Weights final : SavedVisitor<double> {
        void tensor(std::string_view name, const D& value) override {
            if (name == "weights") weights = value;
        }
        void other(std::string_view, std::size_t) override {}
        D weights;
    } saved;
    const D q = wave({1, 1, 2, 3}, 1), k = wave({1, 1, 9, 3}, 2);
    const pool::PoisonScope poison;
    Tape<double> tape;
    const Var<double> y = attention(tape.leaf(q), Var<double>(k), Var<double>(k),
                                    {.kv_len = Tensor<Index>({1}, Index{4}), .kernel = AttentionKernel::reference});
    tape.each_saved(y.node(), saved);
    ASSERT_EQ(saved.weights.shape(), (Shape{1, 1, 2, 9}));
    for (Index n = 0; n < 18; ++n) EXPECT_EQ(saved.weights[n] == 0, n % 9 >= 4) << n;
    EXPECT_FALSE(has_nan(y.value(), 0) || has_nan(y.value(), 1));
}

TEST(Attention, QueryWithoutAKeyGivesZerosEvenForABadCotangent) {
    Call c = one_head();
    c.mask = D({4, 5}, 0.0);
    for (Index j = 0; j < 5; ++j) c.mask.at({1, j}) = -kInf;
    fill_rows(c.dy, 1, kNaN);
    const Results r = run<double>(c);
    EXPECT_TRUE(row_is(r.y, 1, 0));
    EXPECT_TRUE(row_is(r.gradients[0], 1, 0));
    EXPECT_TRUE(row_is(r.gradients[3], 1, 0));
    for (const D& g : {r.gradients[0], r.gradients[1], r.gradients[2], r.gradients[3]})
        for (const double x : g.values()) EXPECT_TRUE(std::isfinite(x));
    const pool::PoisonScope poison;  // what is not written is NaN
    c.mask.at({2, 3}) = -kInf;
    const auto f = attention_forward(c.q, c.k, c.v, {.mask = c.mask});
    EXPECT_TRUE(row_is(f.weights, 1, 0));
    EXPECT_EQ(f.weights.at({0, 0, 2, 3}), 0);
    EXPECT_EQ(f.log_sum_exp[1], -kInf);
    EXPECT_TRUE(std::isfinite(f.log_sum_exp[0]));
}

TEST(Attention, BatchEntryOfLengthZeroLeavesTheOthersAlone) {
    Call c{{.causal = true, .kv_len = Tensor<Index>::from({2}, {0, 4})},
           wave({2, 2, 3, 4}, 1),
           wave({2, 1, 4, 4}, 2),
           wave({2, 1, 4, 5}, 3),
           {},
           {},
           {},
           wave({2, 2, 3, 5}, 8)};
    const Results r = run<double>(c);
    for (Index row = 0; row < 6; ++row) EXPECT_TRUE(row_is(r.y, row, 0));
    for (Index row = 6; row < 12; ++row) EXPECT_FALSE(row_is(r.y, row, 0));
    for (Index row = 0; row < 4; ++row) EXPECT_TRUE(row_is(r.gradients[1], row, 0) && row_is(r.gradients[2], row, 0));
}

TEST(Attention, ScoresThatAreAllMinusInfinityAreARowWithoutKeys) {
    const D q = D::from({1, 1, 1, 1}, {1}), k = D::from({1, 1, 2, 1}, {-kInf, -kInf}), v = D::from({1, 1, 2, 1}, {3, 4});
    for (const AttentionKernel kernel : {AttentionKernel::auto_, AttentionKernel::reference})
        for (const D& values : {v, D::from({1, 1, 2, 1}, {kInf, 4})})
            EXPECT_EQ(attention(q, k, values, {.kernel = kernel}).item(), 0);
}

TEST(Attention, HugeScoresDoNotOverflow) {
    const D q = D::from({1, 1, 2, 1}, {1e30, -1e30}), k = D::from({1, 1, 3, 1}, {1, 2, -1}), v = D::from({1, 1, 3, 1}, {3, 4, 5});
    EXPECT_TRUE(near(attention(q, k, v), D::from({1, 1, 2, 1}, {4, 5}), 0));
}

TEST(Attention, NoKeysGiveZerosAndNoQueriesGiveNothing) {
    const Call none{{}, wave({2, 1, 3, 4}, 1), D({2, 1, 0, 4}), D({2, 1, 0, 5}), {}, {}, {}, wave({2, 1, 3, 5}, 8)};
    const Results r = run<double>(none);
    for (Index row = 0; row < 6; ++row) EXPECT_TRUE(row_is(r.y, row, 0) && row_is(r.gradients[0], row, 0));
    const D y = attention(D({2, 1, 0, 4}), wave({2, 1, 3, 4}, 1), wave({2, 1, 3, 5}, 2));
    EXPECT_EQ(y.shape(), (Shape{2, 1, 0, 5}));
    // Without features every score is 0: the mean of the values.
    EXPECT_TRUE(
        near(attention(D({1, 1, 1, 0}), D({1, 1, 2, 0}), D::from({1, 1, 2, 1}, {3, 4})), D::from({1, 1, 1, 1}, {3.5}), 0));
}

}  // namespace
}  // namespace gradproof
