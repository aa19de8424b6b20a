// NumPy's .npz files: named .npy arrays in one zip.
//
//   const auto arrays = read_npz("theirs.npz");
//   if (const Array* dq = find_array(arrays, "dq")) ...
//   write_npz("out.npz", {{"y", from_tensor(y)}, {"dq", from_tensor(dq_tensor)}});    // numpy.load("out.npz")["y"]
#pragma once

#include <filesystem>
#include <span>

#include "gradproof/core/io/array.hpp"

namespace gradproof {

/// The arrays in the order of the archive, stored or deflated; names are given without ".npy".
/// Errors: IoError for a file that is not a zip archive or is cut short, or that has an entry that is encrypted, not .npy, named
/// twice or damaged (its checksum is verified), or that claims more data than its compressed bytes can hold.
std::vector<NamedArray> read_npz(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes, std::string_view name);

/// Whether this build reads and writes .npz files. Without libzip it does not, and these functions throw IoError.
bool has_npz() noexcept;

/// Not compressed, as numpy.savez; the same arrays give the same bytes.
/// Errors: IoError if the file cannot be written; ValueError for a name used twice or empty, or a type as bf16.
void write_npz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays);
std::vector<std::byte> format_npz(const std::vector<NamedArray>& arrays);

}  // namespace gradproof
