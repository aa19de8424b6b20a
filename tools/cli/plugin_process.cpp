// Starting the process of plugins, talking to it against the clock, and naming the way it ended.
#include "tools/cli/plugin_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <system_error>

#include "gradproof/core/errors.hpp"

extern char** environ;

namespace gradproof::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kNoAnswer = "answered with something that is no answer to its call";

[[noreturn]] void system_error(const char* what, int error) {
    io_error("cannot start a child process: {}: {}", what, std::system_category().message(error));
}

}  // namespace

void PluginProcess::spawn() {
    std::array<int, 2> ends{}, prints{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) system_error("socketpair", errno);
    fd_ = ends[0];
    constexpr int kRoom = 1 << 22;
    for (const int fd : ends) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom);
    if (::pipe2(prints.data(), O_CLOEXEC) != 0) system_error("pipe", errno);
    prints_ = prints[0];
    ::fcntl(prints_, F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, prints[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, prints[1], STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, ends[1], kPluginFd);
    std::string name = "gradproof", command = "serve-plugins";
    std::array<char*, 3> argv{name.data(), command.data(), nullptr};
    const int error = ::posix_spawn(&pid_, "/proc/self/exe", &files, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    ::close(prints[1]);
    if (error == 0) return;
    pid_ = -1;
    end();
    system_error("/proc/self/exe", error);
}

void PluginProcess::end() noexcept {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    show_prints();
    for (const int fd : {fd_, prints_})
        if (fd >= 0) ::close(fd);
    pid_ = fd_ = prints_ = -1;
}

/// Line by line, so that it is not taken for this program's own.
void PluginProcess::show_prints() {
    std::array<char, 4096> buffer;
    while (prints_ >= 0) {
        const ssize_t n = ::read(prints_, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n > 0)
            line_.append(buffer.data(), static_cast<std::size_t>(n));
        else
            ::close(std::exchange(prints_, -1));
        if (n <= 0 && !line_.empty()) line_ += '\n';
        for (std::size_t end; (end = line_.find('\n')) != std::string::npos; line_.erase(0, end + 1)) {
            constexpr std::size_t kMost = 2000;
            fmt::print(stderr, "plugin prints: {}\n", printable(std::string_view(line_).substr(0, end), kMost));
        }
    }
}

/// Once it says no more; one that has only closed its end goes on against the clock.
std::string PluginProcess::ending() {
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) != pid_) {
        constexpr int kMilliseconds = 2;
        ::poll(nullptr, 0, kMilliseconds);
        if ((left_ -= kMilliseconds / 1000.0) <= 0) time_out();
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) return fmt::format("crashed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("ended the process with exit status {} in the middle of it", WEXITSTATUS(status));
}

void PluginProcess::fail(const std::string& how) {
    ended_ = how;
    end();
    throw PluginEnded(how);
}

void PluginProcess::time_out() { fail(fmt::format("timed out: no answer within {} s (--time-limit)", limit_)); }

void PluginProcess::malformed() {
    const std::lock_guard lock(mutex_);
    fail(kNoAnswer);
}

void PluginProcess::wait_for(short what) {
    constexpr double kSlice = 1;  // so that no limit, however long, overflows poll's milliseconds
    while (left_ > 0) {
        const auto start = Clock::now();
        std::array<pollfd, 2> waiting{{{fd_, what, 0}, {prints_, POLLIN, 0}}};
        const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(std::max(1.0, 1000 * std::min(left_, kSlice))));
        left_ -= std::chrono::duration<double>(Clock::now() - start).count();
        if (ready > 0 && waiting[1].revents != 0) show_prints();
        if (ready > 0 && waiting[0].revents != 0) return;
    }
    time_out();
}

void PluginProcess::send(const std::vector<char>& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0)
            done += static_cast<std::size_t>(n);
        else if (errno == EAGAIN)
            wait_for(POLLOUT);
        else if (errno != EINTR)
            return;  // it is gone, as the answer will show
    }
}

void PluginProcess::receive(char* bytes, std::size_t n) {
    while (n > 0) {
        const ssize_t got = ::recv(fd_, bytes, n, MSG_DONTWAIT);
        if (got > 0) {
            bytes += got;
            n -= static_cast<std::size_t>(got);
        } else if (got < 0 && errno == EAGAIN) {
            wait_for(POLLIN);
        } else if (got == 0 || errno != EINTR) {
            fail(ending());
        }
    }
}

Reader PluginProcess::exchange(Writer& message) {
    const std::lock_guard lock(mutex_);
    if (!ended_.empty()) throw PluginEnded(ended_);
    send(message.framed(++key_));
    FrameHead head;
    receive(reinterpret_cast<char*>(&head), sizeof head);
    if (head.key != key_) fail(kNoAnswer);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 34;
    if (head.bytes > kMost) fail(kNoAnswer);
    Body body(head.bytes);  // memory that is not written to costs nothing: the size may be a lie
    receive(body.bytes.get(), body.size);
    return Reader(std::move(body));
}

Reader PluginProcess::ask(Writer& message, const std::function<void(Reader&)>& rest) try {
    Reader answer = exchange(message);
    constexpr std::size_t kMostText = 10'000;
    const auto how = static_cast<Answer>(answer.take_number(static_cast<int>(Answer::count)));
    if (how == Answer::done) return answer;
    const std::string text(answer.take_text().substr(0, kMostText));
    if (rest) rest(answer);
    switch (how) {
        case Answer::shape_error: throw ShapeError(text);
        case Answer::value_error: throw ValueError(text);
        case Answer::tape_error: throw TapeError(text);
        case Answer::io_error: throw IoError(text);
        case Answer::exception: throw std::runtime_error(text);
        default: throw NoException{};
    }
} catch (const Malformed&) {
    malformed();
}

std::vector<Reader> PluginProcess::start() {
    end();
    ended_.clear();
    spawn();
    ++generation_;
    key_ = std::random_device{}();
    std::vector<Reader> out;
    for (const std::string& path : paths_) {
        Writer load;
        load.put<std::uint8_t>(static_cast<std::uint8_t>(Ask::load));
        load.put_text(path);
        left_ = limit_;
        try {
            out.push_back(ask(load));
        } catch (const PluginEnded& e) {
            io_error("plugin {}: loading it {}", printable(path), e.what());
        } catch (const NoException&) {
            io_error("plugin {}: loading it threw something that is not an exception", printable(path));
        } catch (const std::exception& e) {
            io_error("{}", printable(e.what(), 1000));
        }
    }
    left_ = limit_;
    return out;
}

Reader PluginService::next() {
    const auto read = [&](char* to, std::size_t n) {
        while (n > 0) {
            const ssize_t got = ::recv(fd_, to, n, 0);
            if (got == 0) ::_exit(0);  // nobody asks any more
            if (got < 0 && errno != EINTR) ::_exit(1);
            if (got < 0) continue;
            to += got;
            n -= static_cast<std::size_t>(got);
        }
    };
    read(reinterpret_cast<char*>(&head_), sizeof head_);
    Body body(head_.bytes);
    read(body.bytes.get(), body.size);
    return Reader(std::move(body));
}

void PluginService::answer(Writer& with) {
    const std::vector<char>& frame = with.framed(head_.key);
    for (std::size_t done = 0; done < frame.size();) {
        const ssize_t n = ::send(fd_, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) ::_exit(1);
        if (n > 0) done += static_cast<std::size_t>(n);
    }
}

}  // namespace gradproof::cli
