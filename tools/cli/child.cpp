// Starting the child, reading its lines against the clock, and naming the way it ended.
#include "tools/cli/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>

#include "gradproof/core/errors.hpp"

extern char** environ;

namespace gradproof::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kAnswerFd = 3;

[[noreturn]] void system_error(const char* what, int error) {
    io_error("cannot start a child process: {}: {}", what, std::system_category().message(error));
}

/// The child and our end of its pipe: killed, if need be, and waited for on every way out.
class Child {
  public:
    Child(const std::vector<std::string>& arguments, ChildOutput output) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) system_error("pipe", errno);
        read_ = ends[0];
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], kAnswerFd);
        if (output == ChildOutput::on_stderr) {
            ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
            ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
        }
        std::vector<std::string> words{"gradproof"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        words.insert(words.end(), {"--answer", std::to_string(kAnswerFd)});
        std::vector<char*> argv;
        for (std::string& w : words) argv.push_back(w.data());
        argv.push_back(nullptr);
        const int error = ::posix_spawn(&pid_, "/proc/self/exe", &files, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::close(ends[1]);
        if (error == 0) return;
        ::close(read_);
        system_error("/proc/self/exe", error);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (!ended_) {
            ::kill(pid_, SIGKILL);
            wait();
        }
        ::close(read_);
    }
    int fd() const { return read_; }
    /// Its status as waitpid gives it.
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        ended_ = true;
        return status;
    }

  private:
    pid_t pid_ = -1;
    int read_ = -1;
    bool ended_ = false;
};

std::string ending(int status) {
    if (WIFSIGNALED(status)) return fmt::format("crashed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("ended the process with exit status {} in the middle of it", WEXITSTATUS(status));
}

/// Takes the complete lines off `text`; true once the answer is among them.
bool take_lines(std::string& text, ChildAnswer& out) {
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        nlohmann::json line =
            nlohmann::json::parse(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        if (!line.is_object()) continue;  // not ours: the child's code wrote into the pipe
        if (line.contains("at")) {
            out.at = std::move(line["at"]);
            continue;
        }
        out.value = std::move(line);
        return true;
    }
    return false;
}

}  // namespace

ChildAnswer ask_child(const std::vector<std::string>& arguments, double seconds, ChildOutput output) {
    constexpr double kSlice = 1;  // so that no limit, however long, overflows poll's milliseconds
    const auto start = Clock::now();
    const auto left = [&] { return seconds - std::chrono::duration<double>(Clock::now() - start).count(); };
    Child child(arguments, output);
    ChildAnswer out;
    std::string text;
    while (left() > 0) {
        pollfd waiting{child.fd(), POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max(1.0, 1000 * std::min(left(), kSlice))));
        if (ready <= 0) continue;  // nothing yet, or a signal
        std::array<char, 65536> buffer;
        const ssize_t n = ::read(child.fd(), buffer.data(), buffer.size());
        if (n < 0) continue;
        if (n == 0) {
            out.failure = ending(child.wait());
            return out;
        }
        text.append(buffer.data(), static_cast<std::size_t>(n));
        if (take_lines(text, out)) return out;
    }
    out.failure = fmt::format("timed out: no answer within {} s (--time-limit)", seconds);
    return out;
}

std::vector<std::string> own_arguments() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    if (words.empty()) system_error("/proc/self/cmdline", ENOENT);
    words.erase(words.begin());
    return words;
}

void become_child() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

void answer(int fd, const nlohmann::json& line) {
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR) return;  // the parent is gone
        if (n > 0) done += static_cast<std::size_t>(n);
    }
}

}  // namespace gradproof::cli
