// The sizes of the indices of an index form, from the axes at which they are used.
//
//   IndexSizes::OfSums sums;
//   IndexSizes({.values = is_value, .sizes = scope.sizes, .shape = shape_of, .number = whole_of}, sums).of(*e, {{"i", 3}});
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/expression.hpp"
#include "gradproof/core/shape.hpp"

namespace gradproof::proof {

class IndexSizes {
  public:
    /// The surroundings of an index form.
    struct Where {
        std::function<bool(const std::string&)> values;          ///< whether a name is one of a value
        const std::map<std::string, Index, std::less<>>& sizes;  ///< the sizes that have names
        std::function<Shape(const Expr&)> shape;                 ///< the shape of an array, or of a whole Jacobian
        std::function<Index(const Expr&)> number;                ///< the value of an expression that must be a whole number
        std::function<int(const std::string&)> rank{};           ///< of a value
        bool rows = false;                                       ///< an index may leave axes: h[t] of h [T, n]
    };
    /// Of the indices that a sum binds, its own: sums side by side may use one letter for different axes.
    using OfSums = std::map<const Expr*, std::map<std::string, Index>>;
    /// Those of the sums are written to `sums`.
    IndexSizes(Where where, OfSums& sums) : where_(std::move(where)), sums_(sums) {}

    /// The sizes of all indices of e, of a letter that several sums bind that of the first; those of a left side are `known`.
    /// Errors: EvaluationError for an index used at axes of different sizes, one without a size, and one bound twice.
    std::map<std::string, Index> of(const Expr& e, std::map<std::string, Index> known);

  private:
    using Sizes = std::map<std::string, Index>;
    bool is_index(const Expr& e, const std::vector<std::string>& bound) const;
    void collect(const Expr& e, Sizes& sizes, std::vector<std::string>& bound);
    void collect_sum(const Expr& e, Sizes& sizes, std::vector<std::string>& bound);
    bool uses_index(const Expr& e, const std::vector<std::string>& bound) const;
    void collect_axes(const Expr& e, Sizes& sizes, const std::vector<std::string>& bound) const;
    void bind(const Expr& reduction, std::vector<std::string>& bound) const;
    void share(const Expr& e, Sizes& sizes) const;

    Where where_;
    OfSums& sums_;
};

}  // namespace gradproof::proof
