// Creates folders and writes files so that a failure leaves nothing behind.
#include "tools/cli/out_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) { return printable(path.string(), 400); }

/// A temporary folder for files before they are moved into `folder`, which no other process writes into; removed with its
/// content, as are those of processes that were killed.
class Aside {
  public:
    explicit Aside(const fs::path& folder) : path_(folder / fmt::format(".{}.tmp", getpid())) {
        std::error_code error;
        std::vector<fs::path> left;
        for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().native();
            if (name.starts_with(".") && name.ends_with(".tmp") && name.find_first_not_of("0123456789", 1) == name.size() - 4)
                left.push_back(at->path());
        }
        for (const fs::path& one : left) fs::remove_all(one, error);
    }
    ~Aside() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

}  // namespace

OutFolder::OutFolder(std::string command, fs::path path, const std::vector<std::string>& files)
    : command_(std::move(command)), path_(std::move(path)) {
    std::error_code error;
    static_cast<void>(fs::status(path_, error));
    if (error == std::errc::filename_too_long)
        io_error("{}: --out: {} cannot be made: {}", command_, shown(path_), error.message());
    fs::path at = path_;
    while (!at.empty() && !fs::exists(at, error)) at = at.parent_path();
    if (at.empty()) at = ".";
    if (!fs::is_directory(at, error)) value_error("{}: --out: {} is a file, expected a folder", command_, shown(at));
    if (access(at.c_str(), W_OK | X_OK) != 0)
        io_error("{}: --out: {} cannot be written: {}", command_, shown(at), std::generic_category().message(errno));
    for (const std::string& name : files) expect_file_or_nothing(name);
    make();  // so that every error of creating it comes now
    remove_empty();
}

void OutFolder::expect_file_or_nothing(const fs::path& name) const {
    std::error_code error;
    fs::path at = path_;
    for (const fs::path& part : name) {
        at /= part;
        const fs::file_type type = fs::symlink_status(at, error).type();
        if (type == fs::file_type::not_found || type == fs::file_type::none) return;
        if (type == fs::file_type::symlink)
            value_error("{}: --out: {} is a symbolic link, which is not followed; remove it", command_, shown(at));
        const bool last = at == path_ / name;
        if (type == (last ? fs::file_type::regular : fs::file_type::directory)) continue;
        value_error("{}: --out: {} is {}, expected {}", command_, shown(at),
                    type == fs::file_type::directory ? "a folder"
                    : type == fs::file_type::regular ? "a file"
                                                     : "a device or a pipe",
                    last ? "a file or nothing" : "a folder");
    }
}

OutFolder::~OutFolder() {
    remove_empty();
    unlock();
}

void OutFolder::remove_empty() noexcept {
    std::error_code ignored;
    if (!made_.empty()) unlock();
    for (auto p = made_.rbegin(); p != made_.rend(); ++p) fs::remove(*p, ignored);
    made_.clear();
}

void OutFolder::make() {
    make(path_);
    lock();
}

/// A file system that has no locks is used without.
void OutFolder::lock() {
    if (lock_ >= 0) return;
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    unlock();
    value_error("{}: another process is writing into {}; wait for its end, or choose another folder", command_, shown(path_));
}

void OutFolder::unlock() noexcept {
    if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void OutFolder::make(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    make(folder.parent_path());
    if (fs::create_directory(folder, error))
        made_.push_back(folder);
    else if (std::error_code none; !fs::is_directory(folder, none))
        io_error("{}: --out: {} cannot be made: {}", command_, shown(folder), error.message());
}

void OutFolder::write(const std::vector<std::pair<fs::path, std::string>>& files) {
    make();
    const Aside aside(path_);
    for (const auto& [name, text] : files) {
        expect_file_or_nothing(name);
        make((aside.path() / name).parent_path());
        write_file_atomically(aside.path() / name, std::string_view(text));
    }
    for (const auto& file : files) make((path_ / file.first).parent_path());
    for (const auto& file : files) {
        std::error_code error;
        fs::rename(aside.path() / file.first, path_ / file.first, error);
        if (error) io_error("{}: --out: {} cannot be written: {}", command_, shown(path_ / file.first), error.message());
    }
}

}  // namespace gradproof::cli
