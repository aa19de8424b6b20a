// A product of powers with a number before it, kept simple while it is built: what the lines of a derivation are sums of.
//
//   Algebra a(known);
//   const Term t = a.divided(a.term(gradient), a.term(scale));   // ∂L/∂S / √d
//   text_of(*a.expression(a.product(t, a.term(k))));             // "∂L/∂S K / √d"
#pragma once

#include "gradproof/core/proof/derive/known.hpp"

namespace gradproof::proof {

struct PowerOf {
    ExprPtr base;
    double exponent = 1;
};
/// up / down times the powers.
struct Term {
    double up = 1, down = 1;
    std::vector<PowerOf> powers;
    bool is_zero() const { return up == 0; }
};

/// 2 and -3, up to a billion.
bool is_whole(double x);

class Algebra {
  public:
    /// In index form every part is a number.
    explicit Algebra(const Known& known, bool by_entries = false) : known_(known), by_entries_(by_entries) {}

    const Known& known() const { return known_; }
    /// Gradients that are constants, put in where they stand.
    std::map<std::string, Term> inlined{};

    Term term(const ExprPtr& e) const;
    ExprPtr expression(const Term& t) const;
    static Term number(double value);
    Axes axes(const ExprPtr& e) const { return by_entries_ ? Axes{} : known_.axes(e); }
    Axes axes(const Term& t) const;

    /// Elementwise, with broadcasting.
    Term times(Term a, const Term& b) const;
    Term divided(Term a, const Term& b) const { return times(std::move(a), power(b, -1)); }
    Term power(Term t, double exponent) const;
    static Term negated(Term t);
    static Term opposite(Term t);
    /// Like terms together, common factors in front of the rest.
    Term add(const std::vector<Term>& terms) const;
    /// The terms side by side, like ones together.
    ExprPtr sum(const std::vector<Term>& terms) const;
    std::vector<Term> collected(const std::vector<Term>& terms) const;
    /// The same, multiplied out where what cancels makes it shorter.
    Term shortest(const Term& t) const;

    /// Over all of `of`, where a stands for less: with ones.
    Term filled(Term t, const Axes& of) const;
    /// The powers that are numbers, and the others.
    std::pair<Term, Term> apart(const Term& t) const;
    /// f of the arrays, numbers taken out: 2 n diag(x) of 2 n x.
    Term of_arrays(const Term& t, const std::function<ExprPtr(const ExprPtr&)>& f) const;
    Term product(const Term& a, const Term& b) const;
    /// The last two axes swapped, of something as large as `of`.
    Term transposed(const Term& t, const Axes& of) const;
    /// The sum over one axis of something as large as `of`; the axis stays with size 1, or is left out.
    Term summed(const Term& t, const Axes& of, std::size_t axis, bool keep) const;
    Term summed(const Term& t, const Axes& of) const;
    /// Summed over the axes along which something of the size `to` was repeated to make `from`.
    Term unbroadcast(Term t, const Axes& from, const Axes& to) const;

  private:
    Term product_term(const Expr& e) const;
    void multiply(Term& t, const PowerOf& p) const;
    void reduce_number(Term& t) const;
    Term with_means(Term t) const;
    void quotients_named(Term& t) const;
    Term with_sigmoids(const Term& t) const;
    const Known& known_;
    bool by_entries_;
};

/// Whether it is a product of matrices and nothing else.
bool is_chain(const Expr& e);
ExprPtr ones(const Known& known, const Axes& axes);
ExprPtr reshaped(const Known& known, const ExprPtr& x, const Axes& to);
/// where(condition, yes, no)
ExprPtr where(const ExprPtr& condition, const ExprPtr& yes, const ExprPtr& no);
ExprPtr axis_option(ExprPtr call, double axis, bool keep);

}  // namespace gradproof::proof
