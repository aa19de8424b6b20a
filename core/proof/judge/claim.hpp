// One claim, evaluated in each draw: its two sides with bounds of their rounding errors, and whether they agree.
#pragma once

#include <functional>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"

namespace gradproof::proof {

/// The two sides of a line in one draw.
struct Sides {
    Tensor<double> claimed, truth;  ///< entries too large for a double are given in units of the larger side
    Tensor<double> gap{};    ///< claimed - truth, taken before they were rounded to doubles; undefined if shapes do not fit
    Tensor<double> error{};  ///< bounds of the rounding error of the gap
    double unit = 1;         ///< the size that sides which are zero throughout are compared with
    double work = 0;         ///< about how many arithmetic operations the right side takes
    /// The same claim with another truth, for whose rounding the same is allowed.
    Sides beside(const Tensor<double>& other) const;
};
/// T is Tracked or TrackedQuad.
template <class T>
Sides sides_of(const Tensor<T>& claimed, const Tensor<T>& truth, double unit);

/// A number, or one with a minus.
bool is_number(const Expr& e);
/// Made of numbers and sizes alone: 1, -2 / (n d), zeros(d).
bool is_constant(const Expr& e, const Proof& proof);

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
    /// The right and the left side as they are, the right one over the shape of the left where it is a constant number.
    /// Errors: EvaluationError where the right side does not fit together.
    template <class T>
    std::pair<Tensor<T>, Tensor<T>> values(const ExprPtr& right, Derivatives<T>& by) const {
        const Tensor<T> truth = left_of(by.scope());
        Evaluator<T> evaluator(by.scope());
        return {claimed(evaluator, right, truth.shape()), truth};
    }
    /// Only the left side: what is true.
    const Tensor<Tracked>& truth(std::size_t draw) const;
    /// Whether the right side agrees with the left in every draw; a side that cannot be evaluated does not. Where it is
    /// proved too, bounds of rounding that say nothing are enough.
    bool holds(const ExprPtr& right, bool proved = false) const;
    /// Whether the sides differ in a draw by more than rounding explains, however little that is; not where an op has no page
    /// of more digits.
    bool differs(std::size_t draw, const ExprPtr& right) const;
    /// Whether the sides agree with these gradients in the place of the true ones, but for rounding.
    bool holds_with(std::size_t draw, const std::function<Tensor<double>(const Expr&)>& gradient) const;
    /// The right side in plain doubles; nullopt where it cannot be evaluated to the shape of the left side.
    std::optional<Tensor<double>> plain(std::size_t draw, const ExprPtr& right) const;
    /// Where lines are chained: gradients claimed before, by draw and name.
    std::vector<std::map<std::string, Tensor<double>>>* chained = nullptr;

  private:
    /// Index form: A[i,j] or ∂A[i,j]/∂S[i,k] on the left, and not A or ∂y/∂x as a whole.
    bool by_entries() const;
    /// Whether a side of that shape may stand for the other: as written, but for an axis that rowsum keeps, and one entry is one.
    bool fits(const Shape& claimed, const Shape& truth, const Expr& right) const;
    template <class T>
    Tensor<T> left_of(const Scope<T>& scope) const;
    template <class T>
    Tensor<T> right_of(Evaluator<T>& evaluator, const Expr& right, const Shape& shape) const;
    /// The right side; a constant number over the whole shape.
    template <class T>
    Tensor<T> claimed(Evaluator<T>& evaluator, const ExprPtr& right, const Shape& shape) const;
    /// e where the line holds, else 0.
    ExprPtr where_it_holds(const ExprPtr& e) const;
    template <class T>
    Sides sides_by(std::size_t draw, const ExprPtr& right, Derivatives<T>& by) const;
    /// Whether plain doubles already show that the right side is another: most that are tried.
    bool is_far(std::size_t draw, const ExprPtr& right) const;
    const JudgedLine& line_;
    const Proof& proof_;
    std::vector<std::unique_ptr<Instance>>& draws_;
    ExprPtr left_;  ///< where the line holds
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
    bool zero = false;      ///< the truth is zero to within rounding
    bool finite = true;     ///< no true entry is NaN; infinities are claimed like other values
    bool overflow = false;  ///< an entry is infinite or NaN
    bool endless = false;   ///< every true entry is infinite
    /// An entry that is infinite or NaN because numbers overflow or underflow: nothing is told of it.
    std::optional<Shape> untold{};
    Index agreeing = 0;  ///< entries
    double error = 0;
    std::optional<check::Worst> worst;
    /// Whether they agree in all entries, and each has a true value that is told.
    bool everywhere() const { return same_shape && agree && finite && !untold; }
};
Agreement agreement(const Sides& sides);
/// The same with a second opinion where rounding or the range of numbers may decide.
Agreement agreement_of(const Sides& sides, const std::function<Sides()>& more_precise);
/// "[1,2]"; "" for the one entry of a number.
std::string index_text(const Shape& index);
/// Why nothing is told of what has no true value.
inline constexpr const char* kNaN = "the true value is NaN: keep the inputs away from where it is, as with ~ positive";
/// Why what agrees cannot be told, where it is open and where an entry is untold.
std::string hidden_by_rounding(const Agreement& a);
std::string beyond_the_range(const Agreement& a);

}  // namespace gradproof::proof
