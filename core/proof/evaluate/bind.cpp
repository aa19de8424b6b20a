// Binding arrays to names.
#include "gradproof/core/proof/evaluate/bind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof::proof {
namespace {

const Given* given_named(const std::string& name, const std::vector<Proof>& proofs) {
    for (const Proof& p : proofs)
        for (const Given& g : p.given)
            if (g.name == name) return &g;
    return nullptr;
}

Tensor<double> checked(const Array& array, const Given& given, const std::string& from) {
    if (given.differentiable && array.dtype == DType::boolean)
        value_error("--bind: {}: {} is an array of bool, an input takes numbers", from, given.name);
    Tensor<double> x = to_tensor<double>(array, from);
    const auto bad =
        std::find_if(x.begin(), x.end(), [&](double v) { return given.differentiable ? !std::isfinite(v) : std::isnan(v); });
    if (bad != x.end())
        value_error("--bind: {}: {} holds {} at element {}, expected {}numbers", from, given.name, *bad, bad - x.begin(),
                    given.differentiable ? "finite " : "");
    if (x.size() > kMostElements)
        value_error("--bind: {}: {} has {} elements, at most {}", from, given.name, x.size(), kMostElements);
    return x;
}

std::string known_names(const std::vector<Proof>& proofs) {
    std::string out;
    for (const Proof& p : proofs)
        for (const Given& g : p.given) out += (out.empty() ? "" : ", ") + g.name;
    return out.empty() ? "nothing" : out;
}

[[noreturn]] void unknown(const std::string& name, const std::string& from, const std::vector<Proof>& proofs) {
    std::vector<std::string> names;
    for (const Proof& p : proofs)
        for (const Given& g : p.given) names.push_back(g.name);
    const std::string near = nearest(name, names);
    value_error("--bind: {}: no input or constant is called {}{}", printable(from, 80), printable(name, 60),
                near.empty() ? "; there is " + known_names(proofs) : "; did you mean " + near);
}

}  // namespace

std::vector<NamedArray> read_arrays(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension == ".npz") return read_npz(path);
    if (extension == ".safetensors") return read_safetensors(path).tensors;
    if (extension == ".npy") return {{std::filesystem::path(path).stem().string(), read_npy(path)}};
    io_error("{}: expected an .npy, .npz or .safetensors file", printable(path));
}

std::optional<Meaning> meaning_of(const std::string& name, const Proof& proof) {
    const auto known = [&](const std::string& value) {
        return proof.find(value) != nullptr ||
               std::any_of(proof.given.begin(), proof.given.end(), [&](const Given& g) { return g.name == value; });
    };
    if (known(name)) return Meaning{name, false};
    for (const std::string_view prefix : {"∂L/∂", "∂Loss/∂", "dLoss/d", "dL/d", "dL_d", "grad_", "d"})
        if (name.starts_with(prefix) && known(name.substr(prefix.size()))) return Meaning{name.substr(prefix.size()), true};
    for (const std::string_view suffix : {"_grad", ".grad"})
        if (name.ends_with(suffix) && known(name.substr(0, name.size() - suffix.size())))
            return Meaning{name.substr(0, name.size() - suffix.size()), true};
    return std::nullopt;
}

Bindings read_bindings(const std::vector<std::string>& words, const std::vector<Proof>& proofs) {
    Bindings out;
    const auto bind = [&](const Array& array, const Given& given, const std::string& from) {
        if (!out.emplace(given.name, checked(array, given, from)).second) value_error("--bind: {} is bound twice", given.name);
    };
    for (const std::string& word : words) {
        const std::size_t at = word.find('=');
        if (at != std::string::npos) {
            const std::string name = word.substr(0, at), path = word.substr(at + 1);
            const Given* given = given_named(name, proofs);
            if (!given) unknown(name, word, proofs);
            if (path.empty()) value_error("--bind: {}: the file is missing, expected {}=FILE.npy", printable(word, 80), name);
            const auto arrays = read_arrays(path);
            const Array* array = arrays.size() == 1 ? &arrays.front().array : find_array(arrays, name);
            if (!array) value_error("--bind: {}: holds no array called {}", printable(path), name);
            bind(*array, *given, path);
            continue;
        }
        if (word.ends_with(".npy"))
            value_error("--bind: {}: whose array is it? write NAME={}", printable(word, 80), printable(word, 80));
        std::size_t used = 0;
        for (const NamedArray& a : read_arrays(word)) {
            if (const Given* given = given_named(a.name, proofs)) {
                bind(a.array, *given, word);
                ++used;
            } else if (std::none_of(proofs.begin(), proofs.end(),
                                    [&](const Proof& p) { return meaning_of(a.name, p).has_value(); })) {
                unknown(a.name, word, proofs);
            }
        }
        if (used == 0) value_error("--bind: {}: holds no array for {}", printable(word), known_names(proofs));
    }
    return out;
}

}  // namespace gradproof::proof
