// Ops out of the tree, which run in a process of their own: the contract that each breaks is named, and so is how it ended.
#include "tests/tools/sandbox.hpp"

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/registry.hpp"
#include "tests/expected_mark.hpp"
#include "tests/paths.hpp"

namespace gradproof {
namespace {

using check::Contract;
using testing::expect_one_line;
using testing::ProgramRun;
using testing::Sandbox;
using Json = nlohmann::json;

TEST_F(Sandbox, TheReadmesOpIsRight) {
    const ProgramRun r = check("readme");
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("1 op: 1 right, 0 wrong, 0 cannot tell"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("18/18 planted bugs caught"), std::string::npos) << r.text;
}

TEST_F(Sandbox, WhatNewOpWritesIsRight) {
    const ProgramRun r = run("check --plugin " GRADPROOF_SANDBOX "/new_op/build/libtest.so");
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("1 op: 1 right, 0 wrong, 0 cannot tell; 5 samples"), std::string::npos) << r.text;
}

TEST_F(Sandbox, DerivedPagesKeepEveryContract) {
    const ProgramRun r = run("check --time-limit 280 --plugin " GRADPROOF_SANDBOX "/derived/build/libderived.so");
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("11 ops: 11 right, 0 wrong, 0 cannot tell"), std::string::npos) << r.text;
}

TEST_F(Sandbox, OpsOfPluginsJoinTheTable) {
    const ProgramRun all = run("ops --plugin " + plugin("tiny") + " --plugin " + plugin("readme")),
                     one = run("ops tiny --plugin " + plugin("tiny"));
    for (const char* name : {"\nsoftmax ", "\nswish ", "\ntiny "}) EXPECT_NE(all.text.find(name), std::string::npos) << name;
    EXPECT_TRUE(one.text.starts_with("tiny(x)\n  forward   y = factor x\n")) << one.text;
    EXPECT_EQ(run("ops tiny").status, 2);
}

TEST_F(Sandbox, ChoosesAmongOpsOfTheProgramAndOfPlugins) {
    const std::string both = "--plugin " + plugin("tiny") + " --plugin " + plugin("twin") + " --json ";
    const auto names = [&](const std::string& more) {
        std::vector<std::string> out;
        const Json report = json_of(run("check " + both + more));
        for (const Json& op : report["ops"]) out.push_back(op["op"]);
        return out;
    };
    EXPECT_EQ(names(""), (std::vector<std::string>{"tiny", "twin"}));
    EXPECT_EQ(names("--plugin " + plugin("tiny")), (std::vector<std::string>{"tiny", "twin"}));  // the same one again
    EXPECT_EQ(names("--op twin --op exp"), (std::vector<std::string>{"twin", "exp"}));
    if (!testing::kSanitized) {  // a minute there
        const auto all = names("--all-ops");
        EXPECT_EQ(all.size(), registry().all().size() + 2);
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    }
    expect_one_line(run("check --op tinny " + both), "no op named tinny; did you mean tiny");
    expect_one_line(run("check --all-ops --op tiny " + both), "either --all-ops or --op");
    expect_one_line(run("check"), "or --plugin LIB");
}

/// What a report must say of an op that breaks one contract.
struct Breach {
    const char* op;
    Contract contract;
    const char* reason;
    const char* worst;  ///< the tensor of the worst entry, "" where there is no entry to speak of
};
constexpr Breach kBreaches[] = {
    {"breaks_adjoint", Contract::adjoint, "not the one dual numbers give", "d(b)"},
    {"breaks_dual_value", Contract::dual_value, "the forward over duals", "y"},
    {"breaks_difference", Contract::difference, "the oracles disagree", "d(a)"},
    {"breaks_float_error", Contract::float_error, "times the error of a plain float reference", "d("},
    {"breaks_linear", Contract::linear, "a zero cotangent gives a gradient that is not zero", "d(b)"},
    {"breaks_needed", Contract::needed, "guard it with dx.needs(0)", ""},
    {"breaks_unchanged", Contract::unchanged, "saved scratch is changed", "saved scratch"},
    {"breaks_saved", Contract::saved, "scratch is saved but not declared", ""},
    {"breaks_second_order", Contract::second_order, "not the derivative of the backward over doubles", "H v of d(b)"},
    {"breaks_errors", Contract::errors, "nothing is thrown", ""},
    {"breaks_layout", Contract::layout, "when the cotangent is a view", "d(a)"},
    {"breaks_deterministic", Contract::deterministic, "with 4 threads", "d("},
    {"breaks_mutation", Contract::mutation, "the sample says its gradient is zero", ""},
    {"breaks_independent", Contract::independent, "when a call with other inputs is recorded before the first backward", "d(b)"},
    {"breaks_in_bounds", Contract::in_bounds, "the forward writes past the end of y: element 15 of [3, 5]", ""},
};
void PrintTo(const Breach& b, std::ostream* out) { *out << b.op; }
static_assert(std::size(kBreaches) == check::kContracts);

