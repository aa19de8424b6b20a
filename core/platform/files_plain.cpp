// Files by the C and C++ standard libraries alone: replaced as a whole, but not locked, nor written through to the disk.
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/platform/files_backend.hpp"

namespace gradproof {

using namespace detail;
namespace fs = std::filesystem;

namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File opened(const fs::path& path, const char* mode) { return File(std::fopen(path.string().c_str(), mode)); }

/// 0, or the error number.
int write_and_close(File file, std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return errno;
    return std::fclose(file.release()) == 0 ? 0 : errno;
}

/// A file beside `target` that was not there before.
std::pair<fs::path, File> new_file(const fs::path& path, const fs::path& target) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    for (int serial = 0;; ++serial) {
        const fs::path name = folder_of(target) / fmt::format("{}{}.{}.tmp", temporary_prefix(target), now, serial);
        if (File file = opened(name, "wbx")) return {name, std::move(file)};
        if (errno != EEXIST) file_error(path, "cannot write");
    }
}

/// Errors: IoError for a folder.
fs::file_status status_to_write(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) not_a_file_error(path, "cannot write", "a folder");
    return status;
}

}  // namespace

bool locks_files() noexcept { return false; }

std::vector<std::byte> read_file(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) not_a_file_error(path, "cannot read", "a folder");
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_fifo(status))
        not_a_file_error(path, "cannot read", "a device");
    const File file = opened(path, "rb");
    if (!file) file_error(path, "cannot read");
    std::vector<std::byte> bytes;
    for (std::size_t size = 0, n = 1; n > 0; size += n) {
        bytes.resize(size + 65536);
        n = std::fread(bytes.data() + size, 1, 65536, file.get());
        bytes.resize(size + n);
        if (fs::is_fifo(status)) expect_end_of_pipe(path, size + n);
    }
    if (std::ferror(file.get())) file_error(path, "cannot read");
    if (bytes.empty()) io_error("{}: the file is empty", shown(path));
    return bytes;
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
    const fs::file_status status = status_to_write(path);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        File file = opened(path, "wb");
        if (!file) file_error(path, "cannot write");
        if (const int error = write_and_close(std::move(file), bytes)) file_error(path, "cannot write", error);
        return;
    }
    const fs::path target = link_target(path);
    auto [temporary, file] = new_file(path, target);
    std::error_code error;
    if (const int failed = write_and_close(std::move(file), bytes)) error.assign(failed, std::generic_category());
    if (!error && fs::exists(status)) fs::permissions(temporary, status.permissions(), error);
    if (!error) fs::rename(temporary, target, error);
    if (!error) return;
    const int failed = error.value();
    fs::remove(temporary, error);
    file_error(path, "cannot write", failed);
}

bool write_new_file(const fs::path& path, std::string_view text) {
    File file = opened(path, "wbx");
    if (!file && errno == EEXIST) return false;
    if (!file) file_error(path, "cannot write");
    const int failed = write_and_close(std::move(file), std::as_bytes(std::span(text.data(), text.size())));
    if (failed == 0) return true;
    std::error_code ignored;
    fs::remove(path, ignored);
    file_error(path, "cannot write", failed);
}

void expect_writable(const fs::path& path) {
    const fs::file_status status = status_to_write(path);
    if (fs::exists(status) && !fs::is_regular_file(status)) return;
    // Nothing but an attempt says whether a file may be made there.
    const auto [name, file] = new_file(path, link_target(path));
    std::error_code ignored;
    fs::remove(name, ignored);
}

}  // namespace gradproof
