// One entry of an expression written as a sum of products: a matrix product as a sum over the contracted index, a sum as its
// terms.
//
//   Expander expander(draw.scope());
//   expander.matrix(e, {2, 1});               // of A^T B: A[0,2] B[0,1], A[1,2] B[1,1], ...
//   expander.indexed(e, {{"i", 2}}, {{"i", 4}});   // of Σ_k A[i,k] x[k]: A[2,0] x[0], A[2,1] x[1], ...
#pragma once

#include <optional>

#include "gradproof/core/proof/evaluate/evaluate.hpp"

namespace gradproof::proof {

struct Factor {
    std::string name;                         ///< "∂L/∂S", or an expression in brackets
    std::optional<std::vector<Index>> index;  ///< none for a number
    double value = 0;
    bool divides = false;
    std::string shown{};  ///< exp(S[0,1]), where that says it better than name and index
    ExprPtr of{};         ///< what it is an entry of, where that may be opened; nullptr where not
    std::string text() const;
};

struct Product {
    std::vector<Factor> factors;
    bool minus = false;
    double value() const;
};

/// The most products of one entry.
inline constexpr std::size_t kMostProducts = std::size_t{1} << 16;

/// An index with its letters, of the left side of a line in index form.
using Letters = std::map<std::string, Index, std::less<>>;

/// An expression as one of several factors: in brackets unless it needs none.
std::string bracketed(const Expr& e);
std::string index_text(const std::vector<Index>& index);

class Expander {
  public:
    explicit Expander(const Scope<double>& scope) : scope_(scope), evaluator_(scope) {}

    /// Errors: EvaluationError, also for more than kMostProducts; ValueError if the expression has no such entry.
    std::vector<Product> matrix(const ExprPtr& e, const Shape& index);
    /// `sizes` are those of the letters of the left side.
    std::vector<Product> indexed(const ExprPtr& e, const Letters& at, const std::map<std::string, Index>& sizes);
    /// The value of an expression in matrix form.
    const Tensor<double>& value(const ExprPtr& e);

  private:
    bool contracts(const ExprPtr& e);
    void terms(const ExprPtr& e, const Shape& index, Product with, std::vector<Product>& out);
    void product_terms(const ExprPtr& e, const Shape& index, const Product& with, std::vector<Product>& out);
    void contraction(const ExprPtr& left, const ExprPtr& right, const Shape& index, const Product& with,
                     std::vector<Product>& out);
    void reduction(const ExprPtr& e, const Shape& index, const Product& with, std::vector<Product>& out);
    void append(const ExprPtr& e, const Shape& index, bool divides, Product& to);
    Factor opaque(const ExprPtr& e, const Shape& index, bool divides = false);
    ExprPtr left_part(const Expr& e);
    void letter_terms(const ExprPtr& e, Letters& at, Product with, std::vector<Product>& out);
    Factor letter_factor(const ExprPtr& e, const Letters& at, bool divides);
    void push(const Expr& e, Product p, std::vector<Product>& out) const;

    const Scope<double>& scope_;
    Evaluator<double> evaluator_;
    std::map<const Expr*, Tensor<double>> values_;
    std::vector<ExprPtr> made_;  ///< kept: what is known of a node goes by its address
    std::map<const Expr*, ExprPtr> left_parts_;
    std::map<std::string, Index> sizes_;
    int nested_ = 0;  ///< within a factor: no sum is opened
};

}  // namespace gradproof::proof