class SandboxContract : public Sandbox, public ::testing::WithParamInterface<Breach> {};

TEST_P(SandboxContract, IsNamedAndNoOtherIs) {
    const Breach& b = GetParam();
    const ProgramRun r = check("broken", std::string("--json --op ") + b.op);
    const char mark = check::expected_mark(b.contract, b.contract);
    const std::string verdict = mark == 'X' ? "wrong" : "cannot tell";
    EXPECT_EQ(r.status, mark == 'X' ? 1 : 3);
    const Json op = json_of(r)["ops"].at(0);
    EXPECT_EQ(op["verdict"], verdict);
    for (const Json& c : op["contracts"]) {
        const int number = c["number"];
        EXPECT_EQ(c["mark"], std::string(1, check::expected_mark(static_cast<Contract>(number - 1), b.contract))) << c.dump(1);
    }
    const Json* wrong = nullptr;
    for (const Json& f : op["contracts"][static_cast<std::size_t>(b.contract)]["samples"])
        if (f["verdict"] == verdict) wrong = &f;
    ASSERT_NE(wrong, nullptr);
    EXPECT_NE((*wrong)["reason"].get<std::string>().find(b.reason), std::string::npos) << wrong->dump(1);

    const std::string text = check("broken", std::string("--op ") + b.op).text;
    EXPECT_NE(text.find(fmt::format("{} {}: {} {}, sample", mark, b.op, check::number(b.contract), check::name(b.contract))),
              std::string::npos)
        << text;
    if (std::string_view(b.worst).empty()) return;
    EXPECT_TRUE((*wrong)["worst"]["tensor"].get<std::string>().starts_with(b.worst)) << wrong->dump(1);
    EXPECT_NE(text.find(std::string("worst entry ") + b.worst), std::string::npos) << text;
    EXPECT_NE(text.find(": claimed "), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Sandbox, SandboxContract, ::testing::ValuesIn(kBreaches),
                         [](const auto& p) { return std::string(p.param.op); });

TEST_F(Sandbox, TheCensusIsShown) {
    const std::string text = check("broken", "--op breaks_adjoint --op breaks_difference").text;
    EXPECT_NE(text.find("d(b): 1 of 15 entries off"), std::string::npos) << text;
    EXPECT_NE(text.find("d(a): 15 of 15 entries off, ratios"), std::string::npos) << text;
}

/// The reason a report gives for an op that did not come back.
std::string failure_of(const ProgramRun& r) {
    EXPECT_EQ(r.status, 1) << r.text;
    const Json op = Sandbox::json_of(r)["ops"].at(0);
    EXPECT_EQ(op["verdict"], "wrong");
    const Json& first = op["contracts"][0];
    EXPECT_EQ(first["mark"], "X");
    EXPECT_EQ(first["samples"][0]["sample"], "matrix");  // where it was
    EXPECT_EQ(first["samples"][0]["reason"], op["failure"]);
    EXPECT_EQ(op["contracts"][5]["mark"], "?");
    return op["failure"];
}

TEST_F(Sandbox, ACrashIsNamedWithItsSignal) {
    EXPECT_EQ(failure_of(check("broken", "--json --op segfaults")), "crashed by signal 11 (Segmentation fault)");
}
TEST_F(Sandbox, AStackOverflowIsNamedWithItsSignal) {
    EXPECT_EQ(failure_of(check("broken", "--json --op overflows_stack")), "crashed by signal 11 (Segmentation fault)");
}
TEST_F(Sandbox, AHangIsNamedWithTheLimit) {
    EXPECT_EQ(failure_of(check("broken", "--json --op hangs --time-limit 5")), "timed out: no answer within 5 s (--time-limit)");
}
TEST_F(Sandbox, SilenceIsAHang) {
    EXPECT_EQ(failure_of(check("broken", "--json --op hangs_up --time-limit 5")),
              "timed out: no answer within 5 s (--time-limit)");
}
TEST_F(Sandbox, AnExitIsNamedWithItsStatus) {
    EXPECT_EQ(failure_of(check("broken", "--json --op exits")), "ended the process with exit status 0 in the middle of it");
}

TEST_F(Sandbox, ALibraryCannotVouchForItself) {
    const ProgramRun r = check("forges", "--json");
    EXPECT_EQ(failure_of(r), "answered with something that is no answer to its call");
    const ProgramRun out = check("forges", fmt::format("> {0}/out 2> /dev/null; cat {0}/out", dir_.string()));
    EXPECT_TRUE(out.text.starts_with("op ")) << out.text;  // what it prints as it is loaded is not on stdout
    EXPECT_EQ(out.text.find("forged"), std::string::npos) << out.text;
    EXPECT_NE(out.text.find("1 op: 0 right, 1 wrong, 0 cannot tell"), std::string::npos) << out.text;
    EXPECT_NE(r.text.find("plugin prints: forged: 1 op: 1 right"), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("\nforged"), std::string::npos) << r.text;  // on stderr neither as the program's own
}

TEST_F(Sandbox, AnAnswerThatIsNoAnswerIsNoted) {
    EXPECT_EQ(failure_of(check("broken", "--json --op lies")), "answered with something that is no answer to its call");
}

TEST_F(Sandbox, SamplesThatDoNotComeAreNoted) {
    const ProgramRun threw = check("broken", "--op throws_in_samples"), crashed = check("broken", "--op crashes_in_samples");
    EXPECT_EQ(threw.status, 1);
    EXPECT_NE(threw.text.find("sample \"before the first sample\": wrong: threw \"no samples today\""), std::string::npos)
        << threw.text;
    EXPECT_NE(crashed.text.find("sample \"before the first sample\": wrong: crashed by signal 6 (Aborted)"), std::string::npos)
        << crashed.text;
    const ProgramRun listed = run("ops crashes_in_samples --plugin " + plugin("broken"));
    EXPECT_EQ(listed.status, 1);
    EXPECT_NE(listed.text.find("one of its ops crashed by signal 6 (Aborted)"), std::string::npos) << listed.text;
}

TEST_F(Sandbox, WhatAnOpThrowsIsQuoted) {
    EXPECT_NE(check("broken", "--op throws").text.find("sample \"matrix\": wrong: threw \"no luck today\""), std::string::npos);
    EXPECT_NE(check("broken", "--op throws_number").text.find("wrong: threw something that is not an exception"),
              std::string::npos);
}

TEST_F(Sandbox, ANaNIsTheWorstEntry) {
    const ProgramRun r = check("broken", "--op writes_nan");
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.text.find("worst entry d(b)[0, 1]: claimed nan"), std::string::npos) << r.text;
}

