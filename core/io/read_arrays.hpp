// Every array of a file, whatever its format.
//
//   for (const NamedArray& a : read_arrays("theirs.npz")) use(a.name, a.array);
#pragma once

#include <filesystem>

#include "gradproof/core/io/array.hpp"

namespace gradproof {

/// The arrays of an .npz or .safetensors file, or the one of an .npy file under the file's name. Errors: IoError.
std::vector<NamedArray> read_arrays(const std::filesystem::path& path);

}  // namespace gradproof
