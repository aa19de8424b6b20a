// The data that the patterns of a diagnosis work on, and the patterns, one free function each. The table kPatterns in
// diagnosis.cpp lists them in the order in which they are tried. Not for use outside core/check.
#pragma once

#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/diagnosis.hpp"

namespace gradproof::check {

/// A tensor of the call laid over a shape, or a function of one, with its name.
struct Basis {
    std::string name;
    Tensor<double> value;
};

/// A constant factor, its name, and the name of its inverse.
struct Factor {
    std::string name, inverse;
    double value;
};
/// 2, 1/2, 3 to 16, and those made of the constants of a call: c, sqrt(c), c - 1, and one over each.
std::vector<Factor> factors(const std::vector<NamedNumber>& constants);

/// The claimed and the true gradient of one input, and the explanations found.
class GradientDiagnoser {
  public:
    GradientDiagnoser(const Evidence& evidence, int input);
    std::vector<Diagnosis> run();

    const Evidence& e;
    const int input;
    const Tensor<double> claimed, truth;
    const std::string here;  ///< "d(x)"
    double allowed = 0, largest = 0;

    /// Adds an explanation. Its mistake is the one of the table row being tried, or the one given.
    void say(std::string text, std::string repair = "") { say(mistake_, std::move(text), std::move(repair)); }
    void say(Mistake mistake, std::string text, std::string repair = "", int fitted = 0);

    Mistake mistake() const { return mistake_; }

    std::string gradient_name(int i) const { return "d(" + e.names[static_cast<std::size_t>(i)] + ")"; }
    const std::string& name() const { return e.names[static_cast<std::size_t>(input)]; }
    bool known(Index k) const { return std::isfinite(truth[k]); }
    bool near(double a, double b) const { return std::abs(a - b) <= allowed; }
    /// Whether claimed[k] = h(k) at every known entry. If the truth is only partly known, entries where h(k) is NaN are left out.
    template <class F>
    bool claims(F h) const {
        Index compared = 0;
        for (Index k = 0; k < claimed.size(); ++k) {
            if (!known(k)) continue;
            const double v = h(k);
            if (std::isnan(v) && partial_) continue;
            if (!near(claimed[k], v)) return false;
            ++compared;
        }
        return compared > 0;
    }
    bool claims(const Tensor<double>& h) const {
        return h.size() == claimed.size() && claims([&](Index k) { return h[k]; });
    }

    bool same_shape() const { return claimed.shape() == truth.shape(); }
    bool has_call() const { return same_shape() && !e.x.empty(); }
    bool has_jacobian() const;
    const Tensor<double>& jacobian() const { return e.jacobian[static_cast<std::size_t>(input)]; }
    /// Jᵀ v.
    Tensor<double> pulled(const Tensor<double>& v) const;
    /// Tensors that a gradient may have been multiplied by: the inputs and their differences; all tensors of the call; those that
    /// are not constant, and functions of them.
    std::vector<Basis> input_bases(const Shape& shape) const;
    std::vector<Basis> plain_bases(const Shape& shape) const;
    std::vector<Basis> bases(const Shape& shape) const;
    /// "x > 0" or "abs(x - t) > delta" where it holds at exactly the entries of a set, else "".
    std::string condition(const std::vector<bool>& set) const;
    /// For an op that works entry by entry: what each entry of the output contributes to a broadcast input; else undefined.
    const Tensor<double>& contributions() const { return contributions_; }

    /// The entries that are off.
    struct Off {
        Index count = 0, compared = 0;
        std::vector<bool> at;
        bool true_is_zero = true, claimed_is_zero = true;
        std::string text;  ///< "only 3 of 12 entries are off", and where
        bool some() const { return count > 0 && count < compared; }
    };
    Off off() const;

  private:
    Tensor<double> find_contributions() const;
    Mistake mistake_{};
    bool partial_ = false;
    bool wrong_ = false;
    Tensor<double> contributions_;
    std::vector<Diagnosis> out_;
};
using Search = GradientDiagnoser;

// diagnosis_factors.cpp
void not_finite(Search& s);
void zero(Search& s);
void mean_for_sum(Search& s);
void negated(Search& s);
void constant_factor(Search& s);
void chain_factor(Search& s);
void bare_cotangent(Search& s);
void another_slope(Search& s);
void lost_sign(Search& s);
void chain_factor_of_output(Search& s);
void unnamed_factor(Search& s);
// diagnosis_layout.cpp
void other_inputs(Search& s);
void swapped_axes(Search& s);
void permuted_axes(Search& s);
void leaks(Search& s);
void moved(Search& s);
void moved_inside(Search& s);
void moved_position(Search& s);
void other_pairs(Search& s);
void some_entries(Search& s);
// diagnosis_terms.cpp
void cotangent_of_ones(Search& s);
void squared_cotangent(Search& s);
void magnitude_of_cotangent(Search& s);
void swapped_axes_of_cotangent(Search& s);
void jacobian_not_transposed(Search& s);
void sign_of_other_entries(Search& s);
void another_summand(Search& s);
void alternatives(Search& s);
void rare_alternatives(Search& s);
void diagonal(Search& s);
void summed_axis(Search& s);
void part_of_output(Search& s);
void lost_sign_before_sum(Search& s);
void moved_before_sum(Search& s);
void swapped_axes_before_sum(Search& s);
void mean_before_sum(Search& s);
// diagnosis_rows.cpp
void row_terms(Search& s);
void rows_add_up_to_zero(Search& s);

// diagnosis_parts.cpp
void product_terms(Search& s);
void part_factor(Search& s);
void part_slope(Search& s);
void factor_of_rows(Search& s);
void part_lacks_constant(Search& s);
void nearly_true(Search& s);
// diagnosis_norms.cpp
void norm_terms(Search& s);

/// b and simple functions of it: (1 - b), b^2, exp(b) ...
std::vector<Basis> functions_of(const Basis& b);
/// x with index i of an axis taken from index from(i).
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
/// f of each entry.
template <class F>
Tensor<double> mapped(const Tensor<double>& x, F f) {
    Tensor<double> out(x.shape());
    for (Index k = 0; k < x.size(); ++k) out[k] = f(x[k]);
    return out;
}
/// The sum over an axis, repeated along it.
Tensor<double> summed(const Tensor<double>& x, int axis);
Tensor<double> times(const Tensor<double>& a, const Tensor<double>& b);
/// x with its axes in another order, or with two of them swapped.
Tensor<double> permuted(const Tensor<double>& x, const Shape& order);
Tensor<double> swapped(const Tensor<double>& x, int a, int b);

}  // namespace gradproof::check
