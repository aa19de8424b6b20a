// Judging one derivation: every claim and expectation is compared with the true values and derivatives, in several draws.
//
//   const ProofReport r = check_proof(read_proofs("a.proof", text)[0], {});
//   r.count(check::Verdict::wrong), r.first_wrong();
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/prove/prove.hpp"

namespace gradproof::proof {

using check::Diagnosis;
using check::Mistake;
using check::Verdict;

/// Runs a program: what it is asked and what it answers are JSON (run_exchange.hpp).
using RunProgram = std::function<std::string(const std::string&)>;

struct CheckOptions {
    InstanceOptions draw;
    int draws = 5;
    bool chain = false;    ///< a gradient on the right-hand side stands for what was claimed above, not for the true one
    bool mutation = true;  ///< plant bugs in the right claims and count those that are caught
    bool diagnose = true;
    bool prove = true;  ///< prove right claims by residues (prove/prove.hpp)
    std::chrono::steady_clock::duration to_explain = std::chrono::seconds(20);  ///< for all wrong lines of a derivation
    RunProgram run{};                                                           ///< of a program; empty: it is read alone
};

/// A printed number that is wrong, or that an erratum calls wrong.
struct Misprint {
    enum class Kind { none, rounding, wrong };  ///< rounding: off by at most two and a half units of the last digit
    Shape index;
    std::string printed, erratum;  ///< as in the text; the erratum is "" where none is stated
    double truth = 0;
    Kind kind = Kind::wrong;
    bool as_stated = false;  ///< the number is wrong, and its erratum gives the right one
};

struct LineReport {
    int line = 0;
    TextSpan span;
    std::string kind;  ///< claim, jacobian or expect; forward for a line of the forward that has no value
    std::string text;
    Verdict verdict = Verdict::right;
    bool skipped = false, unread = false;  ///< if either is true there is no verdict
    std::optional<TextSpan> at{};          ///< the part that is not understood or does not fit
    double error = 0;                      ///< the largest |claimed - true| over the largest true entry
    Index entries = 0;
    std::optional<check::Worst> worst;
    std::optional<Proved> proved;  ///< for a right claim that was proved
    bool is_zero = false;          ///< the true value is 0 throughout
    std::string read_as;           ///< a dropped axis of size 1, or the convention under which the line is right
    std::string reason;            ///< why it cannot be told, is not read, does not fit, or is skipped
    std::optional<Diagnosis> diagnosis;
    ExprPtr repair{};                 ///< what its repair prints; nullptr if there is none
    std::string derived{};            ///< for a wrong line without a repair: the right line, "" if it is not known
    std::vector<Misprint> misprints;  ///< for an expectation
    Index unprinted = 0;              ///< for an expectation: entries of its left side without a number
    bool is_right() const { return verdict == Verdict::right && !skipped && !unread; }
};

/// A planted bug of a right line that agreed as well.
struct Unseen {
    int line = 0;
    std::string bug;  ///< the right side with it
};

/// A sentence that is not read and may change what the lines mean.
struct PassedOver {
    int line = 0;
    std::string text;
    std::string why;   ///< 'the word "momentum"'
    std::string in{};  ///< as that of TextSpan
};

/// What a run of the program showed beside its reading.
struct RunReport {
    std::string python;                      ///< its version
    int values = 0, gradients = 0;           ///< lines of the forward, and lines of gradients, that compute what was read
    std::vector<PassedOver> not_compared{};  ///< other lines, and why they are not compared
    std::string differs{};                   ///< of the first line that computes something else; "" if none does
};

struct ProofReport {
    std::string file, title;
    TextSpan start{};  ///< of length 0
    int draws = 0;
    std::vector<std::string> drawn_sizes;
    std::vector<std::string> domain;         ///< what is declared about the inputs: "X > 0"
    std::vector<std::string> inputs{};       ///< of a text in LaTeX, as they were read: "x [n]"
    std::vector<std::string> definitions{};  ///< of such a text what its lines go back to: "L = Σ_i w[i] x[i]"
    std::vector<std::string> not_claimed{};  ///< inputs of a program by which no line is a gradient
    std::vector<PassedOver> passed_over;     ///< lines are right if these change nothing
    std::vector<PassedOver> updates{};       ///< of parameters by their gradients, which nothing judges
    std::vector<std::string> branches;       ///< how often each side was met: "relu(X): 12 above 0, 8 below 0"
    Index entries = 0;
    int planted = 0, caught = 0;
    std::vector<Unseen> unseen{};  ///< the first of each line
    std::vector<LineReport> lines;
    bool of_program = false;
    std::optional<RunReport> run{};  ///< of a program that was run

    /// Whether it is a program that was read, and not run.
    bool is_read_alone() const { return of_program && !run; }
    /// Lines that were not compared with a run; none where there was none.
    std::vector<PassedOver> not_compared() const { return run ? run->not_compared : std::vector<PassedOver>{}; }
    int count(Verdict v) const;
    int skipped() const;
    int unread() const;
    const LineReport* first_wrong() const;  ///< nullptr if none is wrong
    Verdict verdict() const;                ///< wrong also if a line is not read
};

/// Judges one derivation; check_proof(text) of report.hpp judges all derivations of a text. Errors: ProofError, for single lines
/// only if the proof was read with Unreadable::refuses_file; Stopped, when `control` ends the call (its progress counts lines).
ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control = {});
/// How a derivation is judged once, in the one reading that it has.
using JudgeOnce = std::function<ProofReport(const Proof&, const CheckOptions&)>;

}  // namespace gradproof::proof