TEST_F(Sandbox, AnOpIsHeldToTheDerivationBesideItsLibrary) {
    const std::string library = copy_of("tiny");
    const auto with = [&](const std::string& value) {
        std::ofstream(dir_ / "tiny.proof") << "dims n\ninput X [n]\nforward\n  Y = " << value << "\n";
        return run("check --time-limit 280 --plugin " + library);
    };
    const ProgramRun right = with("2 X"), wrong = with("3 X"), circular = with("tiny(X)"), other = with("X + Z");
    EXPECT_EQ(right.status, 0) << right.text;
    EXPECT_NE(right.text.find("forward backward; against " + (dir_ / "tiny.proof").string()), std::string::npos) << right.text;
    EXPECT_EQ(wrong.status, 1) << wrong.text;
    EXPECT_NE(wrong.text.find("the forward is at fault: y of the page (claimed) is not that of"), std::string::npos)
        << wrong.text;
    EXPECT_NE(wrong.text.find("why: y: claimed = 0.666667 * true\n"), std::string::npos) << wrong.text;
    EXPECT_EQ(wrong.text.find("the backward is at fault"), std::string::npos) << wrong.text;
    expect_one_line(circular, "it calls tiny itself, and so says nothing of it");
    EXPECT_EQ(other.status, 2) << other.text;
    std::filesystem::remove(dir_ / "tiny.proof");
    EXPECT_EQ(run("check --plugin " + library).text.find("against"), std::string::npos);
    EXPECT_EQ(run("check --op softmax --proof softmax_rows").status, 0);
    EXPECT_EQ(run("check --op tanh --proof softmax_rows").status, 1);
    expect_one_line(run("check --op exp --proof attention"), "the inputs are Q K V, those of exp are x");
    expect_one_line(run("check --op softmax --op exp --proof attention"), "for one op and its derivation");
}

TEST_F(Sandbox, TheOthersAreJudgedWhenOneDoesNotComeBack) {
    const ProgramRun r = run("check --json --time-limit 10 --plugin " + plugin("broken") + " --plugin " + plugin("tiny") +
                             " --op hangs --op segfaults --op exits --op tiny");
    EXPECT_EQ(r.status, 1);
    const Json report = json_of(r);
    ASSERT_EQ(report["ops"].size(), 4u);
    EXPECT_EQ(report["ops"][3]["verdict"], "right");
    EXPECT_EQ(report["verdict"], "wrong");
}

}  // namespace
}  // namespace gradproof
