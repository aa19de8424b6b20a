// .npz archives where there is no libzip: each is refused.
#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/npz.hpp"

namespace gradproof {

bool has_npz() noexcept { return false; }

std::vector<NamedArray> parse_npz(std::span<const std::byte>, std::string_view name) {
    io_error("{}: cannot be read: this gradproof was built without libzip; give the arrays as .npy or .safetensors", name);
}

std::vector<std::byte> format_npz(const std::vector<NamedArray>&) {
    io_error("npz: cannot be built: this gradproof was built without libzip; write .npy or .safetensors");
}

}  // namespace gradproof
