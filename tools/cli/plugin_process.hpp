// A process of this program that has loaded plugins and runs their code, against the clock. It answers messages (frames.hpp);
// what it prints is shown on stderr as its own, and what it says of itself counts for nothing.
//
//   PluginProcess process({"libswish.so"}, 60);
//   Reader answer = process.ask(call);         // or PluginEnded: it crashed, hung, ended, or wrote something else
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gradproof/core/platform/control.hpp"
#include "tools/cli/frames.hpp"

namespace gradproof::cli {

inline constexpr int kPluginFd = 3;  ///< of the process, for messages

/// How the process came to its end: "crashed by signal 11 (Segmentation fault)", "timed out: ..." Ends the call of the library in
/// which it happens.
class PluginEnded : public Stopped {
    using Stopped::Stopped;
};

/// A plugin threw something that is not an exception; nor is this one.
struct NoException {};

/// What the first word of a message asks for.
enum class Ask : std::uint8_t { load, samples, error_samples, fits, forward, backward, count };
/// How an answer begins: done, or what was thrown, with its text.
enum class Answer : std::uint8_t { done, shape_error, value_error, tape_error, io_error, exception, no_exception, count };

class PluginProcess {
  public:
    /// `seconds`: how long the process may work, loading apart, until it is started again. Errors: IoError if none can be
    /// started.
    PluginProcess(std::vector<std::string> paths, double seconds) : paths_(std::move(paths)), limit_(seconds) {}
    ~PluginProcess() { end(); }
    PluginProcess(const PluginProcess&) = delete;
    PluginProcess& operator=(const PluginProcess&) = delete;

    /// Starts a new one, loads the plugins and gives what each has: an answer to Ask::load. Errors: IoError with the plugin's
    /// name where it crashes or hangs as it loads, and in the words of load_plugin where it cannot be loaded.
    std::vector<Reader> start();
    /// The answer, without its Answer. Safe from any thread; `rest` takes what follows the text of an error. Errors:
    /// PluginEnded; what the plugin threw.
    Reader ask(Writer& message, const std::function<void(Reader&)>& rest = {});
    const std::vector<std::string>& paths() const { return paths_; }
    /// Counts the starts: what is kept in a process is gone with it.
    int generation() const { return generation_; }
    /// For who reads an answer to its end. Errors: PluginEnded, always.
    [[noreturn]] void malformed();

  private:
    Reader exchange(Writer& message);
    [[noreturn]] void fail(const std::string& how);
    [[noreturn]] void time_out();
    void spawn();
    void end() noexcept;
    std::string ending();
    void wait_for(short what);
    void show_prints();
    void send(const std::vector<char>& bytes);
    void receive(char* bytes, std::size_t n);

    std::vector<std::string> paths_;
    double limit_, left_ = 0;
    std::mutex mutex_;
    int pid_ = -1, fd_ = -1, generation_ = 0;
    int prints_ = -1;   // where its stdout and stderr can be read
    std::string line_;  // of these, as far as it has come
    std::uint64_t key_ = 0;
    std::string ended_;  // how, once it has
};

/// In the process itself: reads a message and writes the answer to it, to the end of time.
class PluginService {
  public:
    explicit PluginService(int fd) : fd_(fd) {}
    Reader next();
    void answer(Writer& with);

  private:
    int fd_;
    FrameHead head_{};
};

}  // namespace gradproof::cli
