// Ops out of the tree: judged in processes of their own, refused where they do not fit, and started by new-op.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/check/report.hpp"
#include "core/plugin.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using check::Contract;
using testing::error_of;
using testing::expect_one_line;
using testing::InAFolder;
using testing::ProgramRun;
using testing::read;
using Json = nlohmann::json;
namespace fs = std::filesystem;

/// The plugins that the test Sandbox.PluginsAreBuilt leaves behind, and a folder to write to.
class Sandbox : public InAFolder {
  protected:
    void SetUp() override {
        InAFolder::SetUp();
        ASSERT_TRUE(fs::exists(fs::path(GRADPROOF_SANDBOX) / "new_op/build/libtest.so")) << "the plugins are not built: ctest -R Sandbox.PluginsAreBuilt";
        // A crash is to be one under the sanitizers too.
        for (const char* options : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) ::setenv(options, "handle_segv=0:handle_abort=0", 1);
    }

    static std::string plugin(const std::string& name) { return std::string(GRADPROOF_SANDBOX) + "/plugins/lib" + name + ".so"; }
    static ProgramRun run(const std::string& arguments) { return testing::run_program(arguments); }
    static ProgramRun check(const std::string& name, const std::string& more = "") { return run("check --plugin " + plugin(name) + " " + more); }
    static Json json_of(const ProgramRun& r) { return Json::parse(r.text.substr(r.text.find('{'))); }

    /// For tests that load in this process: the system loads a file only once.
    std::string copy_of(const std::string& name, const std::string& as = "") const {
        const fs::path to = dir_ / (as.empty() ? "lib" + name + ".so" : as);
        fs::copy(plugin(name), to);
        return to.string();
    }
    /// A library whose bytes differ from those of tiny by `from` -> `to`, of one length.
    std::string patched(const std::string& name, const std::string& from, const std::string& to) const {
        std::string bytes = read(plugin("tiny"));
        for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size()) bytes.replace(at, from.size(), to);
        const std::string path = (dir_ / name).string();
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
};

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

TEST_F(Sandbox, OpsOfPluginsJoinTheTable) {
    const ProgramRun all = run("ops --plugin " + plugin("tiny") + " --plugin " + plugin("readme")), one = run("ops tiny --plugin " + plugin("tiny"));
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
    const auto all = names("--all-ops");
    EXPECT_EQ(all.size(), registry().all().size() + 2);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    expect_one_line(run("check --op tinny " + both), "no op named tinny; did you mean tiny");
    expect_one_line(run("check --all-ops --op tiny " + both), "either --all-ops or --op");
    expect_one_line(run("check"), "give FILE, --all-ops, --op NAME or --plugin LIB");
}

TEST_F(Sandbox, TwoPluginsMayNameTheirStructsAlike) {
    const ProgramRun r = run("check --plugin " + plugin("tiny") + " --plugin " + plugin("twin"));
    EXPECT_EQ(r.status, 0) << r.text;  // a shared struct would be caught: the difference and the adjoint would not agree
    EXPECT_NE(r.text.find("2 ops: 2 right"), std::string::npos) << r.text;
    const Plugin tiny = load_plugin(copy_of("tiny")), twin = load_plugin(copy_of("twin"));
    EXPECT_NE(tiny.ops.at(0)->f64.forward, twin.ops.at(0)->f64.forward);
    registry().remove("tiny");
    registry().remove("twin");
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
    {"breaks_difference", Contract::difference, "not the one differences give", "d(a)"},
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
};
void PrintTo(const Breach& b, std::ostream* out) { *out << b.op; }
static_assert(std::size(kBreaches) == check::kContracts);

class SandboxContract : public Sandbox, public ::testing::WithParamInterface<Breach> {};

