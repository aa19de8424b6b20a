// `gradproof train` as a user types it: exit statuses, events, files, resuming, interrupting, and bad input in one line.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "tests/core/io_support.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"
#include "tools/figures/text_chart.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::json;
using testing::Folder;

struct TrainRun {
    int status = -1;
    std::string out, error;
};

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `gradproof train ...` in `folder`, after some words for the shell; stdout and stderr are kept apart.
TrainRun train(const Folder& folder, const std::string& arguments, const std::string& before = "") {
    const std::string command =
        "cd '" + (folder / "").string() + "' && " + before + GRADPROOF_BINARY + " train " + arguments + " > out.txt 2> error.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / "out.txt"), text_of(folder / "error.txt")};
}

/// Exit status 2, one line on stderr with `part` in it, nothing on stdout and no file beyond the two of the test.
void expect_refused(const Folder& folder, const std::string& arguments, const std::string& part) {
    const auto before = folder.names();
    const TrainRun run = train(folder, arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_NE(run.error.find(part), std::string::npos) << arguments << "\n" << run.error;
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    EXPECT_EQ(run.out, "") << arguments;
    for (const std::string& name : folder.names())
        EXPECT_TRUE(name == "out.txt" || name == "error.txt" || std::count(before.begin(), before.end(), name) == 1)
            << arguments << " left " << name;
}

/// A run with these arguments that is sent the signal once `file` is there and not empty. Returns its status as of waitpid.
int train_until(const std::filesystem::path& file, int signal, const std::vector<std::string>& arguments,
                const std::filesystem::path& out) {
    const pid_t child = fork();
    if (child == 0) {
        std::vector<const char*> argv{"gradproof", "train"};
        for (const std::string& a : arguments) argv.push_back(a.c_str());
        argv.push_back(nullptr);
        if (std::freopen(out.c_str(), "w", stdout)) execv(GRADPROOF_BINARY, const_cast<char* const*>(argv.data()));
        _exit(99);
    }
    for (int i = 0; i < 1200 && text_of(file).empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(child, signal);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

constexpr const char* kQuick = "--batch 1200 --epochs 2 ";

}  // namespace

TEST(TrainCommand, WritesItsFilesAndSaysWhere) {
    const Folder folder;
    const TrainRun run = train(folder, std::string(kQuick) + "--out a/b");
    ASSERT_EQ(run.status, 0) << run.error;
    for (const char* name : {"model.safetensors", "config.json", "loss.csv", "attention.csv"}) {
        EXPECT_TRUE(std::filesystem::exists(folder / "a/b" / name)) << name;
        EXPECT_NE(run.out.find(std::string("a/b/") + name), std::string::npos) << name;
    }
    for (const char* part : {"model single-head", "seed 42", "type f32", "4522 parameters", "attention.wq", "[64, 16]",
                             "grad norm", "entropy", "before training", "after training", "validation accuracy"})
        EXPECT_NE(run.out.find(part), std::string::npos) << part;
    const std::string loss = text_of(folder / "a/b/loss.csv"), attention = text_of(folder / "a/b/attention.csv");
    EXPECT_EQ(std::count(loss.begin(), loss.end(), '\n'), 3);
    EXPECT_EQ(std::count(attention.begin(), attention.end(), '\n'), 1 + 2 * 64);
    EXPECT_EQ(read_safetensors(folder / "a/b/model.safetensors").tensors.size(), 18u);  // six parameters, two means each
}

TEST(TrainCommand, JsonIsOneObjectALineAndEndsWithDone) {
    const Folder folder;
    const TrainRun run = train(folder, std::string(kQuick) + "--json --out run");
    ASSERT_EQ(run.status, 0) << run.error;
    const std::vector<Json> all = testing::json_lines(run.out);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0]["event"], "start");
    EXPECT_EQ(all[0]["parameter_count"], 4522);
    EXPECT_EQ(all[1]["event"], "interval");
    for (const char* key : {"val_accuracy", "loss", "steps", "seconds", "steps_per_second"})
        EXPECT_TRUE(all[3][key].is_number()) << key;
    EXPECT_EQ(all[3]["event"], "done");
    EXPECT_EQ(all[3]["steps"], 4);
}

