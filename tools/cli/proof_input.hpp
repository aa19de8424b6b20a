// The derivation a command works on: a file or one of the library, and the arrays bound to its names.
#pragma once

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "tools/cli/commands.hpp"

namespace gradproof::cli {

struct ProofInput {
    std::string file, name;
    std::vector<std::string> bind;
};
void add_proof_options(const Command& command, ProofInput& input);

struct ReadProofs {
    std::vector<proof::Proof> proofs;
    proof::Bindings bindings;
};
/// Errors: ValueError where not exactly one of FILE and --proof is given; those of read_proofs and read_bindings.
ReadProofs read_input(const ProofInput& input);

/// f, with a ProofError printed whole, caret and all: exit 2.
int with_places(const std::function<int()>& f);

}  // namespace gradproof::cli
