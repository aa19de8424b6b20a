// One draw of a proof: sizes, given values, the forward, and true derivatives by dual numbers, confirmed by differences.
//
//   const Plan plan(proof);                          // plan and proof outlive the draw
//   Instance d(proof, plan, {.seed = 1}, 0);
//   d.scope().values.at("S").value();                // a forward value
//   d.gradient("Q").value;                           // the true ∂L/∂Q
#pragma once

#include <cstdint>
#include <optional>

#include "gradproof/core/proof/evaluate/derivatives.hpp"
#include "gradproof/core/random.hpp"

namespace gradproof::proof {

struct InstanceOptions {
    std::uint64_t seed = 20240613;
    Bindings bind{};
    double spread = 1;  ///< scale of the normal distribution, and largest factor of positive values; above 1, uniform
                        ///< values lie so many times nearer to the ends of their range
    std::set<std::string> spread_of{};  ///< the inputs that it is for; none: all
    Index larger = 0;                   ///< added to the sizes that are drawn
    Tensor<double> cotangent{};         ///< the gradient of the last value if no loss is stated; drawn if undefined
    double incoming = 1;                ///< what that is multiplied by, where it is drawn
    bool last_row_alone = false;        ///< what is drawn of the gradient of a recurrence is 0 but in its last row
    std::map<std::string, Index, std::less<>> sizes{};  ///< sizes that are given instead of drawn
};

struct TrueGradient {
    Tensor<double> value;
    Tensor<double> error;   ///< bounds of its rounding errors
    bool confirmed = true;  ///< by differences along a random direction
    std::string doubt{};    ///< why it is not confirmed
    bool reached = true;    ///< whether a path leads to the loss; if not, it is 0 and there is nothing to confirm
};

class Instance {
  public:
    /// Errors: ProofError if shapes of the forward do not fit, sizes cannot be solved, or a bound array does not fit.
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
    /// Whether it is one number: a constant, a size, a value of one element, or a function of such.
    bool is_scalar(const Expr& e) const;

    const TrueGradient& gradient(const std::string& name);
    /// Why differences along a random direction do not confirm the true ∂y/∂x; "" if they do.
    const std::string& doubt_of_jacobian(const std::string& y, const std::string& x);
    /// The values and derivatives with bounds of their rounding errors, and the same in quadruple precision.
    Derivatives<Tracked>& derivatives();
    Derivatives<TrackedQuad>& more_precise();
    /// The size that a value which is zero throughout is compared with: the largest cotangent.
    double unit() const;
    /// The values after the named one is replaced by x, and all that follow from it are computed again.
    Scope<double> moved(const std::string& name, const Tensor<double>& x) const;
    double loss_value(const Scope<double>& scope) const;

  private:
    template <class T>
    std::unique_ptr<Derivatives<T>> derivatives_by() const;
    void solve_sizes(const InstanceOptions& options, Random random);
    void fill(const InstanceOptions& options, Random random);
    Tensor<double> given(const Given& g, const Shape& shape, Random random, double spread);
    Shape shape_of(const Given& g) const;
    void confirm(const std::string& name, TrueGradient& g);
    /// The first value computed from this one that is NaN somewhere, in a sentence; "" where none is.
    std::string nan_after(const std::string& name) const;
    /// What is expected of the slope at 0 of a function of one number, and what is known of its rounding.
    struct Slope {
        double expected = 0;
        double scale = 0;  ///< of the terms that it is a sum of
        double bound = 0;  ///< of its rounding error
        double noise = 0;  ///< of a value of the function
    };
    /// "" where differences agree or can tell nothing, else what they say instead.
    static std::string doubt_of_slope(const std::string& name, const std::function<double(double)>& f, const Slope& slope);

    const Proof& proof_;
    const Plan& plan_;
    Scope<double> scope_;
    std::unique_ptr<Derivatives<Tracked>> derivatives_;
    std::unique_ptr<Derivatives<TrackedQuad>> more_precise_;
    Tensor<double> cotangent_;
    std::string last_;
    std::map<std::string, TrueGradient> gradients_;
    std::map<std::string, std::string> jacobian_doubts_;
    Random random_;
};

}  // namespace gradproof::proof