TEST_P(SandboxContract, IsNamedAndNoOtherIs) {
    const Breach& b = GetParam();
    const ProgramRun r = check("broken", std::string("--json --op ") + b.op);
    EXPECT_EQ(r.status, 1);
    const Json op = json_of(r)["ops"].at(0);
    EXPECT_EQ(op["verdict"], "wrong");
    for (const Json& c : op["contracts"]) EXPECT_EQ(c["mark"], c["number"] == check::number(b.contract) ? "X" : "+") << c.dump(1);
    const Json* wrong = nullptr;
    for (const Json& f : op["contracts"][static_cast<std::size_t>(b.contract)]["samples"])
        if (f["verdict"] == "wrong") wrong = &f;
    ASSERT_NE(wrong, nullptr);
    EXPECT_NE((*wrong)["reason"].get<std::string>().find(b.reason), std::string::npos) << wrong->dump(1);

    const std::string text = check("broken", std::string("--op ") + b.op).text;
    EXPECT_NE(text.find(fmt::format("X {}: {} {}, sample", b.op, check::number(b.contract), check::name(b.contract))), std::string::npos) << text;
    if (std::string_view(b.worst).empty()) return;
    EXPECT_TRUE((*wrong)["worst"]["tensor"].get<std::string>().starts_with(b.worst)) << wrong->dump(1);
    EXPECT_NE(text.find(std::string("worst entry ") + b.worst), std::string::npos) << text;
    EXPECT_NE(text.find(": claimed "), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Sandbox, SandboxContract, ::testing::ValuesIn(kBreaches), [](const auto& p) { return std::string(p.param.op); });

TEST_F(Sandbox, TheCensusComesBackFromTheChild) {
    const std::string text = check("broken", "--op breaks_adjoint --op breaks_difference").text;
    EXPECT_NE(text.find("d(b): 1 of 15 entries off"), std::string::npos) << text;
    EXPECT_NE(text.find("d(a): 15 of 15 entries off, ratios"), std::string::npos) << text;
}

/// The reason a report gives for an op that did not come back.
std::string failure_of(const ProgramRun& r) {
    EXPECT_EQ(r.status, 1) << r.text;
    const Json op = Json::parse(r.text.substr(r.text.find("{\n")))["ops"].at(0);
    EXPECT_EQ(op["verdict"], "wrong");
    const Json& first = op["contracts"][0];
    EXPECT_EQ(first["mark"], "X");
    EXPECT_EQ(first["samples"][0]["sample"], "matrix");  // where it was
    EXPECT_EQ(first["samples"][0]["reason"], op["failure"]);
    EXPECT_EQ(op["contracts"][5]["mark"], "?");
    return op["failure"];
}

TEST_F(Sandbox, ACrashIsNamedWithItsSignal) { EXPECT_EQ(failure_of(check("broken", "--json --op segfaults")), "crashed by signal 11 (Segmentation fault)"); }
TEST_F(Sandbox, AStackOverflowIsNamedWithItsSignal) { EXPECT_EQ(failure_of(check("broken", "--json --op overflows_stack")), "crashed by signal 11 (Segmentation fault)"); }
TEST_F(Sandbox, AHangIsNamedWithTheLimit) {
    EXPECT_EQ(failure_of(check("broken", "--json --op hangs --time-limit 1.5")), "timed out: no answer within 1.5 s (--time-limit)");
}
TEST_F(Sandbox, AnExitIsNamedWithItsStatus) { EXPECT_EQ(failure_of(check("broken", "--json --op exits")), "ended the process with exit status 0 in the middle of it"); }

TEST_F(Sandbox, WhatAnOpThrowsIsQuoted) {
    EXPECT_NE(check("broken", "--op throws").text.find("sample \"matrix\": wrong: threw \"no luck today\""), std::string::npos);
    EXPECT_NE(check("broken", "--op throws_number").text.find("wrong: threw something that is not an exception"), std::string::npos);
}

TEST_F(Sandbox, ANaNIsTheWorstEntry) {
    const ProgramRun r = check("broken", "--op writes_nan");
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.text.find("worst entry d(b)[0, 1]: claimed nan"), std::string::npos) << r.text;
}

TEST_F(Sandbox, TheOthersAreJudgedWhenOneDoesNotComeBack) {
    const ProgramRun r = run("check --json --time-limit 10 --plugin " + plugin("broken") + " --plugin " + plugin("tiny") + " --op hangs --op segfaults --op exits --op tiny");
    EXPECT_EQ(r.status, 1);
    const Json report = json_of(r);
    ASSERT_EQ(report["ops"].size(), 4u);
    EXPECT_EQ(report["ops"][3]["verdict"], "right");
    EXPECT_EQ(report["verdict"], "wrong");
}

/// A derivation, right for swish, that calls an op of a plugin.
std::string derivation(const fs::path& dir, const std::string& call) {
    const std::string path = (dir / "derivation.proof").string();
    std::ofstream(path) << "dims n m\ninput X [n, m]\nforward\n  Y = " << call << "\nclaim\n"
                        << "  ∂L/∂X = ∂L/∂Y ⊙ sigmoid(X) ⊙ (1 + X ⊙ (1 - sigmoid(X)))\n";
    return path;
}

TEST_F(Sandbox, TheNotationKnowsOpsOfPlugins) {
    const std::string file = derivation(dir_, "swish(X)");
    const ProgramRun r = run("check " + file + " --plugin " + plugin("readme")), wrong = run("check --plugin " + plugin("tiny") + " " + derivation(dir_, "tiny(X)"));
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("\n  right "), std::string::npos) << r.text;
    EXPECT_EQ(wrong.status, 1) << wrong.text;
    EXPECT_EQ(run("check " + derivation(dir_, "swish(X)")).status, 2);
    expect_one_line(run("check " + file + " --plugin " + plugin("other_version")), "built against gradproof 0.97.0");
    expect_one_line(run("check " + file + " --time-limit 0 --plugin " + plugin("readme")), "not a time above 0");
}

