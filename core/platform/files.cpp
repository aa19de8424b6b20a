// Text files, and what every way to read and write files shares: where a path leads, and the words of its errors.
#include "gradproof/core/platform/files.hpp"

#include <system_error>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files_backend.hpp"

namespace gradproof {

std::string detail::shown(const std::filesystem::path& path) {
    return path.empty() ? "(empty path)" : printable(path.native(), 400);
}

void detail::file_error(const std::filesystem::path& path, std::string_view what, int error) {
    io_error("{}: {}: {}", shown(path), what, std::generic_category().message(error));
}

void detail::not_a_file_error(const std::filesystem::path& path, std::string_view what, std::string_view it_is) {
    io_error("{}: {}: it is {}, expected a file", shown(path), what, it_is);
}

std::filesystem::path detail::folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::filesystem::path detail::link_target(const std::filesystem::path& path) {
    std::filesystem::path target = path;
    std::error_code error;
    for (int hops = 0; std::filesystem::is_symlink(target, error); ++hops) {
        if (hops == 40) file_error(path, "cannot write", ELOOP);
        const std::filesystem::path next = std::filesystem::read_symlink(target, error);
        if (error) file_error(path, "cannot write", error.value());
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    if (!target.has_filename()) io_error("{}: cannot write: the path names no file", shown(path));
    return target;
}

void detail::expect_end_of_pipe(const std::filesystem::path& path, std::size_t size) {
    if (size > kLongestPipe)
        io_error("{}: cannot read: it is a pipe that does not end within {} bytes", shown(path), kLongestPipe);
}

std::string detail::temporary_prefix(const std::filesystem::path& target) {
    return "." + target.filename().native().substr(0, 200) + ".";
}

std::string read_text_file(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool file_holds(const std::filesystem::path& path, std::string_view text) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == text.size() &&
           (text.empty() || read_text_file(path) == text);
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path out = std::filesystem::absolute(path, error);
    if (error) io_error("{}: cannot be found: the working folder is gone", detail::shown(path));
    return out;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace gradproof
