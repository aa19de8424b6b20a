// One draw of a proof: sizes, given values, the forward, and true derivatives by dual numbers, confirmed by differences.
//
//   const Plan plan(proof);                          // plan and proof outlive the draw
//   Instance d(proof, plan, {.seed = 1}, 0);
//   d.scope().values.at("S").value();                // a forward value
//   d.gradient("Q").value;                           // the true ∂L/∂Q
#pragma once

#include <cstdint>
#include <optional>

#include "gradproof/core/random.hpp"

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// Arrays that take the place of given values, by name.
using Bindings = std::map<std::string, Tensor<double>, std::less<>>;

/// The most arithmetic that one gradient may take entry by entry; beyond it the tape gives the gradient and dual numbers and
/// differences confirm it along a direction.
inline constexpr double kMostEntryWork = 3e7;
/// The most arithmetic of a Jacobian, which has no other way.
inline constexpr double kMostWork = 1e9;

struct InstanceOptions {
    std::uint64_t seed = 20240613;
    Bindings bind{};
    Tensor<double> cotangent{};  ///< of the last value where no loss is stated; drawn where it is undefined
};

/// What depends on what: for each value, the assignments after it that it reaches.
class Plan {
  public:
    /// What is bound is not drawn.
    explicit Plan(const Proof& proof, const Bindings& bound = {});
    const std::vector<std::size_t>& reached_by(const std::string& name) const { return reached_.at(name); }
    bool reaches(const std::string& from, const std::string& to) const;
    /// The assignments that use the value directly.
    std::vector<std::size_t> consumers(const std::string& name) const;
    /// Whether a value, or an expression, depends on something that is drawn.
    bool is_drawn(const Expr& e) const;
    /// Whether anything at all is drawn: one draw is enough otherwise.
    bool anything_drawn() const { return drawn_any_; }

  private:
    const Proof& proof_;
    std::vector<std::set<std::string>> used_;
    std::map<std::string, std::vector<std::size_t>> reached_;
    std::set<std::string, std::less<>> drawn_;
    bool drawn_any_ = false;
};

/// An error of evaluating a proof, at its place in the text.   Errors  ProofError.
[[noreturn]] void fail(const Proof& proof, const EvaluationError& e);

struct TrueGradient {
    Tensor<double> value;
    double magnitude = 0;   ///< the largest tangent that was added to others on the way: rounding is relative to it
    bool confirmed = true;  ///< by differences along a random direction
    std::string doubt;      ///< why not
};

/// The name that stands for one use of a value among several.
inline constexpr const char* kOneUse = "(one use)";

class Instance {
  public:
    /// Errors: ProofError where the forward does not fit together, sizes cannot be solved, or a bound array does not fit.
    Instance(const Proof& proof, const Plan& plan, const InstanceOptions& options, int number);
    Instance(const Proof&, Plan&&, const InstanceOptions&, int) = delete;  // it keeps a reference to the plan
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    const Scope<double>& scope() const { return scope_; }
    const std::map<std::string, Index, std::less<>>& sizes() const { return scope_.sizes; }
    /// Whether the loss is <cotangent, last value>, not a stated one.
    bool has_cotangent() const { return cotangent_.defined(); }
    const Tensor<double>& cotangent() const { return cotangent_; }
    const std::string& last() const { return last_; }
    /// A number, a dim, a value that is one number, or a function of such.
    bool is_scalar(const Expr& e) const;

    const TrueGradient& gradient(const std::string& name);
    /// [shape of y, shape of x], the values between them held to their formulas.
    const Tensor<double>& jacobian(const std::string& y, const std::string& x);
    /// The derivative of what one assignment computes by one value it uses, every other value held: [shape of it, shape of x].
    Tensor<double> step_jacobian(const std::string& x, std::size_t consumer);
    /// The values with `x` in the place of the one of that name, those after it computed again.
    Scope<double> moved(const std::string& name, const Tensor<double>& x) const;
    /// The part of the gradient of x that comes through one use of it: `value` is the assignment's with kOneUse in its place.
    /// Errors: EvaluationError.
    Tensor<double> path(const std::string& x, std::size_t consumer, const ExprPtr& value);
    double loss_value(const Scope<double>& scope) const;

  private:
    template <class... A>
    [[noreturn]] void refuse(const std::string& name, fmt::format_string<A...> text, A&&... a) const;
    void solve_sizes(const InstanceOptions& options, Random random);
    void fill(const InstanceOptions& options, Random random);
    Tensor<double> given(const Given& g, const Shape& shape, Random random);
    Shape shape_of(const Given& g) const;
    template <class T>
    Var<T> evaluate(const Assignment& a, const Scope<T>& scope, double& magnitude, double* work = nullptr) const;
    template <class T>
    void run(Scope<T>& scope, const std::vector<std::size_t>& assignments, double& magnitude) const;
    Scope<Dual<double>>& duals();
    Tensor<double> columns(const std::string& x, const std::vector<std::size_t>& assignments,
                           const std::function<Tensor<double>(const Scope<Dual<double>>&)>& read, double& magnitude);
    double seeded_loss(const Scope<Dual<double>>& scope) const;
    double work_of(const std::vector<std::size_t>& assignments) const;
    /// By the tape, for values with many entries; nullopt where an assignment on the way is in index form.
    std::optional<Tensor<double>> tape_gradient(const std::string& name) const;
    double along_by_duals(const std::string& name, const Tensor<double>& direction);
    void confirm(const std::string& name, TrueGradient& g);
    Tensor<double> jacobian_through(const std::string& y, const std::string& x, const std::vector<std::size_t>& assignments);

    const Proof& proof_;
    const Plan& plan_;
    Scope<double> scope_;
    std::unique_ptr<Scope<Dual<double>>> duals_;
    Tensor<double> cotangent_;
    std::vector<double> work_;  ///< of each assignment
    std::string last_;
    std::map<std::string, TrueGradient> gradients_;
    std::map<std::string, Tensor<double>> jacobians_;
    Random random_;
};

}  // namespace gradproof::proof
