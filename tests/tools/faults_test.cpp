// What a system may do to the program: no threads, files that may not grow, pipes and devices in the place of files, a working
// folder that is gone, Ctrl-C, counts and sizes without end. Each costs one line of text, and nothing that was there is lost.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::testing {
namespace {

namespace fs = std::filesystem;

class Faults : public InAFolder {
  protected:
    void SetUp() override {
        InAFolder::SetUp();
        fs::permissions(dir_, fs::perms::all);  // for the user that may start no threads
        write("a.proof", "input X = 2\nforward\n Y = X + 1\nexpect\n Y = 3\n");
        std::string text;
        for (int i = 0; i < 40; ++i) text += fmt::format("line {} says that line {} is next.\n", i % 10, (i + 1) % 10);
        write("text.txt", text);
        for (const char* name : {"q.npy", "k.npy", "v.npy"})
            write_npy(dir_ / name, from_tensor(Tensor<float>({1, 1, 64, 16}, 0.5f)));
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ / name, std::ios::binary) << text; }
    ProgramRun run(const std::string& arguments) const { return run_program(arguments, dir_.string()); }

    /// `shell` in the folder, in which $GRADPROOF is the program; it is ended after a minute.
    ProgramRun shell(const std::string& shell) const {
        write("shell", shell + "\n");
        // run_program starts the program; here it is only told its version before the shell runs.
        return run_program("--version > version.txt; GRADPROOF='" GRADPROOF_BINARY "' timeout -k 1 60 sh shell", dir_.string());
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& e : fs::recursive_directory_iterator(dir_))
            if (e.path().filename() != "shell" && e.path().filename() != "version.txt") out.push_back(e.path().string());
        std::sort(out.begin(), out.end());
        return out;
    }
    /// Status 2, one line with `part`, none of a library's words, and no new file.
    void expect_told(const std::string& script, const std::string& part) const {
        const auto before = names();
        const ProgramRun r = shell(script);
        EXPECT_EQ(r.status, 2) << script << "\n" << r.text;
        EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 1) << script << "\n" << r.text;
        EXPECT_NE(r.text.find(part), std::string::npos) << script << "\n" << r.text;
        for (const char* inside : {"terminate", "exception", "filesystem error", "OpenBLAS", "what()", "basic_string"})
            EXPECT_EQ(r.text.find(inside), std::string::npos) << script << "\n" << r.text;
        EXPECT_EQ(names(), before) << script;
    }
    /// The program in the background, its output in a file.
    pid_t start(const std::string& arguments, const std::string& output) const {
        const pid_t child = ::fork();
        if (child != 0) return child;
        const std::string command = fmt::format("exec '{}' {} > '{}' 2>&1 < /dev/null", GRADPROOF_BINARY, arguments, output);
        if (::chdir(dir_.c_str()) == 0) ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    void wait_for(const std::string& file) const {
        for (int i = 0; i < 2400 && read(dir_ / file).empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    static int ended(pid_t child, int signal) {
        ::kill(child, signal);
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    static constexpr const char* kText =
        "train --task text --data text.txt --context 16 --layers 1 --heads 2 --width 16 --batch 4 --interval 5 ";
    void make_model(const std::string& folder) const {
        ASSERT_EQ(run(kText + ("--steps 5 --sample-tokens 5 --out " + folder)).status, 0);
    }
};

TEST_F(Faults, WithoutThreadsTheWorkIsDoneByOne) {
    if (kSanitized) GTEST_SKIP() << "sanitizers start threads of their own";
    const std::string other = ::geteuid() == 0 ? "setpriv --reuid 64321 --regid 64321 --clear-groups " : "";
    const auto limited = [&](int threads, const std::string& arguments) {
        return shell(fmt::format("exec {}prlimit --nproc={} $GRADPROOF {}", other, threads, arguments));
    };
    if (limited(1000, "--version").status != 0) GTEST_SKIP() << "no other user to run as";
    const std::string train = "train --model block --batch 1200 --epochs 1 --seed 3 --out ";
    for (const int threads : {1, 2}) {
        for (const char* arguments :
             {"check --proof attention", "check --op softmax", "attention --q q.npy --k k.npy --v v.npy --causal --out y.npz"}) {
            const ProgramRun one = limited(threads, arguments), all = run(arguments);
            EXPECT_EQ(one.status, 0) << arguments << "\n" << one.text;
            EXPECT_EQ(one.text.find("OpenBLAS"), std::string::npos) << one.text;
            EXPECT_EQ(one.text.find("terminate"), std::string::npos) << one.text;
            EXPECT_EQ(std::count(one.text.begin(), one.text.end(), '\n'), std::count(all.text.begin(), all.text.end(), '\n'))
                << one.text;
            fs::remove(dir_ / "y.npz");
        }
        const ProgramRun one = limited(threads, train + fmt::format("one{}", threads));
        EXPECT_EQ(one.status, 0) << one.text;
        ASSERT_EQ(run(train + fmt::format("all{}", threads)).status, 0);
        EXPECT_TRUE(read(dir_ / fmt::format("one{}/model.safetensors", threads)) ==
                    read(dir_ / fmt::format("all{}/model.safetensors", threads)));
    }
}

TEST_F(Faults, AFileThatMayNotGrowIsToldAndLeavesNothing) {
    make_model("model");
    for (const std::string& command :
         {std::string("train --batch 1200 --epochs 1 --out run"), kText + std::string("--steps 5 --out run"),
          std::string("experiment variance --quick --out run"), std::string("heads --checkpoint model --text 'line 1' --out run"),
          std::string("attention --q q.npy --k k.npy --v v.npy --out y.npz"), std::string("new-op mine --dir run"),
          std::string("train --resume model --steps 10")}) {
        const auto before = names();
        const std::string model = read(dir_ / "model/model.safetensors");
        const ProgramRun r = shell("ulimit -f 1; $GRADPROOF " + command);
        EXPECT_EQ(r.status, 2) << command << "\n" << r.text;
        EXPECT_NE(r.text.find("File too large\n"), std::string::npos) << command << "\n" << r.text;
        EXPECT_EQ(names(), before) << command;
        EXPECT_TRUE(read(dir_ / "model/model.safetensors") == model) << command;
    }
}

TEST_F(Faults, DevicesAndEndlessPipesAreNoFiles) {
    make_model("model");
    fs::create_directory(dir_ / "piped");
    for (const char* name : {"p.proof", "p.npy", "piped/model.safetensors"}) ASSERT_EQ(::mkfifo((dir_ / name).c_str(), 0666), 0);
    const auto endless = [&](const std::string& arguments, const std::string& pipe) {
        expect_told("cat /dev/zero > " + pipe + " 2> none &\nexec $GRADPROOF " + arguments, "does not end within");
        fs::remove(dir_ / "none");
    };
    write("none", "");
    for (const auto& [arguments, pipe] : {std::pair<const char*, const char*>{"check p.proof", "p.proof"},
                                          {"check --proof attention --bind Q=p.npy", "p.npy"},
                                          {"generate --checkpoint piped --prompt l", "piped/model.safetensors"}}) {
        write("none", "");
        endless(arguments, pipe);
        std::string device = arguments;
        if (device.find(pipe) == std::string::npos) continue;
        device.replace(device.find(pipe), std::string(pipe).size(), "/dev/zero");
        const ProgramRun r = run(device);
        expect_one_line(r, "/dev/zero");
    }
    for (const char* data : {"p.npy", "/dev/zero", "/dev/stdin"})
        expect_told(std::string("$GRADPROOF train --task text --out run --data ") + data, "");
}

TEST_F(Faults, ALogThatIsAPipeWithoutReaderIsNotWaitedFor) {
    ASSERT_EQ(::mkfifo((dir_ / "log.csv").c_str(), 0666), 0);
    expect_told("$GRADPROOF train --batch 1200 --epochs 1 --out run --log log.csv", "it is a pipe that nobody reads from");
    const ProgramRun r = shell("cat log.csv > read & $GRADPROOF train --batch 1200 --epochs 1 --out run --log log.csv; wait");
    EXPECT_EQ(r.status, 0) << r.text;
    EXPECT_TRUE(read(dir_ / "read").starts_with("epoch,step,")) << read(dir_ / "read");
}

TEST_F(Faults, AFileLargerThanMemoryIsNotRead) {
    if (!fs::exists("/proc/meminfo")) GTEST_SKIP();
    for (const char* name : {"large.proof", "large.npy"}) {
        write(name, "x");
        std::error_code error;
        fs::resize_file(dir_ / name, std::uintmax_t{1} << 42, error);
        if (error) GTEST_SKIP() << "no file of that size here";
    }
    expect_told("$GRADPROOF check large.proof", "of memory");
    expect_told("$GRADPROOF check --proof attention --bind Q=large.npy", "of memory");
}

TEST_F(Faults, AWorkingFolderThatIsGoneIsTold) {
    make_model("model");
    const std::string gone = "mkdir gone; cd gone; rmdir ../gone; $GRADPROOF ";
    for (const char* arguments :
         {"check a.proof", "train --out run", "train --task text --data text.txt --out run", "train --task text --out run",
          "new-op mine", "new-op mine --dir a/b", "experiment variance --quick --out run", "check --plugin lib.so",
          "attention --q q.npy --k k.npy --v v.npy --out y.npz", "heads --checkpoint model --text 'line' --out h",
          "generate --checkpoint model --prompt l", "train --resume model --steps 9", "explain a.proof", "replay a.md",
          "compare --proof attention --expect x.npz"})
        expect_told(gone + arguments, "gradproof: ");
    EXPECT_EQ(shell(gone + "check --proof attention").status, 0);
    EXPECT_EQ(shell(gone + "ops").status, 0);
}

TEST_F(Faults, AModelThatHasGoneBadIsTold) {
    make_model("model");
    Safetensors file = read_safetensors(dir_ / "model/model.safetensors");
    for (NamedArray& a : file.tensors)
        if (a.name == "embedding.weight") a.array = from_tensor(Tensor<float>(a.array.shape, std::nanf("")));
    write_safetensors(dir_ / "model/model.safetensors", file);
    expect_told("$GRADPROOF heads --checkpoint model --text 'line 1' --out h", "is not a number: the model has gone bad");
    expect_told("$GRADPROOF heads --checkpoint model --text 'line 1' --out h --json", "is not a number: the model has gone bad");
    expect_told("$GRADPROOF generate --checkpoint model --prompt 'line'", "is not a number: the model has gone bad");
}

TEST_F(Faults, CtrlCWhileASampleIsDrawnLosesNothing) {
    const std::string options = "--steps 10 --sample-tokens 100000 --out ";
    const pid_t child = start(kText + options + "run --log log.csv", "out.txt");
    wait_for("log.csv");
    for (int i = 0; i < 2400 && read(dir_ / "log.csv").find("\n0,5,") == std::string::npos; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(ended(child, SIGINT), 130);
    EXPECT_NE(read(dir_ / "out.txt").find("stopped after step 5 of 10"), std::string::npos) << read(dir_ / "out.txt");
    EXPECT_FALSE(fs::exists(dir_ / "run/samples.txt"));
    ASSERT_EQ(run("train --resume run --sample-tokens 20").status, 0);
    ASSERT_EQ(run(kText + std::string("--steps 10 --sample-tokens 20 --out straight")).status, 0);
    for (const char* name : {"model.safetensors", "samples.txt", "config.json"})
        EXPECT_TRUE(read(dir_ / "run" / name) == read(dir_ / "straight" / name)) << name;
}

TEST_F(Faults, CtrlCWhileTextIsGeneratedPrintsWhatThereIs) {
    make_model("model");
    for (const std::string json : {"", " --json"}) {
        const pid_t child = start("generate --checkpoint model --prompt 'line' --tokens 10000000" + json, "out.txt");
        std::this_thread::sleep_for(std::chrono::milliseconds(kSanitized ? 4000 : 500));
        EXPECT_EQ(ended(child, SIGINT), 130);
        const std::string text = read(dir_ / "out.txt");
        EXPECT_TRUE(json.empty() ? text.starts_with("line") : json_lines(text).at(0).at("tokens") > 0) << text.substr(0, 100);
        EXPECT_TRUE(text.ends_with("\n"));
    }
}

TEST_F(Faults, CountsWithoutEndAreRefused) {
    make_model("model");
    const std::string most = "9223372036854775807";
    for (const std::string& arguments :
         {"generate --checkpoint model --prompt l --tokens " + most, kText + ("--out run --sample-tokens " + most),
          kText + ("--out run --steps " + most), kText + ("--out run --interval " + most), kText + ("--out run --batch " + most),
          kText + ("--out run --layers " + most), kText + ("--out run --width " + most), kText + ("--out run --context " + most),
          "train --out run --epochs " + most, "train --out run --warmup " + most, "train --out run --decay-epochs " + most,
          "train --out run --save-every " + most + "0", "train --resume model --steps " + most})
        expect_told("$GRADPROOF " + arguments, "expected");
    // A checkpoint that claims a model of terabytes, or one that no file can hold.
    const Safetensors file = read_safetensors(dir_ / "model/model.safetensors");
    fs::remove(dir_ / "model/config.json");
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"width\": 16", "\"width\": 1000000"},
                                   {"\"layers\": 1", "\"layers\": 1000"},
                                   {"\"hidden\": 0", "\"hidden\": 1000000"}}) {
        Safetensors claims = file;
        std::string& config = claims.metadata["config"];
        ASSERT_NE(config.find(from), std::string::npos) << config;
        config.replace(config.find(from), from.size(), to);
        write_safetensors(dir_ / "model/model.safetensors", claims);
        for (const char* command : {"generate --checkpoint model --prompt l", "heads --checkpoint model --text 'line' --out h",
                                    "train --resume model --steps 9"})
            expect_told(std::string("$GRADPROOF ") + command, "the file holds");
    }
}

}  // namespace
}  // namespace gradproof::testing
