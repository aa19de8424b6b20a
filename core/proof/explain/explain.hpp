// Every step of a derivation with its formula, shape and numbers: forward, then the true gradients from the last to the first.
//
//   const Explanation e = explain(read_proofs("a.proof", text)[0], {.seed = 1});
//   e.backward[0].name;                          // "∂L/∂O"
//   fmt::print("{}", to_text(e));
#pragma once

#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/explain/cell.hpp"

namespace gradproof::proof {

/// A claim of the file about a step, compared with the numbers of this draw.
struct StatedClaim {
    int line = 0;
    TextSpan span;
    std::string formula;  ///< its right-hand side
    bool agrees = false;
    std::string note;  ///< where they differ, or why they were not compared
};

struct Step {
    int line = 0;  ///< of the forward statement; 0 for given values and for gradients
    TextSpan span;
    std::string name;     ///< "S", "∂L/∂S"
    std::string formula;  ///< for a forward step, and for the incoming gradient
    /// For a gradient: each value computed from this one, with the backward of the op if that step is one op.
    std::vector<std::string> through;
    std::string derived;  ///< for a gradient: its line as derive() has it, "" if there is no rule
    std::string rule;     ///< "matrix product on S = Q K^T"
    std::string shape;
    Tensor<double> value;
    std::optional<StatedClaim> claim;
    std::string doubt;
};

struct Explanation {
    std::string file, title;
    int line = 1;
    std::vector<std::pair<std::string, Index>> sizes;
    std::string loss;
    std::vector<Step> given, forward, backward;
    std::optional<CellReport> cell;  ///< for explain_cell, which leaves out the steps
};

/// Explains one draw of the proof. Errors: ProofError; Stopped, when `control` ends the call (its progress counts gradients).
Explanation explain(const Proof& proof, const InstanceOptions& options = {}, const Control& control = {});
/// Explains one entry, as "dK[2,1]", "S[0,1]" or "∂A[0,1]/∂S[0,2]", in the first proof that has such values.
/// Errors: those of find_cell and take_apart; Stopped, when `control` ends the call.
Explanation explain_cell(const std::vector<Proof>& proofs, const std::string& cell, const InstanceOptions& options = {},
                         const Control& control = {});

/// The whole backward as sentences with the numbers of the draw: which rule takes the gradient from where, and its largest entry in
/// numbers. Errors: as explain.
std::string explain_in_words(const Proof& proof, const InstanceOptions& options = {}, const Control& control = {});

/// The registered op that computes the expression in one call from values and numbers; "" if there is none.
std::string op_of(const Expr& e, const Scope<double>& scope);

std::string to_text(const Explanation& e);
/// One JSON object, "schema": 1.
std::string to_json(const Explanation& e);

}  // namespace gradproof::proof
