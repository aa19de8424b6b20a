// Starting Python with the modules that run a program, and waiting for what it answers.
#include "tools/cli/run_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/library/embedded.hpp"

extern char** environ;

namespace gradproof::runner {
std::vector<EmbeddedFile> embedded_files();  ///< tools/python/gradproof/_run/*.py
}

namespace gradproof::cli {
namespace {

constexpr int kAnswerFd = 3;  ///< of Python, for what it answers

/// Reads [modules, request] and has the package gradproof_run made of these modules.
constexpr const char* kBegin = R"py(
import importlib.abc, importlib.util, json, sys
modules, asked = json.load(sys.stdin)
class Embedded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == "gradproof_run" or name.removeprefix("gradproof_run.") in modules:
            return importlib.util.spec_from_loader(name, self, is_package=name == "gradproof_run")
    def exec_module(self, module):
        text = modules.get(module.__name__.removeprefix("gradproof_run."), "")
        exec(compile(text, "<" + module.__name__ + ">", "exec"), module.__dict__)
sys.meta_path.insert(0, Embedded())
from gradproof_run import main
main.serve(asked, int(sys.argv[1]))
)py";

/// A file without a name.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& text = "") : file_(std::tmpfile()) {
        if (file_ == nullptr) fail("make");
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) fail("write");
        std::rewind(file_);
    }
    ~TemporaryFile() { std::fclose(file_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    int fd() const { return ::fileno(file_); }
    std::string text() const {
        std::string out;
        std::array<char, 1 << 16> buffer;
        std::rewind(file_);
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file_)) out.append(buffer.data(), n);
        return out;
    }

  private:
    [[noreturn]] static void fail(const char* what) { io_error("cannot {} a temporary file: {}", what, std::strerror(errno)); }
    std::FILE* file_;
};

/// An interpreter at work, in a group of processes with all that it starts.
class Python {
  public:
    Python(std::string python, const TemporaryFile& in, const TemporaryFile& out) {
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, in.fd(), STDIN_FILENO);
        ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files, out.fd(), kAnswerFd);
        posix_spawnattr_t group;
        ::posix_spawnattr_init(&group);
        ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
        std::string command = "-c", begin = kBegin, answer = std::to_string(kAnswerFd);
        std::array<char*, 5> argv{python.data(), command.data(), begin.data(), answer.data(), nullptr};
        const int error = ::posix_spawnp(&pid_, python.c_str(), &files, &group, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&group);
        if (error != 0) io_error("--run: cannot start {}: {}", printable(python, 200), std::strerror(error));
    }
    ~Python() {
        ::kill(-pid_, SIGKILL);
        if (!ended_) ::waitpid(pid_, nullptr, 0);
    }
    Python(const Python&) = delete;
    Python& operator=(const Python&) = delete;
    /// How it ended, as waitpid says it; nothing where it has not by then.
    std::optional<int> wait(double seconds) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        int status = 0;
        while (::waitpid(pid_, &status, WNOHANG) != pid_) {
            if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) return std::nullopt;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        ended_ = true;
        return status;
    }

  private:
    pid_t pid_ = -1;
    bool ended_ = false;
};

}  // namespace

proof::RunProgram run_in_python(const std::string& file, const std::string& python, double seconds) {
    return [=, name = printable(file, 400)](const std::string& request) {
        check::Json modules = check::Json::object();
        for (const EmbeddedFile& module : runner::embedded_files()) modules[std::string(module.name)] = module.text();
        const TemporaryFile in("[" + modules.dump() + ", " + request + "]"), out;
        Python process(python, in, out);
        const std::optional<int> status = process.wait(seconds);
        if (!status) io_error("{}: --run: it runs for more than {} s (--time-limit)", name, seconds);
        if (WIFSIGNALED(*status)) io_error("{}: --run: it ended Python by signal {}", name, ::strsignal(WTERMSIG(*status)));
        std::string answer = out.text();
        if (answer.empty()) io_error("{}: --run: Python ended with exit status {} and no answer", name, WEXITSTATUS(*status));
        return answer;
    };
}

}  // namespace gradproof::cli
