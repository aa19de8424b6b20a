// The comparison of arrays computed elsewhere with the true forward values and gradients of a derivation.
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
    std::string loss;       ///< the loss that is differentiated
    std::string tolerance;  ///< in words
    check::ComparedArrays results;
    check::Verdict verdict() const { return results.verdict(); }
};

struct ResultOptions {
    std::optional<double> tolerance;  ///< replaces the tolerance derived from each array's element type
};

/// An input has no array, although results depend on its values.
struct NotBound : ValueError {
    explicit NotBound(const std::string& input);
    std::string input;
};

/// Errors: NotBound; ValueError for a name with no meaning, a gradient without a loss or an incoming gradient, or a tolerance
/// that is not a positive finite number; ProofError for shapes that do not fit; Stopped, when `control` ends the call (its
/// progress counts arrays).
CompareReport compare(const Proof& proof, const Bindings& bindings, const std::vector<NamedArray>& theirs,
                      const ResultOptions& options = {}, const Control& control = {});

std::string to_text(const CompareReport& r);
/// One JSON object, "schema": 1.
std::string to_json(const CompareReport& r);

}  // namespace gradproof::proof
