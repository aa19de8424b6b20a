// Judging a proof: every claim and expectation against the true derivatives, in several draws.
//
//   const ProofReport r = check_proof(read_proofs("a.proof", text)[0], {});
//   r.count(check::Verdict::wrong), r.first_wrong_line();
#pragma once

#include <optional>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

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
    std::string kind;  ///< claim, jacobian, expect, forward
    std::string text;
    Verdict verdict = Verdict::right;
    bool skipped = false;
    double error = 0;  ///< the largest |claimed - true| over the largest true entry
    Index entries = 0;
    std::optional<check::Worst> worst;
    std::string reason;  ///< why it cannot be told or does not fit, why it is skipped
    std::optional<Diagnosis> diagnosis;
    std::vector<Misprint> misprints;  ///< of an expectation
    Index unprinted = 0;              ///< entries of its left side that it states no number for
};

struct ProofReport {
    std::string file, title;
    int line = 1;
    int draws = 0;
    std::vector<std::string> drawn_sizes;
    Index entries = 0;
    int planted = 0, caught = 0;
    std::vector<LineReport> lines;

    int count(Verdict v) const;
    int skipped() const;
    std::optional<int> first_wrong_line() const;
    Verdict verdict() const;
};

/// Errors: ProofError; Stopped, by the control, whose parts are the lines.
ProofReport check_proof(const Proof& proof, const CheckOptions& options, const Control& control = {});

/// The two sides of a line in one draw.
struct Sides {
    Tensor<double> claimed, truth;
    Tensor<double> gap{};    ///< claimed - truth, taken before they were rounded to doubles; undefined where shapes differ
    Tensor<double> error{};  ///< bounds of what rounding makes of the gap
    double unit = 1;         ///< what sides that are zero throughout are small beside
    double work = 0;         ///< about how many arithmetic operations the right side takes
    /// The same claim beside another truth, whose own rounding is allowed for like that of this one.
    Sides beside(const Tensor<double>& other) const;
};
/// T is Tracked or TrackedQuad.
template <class T>
Sides sides_of(const Tensor<T>& claimed, const Tensor<T>& truth, double unit);

/// One claim, evaluated in each draw. What the diagnosis and the mutation score evaluate changed right sides with.
class Claim {
  public:
    Claim(const JudgedLine& line, const Proof& proof, std::vector<std::unique_ptr<Instance>>& draws);
    const JudgedLine& line() const { return line_; }
    const Proof& proof() const { return proof_; }
    std::size_t draws() const { return draws_.size(); }
    Instance& draw(std::size_t i) const { return *draws_[i]; }
    /// Errors: EvaluationError where the right side does not fit together.
    Sides sides(std::size_t draw, const ExprPtr& right) const { return sides_by(draw, right, draws_[draw]->derivatives()); }
    /// The same in quadruple precision.
    Sides precise_sides(std::size_t draw, const ExprPtr& right) const {
        return sides_by(draw, right, draws_[draw]->more_precise());
    }
    /// Only the left side: what is true.
    const Tensor<Tracked>& truth(std::size_t draw) const;
    /// Whether the right side agrees with the left in every draw; a side that cannot be evaluated does not.
    bool holds(const ExprPtr& right) const;
    /// Where lines are chained: gradients claimed before, by draw and name.
    std::vector<std::map<std::string, Tensor<double>>>* chained = nullptr;

  private:
    /// Index form: A[i,j] or ∂A[i,j]/∂S[i,k] on the left, and not A or ∂y/∂x as a whole.
    bool by_entries() const;
    template <class T>
    Tensor<T> left_of(const Derivatives<T>& by) const;
    template <class T>
    Sides sides_by(std::size_t draw, const ExprPtr& right, Derivatives<T>& by) const;
    /// Whether plain doubles already show that the right side is another: most that are tried.
    bool is_far(std::size_t draw, const ExprPtr& right) const;
    const JudgedLine& line_;
    const Proof& proof_;
    std::vector<std::unique_ptr<Instance>>& draws_;
    std::vector<std::string> indices_;
    mutable std::vector<Tensor<Tracked>> truth_;
};

/// How two sides compare at their worst entry.
struct Agreement {
    bool same_shape = true;
    bool agree = true;
    bool open = false;  ///< rounding alone may be what makes them agree, as at this entry, by as much as this
    Shape open_at{};
    double open_by = 0;
    bool zero = false;  ///< the truth is zero to within rounding
    bool finite = true;
    double error = 0;
    std::optional<check::Worst> worst;
};
Agreement agreement(const Sides& sides);

}  // namespace gradproof::proof
