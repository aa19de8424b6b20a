// `gradproof train --task text`, `generate` and `heads` as a user types them:
// files, resuming after any kill, a full disk, a large text.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/random.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::json;
using testing::expect_one_line;
using testing::ProgramRun;
using testing::read;
using testing::run_program;

class TrainText : public testing::InAFolder {
  protected:
    void SetUp() override {
        InAFolder::SetUp();
        std::ofstream out(dir_ / "text.txt");
        for (int i = 0; i < 300; ++i) out << "line " << i % 7 << " says " << (i % 3 == 0 ? "yes" : "no") << ".\n";
    }
    ProgramRun run(const std::string& arguments) const { return run_program(arguments, dir_.string()); }
    ProgramRun train(const std::string& arguments) const {
        return run("train --task text --data text.txt " + std::string(kSmall) + arguments);
    }
    /// Status 2, one line, and no new file.
    void expect_refused(const std::string& arguments, const std::string& part) const {
        const auto before = names();
        expect_one_line(run("train " + arguments), part);
        EXPECT_EQ(names(), before) << arguments;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& e : std::filesystem::recursive_directory_iterator(dir_)) out.push_back(e.path().string());
        std::sort(out.begin(), out.end());
        return out;
    }
    /// The program started in the folder, its output in a file.
    pid_t start(const std::string& arguments, const std::string& output) const {
        const pid_t child = ::fork();
        if (child != 0) return child;
        const std::string command = fmt::format("exec '{}' {} > '{}' 2>&1 < /dev/null", GRADPROOF_BINARY, arguments, output);
        if (::chdir(dir_.c_str()) == 0) ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    /// That a run of its own succeeds with at most so many KiB of memory.
    void expect_memory(const std::string& arguments, long most) const {
        int status = 0;
        struct rusage used {};
        ::wait4(start(arguments, "out.txt"), &status, 0, &used);
        EXPECT_EQ(status, 0) << read(dir_ / "out.txt");
        EXPECT_LT(used.ru_maxrss, most) << arguments;
    }
    static constexpr const char* kSmall =
        "--context 16 --layers 1 --heads 2 --width 16 --batch 4 --interval 5 --sample-tokens 10 ";
};

}  // namespace

TEST_F(TrainText, WritesItsFilesAndTellsBitsBesideTheBaselines) {
    const ProgramRun r = train("--steps 10 --out run");
    ASSERT_EQ(r.status, 0) << r.text;
    for (const char* part : {"task text", "different", "held out", "parameters", "this model", "order-5 n-gram", "gzip -9",
                             "symbols/s", "run/samples.txt"})
        EXPECT_NE(r.text.find(part), std::string::npos) << part << "\n" << r.text;
    for (const char* name : {"model.safetensors", "config.json", "loss.csv", "samples.txt"})
        EXPECT_TRUE(std::filesystem::exists(dir_ / "run" / name)) << name;
    const std::string samples = read(dir_ / "run/samples.txt");
    EXPECT_NE(samples.find("--- step 5\n"), std::string::npos);
    EXPECT_NE(samples.find("--- step 10\n"), std::string::npos);
    EXPECT_EQ(Json::parse(read(dir_ / "run/config.json"))["task"], "text");
}

TEST_F(TrainText, JsonIsOneObjectALineAndGzipIsGzip) {
    const ProgramRun r = train("--steps 10 --json --out run");
    ASSERT_EQ(r.status, 0) << r.text;
    const std::vector<Json> all = testing::json_lines(r.text);
    ASSERT_EQ(all.size(), 6u);  // start, two of interval and sample, done
    EXPECT_EQ(all[0]["event"], "start");
    EXPECT_EQ(all[2]["event"], "sample");
    EXPECT_EQ(all[2]["text"].get<std::string>().size(), 10u);
    const Json& done = all.back();
    EXPECT_EQ(done["event"], "done");
    for (const char* key : {"bits_per_character", "ngram_bits_per_character", "symbols_per_second"})
        EXPECT_GT(done[key].get<double>(), 0) << key;
    const std::string text = read(dir_ / "text.txt");
    const auto held_out = all[0]["held_out_symbols"].get<std::size_t>();
    std::ofstream(dir_ / "held_out") << text.substr(text.size() - held_out);
    ASSERT_EQ(
        std::system(("gzip -9 -n -c '" + (dir_ / "held_out").string() + "' > '" + (dir_ / "held_out.gz").string() + "'").c_str()),
        0);
    EXPECT_NEAR(done["gzip_bits_per_character"].get<double>(),
                8 * static_cast<double>(std::filesystem::file_size(dir_ / "held_out.gz")) / static_cast<double>(held_out), 1e-9);
}

