// What heads attend to: weights made by hand, counted by hand.
#include "gradproof/nn/head_statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/core/errors.hpp"

namespace gradproof {
namespace {

constexpr Index kSymbols = 5;
const std::vector<Index> kIds = {0, 1, 2, 0, 1};

Tensor<double> causal_heads() {
    const auto even = [](Index i, Index j) { return j <= i ? 1 / static_cast<double>(i + 1) : 0; };
    Tensor<double> w({3, kSymbols, kSymbols}, 0.0);
    for (Index i = 0; i < kSymbols; ++i)
        for (Index j = 0; j < kSymbols; ++j) {
            w.at({0, i, j}) = even(i, j);
            w.at({1, i, j}) = i == 0 ? even(i, j) : j == i - 1;
        }
    // Queries 3 and 4 look at what followed their symbol before: an induction head.
    w.at({2, 0, 0}) = 1;
    w.at({2, 1, 0}) = w.at({2, 1, 1}) = 0.5;
    w.at({2, 2, 0}) = w.at({2, 2, 1}) = 0.25;
    w.at({2, 2, 2}) = 0.5;
    w.at({2, 3, 1}) = w.at({2, 4, 2}) = 1;
    return w;
}

TEST(HeadStatistics, OfHeadsMadeByHandAreThoseCountedByHand) {
    const std::vector<HeadStatistics> all = head_statistics(causal_heads(), kIds, 7);
    ASSERT_EQ(all.size(), 3u);
    const HeadStatistics &even = all[0], &previous = all[1], &induction = all[2];
    EXPECT_EQ(induction.layer, 7);
    EXPECT_EQ(induction.head, 2);
    EXPECT_EQ(even.role(), "spread");
    EXPECT_EQ(previous.role(), "previous symbol");
    EXPECT_EQ(induction.role(), "after the same symbol");
    // Means over queries 1 to 4, which see 2 to 5 keys.
    EXPECT_NEAR(even.entropy, 1, 1e-15);
    EXPECT_NEAR(even.distance, (0.5 + 1 + 1.5 + 2) / 4, 1e-15);
    const double one_of_each = (1 / 2.0 + 1 / 3.0 + 1 / 4.0 + 1 / 5.0) / 4, of_the_repeated = (1 / 4.0 + 1 / 5.0) / 4;
    for (const Share* share : {&even.itself, &even.previous, &even.first}) EXPECT_NEAR(share->weight, one_of_each, 1e-15);
    for (const Share* share : {&even.same, &even.after_same}) EXPECT_NEAR(share->weight, of_the_repeated, 1e-15);
    for (const HeadStatistics& s : all) {
        for (const Share* share : {&s.itself, &s.previous, &s.first}) EXPECT_NEAR(share->even, one_of_each, 1e-15);
        for (const Share* share : {&s.same, &s.after_same}) EXPECT_NEAR(share->even, of_the_repeated, 1e-15);
    }
    EXPECT_NEAR(previous.previous.weight, 1, 1e-15);
    EXPECT_NEAR(previous.distance, 1, 1e-15);
    EXPECT_NEAR(previous.first.weight, 0.25, 1e-15);  // of query 1
    EXPECT_NEAR(induction.after_same.weight, 0.5, 1e-15);
    EXPECT_NEAR(induction.same.weight, 0, 1e-15);
    EXPECT_NEAR(induction.itself.weight, 0.25, 1e-15);
    EXPECT_NEAR(induction.previous.weight, 0.1875, 1e-15);
    EXPECT_NEAR(induction.first.weight, 0.1875, 1e-15);
    EXPECT_NEAR(induction.distance, (0.5 + 0.75 + 2 + 2) / 4, 1e-15);
    EXPECT_NEAR(induction.entropy, (1 + 1.5 * std::log(2.0) / std::log(3.0)) / 4, 1e-15);
    for (const HeadStatistics& s : all) EXPECT_EQ(s.next.weight + s.next.even, 0) << "no query sees what comes later";
    EXPECT_THROW(head_statistics(causal_heads(), {0, 1}, 0), ShapeError);
}

TEST(HeadStatistics, WhereAllKeysAreSeenThoseAfterTheQueryCountToo) {
    // Symbols 7 8 7: query 0 looks at the next, query 1 at the first, query 2 evenly.
    const Tensor<double> w = Tensor<double>::from({1, 3, 3}, {0, 1, 0, 1, 0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3});
    const HeadStatistics s = head_statistics(w, {7, 8, 7}, 0, Keys::all).at(0);
    EXPECT_NEAR(s.next.weight, 1.0 / 3, 1e-15);                // of query 0; query 2 has none after it
    EXPECT_NEAR(s.next.even, 2.0 / 9, 1e-15);                  // two of three queries, a third each
    EXPECT_NEAR(s.previous.weight, (1 + 1.0 / 3) / 3, 1e-15);  // query 1 all, query 2 a third
    EXPECT_NEAR(s.first.weight, (0 + 1 + 1.0 / 3) / 3, 1e-15);
    EXPECT_NEAR(s.itself.weight, 1.0 / 9, 1e-15);
    EXPECT_NEAR(s.same.weight, 1.0 / 9, 1e-15);        // query 2 looks at the other 7 with a third, query 0 not at all
    EXPECT_NEAR(s.after_same.weight, 1.0 / 9, 1e-15);  // of query 2: symbol 1 follows the 7 at 0
    EXPECT_NEAR(s.after_same.even, 1.0 / 9, 1e-15);    // for query 0 that place is the next one, which has its own share
    EXPECT_NEAR(s.distance, (1 + 1 + (2 + 1 + 0) / 3.0) / 3, 1e-15);
    EXPECT_NEAR(s.entropy, 1.0 / 3, 1e-15);
}

}  // namespace
}  // namespace gradproof
