// Folders made and files written so that a failure leaves nothing behind.
#include "tools/cli/out_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/errors.hpp"
#include "core/io/file.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

/// What this scope made, removed at its end unless kept: newest first, and folders only where empty.
class Made {
  public:
    ~Made() {
        std::error_code ignored;
        for (auto p = paths_.rbegin(); p != paths_.rend(); ++p) fs::remove(*p, ignored);
    }
    void folders(const fs::path& path) {
        if (path.empty() || fs::is_directory(path)) return;
        folders(path.parent_path());
        std::error_code error;
        fs::create_directory(path, error);
        if (error) io_error("--out: {} cannot be made: {}", printable(path.string(), 400), error.message());
        paths_.push_back(path);
    }
    void file(const fs::path& path, const std::string& text) {
        const bool fresh = !fs::exists(path);
        write_file_atomically(path, std::string_view(text));
        if (fresh) paths_.push_back(path);
    }
    void keep() { paths_.clear(); }

  private:
    std::vector<fs::path> paths_;
};

}  // namespace

OutFolder::OutFolder(std::string command, fs::path path) : command_(std::move(command)), path_(std::move(path)) {
    std::error_code error;
    fs::path at = path_;
    while (!at.empty() && !fs::exists(at, error)) at = at.parent_path();
    if (at.empty()) at = ".";
    const std::string shown = printable(at.string(), 400);
    if (!fs::is_directory(at, error)) value_error("{}: --out: {} is a file, expected a folder", command_, shown);
    if (access(at.c_str(), W_OK | X_OK) != 0) io_error("{}: --out: {} cannot be written: {}", command_, shown, std::generic_category().message(errno));
    Made().folders(path_);  // what a folder that is not there yet will meet is met now
}

void OutFolder::write(const std::vector<std::pair<fs::path, std::string>>& files) const {
    Made made;
    for (const auto& [name, text] : files) {
        made.folders((path_ / name).parent_path());
        made.file(path_ / name, text);
    }
    made.keep();
}

}  // namespace gradproof::cli
