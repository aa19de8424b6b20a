// Files by POSIX calls: written through to the disk, and locked while they are written.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/platform/files_backend.hpp"

namespace gradproof {

using namespace detail;

namespace {

/// An open file descriptor, closed on every way out.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor& operator=(Descriptor&& from) noexcept {
        std::swap(fd_, from.fd_);
        return *this;
    }
    int get() const { return fd_; }
    /// Some file systems report a failed write only here.
    int close() { return ::close(std::exchange(fd_, -1)); }

  private:
    int fd_;
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

/// A new file beside `target` that is renamed onto it, or removed.
/// Its name is "." stem "." process "." number ".tmp", and it stays
/// locked while it is written: one that can be locked was left by a process that was killed.
class Temporary {
  public:
    explicit Temporary(const std::filesystem::path& target) : Temporary(target, temporary_prefix(target)) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    Descriptor& file() { return file_; }
    const std::filesystem::path& path() const { return path_; }
    /// False, with errno, where it cannot be.
    bool rename_to(const std::filesystem::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) return false;
        path_.clear();
        return true;
    }
    /// The same, with EEXIST where the target exists. Where the file system knows no such renaming, whoever is killed between
    /// the two steps leaves both names.
    bool rename_to_new(const std::filesystem::path& target) {
#ifdef RENAME_NOREPLACE
        if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
            path_.clear();
            return true;
        }
        if (errno == EEXIST) return false;
#endif
        return ::link(path_.c_str(), target.c_str()) == 0;
    }

  private:
    Temporary(const std::filesystem::path& target, const std::string& prefix) {
        remove_abandoned(target, prefix);
        static std::atomic<unsigned> serial{0};
        do {
            path_ = folder_of(target) / fmt::format("{}{}.{}.tmp", prefix, ::getpid(), serial.fetch_add(1));
            file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        } while (file_.get() < 0 ? errno == EEXIST : !lock());
        if (file_.get() < 0) path_.clear();
    }
    /// False where another process takes the new file for an abandoned one. The lock outlives file_'s close, up to the renaming.
    bool lock() {
        lock_ = Descriptor(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
        if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
        struct stat status {};
        return ::fstat(file_.get(), &status) != 0 || status.st_nlink > 0;
    }
    static void remove_abandoned(const std::filesystem::path& target, const std::string& prefix) {
        std::error_code error;
        for (std::filesystem::directory_iterator at(folder_of(target), error), end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().native();
            if (!name.starts_with(prefix) || !name.ends_with(".tmp") ||
                name.find_first_not_of("0123456789.", prefix.size()) != name.size() - 3)
                continue;
            const Descriptor left(::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
            if (left.get() >= 0 && ::flock(left.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
        }
    }

    std::filesystem::path path_;
    Descriptor file_{-1}, lock_{-1};
};

/// Errors: IoError naming `path`, also where there is no temporary file.
void fill(Temporary& temporary, std::span<const std::byte> bytes, const std::filesystem::path& path) {
    Descriptor& file = temporary.file();
    if (file.get() < 0) file_error(path, "cannot write");
    if (const int error = write_all(file.get(), bytes)) file_error(path, "cannot write", error);
    if (::fsync(file.get()) != 0) file_error(path, "cannot write");
    if (file.close() != 0) file_error(path, "cannot write");
}

/// A new name survives a crash once its folder is synced; not every file system can, so a failure is no error.
void sync_folder_of(const std::filesystem::path& target) {
    const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) [[maybe_unused]]
        const int ignored = ::fsync(folder.get());
}

constexpr int kPatience = 3000;  // ms until someone opens the other end of a pipe
constexpr int kPause = 10;

/// Whether a pipe that gave nothing may still give something: no writer has been there yet, for so long.
bool may_come(int pipe, int waited, const std::filesystem::path& path) {
    pollfd end{pipe, POLLIN, 0};
    if (::poll(&end, 1, 0) != 0) return (end.revents & POLLIN) != 0;  // a hang-up: writers came and went
    if (waited >= kPatience) io_error("{}: cannot read: it is a pipe that nobody writes into", shown(path));
    ::poll(nullptr, 0, kPause);
    return true;
}

/// Errors: IoError where nobody reads from a pipe.
void write_directly(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    for (int waited = 0; file.get() < 0 && errno == ENXIO && waited < kPatience; waited += kPause) {
        ::poll(nullptr, 0, kPause);
        file = Descriptor(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    }
    if (file.get() < 0 && errno == ENXIO) io_error("{}: cannot write: it is a pipe that nobody reads from", shown(path));
    if (file.get() < 0) file_error(path, "cannot write");
    ::fcntl(file.get(), F_SETFL, O_WRONLY);  // wait for the reader
    if (const int error = write_all(file.get(), bytes)) file_error(path, "cannot write", error);
    if (file.close() != 0) file_error(path, "cannot write");
}

}  // namespace

bool locks_files() noexcept { return true; }

std::vector<std::byte> read_file(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0) file_error(path, "cannot read");
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) file_error(path, "cannot read");
    if (S_ISDIR(status.st_mode)) not_a_file_error(path, "cannot read", "a folder");
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) not_a_file_error(path, "cannot read", "a device");

    const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    if (static_cast<double>(status.st_size) > memory)
        io_error("{}: cannot read: it has {} bytes, the machine has {:.0f} of memory", shown(path), status.st_size, memory);

    // One byte more than the file has, so that the read that finds its end needs no growing.
    std::vector<std::byte> bytes(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536);
    std::size_t size = 0;
    for (int waited = 0;; waited += kPause) {
        if (S_ISFIFO(status.st_mode)) expect_end_of_pipe(path, size);
        if (size == bytes.size()) bytes.resize(2 * size);
        const ssize_t n = ::read(file.get(), bytes.data() + size, bytes.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {  // there is a writer: wait for it
            ::fcntl(file.get(), F_SETFL, O_RDONLY);
            continue;
        }
        if (n < 0) file_error(path, "cannot read");
        if (n == 0 && size == 0 && S_ISFIFO(status.st_mode) && may_come(file.get(), waited, path)) continue;
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
    }
    bytes.resize(size);
    if (bytes.empty()) io_error("{}: the file is empty", shown(path));
    return bytes;
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) not_a_file_error(path, "cannot write", "a folder");
    if (exists && !S_ISREG(old.st_mode))
        return write_directly(path, bytes);  // also where a link says no path, as /dev/fd/63 for a pipe
    const std::filesystem::path target = link_target(path);

    Temporary temporary(target);
    if (exists && temporary.file().get() >= 0 && ::fchmod(temporary.file().get(), old.st_mode & 07777) != 0)
        file_error(path, "cannot write");
    fill(temporary, bytes, path);
    if (!temporary.rename_to(target)) file_error(path, "cannot write");
    sync_folder_of(target);
}

bool write_new_file(const std::filesystem::path& path, std::string_view text) {
    Temporary temporary(path);
    fill(temporary, std::as_bytes(std::span(text.data(), text.size())), path);
    if (temporary.rename_to_new(path))
        sync_folder_of(path);
    else if (errno == EEXIST)
        return false;
    else
        file_error(path, "cannot write");
    return true;
}

void expect_writable(const std::filesystem::path& path) {
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) not_a_file_error(path, "cannot write", "a folder");
    if (exists && !S_ISREG(status.st_mode)) return;
    const std::filesystem::path target = link_target(path);
    if (::stat(folder_of(target).c_str(), &status) != 0) file_error(path, "cannot write");
    if (::access(folder_of(target).c_str(), W_OK | X_OK) != 0) file_error(path, "cannot write");
}

}  // namespace gradproof
