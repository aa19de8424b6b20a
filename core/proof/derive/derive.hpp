// The backward of a proof, derived line by line from its forward: one line a value, from the last to the first, each judged
// before it is shown.
//
//   const Derivation d = derive(read_proofs("attention.proof", text)[0]);
//   d.lines[0].text;                        // "∂L/∂V = A^T ∂L/∂O"
//   fmt::print("{}", to_text(d));           // a proof of its own, ready to be checked
#pragma once

#include "gradproof/core/proof/derive/backward.hpp"
#include "gradproof/core/proof/judge/check.hpp"

namespace gradproof::proof {

struct DeriveOptions {
    std::vector<std::string> wrt{};  ///< only these values and what their gradients are made of; all where it is empty
    InstanceOptions draw{};          ///< of the judge
    bool prove = false;              ///< by residues too, which takes longer
};

/// One use of the value on the way to the loss.
struct DerivedPath {
    std::string into, through;    ///< "S", "S = Q K^T / √d"
    std::vector<RuleStep> steps;  ///< from the whole line down to the value
    std::string rules;            ///< of the steps, each once; "identity" where there are none
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
/// A gradient that no line is shown for.
struct Underived {
    std::string name, reason;
};

struct Derivation {
    std::string file, title;
    int line = 1;
    std::vector<DerivedLine> lines;
    std::vector<Underived> missing;
    std::string heading;                            ///< the statements that lines are claims about; "" where they are no claims
    std::string remark{};                           ///< what the lines are, where they are no claims
    bool tangents = false;                          ///< dX is the tangent of X in them
    std::shared_ptr<const LatexSpelling> spelling;  ///< of a proof that was read from LaTeX
};

/// Every line of it is right, as check_proof has it. Errors: ProofError; ValueError for a name in `wrt` that has no gradient;
/// Stopped, by the control, whose parts are the lines.
Derivation derive(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

/// Forward mode: dS in terms of the tangents of what S is computed from, from the first value to the last. Errors: as derive.
Derivation derive_tangents(const Proof& proof, const DeriveOptions& options = {}, const Control& control = {});

/// Forward over reverse: the gradients on the way to an input X as values G_Y, and how each moves when X alone does; the last
/// line is the Hessian of the loss by X times dX. Errors: as derive; ValueError where no loss is stated or X is no input.
Derivation derive_hessian(const Proof& proof, const std::string& of, const DeriveOptions& options = {},
                          const Control& control = {});

/// The sizes, values and forward of a proof as statements of the notation.
std::string statements_of(const Proof& proof);
/// The proof without its lines, read from the notation: one from LaTeX or Python holds its formulas as they stand there.
/// Errors: ProofError where it has no forward.
Proof in_notation(const Proof& proof);
/// The same with ops written out, and a recurrence that it ends in copied to one value more: ∂L/∂H[t] holds what comes back
/// from later steps, and that is not what comes in.
Proof ending_in_a_value(const Proof& proof);
/// Its file without folder and ending, as a name: small letters, digits and _.
std::string file_stem(const Proof& proof);
/// One without lines.
Derivation about(const Proof& proof);

struct DeriveReport {
    bool steps = false;  ///< the parts of the forward each line goes through, and the gradients on the way
};
/// A proof whose claims are the lines; what is no claim stands in comments.
std::string to_text(const Derivation& d, const DeriveReport& report = {});
/// The same in LaTeX: annotations and align environments, the rules of each line beside it.
std::string to_latex(const Derivation& d, const DeriveReport& report = {});
/// The same in Markdown: a list of the rules, below each its line in a block that is checked.
std::string to_markdown(const Derivation& d, const DeriveReport& report = {});
/// One JSON object, "schema": 1.
std::string to_json(const Derivation& d);

}  // namespace gradproof::proof
