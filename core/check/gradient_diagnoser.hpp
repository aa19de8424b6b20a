// The search behind explanations(): one class, its patterns in several files. Not for use outside core/check.
#pragma once

#include <cmath>

#include "gradproof/core/check/diagnosis.hpp"

namespace gradproof::check {

class GradientDiagnoser {
  public:
    GradientDiagnoser(const Evidence& e, int input);
    std::vector<Explanation> run();

  private:
    /// A tensor of the call laid over a shape, or a function of one, with its name.
    struct Basis {
        std::string name;
        Tensor<double> value;
    };

    void say(std::string kind, std::string text, std::string repair = "");
    void say_fitted(int numbers, std::string kind, std::string text, std::string repair = "");
    std::string gradient_name(int i) const { return "d(" + e_.names[static_cast<std::size_t>(i)] + ")"; }
    std::string here() const { return gradient_name(input_); }
    bool known(Index k) const { return std::isfinite(t_[k]); }
    bool near(double a, double b) const { return std::abs(a - b) <= allowed_; }
    /// Whether claimed[k] = h(k) at every entry that is known; where not all are, entries h does not know are left out.
    template <class F>
    bool claims(F h) const {
        Index compared = 0;
        for (Index k = 0; k < g_.size(); ++k) {
            if (!known(k)) continue;
            const double v = h(k);
            if (std::isnan(v) && partial_) continue;
            if (!near(g_[k], v)) return false;
            ++compared;
        }
        return compared > 0;
    }
    bool claims(const Tensor<double>& h) const {
        return h.size() == g_.size() && claims([&](Index k) { return h[k]; });
    }

    // What the call offers to multiply by.
    std::vector<Basis> plain_bases(const Shape& shape) const;
    std::vector<Basis> bases(const Shape& shape) const;
    /// Jᵀ v; undefined where the Jacobian is not known.
    Tensor<double> pulled(const Tensor<double>& v) const;
    bool has_jacobian() const;

    // diagnosis_factors.cpp
    void not_finite();
    void zero();
    void constant_factor();
    void mean_for_sum();
    void unnamed_factor();
    void lost_sign();
    void slopes();
    void another_slope();
    void slopes_of_output();
    // diagnosis_layout.cpp
    void other_inputs();
    void permuted_axes();
    void moved();
    void leaks();
    void entries();
    /// The entries that are off.
    struct Off {
        Index count = 0, compared = 0;
        bool true_is_zero = true, claimed_is_zero = true;
        std::string text;  ///< "only 3 of 12 entries are off", and where
    };
    Off off() const;
    // diagnosis_terms.cpp
    void cotangent();
    void sums();
    void parts_of_output();
    /// What each entry of the output hands to an input that is broadcast to it, entry by entry; undefined for other ops.
    Tensor<double> contributions() const;
    void slips_before_the_sum();
    void diagonal();
    void alternatives();
    // diagnosis_rows.cpp
    void row_terms();
    /// The row term that true - claimed = c s is, c one number for each row along the axis.
    void name_row_term(const Basis& s, const Tensor<double>& c, int axis);
    struct Rows {
        std::vector<Basis> of_true, of_call, of_claim;  ///< sums and means along an axis, named
    };
    Rows rows_along(int axis) const;

    const Evidence& e_;
    int input_;
    Tensor<double> g_, t_;
    double allowed_ = 0, largest_ = 0;
    bool partial_ = false;
    bool wrong_ = false;
    std::vector<Explanation> out_;
};

/// x with each index along an axis taken from `from(index)`.
template <class F>
Tensor<double> taken_along(const Tensor<double>& x, int axis, F from) {
    Tensor<double> out(x.shape());
    const Index n = x.dim(axis), stride = strides_of(x.shape())[axis];
    for (Index k = 0; k < x.size(); ++k) {
        const Index at = k / stride % n;
        out[k] = x[k + (from(at) - at) * stride];
    }
    return out;
}

/// Σ over an axis, laid out again along it.
Tensor<double> summed(const Tensor<double>& x, int axis);
Tensor<double> times(const Tensor<double>& a, const Tensor<double>& b);

/// x with its axes in another order.
Tensor<double> permuted(const Tensor<double>& x, const Shape& order);

}  // namespace gradproof::check