namespace {

/// The columns of a loss.csv that do not depend on where the run was cut: all but the mean loss of this run's steps and the time.
std::string rows_of_any_cut(const std::string& csv) {
    std::istringstream in(csv);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        int i = 0;
        for (std::string field; std::getline(fields, field, ','); ++i)
            if (i != 2 && i != 8) out += field + " ";
        out += "\n";
    }
    return out;
}

}  // namespace

TEST_F(TrainText, KilledFiftyTimesItGoesOnBitForBit) {
    Random random(11);
    int steps = 400;
    double patience = 60'000;  // microseconds: longer where a run was killed before it had saved anything new
    for (int kills = 0; kills < 50;) {
        const bool there = std::filesystem::exists(dir_ / "killed/model.safetensors");
        const std::string before = there ? read(dir_ / "killed/model.safetensors") : "";
        const std::string fresh = std::string("--task text --data text.txt ") + kSmall + "--decay-steps 400 --out killed";
        const pid_t child =
            start(fmt::format("train {} --steps {} --save-every 3", there ? "--resume killed --sample-tokens 10" : fresh, steps),
                  "/dev/null");
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(static_cast<Index>(patience))));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            ++kills;
            const bool saved =
                std::filesystem::exists(dir_ / "killed/model.safetensors") && read(dir_ / "killed/model.safetensors") != before;
            patience *= saved ? 0.95 : 1.15;
            continue;
        }
        ASSERT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2) << WEXITSTATUS(status);
        steps += 400;  // it was done, or nothing was left to do: there is more to do
    }
    steps += 10;
    ASSERT_EQ(run(fmt::format("train --resume killed --sample-tokens 10 --steps {}", steps)).status, 0);
    ASSERT_EQ(train(fmt::format("--decay-steps 400 --steps {} --out straight", steps)).status, 0);
    EXPECT_TRUE(read(dir_ / "straight/model.safetensors") == read(dir_ / "killed/model.safetensors"));
    EXPECT_TRUE(read(dir_ / "straight/samples.txt") == read(dir_ / "killed/samples.txt"));
    EXPECT_TRUE(rows_of_any_cut(read(dir_ / "straight/loss.csv")) == rows_of_any_cut(read(dir_ / "killed/loss.csv")));
    for (const auto& e : std::filesystem::directory_iterator(dir_ / "killed"))
        EXPECT_TRUE(std::filesystem::exists(dir_ / "straight" / e.path().filename())) << e.path() << " is left";
}

