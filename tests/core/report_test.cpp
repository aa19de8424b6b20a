// A report read back from its JSON, and what it says of an op whose check did not come to its end.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "gradproof/core/check/contracts.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

TEST(Report, IsTheSameReadBack) {
    Report report = check_ops({&registry().find("softmax"), &registry().find("abs")}, {.seed = 9});
    ContractResult f;
    f.contract = Contract::linear;
    f.sample = "s";
    f.verdict = Verdict::wrong;
    f.reason = "why";
    f.error = f.bound = std::numeric_limits<double>::infinity();
    f.worst = Worst{"d(x)", {1, 2}, NAN, -std::numeric_limits<double>::infinity(), 1e-3};
    f.census = {{"d(x)", 5, 2, 1, 0.5, 2}};
    f.diagnoses = {{Mistake::factor, "claimed = 2 * true", "multiply d(x) by 1/2", "d(x)"},
                   {Mistake::entries, "only one", "", "d(y)"}};
    report.ops[0].findings.push_back(f);
    report.ops[1].failure = "timed out";
    report.ops[1].mutants.push_back({"sign", "s", false});
    EXPECT_EQ(json(read_json(json(report))), json(report));
    EXPECT_EQ(table(read_json(json(report)), {}), table(report, {}));
    for (const char* bad : {"", "{}", "[1]", R"({"seed": 1, "seconds": 1, "ops": [{}]})"})
        EXPECT_NE(testing::error_of([&] { read_json(bad); }).find("not the JSON of a report"), std::string::npos) << bad;
}

TEST(Report, AFailureLeavesTheOtherContractsUntold) {
    OpReport op;
    op.failure = "timed out";
    ContractResult f;
    f.contract = Contract::linear;
    f.verdict = Verdict::wrong;
    op.findings.push_back(f);
    EXPECT_EQ(op.mark(Contract::linear), 'X');
    EXPECT_EQ(op.mark(Contract::adjoint), '?');
    op.failure.clear();
    EXPECT_EQ(op.mark(Contract::adjoint), '-');
}

TEST(Report, JsonReplacesWhatIsNotUtf8) {
    Report report;
    report.ops.emplace_back().failure = "threw \"\xff\"";
    EXPECT_NE(json(report).find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(Options, ProgressNamesEveryContractAndSample) {
    std::set<std::string> parts;
    const OpEntry& op = registry().find("abs");
    Index last = 0, parts_in_all = 0;
    check_ops({&op}, {}, {.progress = [&](Index done, Index total, std::string_view part) {
                  parts.insert(std::string(part));
                  last = done;
                  parts_in_all = total;
              }});
    EXPECT_EQ(last + 1, parts_in_all);
    for (const SampleCase& s : op.samples()) EXPECT_TRUE(parts.contains("adjoint: " + s.name)) << s.name;
    for (int c = 0; c < kContracts; ++c) {
        const std::string contract = std::string(name(static_cast<Contract>(c))) + ": ";
        EXPECT_TRUE(std::any_of(parts.begin(), parts.end(), [&](const std::string& p) { return p.starts_with(contract); }))
            << contract;
    }
}

}  // namespace
}  // namespace gradproof::check
