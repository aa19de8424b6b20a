// The derivation a command works on: a file or one of the library, and the arrays bound to its names.
#pragma once

#include "gradproof/core/proof/evaluate/bind.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {

struct ProofInput {
    std::string file, name;
    std::vector<std::string> bind;
};
void add_proof_options(const Command& command, ProofInput& input);

/// The text of a derivation; of a LaTeX file with what it takes in from its folder; of a program, with the
/// `functions` alone, where any are named. Errors: IoError, ProofError.
proof::Text read_derivation(const std::string& file, const std::vector<std::string>& functions = {});

struct ReadProofs {
    std::string name;  ///< that reports show it under
    proof::Text text;
    std::vector<proof::Proof> proofs;
    proof::Bindings bindings;
};
/// Errors: ValueError where not exactly one of FILE and --proof is given; those of read_proofs and read_bindings.
ReadProofs read_input(const ProofInput& input, proof::Unreadable unreadable = proof::Unreadable::refuses_file);
/// The arrays of what stood after each --bind. Errors: IoError, and those of bind_arrays with the word they are about.
proof::Bindings read_bindings(const std::vector<std::string>& words, const std::vector<proof::Proof>& proofs);

/// f; an error of the library about a value says which option gave it.
template <class F>
auto named_by(const std::string& option, F f) {
    try {
        return f();
    } catch (const ValueError& e) {
        value_error("{}: {}", option, e.what());
    }
}

/// f, with a ProofError printed whole, caret and all: exit 2.
int with_places(const std::function<int()>& f);

}  // namespace gradproof::cli
