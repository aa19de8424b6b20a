// The expressions task: all rows, their answers, the split and the batches.
#include "gradproof/nn/tasks/expressions.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

using namespace gradproof;

TEST(Expressions, AreAllThreeThousandWithTheRightAnswers) {
    const Examples data = all_expressions();
    ASSERT_EQ(data.count(), 3000);
    std::set<std::string> texts;
    for (Index i = 0; i < data.count(); ++i) texts.insert(expression_text(data.row(i)));
    EXPECT_EQ(texts.size(), 3000u);
    const auto answer = [&](std::string_view text) { return data.answers[find_expression(text)]; };
    EXPECT_EQ(answer("Max(1,6,2)"), 6);
    EXPECT_EQ(answer("Min(1,6,2)"), 1);
    EXPECT_EQ(answer("First(5, 3, 8)"), 5);
    EXPECT_EQ(answer("Max(0,0,0)"), 0);
    EXPECT_EQ(find_expression("Max(1,6,2)"), 162);
}

TEST(Expressions, TextAndRowAgree) {
    const Examples data = all_expressions();
    for (Index i = 0; i < data.count(); i += 7) EXPECT_EQ(find_expression(expression_text(data.row(i))), i);
    const std::vector<Index> row(data.row(162).begin(), data.row(162).end());
    EXPECT_EQ(row, (std::vector<Index>{10, 13, 1, 15, 6, 15, 2, 14}));
}

TEST(Expressions, WhatIsNoExpressionIsNamed) {
    const auto message = [](std::string_view text) {
        try {
            find_expression(text);
        } catch (const ValueError& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message("Mux(1,2,3)"), "expression: no function Mux: expected Max, Min or First; did you mean Max");
    EXPECT_EQ(message("Max(1,2)"), "expression: expected three digits as in Max(1,6,2), got Max(1,2)");
    EXPECT_EQ(message("Max"), "expression: expected three digits as in Max(1,6,2), got Max");
    EXPECT_NE(message(""), "no error");
}

TEST(Examples, RowsKeepTheirAnswers) {
    const Examples data = all_expressions(), some = data.rows(std::vector<Index>{162, 5});
    ASSERT_EQ(some.ids.shape(), (Shape{2, 8}));
    EXPECT_EQ(expression_text(some.row(0)), "Max(1,6,2)");
    EXPECT_EQ(some.answers[0], 6);
    EXPECT_EQ(some.answers[1], 5);
}

TEST(Split, IsSeededAndCoversEveryRowOnce) {
    const Split a = split_rows(3000, 0.2, 1), b = split_rows(3000, 0.2, 1), c = split_rows(3000, 0.2, 2);
    EXPECT_EQ(a.training.size(), 2400u);
    EXPECT_EQ(a.validation.size(), 600u);
    EXPECT_EQ(a.validation, b.validation);
    EXPECT_NE(a.validation, c.validation);
    std::vector<Index> all = a.training;
    all.insert(all.end(), a.validation.begin(), a.validation.end());
    std::sort(all.begin(), all.end());
    for (Index i = 0; i < 3000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
    EXPECT_THROW(split_rows(3000, 0, 1), ValueError);
    EXPECT_THROW(split_rows(1, 0.5, 1), ValueError);
}

TEST(EpochBatches, AreEveryRowOnceInAnOrderOfSeedAndEpochOnly) {
    const std::vector<Index> rows{5, 6, 7, 8, 9, 10, 11, 12};
    const auto epoch = [&](std::uint64_t seed, Index n) {
        EpochBatches batches(rows, 3, seed);
        EXPECT_EQ(batches.per_epoch(), 3);
        std::vector<Index> out;
        for (Index step = 3 * n; step < 3 * n + 3; ++step) {
            const std::span<const Index> batch = batches.of_step(step);
            EXPECT_EQ(batch.size(), step % 3 == 2 ? 2U : 3U);
            out.insert(out.end(), batch.begin(), batch.end());
        }
        return out;
    };
    EXPECT_EQ(epoch(3, 1), epoch(3, 1));
    EXPECT_NE(epoch(3, 1), epoch(3, 2));
    EXPECT_NE(epoch(3, 1), epoch(4, 1));
    std::vector<Index> sorted = epoch(3, 1);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, rows);
}
