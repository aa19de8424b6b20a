// Creates folders and writes files so that a failure leaves nothing behind.
#include "tools/cli/out_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) { return printable(path.string(), 400); }

/// A temporary folder for files before they are moved into `folder`; removed with its content.
class Aside {
  public:
    explicit Aside(const fs::path& folder) : path_(folder / fmt::format(".{}.tmp", getpid())) {}
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
    for (const std::string& name : files) expect_no_folder(name);
    make();  // so that every error of creating it comes now
    remove_empty();
}

void OutFolder::expect_no_folder(const fs::path& name) const {
    std::error_code error;
    if (fs::is_directory(path_ / name, error))
        value_error("{}: --out: {} is a folder, expected a file or nothing", command_, shown(path_ / name));
}

OutFolder::~OutFolder() { remove_empty(); }

void OutFolder::remove_empty() noexcept {
    std::error_code ignored;
    for (auto p = made_.rbegin(); p != made_.rend(); ++p) fs::remove(*p, ignored);
    made_.clear();
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
        expect_no_folder(name);
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
