// Reading and atomic writing of whole files, on POSIX calls.
#include "core/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "core/errors.hpp"
#include "core/io/utf8.hpp"

namespace gradproof {
namespace {

std::string shown(const std::filesystem::path& path) { return path.empty() ? "(empty path)" : printable(path.native(), 400); }

[[noreturn]] void system_error(const std::filesystem::path& path, std::string_view what, int error = errno) {
    io_error("{}: {}: {}", shown(path), what, std::system_category().message(error));
}

/// An open file descriptor, closed on every way out.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    /// Some file systems report a failed write only here.
    int close() { return ::close(std::exchange(fd_, -1)); }

  private:
    int fd_;
};

/// Removes a temporary file unless it was renamed away.
class Temporary {
  public:
    explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    const std::filesystem::path& path() const { return path_; }
    void keep() { path_.clear(); }

  private:
    std::filesystem::path path_;
};

/// 0, or the error number.
int write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
        const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), kMostAtOnce));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return 0;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Where a write to `path` really goes: the end of a chain of symbolic links.
std::filesystem::path link_target(const std::filesystem::path& path) {
    std::filesystem::path target = path;
    std::error_code error;
    for (int hops = 0; std::filesystem::is_symlink(target, error); ++hops) {
        if (hops == 40) system_error(path, "cannot write", ELOOP);
        const std::filesystem::path next = std::filesystem::read_symlink(target, error);
        if (error) system_error(path, "cannot write", error.value());
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target;
}

void write_directly(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) system_error(path, "cannot write");
    if (const int error = write_all(file.get(), bytes)) system_error(path, "cannot write", error);
    if (file.close() != 0) system_error(path, "cannot write");
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit) return out + "...";
        const std::size_t n = utf8::read(text).bytes;
        const auto byte = static_cast<unsigned char>(text[0]);
        if (n == 0 || byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += text.substr(0, n);
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return out;
}

std::vector<std::byte> read_file(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) system_error(path, "cannot read");
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) system_error(path, "cannot read");
    if (S_ISDIR(status.st_mode)) io_error("{}: cannot read: it is a folder, expected a file", shown(path));
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        io_error("{}: cannot read: it is a device, expected a file", shown(path));

    // One byte more than the file has, so that the read that finds its end needs no growing.
    std::vector<std::byte> bytes(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536);
    std::size_t size = 0;
    while (true) {
        if (size == bytes.size()) bytes.resize(2 * size);
        const ssize_t n = ::read(file.get(), bytes.data() + size, bytes.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) system_error(path, "cannot read");
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
    }
    bytes.resize(size);
    if (bytes.empty()) io_error("{}: the file is empty", shown(path));
    return bytes;
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    const std::filesystem::path target = link_target(path);
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) io_error("{}: cannot write: it is a folder, expected a file", shown(path));
    if (exists && !S_ISREG(old.st_mode)) return write_directly(path, bytes);
    if (!target.has_filename()) io_error("{}: cannot write: the path names no file", shown(path));

    static std::atomic<unsigned> serial{0};
    const std::string suffix = fmt::format(".{}.{}.tmp", ::getpid(), serial.fetch_add(1));
    // A long name is cut so that the temporary one still fits the 255 bytes a name may have.
    const std::string stem = target.filename().native().substr(0, 200);
    const std::filesystem::path name = folder_of(target) / ("." + stem + suffix);
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) system_error(path, "cannot write");
    Temporary temporary(name);
    if (exists && ::fchmod(file.get(), old.st_mode & 07777) != 0) system_error(path, "cannot write");
    if (const int error = write_all(file.get(), bytes)) system_error(path, "cannot write", error);
    if (::fsync(file.get()) != 0) system_error(path, "cannot write");
    if (file.close() != 0) system_error(path, "cannot write");
    if (::rename(name.c_str(), target.c_str()) != 0) system_error(path, "cannot write");
    temporary.keep();
    // The rename itself survives a crash once the folder is synced; not every file system can, so a failure is no error.
    const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) [[maybe_unused]]
        const int ignored = ::fsync(folder.get());
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

void expect_writable(const std::filesystem::path& path) {
    const std::filesystem::path target = link_target(path);
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) io_error("{}: cannot write: it is a folder, expected a file", shown(path));
        if (!S_ISREG(status.st_mode)) return;
    } else if (!target.has_filename()) {
        io_error("{}: cannot write: the path names no file", shown(path));
    }
    if (::stat(folder_of(target).c_str(), &status) != 0) system_error(path, "cannot write");
    if (::access(folder_of(target).c_str(), W_OK | X_OK) != 0) system_error(path, "cannot write");
}

}  // namespace gradproof
