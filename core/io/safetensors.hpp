// .safetensors files: named arrays and a map of strings, as other frameworks exchange weights.
//
//   write_safetensors("model.safetensors", {.tensors = {{"w", from_tensor(w)}}, .metadata = {{"step", "120"}}});
//   Tensor<float> w = to_tensor<float>(*find_array(read_safetensors("model.safetensors").tensors, "w"), "w");
//
// Format: eight bytes of header length, a JSON header {"name": {"dtype", "shape", "data_offsets"}, "__metadata__": {}}, data.
#pragma once

#include <filesystem>
#include <map>
#include <span>

#include "gradproof/core/io/array.hpp"

namespace gradproof {

struct Safetensors {
    std::vector<NamedArray> tensors{};  ///< in the order of their data
    std::map<std::string, std::string> metadata{};
};

/// Errors: IoError for a file that cannot be read or breaks the format: a header that is not a JSON object, or is longer than the
/// file or 100 MB; a name used twice, an unknown dtype, an impossible shape; offsets that overlap, leave a hole, or do not fit.
Safetensors read_safetensors(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view name);

/// Data is written in order of decreasing element size (so that each tensor is aligned), then in the given order.
/// Errors: IoError if the file cannot be written; ValueError for a name that is used twice, reserved or not UTF-8.
void write_safetensors(const std::filesystem::path& path, const Safetensors& contents);
std::vector<std::byte> format_safetensors(const Safetensors& contents);

}  // namespace gradproof
