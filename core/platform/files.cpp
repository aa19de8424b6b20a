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

std::string detail::temporary_prefix(const std::filesystem::path& target) {
    return "." + target.filename().native().substr(0, 200) + ".";
}

std::string read_text_file(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
    write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace gradproof
