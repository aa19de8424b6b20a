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
/// removed and the old file stays as it was; one left by a process that was killed goes with the next write to the same file.
/// A symbolic link is followed; a device or pipe is written to directly.
/// Errors: IoError.
/// Without locks_files(), nothing is synced and what a killed process left stays.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Writes a file that is not there yet, whole or not at all. False where something has its name: that stays as it is.
/// Errors: IoError.
bool write_new_file(const std::filesystem::path& path, std::string_view text);

/// The path from the root. Errors: IoError where the working folder was deleted.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Whether files are locked while they are written: where this build knows POSIX calls.
bool locks_files() noexcept;

/// Errors: IoError if `path` cannot become a file: its folder is missing or not writable, or it is a folder itself.
/// For a program that would rather say so before its work than after.
void expect_writable(const std::filesystem::path& path);

}  // namespace gradproof
