// An array as it is stored in files: an element type known at run time, a shape, and bytes in row-major, little-endian order.
//
//   const Array a = read_npy("q.npy");
//   Tensor<float> q = to_tensor<float>(a, "q.npy");   // from any element type
//   Tensor<bool> mask = to_mask(read_npy("mask.npy"), "mask.npy");
//   write_npy("y.npy", from_tensor(q));
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

static_assert(std::endian::native == std::endian::little, "arrays are kept as they lie in files: little-endian");

/// The element type of an array in a file. To add one, as an 8-bit float:
///   its value here, before `boolean`, which stays last; in array.cpp its row of kFacts and how its bits are read (value_of,
///   with_stored_type), without which nothing compiles; if NumPy has it, its code in plain_type() of npy.cpp; if DLPack has it,
///   its row of kKinds in tools/python/src/arrays.cpp. In .safetensors it has its name in kFacts, in capitals; what it may be off
///   by follows from its rounding. Tests: its bits and special values in io_array_test, and stored() of tests/narrow_types.hpp,
///   which writes it; others go through every type, compare_types_test too, where an honest kernel that rounds each step to fewer
///   than 8 digits is `cannot tell`. Kernels in Python that compute in it: TYPES of tools/python/gradproof/_types.py.
enum class DType : std::uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
inline constexpr int kDTypeCount = static_cast<int>(DType::boolean) + 1;

/// Bytes of one element.
std::size_t item_size(DType dtype);
/// Half a unit in the last place of 1 in that type; for integers and booleans, that of double.
double unit_roundoff(DType dtype);
/// The smallest number above 0 of that type; for integers and booleans, that of double.
double least_step(DType dtype);
bool is_float(DType dtype);
/// Whether NumPy has it, so that .npy and .npz files may hold it.
bool is_in_numpy(DType dtype);
/// "f16", "bf16", ..., "bool".
std::string_view dtype_name(DType dtype);

/// Plain data: `data.size()` is `shape.size() * item_size(dtype)`. A boolean is one byte, 0 for false.
struct Array {
    DType dtype = DType::f64;
    Shape shape;
    std::vector<std::byte> data;

    friend bool operator==(const Array&, const Array&) = default;
};

struct NamedArray {
    std::string name;
    Array array;
};

/// The values as T (float or double), rounded to nearest. They are exact for f16, bf16, bool and integers of up to 16 bits
/// (float) or 32 bits (double); a finite f64 beyond the range of float becomes infinite.
/// Errors: ShapeError naming `name` if the bytes do not fit the shape.
template <class T>
Tensor<T> to_tensor(const Array& a, std::string_view name);
/// Integers only. Errors: ValueError for another element type, or a u64 beyond the range of Index.
Tensor<Index> to_ids(const Array& a, std::string_view name);
/// Booleans only. Errors: ValueError for another element type.
Tensor<bool> to_mask(const Array& a, std::string_view name);

/// A copy with the element type of the tensor: f32, f64, i64 or bool.
Array from_tensor(const Tensor<float>& t);
Array from_tensor(const Tensor<double>& t);
Array from_tensor(const Tensor<Index>& t);
Array from_tensor(const Tensor<bool>& t);

/// The array with that name, or nullptr.
const Array* find_array(const std::vector<NamedArray>& arrays, std::string_view name);

}  // namespace gradproof
