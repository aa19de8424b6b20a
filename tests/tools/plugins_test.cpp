// Loading libraries of ops: what fits joins the registry and the notation, and what does not is refused in one line.
#include <dlfcn.h>

#include "gradproof/core/plugin.hpp"
#include "gradproof/core/version.hpp"
#include "tests/tools/sandbox.hpp"

namespace gradproof {
namespace {

using testing::error_of;
using testing::expect_one_line;
using testing::ProgramRun;
using testing::read;
using testing::Sandbox;
namespace fs = std::filesystem;

TEST_F(Sandbox, TwoPluginsMayNameTheirStructsAlike) {
    const ProgramRun r = run("check --plugin " + plugin("tiny") + " --plugin " + plugin("twin"));
    EXPECT_EQ(r.status, 0) << r.text;  // a shared struct would be caught: the difference and the adjoint would not agree
    EXPECT_NE(r.text.find("2 ops: 2 right"), std::string::npos) << r.text;
    const Plugin tiny = load_plugin(copy_of("tiny")), twin = load_plugin(copy_of("twin"));
    EXPECT_NE(tiny.ops.at(0)->table<double>().forward, twin.ops.at(0)->table<double>().forward);
    registry().remove("tiny");
    registry().remove("twin");
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
    const ProgramRun r = run("check " + file + " --plugin " + plugin("readme")),
                     wrong = run("check --plugin " + plugin("tiny") + " " + derivation(dir_, "tiny(X)"));
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_NE(r.text.find("\n  right "), std::string::npos) << r.text;
    EXPECT_EQ(wrong.status, 1) << wrong.text;
    EXPECT_EQ(run("check " + derivation(dir_, "swish(X)")).status, 1) << "not read";
    expect_one_line(run("check " + file + " --plugin " + plugin("other_version")), "built against gradproof 0.97.0");
    expect_one_line(run("check " + file + " --time-limit 0 --plugin " + plugin("readme")), "expected more than 0");
}

TEST_F(Sandbox, ADerivationWhoseOpDoesNotComeBackIsAnError) {
    const auto expect = [&](const std::string& op, int status, const std::string& text) {
        const ProgramRun r = run("check --time-limit 5 --plugin " + plugin("broken") + " " + derivation(dir_, op + "(X, X)"));
        EXPECT_EQ(r.status, status) << r.text;
        EXPECT_TRUE(r.text.ends_with("gradproof: " + text + "\n")) << r.text;  // a sanitizer may have spoken before
    };
    const std::string one = "plugin " + plugin("broken") + ": one of its ops ";
    expect("forward_segfaults", 1, one + "crashed by signal 11 (Segmentation fault)");
    expect("forward_hangs", 1, one + "timed out: no answer within 5 s (--time-limit)");
    expect("forward_exits", 1, one + "ended the process with exit status 0 in the middle of it");
    expect("forward_throws_number", 2, "an op of a plugin threw something that is not an exception");
}

TEST_F(Sandbox, AnotherVersionIsRefusedBeforeItRuns) {
    ::setenv("SANDBOX_AT_LOAD", "exit", 1);  // were it loaded, the program would be gone
    const ProgramRun r = check("other_version");
    const std::string direct = error_of([] { load_plugin(plugin("other_version")); });
    ::unsetenv("SANDBOX_AT_LOAD");
    expect_one_line(r, "libother_version.so: built against gradproof 0.97.0, this is " + version() + ": build it again");
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
    expect_one_line(run("check --plugin " + patched("liblayout.so", "ELm" + ours + "EE", "ELm" + theirs + "EE")),
                    "types are laid out differently");
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
        const ProgramRun r = check("tiny", "--time-limit 5");
        ::unsetenv("SANDBOX_AT_LOAD");
        return r;
    };
    expect_one_line(at_load("crash"), "libtiny.so: loading it crashed by signal 11");
    expect_one_line(at_load("hang"), "libtiny.so: loading it timed out: no answer within 5 s");
    expect_one_line(at_load("exit"), "libtiny.so: loading it ended the process with exit status 7");
}

TEST_F(Sandbox, ATimeLimitIsATime) {
    for (const char* bad : {"0", "-1", "nan", "inf"})
        expect_one_line(check("tiny", std::string("--time-limit=") + bad), "expected more than 0");
    EXPECT_EQ(check("tiny", "--time-limit=soon").status, 2);
    EXPECT_EQ(check("tiny", "--time-limit=1e300").status, 0);
}

}  // namespace
}  // namespace gradproof