TEST_F(TrainText, WhatARunToldAfterItsCheckpointIsToldAgainOnce) {
    ASSERT_EQ(train("--steps 5 --out run").status, 0);
    const std::string checkpoint = read(dir_ / "run/model.safetensors"), config = read(dir_ / "run/config.json");
    const auto as_a_kill_leaves_it = [&] {  // files that are ahead of the checkpoint
        std::ofstream(dir_ / "run/model.safetensors") << checkpoint;
        std::ofstream(dir_ / "run/config.json") << config;
    };
    for (const char* log : {"log.csv", "log.jsonl"}) {
        const std::string on = std::string("train --resume run --steps 15 --log ") + log;
        ASSERT_EQ(run(on).status, 0);
        const std::string samples = read(dir_ / "run/samples.txt"), losses = rows_of_any_cut(read(dir_ / "run/loss.csv"));
        as_a_kill_leaves_it();
        ASSERT_EQ(run(on).status, 0);
        EXPECT_EQ(read(dir_ / "run/samples.txt"), samples);
        EXPECT_EQ(rows_of_any_cut(read(dir_ / "run/loss.csv")), losses);
        const std::string rows = read(dir_ / log);
        EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), log == std::string("log.csv") ? 3 : 2)
            << rows;  // steps 10 and 15, and the header
        as_a_kill_leaves_it();
    }
    as_a_kill_leaves_it();
    std::filesystem::create_directory(dir_ / "folder.csv");
    expect_refused("--resume run --steps 10 --log folder.csv", "folder.csv cannot be written: Is a directory");
    ASSERT_EQ(
        run("train --task text --data text.txt --context 16 --width 16 --steps 5 --sample-tokens 0 --overwrite --out run").status,
        0);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "run/samples.txt")) << "of an earlier run";
}

TEST_F(TrainText, LicencesOfAnEarlierRunStay) {
    ASSERT_EQ(run("train --task text " + std::string(kSmall) + "--steps 5 --out run").status, 0);
    expect_refused("--task text " + std::string(kSmall) + "--temperature -1 --overwrite --out run", "temperature is -1");
    EXPECT_EQ(run("train --resume run --steps 10").status, 0);
    std::ofstream(dir_ / "run/licences.txt") << "another text\n";
    expect_refused("--task text " + std::string(kSmall) + "--overwrite --out run", "is another text than the licences");
    EXPECT_EQ(read(dir_ / "run/licences.txt"), "another text\n");
}

TEST_F(TrainText, NamesThatAreNotUtf8AreToldAtOnceOrDoNoHarm) {
    const std::string name = "bad\xff";
    std::filesystem::copy(dir_ / "text.txt", dir_ / name);
    expect_refused("--task text --data '" + name + "' --out x", "bad\\xff, expected a path in UTF-8");
    const ProgramRun r = train("--steps 5 --json --out '" + name + "out'");
    ASSERT_EQ(r.status, 0) << r.text;
    EXPECT_EQ(testing::json_lines(r.text).back()["out"], "bad\uFFFDout");
}

TEST_F(TrainText, ATraceHasEachStepsWindows) {
    ASSERT_EQ(train("--steps 3 --out run --trace t.npz").status, 0);
    EXPECT_TRUE(std::filesystem::exists(dir_ / "t.npz"));
    expect_refused("--task text --data text.txt --trace t.txt --out other", "ends in .npz");
}

