// The forward of a draw and its true derivatives by dual numbers, over numbers with bounds of their rounding errors, or over
// residues, which are exact.
//
//   Derivatives<Tracked> d(proof, plan, given, cotangent);
//   d.gradient("Q")[0].value.value, d.gradient("Q")[0].value.error;
#pragma once

#include <map>
#include <numeric>
#include <optional>

#include "gradproof/core/proof/evaluate/assignment.hpp"
#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/evaluate/plan.hpp"

namespace gradproof::proof {

/// The most arithmetic for computing one gradient entry by entry. Beyond it the tape gives the gradient, and dual numbers and
/// differences confirm it along a direction. For residues there is no tape.
template <class T>
inline constexpr double kMostEntryWork = 3e7;
template <>
inline constexpr double kMostEntryWork<Modular> = 1e6;
/// From so much arithmetic on it is looked for a way that takes less.
inline constexpr double kMuchEntryWork = 2e5;
/// The most arithmetic for a Jacobian, which can be computed in no other way.
template <class T>
inline constexpr double kMostWork = 1e9;
template <>
inline constexpr double kMostWork<Modular> = 1e6;

/// The name that replaces one of several uses of a value.
inline constexpr const char* kOneUse = "(one use)";

/// Puts the value of an assignment into the scope; of a block, all of its values with the first one.
template <class T>
void compute(const Proof& proof, const Assignment& a, Scope<T>& scope, double* work = nullptr);
/// Replaces a value, which is `before` in the scope, by x. In a recurrence, a change of one entry changes the later ones, and in a
/// block those of the others.
template <class T>
void put(const Proof& proof, Scope<T>& scope, const std::string& name, const Tensor<T>& x, const Tensor<T>& before);

/// x as exact constants; and back, the plain values of such numbers.
template <class T>
Tensor<T> exact(const Tensor<double>& x);
template <class T>
Tensor<double> values_of(const Tensor<T>& x);
/// The bounds of their rounding errors.
template <class T>
Tensor<double> errors_of(const Tensor<T>& x);

/// T is Tracked, TrackedQuad or Modular.
template <class T>
class Derivatives {
  public:
    /// `given` holds the sizes and the given values; the loss is <cotangent, last value>, or the last value where the
    /// cotangent is undefined. Errors: ProofError.
    Derivatives(const Proof& proof, const Plan& plan, Scope<T> given, const Tensor<T>& cotangent);
    Derivatives(const Derivatives&) = delete;
    Derivatives& operator=(const Derivatives&) = delete;
    /// About how many operations the forward takes.
    double work() const { return std::accumulate(work_.begin(), work_.end(), 0.0); }
    /// All values as constants, and the true gradients and Jacobians.
    const Scope<T>& scope() const { return scope_; }

    /// As constants. Zeros where no path leads to the loss. Errors: ProofError.
    const Tensor<T>& gradient(const std::string& name);
    /// [shape of y, shape of x]; the values between x and y follow x by their formulas.
    const Tensor<T>& jacobian(const std::string& y, const std::string& x);
    /// The derivative of one assignment with respect to a value x that it uses, all other values held fixed:
    /// [shape of the assignment, shape of x].
    Tensor<T> step_jacobian(const std::string& x, std::size_t consumer);
    /// The part of the gradient of x that comes through one use of it: `value` is the assignment's with kOneUse in its place.
    /// Errors: EvaluationError.
    Tensor<T> path(const std::string& x, std::size_t consumer, const ExprPtr& value);
    /// The loss; its tangent is the derivative along the direction.
    T along(const std::string& name, const Tensor<double>& direction) const;

  private:
    using Assignments = std::vector<std::size_t>;
    template <class... A>
    [[noreturn]] void refuse(const std::string& name, fmt::format_string<A...> text, A&&... a) const;
    void run(Scope<T>& scope, const Assignments& assignments) const;
    T loss_of(const Scope<T>& scope) const;
    double work_of(const Assignments& assignments) const;
    /// What follows in a scope from x with a tangent.
    using Follows = std::function<Tensor<T>(Scope<T>& scope, const Tensor<T>& x)>;
    Follows through(const std::string& x, const Assignments& assignments, std::function<Tensor<T>(const Scope<T>&)> read);
    Tensor<T> columns(const std::string& x, const Follows& follows);
    Tensor<T> jacobian_through(const std::string& y, const std::string& x, const Assignments& assignments);
    Tensor<T> jacobian_by(const std::string& y, const std::string& x, double work, const Follows& follows);
    /// By the tape, for values with many entries; nullopt where an assignment on the way is in index form, and of residues.
    std::optional<Tensor<T>> tape_gradient(const std::string& name) const;
    /// Assignment by assignment, where that takes much less: what each that uses the value gives for it.
    std::optional<Tensor<T>> stepwise_gradient(const std::string& name);
    double cost_of(const std::string& name);
    double cost_of_steps(const std::string& name);
    bool goes_back(const std::string& x, const Assignment& consumer) const;
    Tensor<T> pulled_back(const std::string& x, std::size_t consumer);

    const Proof& proof_;
    const Plan& plan_;
    Tensor<T> cotangent_;
    std::string last_;
    Scope<T> scope_;
    std::vector<double> work_;  ///< of each assignment
    std::map<std::string, Tensor<T>> gradients_, jacobians_;
    std::map<std::string, double> costs_;  ///< of gradients
};

template <>
std::optional<Tensor<Modular>> Derivatives<Modular>::tape_gradient(const std::string& name) const;
extern template class Derivatives<Tracked>;
extern template class Derivatives<TrackedQuad>;
extern template class Derivatives<Modular>;

}  // namespace gradproof::proof