TEST(TrainCommand, LogsAreCsvOrJsonLinesByTheirName) {
    const Folder folder;
    ASSERT_EQ(train(folder, std::string(kQuick) + "--out run --log a.jsonl").status, 0);
    EXPECT_EQ(testing::json_lines(text_of(folder / "a.jsonl")).size(), 2u);
    ASSERT_EQ(train(folder, std::string(kQuick) + "--overwrite --out run --log a.csv").status, 0);
    EXPECT_EQ(text_of(folder / "a.csv").substr(0, 16), "epoch,step,loss,");
    ASSERT_EQ(train(folder, "--resume run --epochs 3 --log a.csv").status, 0);
    const std::string log = text_of(folder / "a.csv"), loss = text_of(folder / "run/loss.csv");
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4);
    EXPECT_EQ(std::count(loss.begin(), loss.end(), '\n'), 4);
}

TEST(TrainCommand, ALogThatCannotBeWrittenCostsNeitherTheRunNorTheRowsBefore) {
    const Folder folder;
    ASSERT_EQ(train(folder, "--batch 1200 --epochs 1 --out run").status, 0);
    const std::string before = std::string(99'000, ' ') + "\n";
    std::ofstream(folder / "log.jsonl") << before;
    // The log alone grows beyond the largest size of a file.
    const TrainRun run = train(folder, "--resume run --epochs 30 --log log.jsonl", "trap '' XFSZ; ulimit -f 195; ");
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.error.find("warning: --log cannot be written any more; the run goes on\n"), std::string::npos) << run.error;
    EXPECT_NE(run.error.find("gradproof: train: --log: log.jsonl cannot be written: File too large\n"), std::string::npos)
        << run.error;
    EXPECT_EQ(read_safetensors(folder / "run/model.safetensors").metadata.at("steps_done"), "60");
    const std::string log = text_of(folder / "log.jsonl");
    ASSERT_TRUE(log.starts_with(before));
    const std::vector<Json> rows = testing::json_lines(log.substr(before.size()));
    EXPECT_GE(rows.size(), 1u);
    EXPECT_LT(rows.size(), 29u);
    std::filesystem::create_symlink("/dev/full", folder / "full.csv");
    expect_refused(folder, std::string(kQuick) + "--out other --log full.csv",
                   "--log: full.csv cannot be written: No space left on device");
}