TEST_F(TrainText, ADiskThatIsFullLeavesTheCheckpointOfBefore) {
    ASSERT_EQ(train("--steps 5 --out run").status, 0);
    const std::string model = read(dir_ / "run/model.safetensors");
    // Files of at most four blocks of 1024: the checkpoint does not fit, and no signal ends the program.
    const std::string command = "cd '" + dir_.string() + "' && trap '' XFSZ && ulimit -f 4 && '" + GRADPROOF_BINARY +
                                "' train --resume run --steps 10 > out.txt 2>&1";
    const int status = std::system(("bash -c \"" + command + "\"").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << read(dir_ / "out.txt");
    EXPECT_NE(read(dir_ / "out.txt").find("model.safetensors"), std::string::npos) << read(dir_ / "out.txt");
    EXPECT_TRUE(read(dir_ / "run/model.safetensors") == model);
    for (const auto& e : std::filesystem::directory_iterator(dir_ / "run"))
        EXPECT_TRUE(e.path().extension() == ".safetensors" || e.path().extension() == ".json" || e.path().extension() == ".csv" ||
                    e.path().extension() == ".txt" || e.path().extension() == ".svg")
            << e.path();
    EXPECT_EQ(run("train --resume run --steps 10").status, 0);
}

TEST_F(TrainText, ALargeTextIsNotHeldInMemory) {
    if (testing::kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
    // Lines as the small text has, then letters at random: every six of them are new to an n-gram model of order 5.
    const std::string line = read(dir_ / "text.txt");
    std::string letters(1 << 22, ' ');
    std::uint64_t state = 1;
    for (char& c : letters)
        c = static_cast<char>('a' + ((state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33) % 26);
    struct Text {
        const std::string& end;
        std::size_t lines;
        long most;  // KiB
    };
    for (const Text& text : {Text{line, 100'000'000, 100'000}, Text{letters, 1'000'000, 250'000}}) {
        {
            std::ofstream out(dir_ / "large.txt");
            for (std::size_t size = 0; size < text.lines; size += line.size()) out << line;
            out << text.end;
        }
        expect_memory(
            "train --task text --data large.txt " + std::string(kSmall) + "--steps 2 --symbols bytes --overwrite --out run",
            text.most);
        EXPECT_EQ(read(dir_ / "out.txt").find("1048576 held out") != std::string::npos, text.lines > text.end.size());
    }
}

TEST_F(TrainText, WeightsOfALongContextAreNotHeldForAllLayers) {
    if (testing::kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
    // The weights of all layers and windows take 192 MiB.
    expect_memory(
        "train --task text --data text.txt --context 1024 --layers 6 --heads 4 --width 16 --batch 1 --steps 1 --sample-tokens 0 "
        "--out run",
        150'000);
}

TEST_F(TrainText, BadRequestsAreOneLineAndLeaveNothing) {
    expect_refused("--task txt", "did you mean text");
    expect_refused("--task text --data none.txt --out x", "No such file");
    expect_refused("--task text --data '' --out x", "--data: (nothing), expected a value");
    expect_refused("--task text --data text.txt --seed -1 --out x", "--seed: -1, expected a whole number");
    expect_refused("--task text --data text.txt --seed 99999999999999999999 --out x", "expected a whole number");
    std::ofstream(dir_ / "empty.txt");
    expect_refused("--task text --data empty.txt --out x", "empty");
    std::ofstream(dir_ / "line.txt") << "one line\n";
    expect_refused("--task text --data line.txt --out x", "too short for this context");
    expect_refused("--task text --data text.txt --context 100000 --out x", "too short for this context");
    expect_refused("--task text --data text.txt --width 30 --heads 4 --out x", "heads must divide the width");
    expect_refused("--task text --data text.txt --epochs 3 --out x", "--epochs is an option of the task expressions");
    expect_refused("--steps 3 --out x", "--steps is an option of the task text");
    expect_refused("--task text --data text.txt --prompt 'é' --out x", "is not among the");
    expect_refused("--task text --data text.txt --prompt '' --out x", "--prompt: (nothing), expected a value");
    expect_refused("--task text --data text.txt --temperature -1 --out x", "temperature is -1");
    expect_refused("--task text --data text.txt --held-out 1 --out x", "share held out is 1");
    expect_refused("--task text --data text.txt --steps 0 --out x", "steps is 0");
    expect_refused("--task text --data text.txt --save-every 0 --out x", "--save-every is 0");
    expect_refused("--task text --data text.txt --positions rotery --out x", "did you mean rotary");
    expect_refused("--task text --data text.txt --context 1000000 --out x/licences", "too short");
    expect_refused("--task text --context 1000000 --out licences", "");  // the text it made for itself goes too
    ASSERT_EQ(train("--steps 5 --out run").status, 0);
    expect_refused("--resume run", "nothing left to do");
    expect_refused("--resume run --steps 10 --width 32", "--width differs from the checkpoint");
    expect_refused("--resume run --steps 10 --task expressions", "was trained on the task text");
    expect_refused("--resume run --steps 10 --data line.txt", "too short");
    std::ofstream(dir_ / "other.txt") << read(dir_ / "text.txt") << "more\n";
    expect_refused("--resume run --steps 10 --data other.txt", "is not the text this run was started on");
    EXPECT_EQ(train("--steps 5 --require-bits 0.001 --out run2").status, 1);
}

TEST_F(TrainText, GenerateGoesOnFromAPromptTheSameWithAndWithoutACache) {
    ASSERT_EQ(train("--steps 5 --out run").status, 0);
    const ProgramRun cached = run("generate --checkpoint run --prompt 'line 1' --tokens 60"),
                     whole = run("generate --checkpoint run --prompt 'line 1' --tokens 60 --no-cache");
    ASSERT_EQ(cached.status, 0) << cached.text;
    EXPECT_EQ(cached.text, whole.text);
    EXPECT_EQ(cached.text.substr(0, 6), "line 1");
    EXPECT_EQ(cached.text.size(), 6u + 60 + 1);
    const Json j = Json::parse(run("generate --checkpoint run --prompt 'line 1' --tokens 60 --json").text);
    EXPECT_EQ(j["prompt"].get<std::string>() + j["text"].get<std::string>() + "\n", cached.text);
    EXPECT_EQ(run("generate --checkpoint run --prompt l --tokens 5 --temperature 0").text,
              run("generate --checkpoint run --prompt l --tokens 5 --top-k 1 --seed 9").text);
    for (const auto& [arguments, part] :
         {std::pair<const char*, const char*>{"--checkpoint none --prompt a", "no checkpoint there"},
          {"--checkpoint run --prompt Q", "is not among the"},
          {"--checkpoint run --prompt ''", "--prompt: (nothing), expected a value"},
          {"--checkpoint run --prompt l --tokens 0", "--tokens is 0"},
          {"--checkpoint run --prompt l --temperature nan", "temperature is nan"},
          {"--checkpoint run --prompt l --top-k -2", "top-k is -2"},
          {"--checkpoint run --prompt l --seed -1", "--seed: -1, expected"},
          {"--prompt l", "--checkpoint"}})
        expect_one_line(run(std::string("generate ") + arguments), part);
    expect_one_line(run("generate --checkpoint " + std::string(5000, 'a') + " --prompt l"), "no checkpoint there");
    ASSERT_EQ(run("train --epochs 1 --batch 2400 --out expressions").status, 0);
    expect_one_line(run("generate --checkpoint expressions --prompt 1"), "expected Max, Min or First");
}

TEST_F(TrainText, HeadsDrawsEveryHeadAndSaysWhatItDoes) {
    ASSERT_EQ(train("--steps 5 --out run").status, 0);
    const ProgramRun r = run("heads --checkpoint run --text 'line 2 says' --out h --json");
    ASSERT_EQ(r.status, 0) << r.text;
    const Json j = Json::parse(r.text);
    ASSERT_EQ(j["heads"].size(), 2u);
    for (const Json& head : j["heads"]) {
        EXPECT_GE(head["entropy"].get<double>(), 0);
        EXPECT_LE(head["entropy"].get<double>(), 1);
        EXPECT_LE(head["itself"].get<double>() + head["previous"].get<double>(), 1 + 1e-6);
    }
    std::ofstream(dir_ / "h/layer1.svg") << "of a deeper model";
    EXPECT_EQ(run("heads --checkpoint run --text 'line 2 says' --out h").status, 0);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "h/layer1.svg"));
    for (const char* name : {"index.html", "heads.csv", "layer0.svg"})
        EXPECT_GT(std::filesystem::file_size(dir_ / "h" / name), 100u) << name;
    expect_one_line(run("heads --checkpoint run --text 'line 2 says yes.line' --out h2"), "expected 1 to 16");
    expect_one_line(run("heads --checkpoint run --text l --out h2"), "expected at least 2");
    expect_one_line(run("heads --checkpoint run --text 'line Q' --out h2"), "text: Q at byte 5 is not among the");
    expect_one_line(run("heads --checkpoint run --text 'line' --out text.txt"), "is a file, expected a folder");
    EXPECT_FALSE(std::filesystem::exists(dir_ / "h2"));
}

}  // namespace gradproof
