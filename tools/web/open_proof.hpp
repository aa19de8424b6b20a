// A text as derivations, each with its one draw: kept, so that further questions about the same text are answered at once.
//
//   OpenProof& open = opened(question);
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
    std::vector<proof::Proof> proofs;
    std::vector<std::unique_ptr<Drawn>> draws;
};

/// Of the text of the question. It stays until another is opened. Errors: ProofError.
OpenProof& opened(const Json& question);

}  // namespace gradproof::web
