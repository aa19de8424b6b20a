// Runs that meet other runs: in one folder at once, in a folder that has one, on another machine, of another version; and what
// was put into a folder by others.
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/version.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::testing {
namespace {

namespace fs = std::filesystem;

class Runs : public InAFolder {
  protected:
    ProgramRun run(const std::string& arguments) const { return run_program(arguments, dir_.string()); }
    ProgramRun train(const std::string& arguments) const { return run("train --batch 1200 --epochs 1 " + arguments); }
    /// A checkpoint changed by hand.
    void change(const std::string& folder, const std::function<void(Safetensors&)>& by) const {
        Safetensors file = read_safetensors(dir_ / folder / "model.safetensors");
        by(file);
        write_safetensors(dir_ / folder / "model.safetensors", file);
    }
};

TEST_F(Runs, TheSecondIntoAFolderIsTold) {
    fs::create_directory(dir_ / "run");
    const int held = ::open((dir_ / "run").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);  // as a run does
    for (const char* command : {"train --batch 1200 --epochs 1 --out run", "experiment variance --quick --out run"})
        expect_one_line(run(command), "another process is writing into run");
    EXPECT_TRUE(fs::is_empty(dir_ / "run"));
    ::close(held);
    ASSERT_EQ(train("--out run").status, 0);
    // A run holds its folder from its beginning to its end.
    const std::string command = fmt::format(
        "cd '{}' && exec '{}' train --resume run --epochs 100000 --log log.csv > out.txt 2>&1", dir_.string(), GRADPROOF_BINARY);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 2400 && read(dir_ / "log.csv").empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(25));
    expect_one_line(run("train --resume run --epochs 3"), "another process is writing into run");
    expect_one_line(train("--out run --overwrite"), "another process is writing into run");
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(run("train --resume run --epochs 2").status, 0);
}

TEST_F(Runs, AFolderWithAnotherRunAsksForOverwrite) {
    ASSERT_EQ(train("--out run").status, 0);
    const std::string model = read(dir_ / "run/model.safetensors");
    expect_one_line(train("--seed 7 --out run"), "run holds another run; --resume run continues it, --overwrite replaces it");
    EXPECT_TRUE(read(dir_ / "run/model.safetensors") == model);
    ASSERT_EQ(train("--seed 7 --out other").status, 0);
    expect_one_line(run("train --resume run --epochs 2 --out other"), "other holds another run");
    ASSERT_EQ(train("--seed 7 --out run --overwrite").status, 0);
    for (const char* name : {"model.safetensors", "config.json", "attention.csv"})
        EXPECT_TRUE(read(dir_ / "run" / name) == read(dir_ / "other" / name)) << name;
}

TEST_F(Runs, OnAnotherInstructionSetTheBitsAreSaidToDiffer) {
    if (archs().size() < 2) GTEST_SKIP() << "one instruction set only";
    ASSERT_EQ(train("--out run").status, 0);
    const std::string kernels = read_safetensors(dir_ / "run/model.safetensors").metadata.at("kernels");
    EXPECT_EQ(kernels, kernels_in_use());
    const ProgramRun same = run("train --resume run --epochs 2");
    EXPECT_EQ(same.status, 0);
    EXPECT_EQ(same.text.find("warning"), std::string::npos) << same.text;
    ::setenv("GRADPROOF_ARCH", "baseline", 1);
    const ProgramRun other = run("train --resume run --epochs 3");
    ::unsetenv("GRADPROOF_ARCH");
    EXPECT_EQ(other.status, 0) << other.text;
    EXPECT_NE(other.text.find("gradproof: train: warning: run was trained with the kernels " + kernels +
                              ", and goes on with baseline, "),
              std::string::npos)
        << other.text;
    EXPECT_NE(run("train --resume run --epochs 4").text.find("warning: run was trained with the kernels baseline"),
              std::string::npos);
}

TEST_F(Runs, LinksInAFolderOfResultsAreNotFollowed) {
    std::ofstream(dir_ / "precious") << "precious";
    fs::create_directories(dir_ / "elsewhere");
    for (const char* name : {"model.safetensors", "config.json", "loss.csv", "attention.csv"}) {
        fs::create_directory(dir_ / "run");
        fs::create_symlink("../precious", dir_ / "run" / name);
        expect_one_line(train("--overwrite --out run"), std::string(name) + " is a symbolic link, which is not followed");
        fs::remove_all(dir_ / "run");
    }
    fs::create_directory(dir_ / "run");
    ASSERT_EQ(::mkfifo((dir_ / "run/loss.csv").c_str(), 0666), 0);
    expect_one_line(train("--out run"), "loss.csv is a device or a pipe, expected a file or nothing");
    fs::create_symlink("../precious", dir_ / "run/variance.svg");
    const ProgramRun experiment = run("experiment variance --quick --out run");
    EXPECT_EQ(experiment.status, 2) << experiment.text;
    EXPECT_NE(experiment.text.find("variance.svg is a symbolic link"), std::string::npos) << experiment.text;
    EXPECT_EQ(read(dir_ / "precious"), "precious");
    EXPECT_TRUE(fs::is_empty(dir_ / "elsewhere"));
    // The folder itself may be one: it was named.
    fs::create_symlink("elsewhere", dir_ / "named");
    EXPECT_EQ(train("--out named").status, 0);
    EXPECT_TRUE(fs::exists(dir_ / "elsewhere/model.safetensors"));
}

TEST_F(Runs, WhatAKilledRunPutAsideIsRemovedByTheNext) {
    fs::create_directories(dir_ / "run/.123456.tmp/below");
    std::ofstream(dir_ / "run/.123456.tmp/below/half") << "half";
    std::ofstream(dir_ / "run/.notes.tmp") << "mine";
    ASSERT_EQ(run("experiment variance --quick --out run").status, 0);
    EXPECT_FALSE(fs::exists(dir_ / "run/.123456.tmp"));
    EXPECT_TRUE(fs::exists(dir_ / "run/.notes.tmp"));
    ASSERT_EQ(run("new-op mine --dir op").status, 0);
    fs::remove(dir_ / "op/CMakeLists.txt");
    EXPECT_EQ(run("new-op mine --dir op").status, 0);  // killed between its two files
    expect_one_line(run("new-op mine --dir op"), "mine.cpp exists already");
    std::ofstream(dir_ / "op/mine.cpp", std::ios::app) << "// changed\n";
    fs::remove(dir_ / "op/CMakeLists.txt");
    expect_one_line(run("new-op mine --dir op"), "mine.cpp exists already");
}

TEST_F(Runs, PartsOfTwoCheckpointsAreNoCheckpoint) {
    const std::string go_on = "train --resume run --epochs 4";
    const auto refused = [&](const std::function<void()>& spoil, const std::string& part) {
        ASSERT_EQ(train("--overwrite --out run").status, 0);
        spoil();
        expect_one_line(run(go_on), part);
    };
    ASSERT_EQ(run("train --batch 1200 --epochs 2 --seed 5 --out other").status, 0);
    const Safetensors other = read_safetensors(dir_ / "other/model.safetensors");
    const std::string apart = "its tensors, steps and config are not of one checkpoint";
    refused(
        [&] {
            change("run", [](Safetensors& f) {
                f.metadata["steps_done"] = "1";
                f.metadata["loss_steps"] = "0";
            });
        },
        apart);
    refused([&] { change("run", [](Safetensors& f) { f.metadata["loss_steps"] = "99"; }); }, "loss_steps is 99, steps_done is 2");
    refused([&] { change("run", [&](Safetensors& f) { f.metadata["config"] = other.metadata.at("config"); }); }, apart);
    for (const std::string kind : {"optimiser.", ""})
        refused(
            [&] {
                change("run", [&](Safetensors& f) {
                    for (NamedArray& a : f.tensors)
                        if (a.name.starts_with(kind)) a.array = *find_array(other.tensors, a.name);
                });
            },
            apart);
    refused([&] { fs::copy(dir_ / "other/config.json", dir_ / "run/config.json", fs::copy_options::overwrite_existing); },
            "config.json: not the config of the checkpoint beside it");
    refused(
        [&] { fs::copy(dir_ / "other/model.safetensors", dir_ / "run/model.safetensors", fs::copy_options::overwrite_existing); },
        "config.json: not the config of the checkpoint beside it");
    fs::remove(dir_ / "run/config.json");
    EXPECT_EQ(run(go_on).status, 0);
}

TEST_F(Runs, ACheckpointOfOtherOptionsIsToldWhoseItIs) {
    ASSERT_EQ(train("--out run").status, 0);
    fs::remove(dir_ / "run/config.json");
    const std::string config = read_safetensors(dir_ / "run/model.safetensors").metadata.at("config");
    for (const auto& [from, to, part] :
         {std::tuple<std::string, std::string, std::string>{"\"warmup\"", "\"warm_up\"", "lacks the option warmup"},
          {"\"batch\"", "\"dropout\": 0.1, \"batch\"", "has the option dropout"}}) {
        std::string changed = config;
        ASSERT_NE(changed.find(from), std::string::npos) << config;
        changed.replace(changed.find(from), from.size(), to);
        change("run", [&](Safetensors& f) { f.metadata["config"] = changed; });
        const ProgramRun r = run("train --resume run --epochs 2");
        expect_one_line(r, part);
        EXPECT_NE(r.text.find("it was written by gradproof 0"), std::string::npos) << r.text;
    }
}

TEST_F(Runs, OneOfAnOlderVersionHasTheDefaultsOfLaterOptions) {
    ASSERT_EQ(train("--out run").status, 0);
    ASSERT_EQ(train("--warmup 3 --out other").status, 0);
    for (const char* name : {"run", "other"}) {
        fs::remove(dir_ / name / "config.json");
        change(name, [&](Safetensors& f) {
            auto config = nlohmann::json::parse(f.metadata["config"]);
            config["gradproof"] = "0.0.9";
            config.erase("warmup");
            f.metadata["config"] = config.dump();
            f.metadata.erase("checksum");  // it is of the config as it was
        });
        EXPECT_EQ(run(std::string("train --resume ") + name + " --epochs 2").status, 0);
        std::ifstream file(dir_ / name / "config.json");
        const auto config = nlohmann::json::parse(file);
        EXPECT_EQ(config["warmup"], 40);  // the default, whatever the run had
        EXPECT_EQ(config["gradproof"], version());
    }
}

}  // namespace
}  // namespace gradproof::testing
