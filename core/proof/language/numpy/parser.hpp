// Expressions of NumPy, PyTorch and JAX turned into those of the notation. Nothing is executed: what is not listed is refused.
//
//   const ExprPtr e = Parser(source, span, names).whole();            // of "(A * dA).sum(-1, keepdims=True)"
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "gradproof/core/proof/language/grammar.hpp"

namespace gradproof::proof::numpy {

/// What a call is given. A tuple or list is an expression of kind array.
struct Arguments {
    std::vector<ExprPtr> positional;
    std::map<std::string, ExprPtr, std::less<>> named;
};

/// The value that a name is the gradient of: X of dX, grad_X and X_grad; "" of others.
std::string value_of_gradient(std::string_view name, const Names& names);

/// Whose functions a name is looked up in, where libraries differ: softmax along the last axis, of all entries in SciPy.
enum class Library { numpy, torch, jax, scipy };
/// What a function or a method means, whose first argument is the array it is called on; nullptr for one that is not known.
/// Errors: std::invalid_argument for arguments that it does not take.
ExprPtr meaning(std::string_view function, const Arguments& arguments, Library library = Library::numpy);
/// The transpose of NumPy's .T, which is not defined here for more than two axes.
ExprPtr reversed(const ExprPtr& x);

class Parser {
  public:
    /// `of_scipy`: functions that a file took from SciPy by name; nullptr for a text that is no file.
    Parser(const Source& source, Span text, const Names& names, const std::set<std::string>* of_scipy = nullptr)
        : source_(source), names_(names), of_scipy_(of_scipy), at_(text.begin), end_(text.end) {}
    /// All of the text; several expressions with commas between them are an array. Errors: ProofError.
    ExprPtr whole();

  private:
    [[noreturn]] void fail(std::size_t at, const std::string& text) const { throw ProofError(source_, at, text); }
    ExprPtr finish(std::size_t begin, const ExprPtr& e);
    void blanks();
    bool take(std::string_view text);
    bool next_is(std::string_view text);
    std::string_view word();
    void expect(std::string_view text);

    ExprPtr list(std::string_view closer);
    ExprPtr expression();
    ExprPtr compared();
    ExprPtr sum_of_terms();
    ExprPtr term();
    ExprPtr factor();
    ExprPtr power();
    ExprPtr postfix();
    ExprPtr primary();
    ExprPtr number_here();
    ExprPtr name_or_call(std::size_t begin);
    ExprPtr attribute(const ExprPtr& of, std::size_t begin);
    ExprPtr subscript(const ExprPtr& of, std::size_t begin);
    Arguments arguments();
    ExprPtr called(const std::string& function, Arguments arguments, std::size_t begin, Library library = Library::numpy);
    ExprPtr einsum(std::size_t begin);
    ExprPtr any_function_called(const std::string& name, const Arguments& given) const;
    ExprPtr as_condition(const ExprPtr& e) { return conditions_.insert(e), e; }
    bool is_condition(const ExprPtr& e) const { return conditions_.contains(e); }

    const Source& source_;
    const Names& names_;
    const std::set<std::string>* of_scipy_;
    std::size_t at_, end_;
    int depth_ = 0;
    std::size_t parts_ = 0;
    std::set<ExprPtr> conditions_;  ///< X > 0, which are no numbers in NumPy
};

}  // namespace gradproof::proof::numpy
