// Progress in a file.
#include "tools/cli/exercise_progress.hpp"

#include <cstdlib>
#include <system_error>

#include <fmt/core.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::cli {
namespace {

/// By the XDG base directories: a path there that is relative does not count.
std::filesystem::path usual_file() {
    const auto folder = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value != nullptr && *value == '/' ? std::filesystem::path(value) : std::filesystem::path();
    };
    if (const auto state = folder("XDG_STATE_HOME"); !state.empty()) return state / "gradproof" / "exercises";
    if (const auto home = folder("HOME"); !home.empty()) return home / ".local" / "state" / "gradproof" / "exercises";
    return {};
}

}  // namespace

KeptProgress::KeptProgress(const std::string& file) : file_(file.empty() ? usual_file() : std::filesystem::path(file)) {
    std::error_code error;
    if (file_.empty() || !std::filesystem::exists(file_, error)) return;
    try {
        const bool empty = std::filesystem::is_regular_file(file_) && std::filesystem::file_size(file_) == 0;
        if (!empty) progress_ = proof::Progress::read(read_text_file(file_));
    } catch (const std::exception& e) {
        say(fmt::format("{}; it stays as it is: move it away, or name another file with --progress", e.what()));
        broken_ = true;
    }
}

void KeptProgress::keep() {
    if (broken_ || file_.empty()) return;
    try {
        std::error_code error;
        if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), error);
        if (error) return say(error.message());
        write_file_atomically(file_, progress_.text());
    } catch (const std::exception& e) {
        say(e.what());
    }
}

void KeptProgress::say(const std::string& what) {
    fmt::print(stderr, "gradproof: exercise: progress is not kept: {}: {}\n", printable(file_.native(), 400),
               printable(what, 1000));
}

}  // namespace gradproof::cli
