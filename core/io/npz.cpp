// .npz files, read and written as a whole.
#include "gradproof/core/io/npz.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof {

std::vector<NamedArray> read_npz(const std::filesystem::path& path) {
    return parse_npz(read_file(path), printable(path.native(), 400));
}

void write_npz(const std::filesystem::path& path, const std::vector<NamedArray>& arrays) {
    write_file_atomically(path, format_npz(arrays));
}

}  // namespace gradproof
