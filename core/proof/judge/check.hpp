// Judging a proof: every claim and expectation against the true derivatives, in several draws.
//
//   const ProofReport r = check_proof(read_proofs("a.proof", text)[0], {});
//   r.count(check::Verdict::wrong), r.first_wrong();
#pragma once

#include <optional>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

using check::Diagnosis;
using check::Mistake;
using check::Verdict;

struct CheckOptions {
    InstanceOptions draw;
    int draws = 5;
    bool chain = false;    ///< a gradient on the right is what was claimed before, not the true one
    bool mutation = true;  ///< plant bugs in the right claims and count those that are seen
    bool diagnose = true;
    bool prove = true;  ///< the right claims, by residues
};

/// A printed number that is wrong, or that an erratum calls wrong.
struct Misprint {
    enum class Kind { none, rounding, wrong };  ///< rounding: off by at most two and a half units of the last digit
    Shape index;
    std::string printed, erratum;  ///< as in the text; the erratum is "" where none is stated
    double truth = 0;
    Kind kind = Kind::wrong;
    bool as_stated = false;  ///< the number is wrong, and the erratum says what is right
};

struct LineReport {
    int line = 0;
    TextSpan span;
    std::string kind;  ///< claim, jacobian, expect; forward, where a line of it has no value
    std::string text;
    Verdict verdict = Verdict::right;
    bool skipped = false, unread = false;  ///< in both it has no verdict
    std::optional<TextSpan> at{};          ///< what is not understood, or does not fit
    double error = 0;                      ///< the largest |claimed - true| over the largest true entry
    Index entries = 0;
    std::optional<check::Worst> worst;
    std::optional<Proved> proved;  ///< of a claim that is right
    bool is_zero = false;          ///< the true value is 0 throughout
    std::string read_as;           ///< "[n, 1] as [n]" where an axis of size 1 was dropped; a convention it is right with
    std::string reason;            ///< why it cannot be told, read or does not fit, why it is skipped
    std::optional<Diagnosis> diagnosis;
    std::string derived{};            ///< of a wrong line without a repair: what is right, as a line; "" where that is not known
    std::vector<Misprint> misprints;  ///< of an expectation
    Index unprinted = 0;              ///< entries of its left side that it states no number for
};

struct ProofReport {
    std::string file, title;
    TextSpan start{};  ///< of length 0
    int draws = 0;
    std::vector<std::string> drawn_sizes;
    std::vector<std::string> domain;    ///< what is declared of inputs: "X > 0"
    std::vector<std::string> branches;  ///< how often each side was met: "relu(X): 12 above 0, 8 below"
    Index entries = 0;
    int planted = 0, caught = 0;
    std::vector<LineReport> lines;

    int count(Verdict v) const;
    int skipped() const;
    int unread() const;
    const LineReport* first_wrong() const;  ///< nullptr where none is
    Verdict verdict() const;                ///< wrong, where a line is not read
};

/// Errors: ProofError, of lines only where they refuse the file; Stopped, by the control, whose parts are the lines.
ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control = {});

}  // namespace gradproof::proof
