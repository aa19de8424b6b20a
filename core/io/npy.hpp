// NumPy's .npy files. Files of any byte order and layout are read; files are written as version 1, little-endian, in C order.
//
//   Tensor<double> q = to_tensor<double>(read_npy("q.npy"), "q.npy");
//   write_npy("y.npy", from_tensor(q));
//
// Format: numpy.lib.format, versions 1.0, 2.0 and 3.0. Errors name the file, what is wrong, what was found and what expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "gradproof/core/io/array.hpp"

namespace gradproof {

/// Errors: IoError for a file that cannot be read, is not .npy, is cut short or too long, or has an element type other than
/// float16/32/64, int8..64, uint8..64 and bool (structured, object, complex, text and time types are named in the message).
Array read_npy(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
Array parse_npy(std::span<const std::byte> bytes, std::string_view name);

/// Errors: IoError if the file cannot be written; ValueError for a type that NumPy does not have, as bf16.
void write_npy(const std::filesystem::path& path, const Array& array);
std::vector<std::byte> format_npy(const Array& array);

namespace detail {

struct NpyHeader {
    DType dtype = DType::f64;
    Shape shape;
    bool fortran_order = false;
    bool big_endian = false;
    std::size_t data_offset = 0;  // from the start of the file
};
/// No header is longer than this: magic, version, length and text.
inline constexpr std::size_t kLongestNpyHeader = std::size_t{1} << 20;

/// `prefix` is the whole file or at least its first kLongestNpyHeader bytes; `total` is the size of the whole file. Shape and
/// element type are checked against `total`, so that a caller may safely allocate that much.
NpyHeader parse_npy_header(std::span<const std::byte> prefix, std::uint64_t total, std::string_view name);
/// `data` is what follows the header, in the file's layout.
Array npy_array(const NpyHeader& header, std::vector<std::byte> data);

}  // namespace detail

}  // namespace gradproof
