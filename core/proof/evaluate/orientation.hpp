// How vectors lie, as columns or as rows, where a text does not say it: read off its products with matrices.
//
//   const Orientation o(proof, draw.scope());
//   o.vectors();                              // columns: the forward has W x
//   o.fit(line.left, line.right).why;         // "\delta^\top is a row, \nabla_b L a column"
//   settle_vectors(proof, options);           // of a text in LaTeX: from here on u v^T is a matrix
#pragma once

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof {

/// The shape of e in a draw, with its indices at one place; nullopt where it has no value apart from its line.
std::optional<Shape> shape_in(const Scope<double>& scope, const Expr& e);
std::optional<int> rank_in(const Scope<double>& scope, const Expr& e);
/// Whether a product of two vectors stands in it whose factors are transposed as `turned` asks.
bool multiplies_vectors(const Expr& e, const Scope<double>& scope, bool (*turned)(bool left, bool right));

/// Whether a line fits if every ∂L/∂x lies as x does, and if it lies the other way, as by the numerator.
struct Fit {
    bool as_values = true, turned = true;
    std::string why;  ///< what does not fit together if neither does
};

class Orientation {
  public:
    Orientation(const Proof& proof, const Scope<double>& scope) : proof_(proof), scope_(scope) {}
    /// What the text says; else what every product of a matrix and a vector in its forward needs; unsaid if they differ, or if
    /// there are none.
    Vectors vectors() const;
    /// Of both sides of a line of gradients. Every line fits where the forward fits neither way: vectors have one axis there.
    Fit fit(const ExprPtr& left, const ExprPtr& right) const;

    /// `rows_are_free`: x_i of an array X may stand before a matrix also where vectors are columns.
    bool forward_fits(Vectors v, bool rows_are_free = false) const;

  private:
    const Proof& proof_;
    const Scope<double>& scope_;
};

/// Of a text in LaTeX that does not say it: vectors are columns, or rows where its forward fits only so. Nothing changes where it
/// fits neither way, or has no values then.
void settle_vectors(Proof& proof, const InstanceOptions& options);

/// Whether a derivative is written as one value by another, \frac{\partial L}{\partial x}, and so has a layout.
bool is_by_ratio(const Source& source, Span span);

/// Whether a left side is claimed as a whole, and may be a row or a column, or a number made of them.
bool may_be_a_vector(const Expr& left);

}  // namespace gradproof::proof
