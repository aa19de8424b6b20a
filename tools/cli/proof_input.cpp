// Reading the derivation a command works on.
#include "tools/cli/proof_input.hpp"

#include <fmt/core.h>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/library/library.hpp"

namespace gradproof::cli {

void add_proof_options(const Command& command, ProofInput& input) {
    command.option("file", input.file, "A derivation: a .proof file, or Markdown with blocks fenced as ```proof");
    command.option("--proof", input.name, "One of the library; `gradproof proofs` lists them");
    command.option("--bind", input.bind, "X=x.npy, or an .npz or .safetensors file of arrays by name; may be repeated")
        .one_value();
}

ReadProofs read_input(const ProofInput& input) {
    if (input.file.empty() == input.name.empty()) value_error("give either FILE or --proof NAME");
    ReadProofs out;
    out.proofs = input.file.empty() ? proof::read_proofs(input.name + ".proof", proof::library_text(input.name))
                                    : proof::read_proofs(input.file, read_text_file(input.file));
    out.bindings = proof::read_bindings(input.bind, out.proofs);
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
