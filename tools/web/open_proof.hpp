// A text as derivations, each with its one draw: kept, so that further questions about the same text are answered at once.
//
//   OpenProof& open = opened(text, seed);
//   open.draws[0]->instance.gradient("Q").value;
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {

struct Drawn {
    Drawn(const proof::Proof& proof, const proof::InstanceOptions& options)
        : plan(proof, options.bind), instance(proof, plan, options, 0) {}
    proof::Plan plan;
    proof::Instance instance;
};

struct OpenProof {
    std::string text;
    std::uint64_t seed = 0;
    std::vector<proof::Proof> proofs;
    std::vector<std::unique_ptr<Drawn>> draws;
};

/// Of the text and seed of the question. It stays until another is opened. Errors: ProofError.
OpenProof& opened(const Json& question);
/// The seed of the question, or that which the program draws with.
std::uint64_t seed_in(const Json& question);

}  // namespace gradproof::web
