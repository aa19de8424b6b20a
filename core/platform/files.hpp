// Whole files as bytes: read in one piece, written so that a reader sees the old file or the new one, never a part.
//
//   std::vector<std::byte> bytes = read_file("q.npy");
//   write_file_atomically("out/y.npy", bytes);
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// All bytes of a file or pipe. Errors: IoError if it is missing, a folder, a device, unreadable, empty, or larger than the
/// memory of the machine; a pipe must end within kLongestPipe bytes.
std::vector<std::byte> read_file(const std::filesystem::path& path);
/// The same bytes as text.
std::string read_text_file(const std::filesystem::path& path);
/// Whether there is a file of exactly this text.
bool file_holds(const std::filesystem::path& path, std::string_view text);
inline constexpr std::size_t kLongestPipe = std::size_t{1} << 28;

/// Replaces a file by `bytes`: written to a temporary file beside it, synced, renamed. On any failure the temporary file is
/// removed and the old file stays as it was; a temporary file left by a killed process is removed by the next write to the same
/// file. A symbolic link is followed; a device or pipe is written to directly.
/// Errors: IoError.
/// In a build where locks_files() is false, nothing is synced and the temporary file of a killed process stays.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Writes a new file, whole or not at all. False if the name is taken; what has it stays as it is.
/// Errors: IoError.
bool write_new_file(const std::filesystem::path& path, std::string_view text);

/// The absolute path. Errors: IoError if the working folder was deleted.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Whether this build locks files while they are written; it needs POSIX calls for that.
bool locks_files() noexcept;

/// Errors: IoError if `path` cannot become a file: its folder is missing or not writable, or it is a folder itself.
/// For a program that wants to report this before its work rather than after it.
void expect_writable(const std::filesystem::path& path);

}  // namespace gradproof