TEST(TrainCommand, ARequirementNotReachedIsStatusOne) {
    const Folder folder;
    const TrainRun missed = train(folder, std::string(kQuick) + "--out run --require 0.999");
    EXPECT_EQ(missed.status, 1);
    EXPECT_NE(missed.error.find("--require asks for 0.999"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
    EXPECT_EQ(train(folder, std::string(kQuick) + "--overwrite --out run --require 0").status, 0);
}

TEST(TrainCommand, TwoEpochsAndTwoMoreWriteTheBytesOfFour) {
    const Folder folder;
    for (const std::string model : {"single-head", "multi-head", "block"}) {
        ASSERT_EQ(train(folder, "--batch 1200 --model " + model + " --epochs 4 --overwrite --out four").status, 0);
        ASSERT_EQ(train(folder, "--batch 1200 --model " + model + " --epochs 2 --overwrite --out two").status, 0);
        ASSERT_EQ(train(folder, "--resume two --epochs 4 --overwrite --out more").status, 0);
        EXPECT_EQ(text_of(folder / "four/model.safetensors"), text_of(folder / "more/model.safetensors")) << model;
        EXPECT_NE(text_of(folder / "four/model.safetensors"), text_of(folder / "two/model.safetensors")) << model;
        EXPECT_EQ(text_of(folder / "four/config.json"), text_of(folder / "more/config.json")) << model;
    }
}

TEST(TrainCommand, AnInterruptSavesAndTellsHowToGoOn) {
    const Folder folder;
    const std::string log = (folder / "log.jsonl").string(), run = (folder / "run").string();
    // Only once a report is there has the run begun to listen.
    const int status = train_until(log, SIGINT, {"--epochs", "100000", "--json", "--log", log, "--out", run}, folder / "out.txt");
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    const std::vector<Json> all = testing::json_lines(text_of(folder / "out.txt"));
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.back()["event"], "stopped");
    EXPECT_EQ(all.back()["resume"], "gradproof train --resume " + run + " --json --log " + log);
    EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
}

TEST(TrainCommand, ARunThatIsKilledGoesOnFromWhatItSaved) {
    const Folder folder;
    const int status = train_until(
        folder / "run/model.safetensors", SIGKILL,
        {"--batch", "600", "--epochs", "100000", "--save-every", "3", "--out", (folder / "run").string()}, folder / "out.txt");
    ASSERT_TRUE(WIFSIGNALED(status));
    const Index steps = std::stoll(read_safetensors(folder / "run/model.safetensors").metadata.at("steps_done"));
    EXPECT_EQ(steps % 3, 0);
    EXPECT_GT(steps, 0);
    const std::string epochs = std::to_string(steps / 4 + 2);
    ASSERT_EQ(train(folder, "--resume run --epochs " + epochs).status, 0);
    ASSERT_EQ(train(folder, "--batch 600 --out straight --epochs " + epochs).status, 0);
    for (const char* name : {"model.safetensors", "config.json", "attention.csv"})
        EXPECT_TRUE(text_of(folder / "run" / name) == text_of(folder / "straight" / name)) << name;
    const std::string straight = text_of(folder / "straight/loss.csv"), resumed = text_of(folder / "run/loss.csv");
    EXPECT_EQ(std::count(resumed.begin(), resumed.end(), '\n'), std::count(straight.begin(), straight.end(), '\n'));
}

TEST(TrainCommand, ANumberThatOverflowsStopsAndNamesTheTensor) {
    const Folder folder;
    const TrainRun run = train(folder, "--lr 1e38 --warmup 0 --out run --log log.csv");
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.error.find("first tensor that is not finite: "), std::string::npos) << run.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "run")) << "an empty folder was left";
    EXPECT_FALSE(std::filesystem::exists(folder / "log.csv")) << "an empty log was left";
    EXPECT_EQ(run.error.find("-nan"), std::string::npos) << run.error;
}

TEST(TrainCommand, ATraceHoldsWhatAnotherFrameworkNeeds) {
    const Folder folder;
    ASSERT_EQ(train(folder, std::string(kQuick) + "--dtype f64 --out run --trace t.npz").status, 0);
    const std::vector<NamedArray> arrays = read_npz(folder / "t.npz");
    for (const char* name : {"initial/embedding.weight", "tokens", "answers", "batches", "rates", "losses"})
        EXPECT_NE(find_array(arrays, name), nullptr) << name;
    EXPECT_EQ(find_array(arrays, "losses")->shape, (Shape{4}));
    EXPECT_EQ(find_array(arrays, "batches")->shape, (Shape{4, 1200}));
}

