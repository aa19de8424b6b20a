// Reading the derivation a command works on.
#include "tools/cli/proof_input.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "gradproof/core/io/read_arrays.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/language/latex/inputs.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/library/library.hpp"

namespace gradproof::cli {
namespace {

/// The arrays of NAME=FILE.npy, or of a file of arrays by name.
std::vector<NamedArray> read_binding(const std::string& word) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos && word.ends_with(".npy")) value_error("whose array is it? write NAME={}", printable(word, 80));
    if (at == std::string::npos) return read_arrays(word);
    const std::string name = word.substr(0, at), path = word.substr(at + 1);
    if (path.empty()) value_error("the file is missing, expected {}=FILE.npy", name);
    const std::vector<NamedArray> arrays = read_arrays(path);
    const Array* array = arrays.size() == 1 ? &arrays.front().array : find_array(arrays, name);
    if (array == nullptr) value_error("it holds no array called {}", name);
    return {{name, *array}};
}

/// Of a file within the folder, links resolved.
std::optional<std::string> read_within(const std::filesystem::path& folder, const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path root = fs::canonical(folder, failed), path = failed ? fs::path() : fs::canonical(root / name, failed);
    const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    if (failed || in_root != root.end()) return std::nullopt;
    return read_text_file(path);
}

}  // namespace

proof::Text read_derivation(const std::string& file, const std::vector<std::string>& functions) {
    const std::string text = read_text_file(file);
    if (!functions.empty()) {
        if (!file.ends_with(".py")) value_error("{}: --function goes with programs, whose names end in .py", printable(file));
        return proof::numpy::with_functions(file, text, functions);
    }
    if (!proof::is_latex(file)) return text;
    const auto parent = std::filesystem::path(file).parent_path();
    const std::filesystem::path folder = parent.empty() ? "." : parent;
    return proof::latex::with_inputs(file, text, [&](const std::string& name) { return read_within(folder, name); });
}

void add_proof_options(const Command& command, ProofInput& input) {
    command
        .option("file", input.file,
                "A derivation: a .proof file, LaTeX (.tex), NumPy (.py), a notebook, or Markdown with blocks fenced as ```proof")
        .takes("FILE");
    command.option("--proof", input.name, "A proof of the library; `gradproof proofs` lists them").takes("NAME");
    command.option("--bind", input.bind, "X=x.npy, or an .npz or .safetensors file of arrays by name; may be repeated")
        .one_value();
}

ReadProofs read_input(const ProofInput& input, proof::Unreadable unreadable) {
    if (input.file.empty() == input.name.empty())
        value_error("{}", input.file.empty() ? "give FILE or --proof NAME" : "give either FILE or --proof NAME, not both");
    ReadProofs out{.name = input.file.empty() ? input.name + ".proof" : input.file,
                   .text = input.file.empty() ? proof::library_text(input.name) : read_derivation(input.file),
                   .proofs = {},
                   .bindings = {}};
    out.proofs = proof::read_proofs(out.name, out.text, unreadable);
    out.bindings = read_bindings(input.bind, out.proofs);
    return out;
}

proof::Bindings read_bindings(const std::vector<std::string>& words, const std::vector<proof::Proof>& proofs) {
    proof::Bindings out;
    for (const std::string& word : words)
        named_by("--bind: " + printable(word, 80), [&] {
            for (auto& [name, array] : proof::bind_arrays(read_binding(word), proofs))
                if (!out.emplace(name, std::move(array)).second) value_error("{} is bound twice", name);
        });
    return out;
}

int with_places(const std::function<int()>& f) {
    try {
        return f();
    } catch (const proof::ProofError& e) {
        fmt::print(stderr, "gradproof: {}\n", e.what());
        return kUsage;
    }
}

}  // namespace gradproof::cli
