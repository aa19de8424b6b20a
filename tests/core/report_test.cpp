// Reports as JSON, and of an op whose check did not come to its end.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "gradproof/core/check/contracts.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

TEST(Report, JsonHasWordsForWhatIsNoNumber) {
    Report report;
    ContractResult f;
    f.contract = Contract::linear;
    f.verdict = Verdict::wrong;
    f.error = f.bound = std::numeric_limits<double>::infinity();
    f.worst = Worst{"d(x)", {1, 2}, NAN, -std::numeric_limits<double>::infinity(), 1e-3};
    report.ops.emplace_back().findings.push_back(f);
    for (const char* part : {R"("bound": "inf")", R"("claimed": "nan")", R"("true": "-inf")"})
        EXPECT_NE(json(report).find(part), std::string::npos) << part << "\n" << json(report);
}

TEST(Report, RepeatsAreFoldedAndEntriesThatAgreeAreNotBlamed) {
    Report report;
    OpReport& op = report.ops.emplace_back();
    op.op = "op";
    for (const char* sample : {"a", "b", "c"}) {
        ContractResult& f = op.findings.emplace_back();
        f.sample = sample;
        f.verdict = Verdict::wrong;
        f.reason = "<u, J v> is not <claimed, v>";
        f.worst = Worst{"d(x)", {0}, -0.4878, -0.4878, 0};
        f.census = {{"d(x)", 2, 0, 0, 0, 0}};
    }
    op.findings.back().reason = "another";
    const std::string text = table(report, {}), all = table(report, {.verbose = true});
    EXPECT_NE(text.find("sample \"a\": wrong: <u, J v> is not <claimed, v>\n      the same on 1 other sample: \"b\"\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("sample \"b\": wrong"), std::string::npos) << text;
    EXPECT_NE(text.find("sample \"c\": wrong: another\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("worst entry"), std::string::npos) << text;
    EXPECT_EQ(json(report).find("\"worst\""), std::string::npos) << json(report);
    EXPECT_NE(all.find("sample \"b\": wrong"), std::string::npos) << all;
}

TEST(Report, AReasonIsFoldedWhateverItsNumbers) {
    Report report;
    OpReport& op = report.ops.emplace_back();
    for (const char* reason : {"kink at d(x)[0]: claimed 0.5", "kink at d(x)[12]: claimed 3", "another"}) {
        ContractResult& f = op.findings.emplace_back();
        f.sample = reason;
        f.verdict = Verdict::cannot_tell;
        f.reason = reason;
    }
    const std::string text = table(report, {});
    EXPECT_NE(text.find("the same on 1 other sample"), std::string::npos) << text;
    EXPECT_NE(text.find("cannot tell: another\n"), std::string::npos) << text;
}

/// y = x^2, whose gradient is doubled where x > 0, and off by little at one entry.
struct Doubled {
    static constexpr OpInfo info{
        .name = "doubled", .inputs = "x", .forward = "y = x^2", .backward = "dx = 2 x dy", .saves = "x", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = SavedInput<T>;
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 1);
        saved.x = x[0];
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] * x[0][i];
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        Tensor<T> g(dy.shape());
        for (Index i = 0; i < g.size(); ++i) g[i] = T(saved.x[i] > T(0) ? 4 : i == 1 ? 2 + 2e-8 : 2) * saved.x[i] * dy[i];
        dx.add(0, g);
    }
    static std::vector<Sample<Doubled>> samples() {
        return {{"row", {}, {Tensor<double>::from({8}, {1, -0.1, 2, -3, 1.5, -1, 2.5, -2})}}};
    }
    static std::vector<ErrorSample<Doubled>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};

TEST(Report, ADiagnosisCountsAsTheCensusDoes) {
    static const OpEntry entry = make_entry<Doubled>("tests/doubled.cpp");
    const OpReport report = check_op(entry, {.seed = 3});
    const ContractResult& f = *report.of(Contract::adjoint).front();
    ASSERT_EQ(f.census.size(), 1u);
    ASSERT_EQ(f.diagnoses.size(), 1u);
    EXPECT_EQ(f.census[0].off, 5);
    EXPECT_NE(f.diagnoses[0].text.find("only 5 of 8 entries are off"), std::string::npos) << f.diagnoses[0].text;
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
