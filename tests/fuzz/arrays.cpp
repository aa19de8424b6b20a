// Any bytes are a file of arrays, which are the same once written and read again, or an IoError.
#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace gradproof::fuzz {
namespace {

void read(auto&& parse_and_write) {
    try {
        parse_and_write();
    } catch (const IoError& e) {
        expect_told(e.what());
    }
}
void expect_same(bool same) {
    if (!same) broken("what was written is not what was read");
}
bool same(const std::vector<NamedArray>& a, const std::vector<NamedArray>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const NamedArray& x, const NamedArray& y) { return x.name == y.name && x.array == y.array; });
}

}  // namespace

GRADPROOF_FUZZ(npy)(Input in) {
    read([&] {
        const Array a = parse_npy(in.bytes(), "fuzz.npy");
        expect_same(parse_npy(format_npy(a), "again.npy") == a);
        static_cast<void>(to_tensor<double>(a, "fuzz.npy"));
    });
}
GRADPROOF_FUZZ(npz)(Input in) {
    read([&] {
        const std::vector<NamedArray> arrays = parse_npz(in.bytes(), "fuzz.npz");
        try {
            expect_same(same(parse_npz(format_npz(arrays), "again.npz"), arrays));
        } catch (const ValueError& e) {  // of a name that cannot be written
            expect_told(e.what());
        }
    });
}
GRADPROOF_FUZZ(safetensors)(Input in) {
    read([&] {
        const Safetensors file = parse_safetensors(in.bytes(), "fuzz.safetensors");
        const Safetensors again = parse_safetensors(format_safetensors(file), "again.safetensors");
        expect_same(again.metadata == file.metadata && again.tensors.size() == file.tensors.size());
        for (const NamedArray& a : file.tensors) {
            const Array* const found = find_array(again.tensors, a.name);
            expect_same(found != nullptr && *found == a.array);
        }
    });
}

}  // namespace gradproof::fuzz
