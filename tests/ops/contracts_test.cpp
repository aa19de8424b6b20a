// Every registered op keeps every contract. The contracts themselves are tested in tests/core/contracts_test.cpp.
#include "gradproof/core/check/contracts.hpp"

#include <gtest/gtest.h>

namespace gradproof::check {
namespace {

std::vector<std::string> op_names() {
    std::vector<std::string> out;
    for (const auto& e : registry().all()) out.emplace_back(e->info.name);
    return out;
}

class Contracts : public ::testing::TestWithParam<std::string> {};

TEST_P(Contracts, HoldForEverySample) {
    const Options options;
    Report report;
    report.seed = options.seed;
    report.ops.push_back(check_op(registry().find(GetParam()), options));
    const OpReport& op = report.ops.front();
    for (int c = 0; c < kContracts; ++c)
        EXPECT_EQ(op.mark(static_cast<Contract>(c)), '+') << "contract " << c + 1 << ' ' << name(static_cast<Contract>(c));
    EXPECT_EQ(op.verdict(), Verdict::right) << table(report, {});
    EXPECT_GT(op.planted(), 0);
    EXPECT_EQ(op.caught(), op.planted());
    EXPECT_GT(op.entries, 0);
    EXPECT_GT(op.gradient_norm, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Registry, Contracts, ::testing::ValuesIn(op_names()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace gradproof::check
