// The gradients of a forward, derived line by line: one line for each value, from the last to the first, each judged before it is
// shown.
//
//   const Derivation d = derive(read_proofs("attention.proof", text)[0]);
//   d.lines[0].text;                        // "∂L/∂V = A^T ∂L/∂O"
//   fmt::print("{}", to_text(d));           // a proof of its own, ready to be checked
#pragma once

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct DeriveOptions {
    std::vector<std::string> wrt{};  ///< only the gradients of these values, and those they are computed from; empty: all
    InstanceOptions draw{};          ///< how the judge draws sizes and values
    bool prove = false;              ///< judge lines by residues too, which takes longer
};

/// One use of the value on the way to the loss.
struct DerivedPath {
    std::string into, through;    ///< "S", "S = Q K^T / √d"
    std::vector<RuleStep> steps;  ///< from the whole line down to the value
    std::string rules;            ///< the rules of the steps, each once; "identity" if there are none
};
struct DerivedLine {
    std::string name;  ///< of the value
    ExprPtr left, right;
    std::string text;      ///< left = right
    std::string rule;      ///< "matrix product, quotient rule"
    std::string sentence;  ///< "matrix product on S = Q K^T / √d"
    std::vector<DerivedPath> paths;
    std::optional<Proved> proved;
};
/// A gradient for which no line is shown, and why.
struct Underived {
    std::string name, reason;
};

struct Derivation {
    std::string file, title;
    int line = 1;
    std::vector<DerivedLine> lines;
    std::vector<Underived> missing;
    std::string heading;                            ///< the statements before the claims; "" if the lines are not claims
    std::vector<std::string> made_up{};             ///< what is said of inputs that the text has no name for
    std::string remark{};                           ///< says what the lines are, if they are not claims
    bool tangents = false;                          ///< in the lines, dX is the tangent of X
    std::shared_ptr<const LatexSpelling> spelling;  ///< for a proof that was read from LaTeX
};

/// Every line of the result is right, as judged by check_proof. Errors: ProofError; ValueError for a name in `wrt` that has no
/// gradient; Stopped, when `control` ends the call (its progress counts lines).
Derivation derive(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

/// Forward mode: from the first value to the last, dS in terms of the tangents of the values that S is computed from. Errors: as
/// derive.
Derivation derive_tangents(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

/// Forward over reverse: the gradients on the way to an input X as values G_Y, and how each changes if only X moves. The last
/// line is the Hessian of the loss with respect to X, times dX. Errors: as derive; ValueError if no loss is stated or X is not an
/// input.
Derivation derive_hessian(const Proof& proof, const std::string& of, const DeriveOptions& options = {},
                          const Control& control = {});

/// The same as a forward of values alone: the loss, ∂L/∂X, and the Hessian times a direction that is one more input.
struct SecondOrder {
    Proof proof;
    std::string of, direction, loss, gradient, product;  ///< names of X and of those values
};
SecondOrder second_order(const Proof& proof, const std::string& of, const DeriveOptions& options = {},
                         const Control& control = {});

/// The sizes, values and forward of a proof as statements of the notation.
std::string statements_of(const Proof& proof);
/// The proof without its claims, written in the notation and read again (the formulas of one from LaTeX or Python are as written
/// there). Errors: ProofError if it has no forward, or if a line that is not read may belong to it.
Proof in_notation(const Proof& proof);
/// The same with composite ops written out. If it ends in a recurrence, that is copied to one more value, because ∂L/∂H[t] also
/// holds what comes back from later steps, not only the incoming gradient.
Proof ending_in_a_value(const Proof& proof);
/// The name of its file without folder and ending: small letters, digits and _.
std::string file_stem(const Proof& proof);
/// A derivation about the proof, without lines.
Derivation about(const Proof& proof);

struct DeriveStyle {
    bool steps = false;  ///< also show the parts of the forward that each line goes through, and the gradients on the way
};
/// A text in the notation whose claims are the lines; everything else is in comments.
std::string to_text(const Derivation& d, const DeriveStyle& style = {});
/// The same in LaTeX: annotations and align environments, with the rules beside each line.
std::string to_latex(const Derivation& d, const DeriveStyle& style = {});
/// The same in Markdown: a list of the lines, each with its rules and a block that can be checked.
std::string to_markdown(const Derivation& d, const DeriveStyle& style = {});
/// One JSON object, "schema": 1.
std::string to_json(const Derivation& d);

}  // namespace gradproof::proof
