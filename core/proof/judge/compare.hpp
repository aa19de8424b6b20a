// Arrays computed elsewhere against the true forward values and gradients of a proof.
//
//   const CompareReport r = compare(proof, bindings, read_arrays("theirs.npz"));
//   r.verdict();
#pragma once

#include "gradproof/core/check/compared_arrays.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/evaluate/bind.hpp"

namespace gradproof::proof {

struct CompareReport {
    std::string file, title;
    std::vector<std::pair<std::string, Index>> sizes;
    std::string loss;       ///< which loss the gradients are of
    std::string tolerance;  ///< in words
    check::ComparedArrays results;
    check::Verdict verdict() const { return results.verdict(); }
};

struct ResultOptions {
    std::optional<double> tolerance;  ///< in the place of the one derived from each array's element type
};

/// An input without an array, where results are of an array.
struct NotBound : ValueError {
    explicit NotBound(const std::string& input);
    std::string input;
};

/// Errors: NotBound; ValueError for a name that means nothing, a gradient without a cotangent or a loss, a tolerance that is
/// none; ProofError for shapes that do not fit; Stopped, by the control, whose parts are the arrays.
CompareReport compare(const Proof& proof, const Bindings& bindings, const std::vector<NamedArray>& theirs,
                      const ResultOptions& options = {}, const Control& control = {});

std::string to_text(const CompareReport& r);
/// One JSON object, "schema": 1.
std::string to_json(const CompareReport& r);

}  // namespace gradproof::proof
