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

std::string shown(const fs::path& path) { return printable(path.string(), 400); }

}  // namespace

OutFolder::OutFolder(std::string command, fs::path path, const std::vector<std::string>& files) : command_(std::move(command)), path_(std::move(path)) {
    std::error_code error;
    fs::path at = path_;
    while (!at.empty() && !fs::exists(at, error)) at = at.parent_path();
    if (at.empty()) at = ".";
    if (!fs::is_directory(at, error)) value_error("{}: --out: {} is a file, expected a folder", command_, shown(at));
    if (access(at.c_str(), W_OK | X_OK) != 0) io_error("{}: --out: {} cannot be written: {}", command_, shown(at), std::generic_category().message(errno));
    for (const std::string& name : files)
        if (fs::is_directory(path_ / name, error)) value_error("{}: --out: {} is a folder, expected a file or nothing", command_, shown(path_ / name));
    make();  // what making it will meet is met now
    remove_empty();
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
    if (fs::create_directory(folder, error)) made_.push_back(folder);
    else if (!fs::is_directory(folder)) io_error("{}: --out: {} cannot be made: {}", command_, shown(folder), error.message());
}

void OutFolder::write(const std::vector<std::pair<fs::path, std::string>>& files) {
    std::vector<fs::path> fresh;
    try {
        for (const auto& [name, text] : files) {
            const fs::path path = path_ / name;
            make(path.parent_path());
            const bool is_new = !fs::exists(path);
            write_file_atomically(path, std::string_view(text));
            if (is_new) fresh.push_back(path);
        }
    } catch (...) {
        std::error_code ignored;
        for (const fs::path& path : fresh) fs::remove(path, ignored);
        throw;
    }
}

}  // namespace gradproof::cli
