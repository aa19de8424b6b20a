// Arrays by the ending of their file.
#include "gradproof/core/io/read_arrays.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof {

std::vector<NamedArray> read_arrays(const std::filesystem::path& path) {
    const std::filesystem::path extension = path.extension();
    if (extension == ".npz") return read_npz(path);
    if (extension == ".safetensors") return read_safetensors(path).tensors;
    if (extension == ".npy") return {{path.stem().string(), read_npy(path)}};
    io_error("{}: expected an .npy, .npz or .safetensors file", printable(path.native()));
}

}  // namespace gradproof