TEST(TrainCommand, BadInputIsOneLineAndLeavesNothing) {
    const Folder folder;
    std::ofstream(folder / "file") << "x";
    expect_refused(folder, "--model singel-head", "did you mean single-head");
    expect_refused(folder, "--task expresions", "did you mean expressions");
    expect_refused(folder, "--dtype f16", "expected one of f32, f64");
    expect_refused(folder, "--optimiser adm", "did you mean adam");
    expect_refused(folder, "--epochs 0", "epochs is 0");
    expect_refused(folder, "--epochs -3", "epochs is -3");
    expect_refused(folder, "--epochs many", "many");
    expect_refused(folder, "--save-every 0", "--save-every is 0");
    expect_refused(folder, "--batch 0", "batch is 0");
    expect_refused(folder, "--batch 5000", "there are 2400 training rows");
    expect_refused(folder, "--lr nan", "lr is nan");
    expect_refused(folder, "--lr -0.1", "lr is -0.1");
    expect_refused(folder, "--lr inf", "lr is inf");
    expect_refused(folder, "--require 1.5", "--require is 1.5");
    expect_refused(folder, "--require nan", "--require is nan");
    expect_refused(folder, "--log run.txt", "ends in .jsonl or .csv");
    expect_refused(folder, "--log none/run.csv", "none/run.csv");
    expect_refused(folder, "--trace t.txt", ".npz");
    expect_refused(folder, "--out file", "is a file, expected a folder");
    expect_refused(folder, "--out file/below", "is a file, expected a folder");
    expect_refused(folder, "--expression 'Mux(1,2,3)'", "did you mean Max");
    expect_refused(folder, "--resume none", "none");
    expect_refused(folder, "--epoch 3", "--epoch");
}

TEST(TrainCommand, ResumingAnotherRunOrADamagedOneIsRefused) {
    const Folder folder;
    ASSERT_EQ(train(folder, std::string(kQuick) + "--out kept").status, 0);
    expect_refused(folder, "--resume kept --model block --epochs 5", "--model is block, kept was trained with single-head");
    expect_refused(folder, "--resume kept --lr 0.5 --epochs 5", "--lr is 0.5");
    expect_refused(folder, "--resume kept", "nothing left to do");
    const std::string model = text_of(folder / "kept/model.safetensors"), config = text_of(folder / "kept/config.json");
    std::ofstream(folder / "kept/model.safetensors") << model.substr(0, model.size() / 2);
    expect_refused(folder, "--resume kept --epochs 5", "kept/model.safetensors");
    std::ofstream(folder / "kept/model.safetensors") << model;
    // The config that counts is the one saved with the tensors: no moment of a run leaves the two apart.
    std::ofstream(folder / "kept/config.json") << config.substr(0, config.size() / 2);
    expect_refused(folder, "--resume kept --epochs 3", "config.json: not the config of the checkpoint beside it");
    std::filesystem::remove(folder / "kept/config.json");
    EXPECT_EQ(train(folder, "--resume kept --epochs 3").status, 0);
}

TEST(Charts, ALossCurveHasAlignedAxesAndItsMarks) {
    const std::string chart = figures::log_chart({{"training loss", '*', {{1, 1}, {10, 0.1}, {20, 0.01}}}}, "step", 20, 5);
    std::istringstream in(chart);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line.substr(0, 12), "        1 | ");
    const std::size_t axis = line.find('|');
    for (int i = 1; i < 5; ++i) {
        std::getline(in, line);
        EXPECT_EQ(line.find('|'), axis);
    }
    EXPECT_GE(std::count(chart.begin(), chart.end(), '*'), 3);
    EXPECT_EQ(figures::log_chart({{"none", '*', {}}}, "step"), "  (nothing to draw)\n");
    EXPECT_NE(figures::log_chart({{"one", '*', {{3, 0.5}}}}, "step"), "");
}

TEST(Charts, AHeatTableLabelsRowsAndColumns) {
    const std::string table = figures::heat_table(Tensor<double>::from({2, 2}, {1, 0, 0.5, 0.5}), {"Max", "1"}, {"Max", "1"});
    EXPECT_NE(table.find("Max"), std::string::npos);
    EXPECT_NE(table.find("\u2588 1.00"), std::string::npos);
    EXPECT_NE(table.find("\u2592 0.50"), std::string::npos);
    EXPECT_NE(figures::heat_table(Tensor<double>({1, 1}, NAN), {"a"}, {"b"}).find("  nan"), std::string::npos)
        << "what is no number has no shade";
    EXPECT_THROW(figures::heat_table(Tensor<double>({2, 2}), {"a"}, {"a", "b"}), ShapeError);
}

}  // namespace gradproof
