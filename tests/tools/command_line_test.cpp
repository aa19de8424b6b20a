// What every command has from the command line: numbers as typed, nothing for a value,
// the nearest word, and output that gets lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/platform/memory.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using testing::expect_one_line;
using testing::run_program;

class CommandLine : public testing::InAFolder {
  protected:
    /// The exit status of a shell's command; what it writes to stderr goes into error.txt.
    int status_of(const std::string& command) const {
        const int status = std::system(fmt::format("cd '{}' && ( {} ) 2> error.txt", dir_.string(), command).c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string error() const { return testing::read(dir_ / "error.txt"); }
    static constexpr const char* kProgram = GRADPROOF_BINARY;
};

TEST_F(CommandLine, NumbersAreTakenAsTypedOrRefused) {
    for (const auto& [arguments, part] :
         {std::pair{"train --epochs 99999999999999999999",
                    "train: --epochs: 99999999999999999999, expected a whole number from -2^63 to 2^63 - 1"},
          {"train --epochs 1e3", "--epochs: 1e3, expected a whole number"},
          {"train --epochs 0x10", "--epochs: 0x10, expected a whole number"},
          {"train --epochs +-3", "--epochs: +-3, expected a whole number"},
          {"train --seed -1", "--seed: -1, expected a whole number from 0 to 2^64 - 1"},
          {"train --epochs 0000", "train: epochs is 0"},
          {"train --batch 09999", "train: batch is 9999"},
          {"train --lr abc", "--lr: abc, expected a number"},
          {"train --lr 1e999", "--lr: 1e999, expected a number"},
          {"train --lr 0.1x", "--lr: 0.1x, expected a number"},
          {"generate --checkpoint x --prompt a --top-k 99999999999999999999",
           "--top-k: 99999999999999999999, expected a whole number"},
          {"train --seed 1 --seed 2", "train: --seed: more than one value, expected one"},
          {"train --out", "train: --out: no value, expected one"}})
        expect_one_line(run_program(arguments), part);
}

TEST_F(CommandLine, AnErrorThatCannotBeToldIsStillAnError) {
    EXPECT_EQ(status_of(fmt::format("'{}' bogus 2> /dev/full", kProgram)), 2);
    EXPECT_EQ(status_of(fmt::format("'{}' bogus 2>&-", kProgram)), 2);
}

TEST_F(CommandLine, NothingIsNoValue) {
    for (const std::string arguments :
         {"''", "ops ''", "train --out ''", "heads --checkpoint '' --text a --out b", "check ''", "check --plugin ''",
          "replay ''", "exercise show ''", "attention --q '' --k k --v v", "experiment ''"})
        expect_one_line(run_program(arguments, dir_.string()), "(nothing)");
    EXPECT_TRUE(std::filesystem::is_empty(dir_));
}

TEST_F(CommandLine, TheNearestWordIsNamedWhereTheWordWas) {
    expect_one_line(run_program("exercise shwo 6"), "exercise: unknown command shwo; did you mean show");
    expect_one_line(run_program("exercise show 6 --jsn"), "exercise show: unknown option --jsn; did you mean --json");
    expect_one_line(run_program("chekc"), "unknown command chekc; did you mean check");
    expect_one_line(run_program("ops softmax more"), "ops: unknown argument more");
    expect_one_line(run_program("help exercise shwo"), "help: exercise has no command shwo");
    EXPECT_EQ(run_program("help exercise show").text, run_program("help exercise").text);
}

TEST_F(CommandLine, SaysWhereOptionsGoAndWhatTheyTake) {
    expect_one_line(run_program("--seed 3 check x"), "options come after the command: gradproof check --seed");
    expect_one_line(run_program("exercise --json list"), "options come after the command: gradproof exercise list --json");
    expect_one_line(run_program("check x --format foo"),
                    "check: --format: got foo, expected one of text, json, github, sarif, junit");
    expect_one_line(run_program("proofs softmax --json"), "proofs: --json gives the list");
}

TEST_F(CommandLine, KernelsAreChosenByNameWhereDerivationsAndModelsRun) {
    for (const std::string command : {"check --proof attention", "explain --proof attention", "train --out run",
                                      "generate --checkpoint x --prompt a", "experiment variance --out run"})
        expect_one_line(run_program(command + " --kernel fusedd", dir_.string()), "no kernel named fusedd; did you mean fused");
    EXPECT_TRUE(std::filesystem::is_empty(dir_));
    for (const std::string name : {"auto", "page", "plain", "fused"}) {
        const testing::ProgramRun check = run_program("check --proof attention --kernel " + name);
        EXPECT_EQ(check.status, 0) << check.text;
    }
}

TEST_F(CommandLine, CheckRefusesOptionsOfWhatItIsNotGiven) {
    for (const std::string option : {"--chain", "--only-wrong", "--bind X=x.npy", "--function f", "--html x.html",
                                     "--explain-reading", "--format github", "--kernel page"})
        for (const std::string ops : {"--op softmax ", "--all-ops "}) {
            const std::string named = option.starts_with("--format") ? option : option.substr(0, option.find(' '));
            expect_one_line(run_program("check " + ops + option, dir_.string()),
                            "check: " + named + " goes with derivations, not with ops");
        }
    for (const std::string derivations : {"--proof attention", "--all-proofs", "a.proof"})
        expect_one_line(run_program("check --verbose " + derivations), "check: --verbose goes with ops, not with derivations");
}

TEST_F(CommandLine, OpsAreGivenAsJson) {
    const std::string one = run_program("ops exp --json").text, all = run_program("ops --json").text;
    EXPECT_TRUE(one.starts_with(R"({"schema":1,"ops":[{"op":"exp","inputs":"x")")) << one;
    EXPECT_NE(one.find(R"("samples":[{"name":)"), std::string::npos) << one;
    EXPECT_NE(all.find(R"({"op":"softmax")"), std::string::npos);
    expect_one_line(run_program("ops --json --markdown"), "ops: give either --markdown or --json");
}

TEST_F(CommandLine, OutputThatIsLostIsAnError) {
    for (const std::string arguments :
         {"check --op softmax", "check --proof attention --json", "help", "--help", "--version", "ops softmax", "proofs",
          "exercise list", "replay students --json", "train --batch 2400 --epochs 1 --out run", "explain --proof attention"}) {
        EXPECT_EQ(status_of(fmt::format("'{}' {} > /dev/full", kProgram, arguments)), 2) << arguments;
        EXPECT_TRUE(error().find("the output cannot be written: ") != std::string::npos ||
                    error().find("No space left on device") != std::string::npos)
            << arguments << "\n"
            << error();
    }
    EXPECT_TRUE(std::filesystem::exists(dir_ / "run/model.safetensors")) << "the run itself was saved";
    EXPECT_EQ(status_of(fmt::format("'{}' ops softmax >&-", kProgram)), 2);
    EXPECT_NE(error().find("the output cannot be written: Bad file descriptor"), std::string::npos) << error();
    EXPECT_EQ(status_of(fmt::format("'{}' ops nothing > /dev/full", kProgram)), 2);
    EXPECT_NE(error().find("no op named nothing"), std::string::npos) << "where nothing was to be written, nothing is lost";
}

TEST_F(CommandLine, AnInstructionSetThatIsNotThereIsNoFaultOfAnOp) {
    EXPECT_EQ(status_of(fmt::format("GRADPROOF_ARCH=avx1024 '{}' check --op softmax", kProgram)), 2);
    EXPECT_TRUE(error().starts_with("gradproof: GRADPROOF_ARCH: no instruction set named 'avx1024' here")) << error();
}

TEST_F(CommandLine, TooLittleAddressSpaceIsToldAndNotWaitedFor) {
    if (!pool::keeps_blocks()) GTEST_SKIP() << "a sanitizer itself needs more";
    EXPECT_EQ(status_of(fmt::format("ulimit -v 150000; timeout 60 '{}' --version", kProgram)), 2);
    EXPECT_NE(error().find("the limit of address space (ulimit -v) is 146 MiB, expected at least"), std::string::npos) << error();
}

}  // namespace
}  // namespace gradproof
