// The grammar of the notation: the text of one statement to its expressions.
//
//   const Names names{.values = {"A", "V"}, .dims = {"n"}};
//   const Equality e = parse_equality(source, statement, names);      // e.left = e.right
//   const std::vector<Declaration> d = parse_declarations(source, rest, names);
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof {

/// What the names in scope are: a name with a bracket after it is a call, a factor or an entry by what it names.
struct Names {
    std::set<std::string, std::less<>> values;  ///< inputs, constants and forward values
    std::set<std::string, std::less<>> dims;
    std::set<std::string, std::less<>> functions;  ///< of which nothing is known but that they are smooth and of one number
    std::string loss;                              ///< of `loss L = ...`; L and Loss always name it
    bool hides_functions = true;                   ///< not in Python, where x.mean() is one beside a value called mean
    bool has_identity = true;                      ///< I is one where nothing is called I, read or lost
    bool several_losses = false;                   ///< each is a value like others, and none is the loss
    /// Of a value S that is printed, the name that printed(S) stands for.
    std::map<std::string, std::string, std::less<>> printed;
    /// What names stand for that are defined among the claims.
    std::map<std::string, ExprPtr, std::less<>> helpers;
    bool defined(std::string_view name) const { return values.contains(name) || dims.contains(name) || helpers.contains(name); }
    /// Whether entries can be taken of it: a value, the gradient of one, or what a name among the claims stands for.
    bool has_entries(std::string_view name) const {
        return values.contains(name) || helpers.contains(name) || (name.starts_with('d') && values.contains(name.substr(1)));
    }
    /// The value and the letters of A_ij, where A is a value or the gradient of one and nothing is called A_ij.
    std::optional<std::pair<std::string, std::string>> subscripted(std::string_view name) const;
    /// A function the notation knows, or a registered op, that no value hides.
    bool is_function(std::string_view name) const;
    /// The name of a function in an expression: "any f" of a declared f.
    std::string function_called(const std::string& name) const;
    bool is_loss(std::string_view name) const;
    std::vector<std::string> all() const;
};

struct Equality {
    ExprPtr left, right;
    std::vector<ExprPtr> further;   ///< of a chain: left = right = further[0] = ...
    ExprPtr erratum;                ///< the corrected numbers of `= numbers erratum numbers`, nullptr without
    ExprPtr holds{};                ///< of `for t < T - 1`, nullptr without
    std::vector<Option> extents{};  ///< sizes of indices that are said to run over all of an axis: for t = 1, ..., T
    bool called_jacobian = false;   ///< the words before it call it a Jacobian
    std::string where{};            ///< how the words around it say when it holds
};
/// One name of `dims`, `input` or `const`.
struct Declaration {
    std::string name;
    Span span;
    bool has_shape = false;
    std::vector<ExprPtr> shape;
    ExprPtr value;             ///< of `= value`, nullptr without
    std::string distribution;  ///< of `~ normal`, "" without
    std::vector<ExprPtr> parameters;
    bool taken = false;       ///< no text states its shape
    bool by_default = false;  ///< the value is a parameter's, where a call gives no other
    /// Of Q, K [n, d] both have what stands behind the last: this one takes it from the next if it has nothing of its own.
    void take_shape_of(const Declaration& next);
};

/// Errors: ProofError at the place where the text stops making sense, for all of these.
Equality parse_equality(const Source& source, Span statement, const Names& names);
ExprPtr parse_expression(const Source& source, Span text, const Names& names);
std::vector<Declaration> parse_declarations(const Source& source, Span text, const Names& names);
std::vector<Declaration> parse_dims(const Source& source, Span text, const Names& names);
/// The text between the quotes of `"..."`.
std::string parse_quoted(const Source& source, Span text);

}  // namespace gradproof::proof
