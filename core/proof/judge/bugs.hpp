// The classic mistakes of a derivation, planted in right claims to measure the diagnosis.
//
//   for (const Bug& b : classic_bugs(claim, plan)) diagnose(b.result) should say b.mistake
#pragma once

#include "gradproof/core/proof/judge/check.hpp"
#include "gradproof/core/proof/judge/mutate.hpp"

namespace gradproof::proof {

/// A wrong version of the right side of a claim.
struct Bug {
    Mistake mistake;
    ExprPtr result;
};
/// Each is known to be wrong; changes that leave the claim right are left out.
std::vector<Bug> classic_bugs(const Claim& claim, const Plan& plan);

/// How often each planted kind was given each name.
struct Confusion {
    std::map<std::string_view, std::map<std::string_view, int>> counts;  ///< planted kind -> diagnosed kind -> how often
    int planted = 0, named = 0;
    std::vector<std::string> missed;  ///< "proof:line planted x, said y: text"
    void add(const Confusion& other);
    std::string table() const;
};
/// Plants the classic bugs, every `stride`-th of each kind, in every right claim of a proof, and diagnoses them.
Confusion confusion(const Proof& proof, const CheckOptions& options, int stride = 1);

}  // namespace gradproof::proof
