// What files_posix.cpp and files_plain.cpp share; the build takes one of the two.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace gradproof::detail {

/// A path for an error line.
std::string shown(const std::filesystem::path& path);
/// IoError in the system's words.
[[noreturn]] void file_error(const std::filesystem::path& path, std::string_view what, int error = errno);
[[noreturn]] void not_a_file_error(const std::filesystem::path& path, std::string_view what, std::string_view it_is);

std::filesystem::path folder_of(const std::filesystem::path& path);
/// Errors: IoError for a pipe that gave `size` bytes and goes on, where these are too many.
void expect_end_of_pipe(const std::filesystem::path& path, std::size_t size);
/// Where a write to `path` really goes: the end of a chain of symbolic links. Errors: IoError if it ends nowhere or names no
/// file.
std::filesystem::path link_target(const std::filesystem::path& path);
/// The name of a temporary file beside `target` begins so; a long name is cut so that it fits the 255 bytes a name may have.
std::string temporary_prefix(const std::filesystem::path& target);

}  // namespace gradproof::detail