TEST_F(Sandbox, ADerivationWhoseOpDoesNotComeBackIsAnError) {
    const auto end_of = [&](const std::string& op) { return run("check --time-limit 1.5 --plugin " + plugin("broken") + " " + derivation(dir_, op + "(X, X)")); };
    const auto expect = [&](const std::string& op, int status, const std::string& text) {
        const ProgramRun r = end_of(op);
        EXPECT_EQ(r.status, status) << r.text;
        EXPECT_EQ(r.text, "gradproof: " + text + "\n");
    };
    const std::string one = "plugin " + plugin("broken") + ": one of its ops ";
    expect("forward_segfaults", 1, one + "crashed by signal 11 (Segmentation fault)");
    expect("forward_hangs", 1, one + "timed out: no answer within 1.5 s (--time-limit)");
    expect("forward_exits", 1, one + "ended the process with exit status 0 in the middle of it");
    expect("forward_throws_number", 2, "an op of a plugin threw something that is not an exception");
}

TEST_F(Sandbox, AnotherVersionIsRefusedBeforeItRuns) {
    ::setenv("SANDBOX_AT_LOAD", "exit", 1);  // were it loaded, the program would be gone
    const ProgramRun r = check("other_version");
    const std::string direct = error_of([] { load_plugin(plugin("other_version")); });
    ::unsetenv("SANDBOX_AT_LOAD");
    expect_one_line(r, "libother_version.so: built against gradproof 0.97.0, this is 0.1.0: build it again");
    EXPECT_NE(direct.find("built against gradproof 0.97.0"), std::string::npos) << direct;
    EXPECT_FALSE(registry().has("tiny"));
}

TEST_F(Sandbox, TheSystemItselfDoesNotLoadAnotherVersion) {
    EXPECT_EQ(::dlopen(plugin("other_version").c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
    EXPECT_NE(std::string(::dlerror()).find("BuiltAgainst"), std::string::npos);
}

TEST_F(Sandbox, AnotherLayoutIsRefused) {
    const std::string ours = std::to_string(detail::kLayout);
    std::string theirs = ours;
    theirs.back() = theirs.back() == '1' ? '2' : '1';
    expect_one_line(run("check --plugin " + patched("liblayout.so", "ELm" + ours + "EE", "ELm" + theirs + "EE")), "types are laid out differently");
}

TEST_F(Sandbox, WhatIsNoPluginIsRefused) {
    const auto refused = [&](const std::string& path, const char* part) { expect_one_line(run("check --plugin " + path), part); };
    std::ofstream(dir_ / "text.so") << "an essay, and not a library";
    std::ofstream(dir_ / "nothing.so");
    refused((dir_ / "missing.so").string(), "missing.so: cannot read: No such file");
    refused((dir_ / "text.so").string(), "text.so: not a shared library");
    refused((dir_ / "nothing.so").string(), "nothing.so");
    refused(dir_.string(), "it is a folder");
    refused(plugin("empty"), "registers no op");
    refused(patched("libneeds.so", "libgradproof.so.0", "libgradproof.so.9"), "cannot be loaded: libgradproof.so.9");
}

TEST_F(Sandbox, ATakenNameIsRefusedAndNothingStays) {
    const std::string first = copy_of("tiny"), second = copy_of("tiny", "libsecond.so");
    expect_one_line(run("ops --plugin " + first + " --plugin " + second), "libsecond.so: registry: op tiny is registered twice");
    const std::size_t before = registry().all().size();
    const Plugin tiny = load_plugin(first);
    EXPECT_NE(error_of([&] { load_plugin(second); }).find("registered twice"), std::string::npos);
    EXPECT_EQ(registry().all().size(), before + 1);
    EXPECT_EQ(&registry().find("tiny"), tiny.ops.at(0));
    EXPECT_NE(error_of([&] { load_plugin(first); }).find("loaded already"), std::string::npos);
    registry().remove("tiny");
    EXPECT_EQ(load_plugin(second).ops.size(), 1u);  // it was unloaded when it was refused
    registry().remove("tiny");
}

TEST_F(Sandbox, ALibraryThatDoesNotLoadIsAnError) {
    const auto at_load = [&](const char* how) {
        ::setenv("SANDBOX_AT_LOAD", how, 1);
        const ProgramRun r = check("tiny", "--time-limit 1.5");
        ::unsetenv("SANDBOX_AT_LOAD");
        return r;
    };
    expect_one_line(at_load("crash"), "libtiny.so: loading it crashed by signal 11");
    expect_one_line(at_load("hang"), "libtiny.so: loading it timed out: no answer within 1.5 s");
    expect_one_line(at_load("exit"), "libtiny.so: loading it ended the process with exit status 7");
}

TEST_F(Sandbox, ATimeLimitIsATime) {
    for (const char* bad : {"0", "-1", "nan", "inf"}) expect_one_line(check("tiny", std::string("--time-limit=") + bad), "not a time above 0");
    EXPECT_EQ(check("tiny", "--time-limit=soon").status, 2);
    EXPECT_EQ(check("tiny", "--time-limit=1e300").status, 0);
}

}  // namespace
}  // namespace gradproof
