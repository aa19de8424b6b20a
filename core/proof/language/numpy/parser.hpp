// Expressions of NumPy, PyTorch and JAX turned into those of the notation. Nothing is executed: what is not listed is refused.
//
//   const ExprPtr e = Parser(source, span, names).whole();            // of "(A * dA).sum(-1, keepdims=True)"
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "gradproof/core/proof/language/numpy/draws.hpp"
#include "gradproof/core/proof/language/numpy/own_functions.hpp"
#include "gradproof/core/proof/language/numpy/saved.hpp"
#include "gradproof/core/proof/language/proof.hpp"

namespace gradproof::proof::numpy {

/// What a call is given. A tuple or list is an expression of kind array.
struct Arguments {
    std::vector<ExprPtr> positional;
    std::map<std::string, ExprPtr, std::less<>> named;
};

/// What the lines of a file above say of names.
struct FileNames {
    std::set<std::string> of_scipy;                             ///< functions that it took from SciPy by name
    std::set<std::string, std::less<>> of_jax, of_tensorflow;   ///< functions and modules of these
    std::set<std::string, std::less<>> of_arrays;               ///< sum of from numpy import *, which is not Python's own
    bool untracked = false;                                     ///< PyTorch and JAX follow no gradients where the line stands
    bool numpy_alone = false;                                   ///< it uses NumPy, and neither PyTorch nor TensorFlow
    const std::set<std::string, std::less<>>* lists = nullptr;  ///< names that something is appended to
    bool numpy_and_torch = false;                               ///< it uses both
    std::function<void(const std::string&)> said{};             ///< told of what an expression is read as, which may be another
    std::map<std::string, std::string, std::less<>> gradients;  ///< names of gradients that no rule tells, and their values
    std::string returned;                                       ///< by the forward: dout is its gradient
    std::map<std::string, std::string, std::less<>> incoming;  ///< gradients from outside of several values: what stands for them
    std::set<std::string, std::less<>> conditions;             ///< values that are conditions, mask = x > 0
    Saved saved;
    /// Names of a function, where a value of another function is called so, too.
    std::map<std::string, ExprPtr, std::less<>> locals;
    std::map<std::string, ExprPtr, std::less<>> of_step;  ///< what names of a loop stand for at this line
    /// A constant of these sizes, by where it is drawn and how.
    std::function<ExprPtr(const std::vector<ExprPtr>&, Span, std::string_view)> drawn;
    /// Of a list of tuples: the index of the loop that made it, and one of them.
    struct Tuples {
        std::string index;
        ExprPtr one;
    };
    std::map<std::string, Tuples, std::less<>> tuples;
    const Proof* proof = nullptr;                      ///< what is read of it so far
    const OwnFunctions* own = nullptr;                 ///< its functions
    std::function<void(const std::string&)> called{};  ///< told of each of them that an expression calls
    /// Told of each name of a value or gradient that an expression uses. Errors: ProofError where Python has none of that name.
    std::function<void(const std::string&, std::size_t)> used{};
    std::function<void(const std::string&)> kept_read{};  ///< told of each key of which an expression reads what is kept
    /// What get("scale", 1.0) gives, whose number that is.
    std::function<ExprPtr(const std::string&, const ExprPtr&)> setting{};
};

/// The value that a name is the gradient of: X of dX, grad_X, X_grad and dL_dX; "" of others.
std::string value_of_gradient(std::string_view name, const Names& names, const FileNames* file = nullptr);
/// Whether it is computed of an input or a constant that is drawn, and not of sizes and of numbers that are given alone.
bool is_drawn(const Expr& e, const Proof& proof);
/// The value that a member of an object or a dict is the gradient of: X of self.dX, grads["X"] and grads["dX"]; "" of others.
std::string gradient_kept(const Place& place, const std::string& member, const Names& names, const FileNames* file);

/// Whose functions a name is looked up in, where libraries differ: softmax along the last axis, of all entries in SciPy.
/// unsaid: that of a method, or of a function without a module before it.
enum class Library { unsaid, numpy, torch, jax, scipy, tensorflow };
/// What a function or a method means, whose first argument is the array it is called on; nullptr for one that is not known.
/// Errors: std::invalid_argument for arguments that it does not take.
ExprPtr meaning(std::string_view function, const Arguments& arguments, Library library = Library::unsaid);
/// More of them: those that are written by others of the notation.
ExprPtr further_meaning(std::string_view function, const Arguments& arguments, Library library);
/// The transpose of NumPy's .T, which is not defined here for more than two axes.
ExprPtr reversed(const ExprPtr& x);
/// That of .mT.
ExprPtr last_two_swapped(const ExprPtr& x);

class Parser {
  public:
    /// `file`: nullptr for a text that is no file.
    Parser(const Source& source, Span text, const Names& names, const FileNames* file = nullptr)
        : source_(source), names_(names), file_(file), start_(text.begin), at_(text.begin), end_(text.end) {}
    /// All of the text; several expressions with commas between them are an array. Errors: ProofError.
    ExprPtr whole();
    /// [a, b], a name of such, a list that something is appended to, and a part of one; in Python they are no arrays.
    bool is_list(const Expr& e) const;
    /// Whether what was read is true or false, entry by entry: x > 0.
    bool is_condition(const Expr& e) const {
        return e.truth || (file_ && e.kind == Kind::name && file_->conditions.contains(e.name));
    }
    bool is_condition(const ExprPtr& e) const { return is_condition(*e); }

  private:
    [[noreturn]] void fail(std::size_t at, const std::string& text) const { throw ProofError(source_, at, text); }
    static bool holds_conditions(const Expr& e);
    const Expr* written(const Expr& e) const;
    ExprPtr finish(std::size_t begin, const ExprPtr& e);
    void blanks();
    bool take(std::string_view text);
    bool next_is(std::string_view text);
    std::string_view word();
    void expect(std::string_view text);

    ExprPtr list(std::string_view closer);
    void take_all_of(std::vector<ExprPtr>& to);
    ExprPtr expression();
    ExprPtr compared();
    ExprPtr compared_draw();
    ExprPtr draw_here();
    std::vector<ExprPtr> sizes_of_draw(const DrawCall& call, std::size_t begin);
    ExprPtr either();
    ExprPtr both();
    ExprPtr sum_of_terms();
    ExprPtr term();
    ExprPtr factor();
    ExprPtr power();
    ExprPtr postfix();
    ExprPtr primary();
    ExprPtr number_here();
    ExprPtr name_or_call(std::size_t begin);
    ExprPtr kept(std::size_t begin, const std::string& owner);
    ExprPtr default_of(std::size_t begin, const std::string& owner);
    ExprPtr entries_of(const ExprPtr& of, std::size_t at) const;
    ExprPtr attribute(const ExprPtr& of, std::size_t begin);
    ExprPtr part_of_sequence(const ExprPtr& of, std::size_t begin);
    ExprPtr subscript(const ExprPtr& of, std::size_t begin);
    ExprPtr counted_from_start(const ExprPtr& of, std::size_t axis, const ExprPtr& place) const;
    ExprPtr part_of_axis(const ExprPtr& of, std::size_t axis, ExprPtr first);
    ExprPtr end_of_axis(const ExprPtr& of, std::size_t axis, const ExprPtr& end) const;
    bool takes_backwards();
    ExprPtr turned(const ExprPtr& of, std::size_t axis, std::size_t at) const;
    ExprPtr flipped(const std::string& function, const Arguments& given, std::size_t at) const;
    ExprPtr rolled(const Arguments& given, std::size_t at) const;
    ExprPtr at_places(const ExprPtr& of, const std::vector<ExprPtr>& entries, std::size_t begin) const;
    ExprPtr at_one_place(const ExprPtr& of, const std::vector<ExprPtr>& entries, std::size_t begin) const;
    Arguments arguments();
    ExprPtr text_or_expression();
    ExprPtr dot_of_more_axes(const Arguments& given) const;
    std::optional<double> known_number(const Expr& e) const;
    void expect_numbers(const std::string& function, const Arguments& given, std::size_t begin) const;
    ExprPtr called(const std::string& function, Arguments given, std::size_t begin, Library library = Library::unsaid);
    ExprPtr called_with(const std::string& function, Arguments given, std::size_t begin, Library library);
    static bool are_all_true(const std::string& function, Arguments& given);
    bool keeps_conditions(const std::string& function, const Arguments& given) const;
    ExprPtr einsum(std::size_t begin);
    void along_only_axis(Arguments& given) const;
    ExprPtr infinity_in_quotes(std::size_t begin);
    ExprPtr logical(const std::string& name, const Arguments& given, std::size_t begin) const;
    // parser_parts.cpp
    std::optional<double> rank_of(const Expr& e) const;
    ExprPtr exchanged(std::string_view function, const Arguments& given, Library library) const;
    ExprPtr squeezed(std::string_view function, const Arguments& given) const;
    void expect_python(std::string_view function, const Arguments& given, std::size_t at) const;
    void expect_matrix(std::string_view function, const Arguments& given, std::size_t at) const;
    ExprPtr put_together(std::string_view function, const Arguments& given) const;
    ExprPtr taken_apart(std::string_view function, const Arguments& given, Library library) const;
    // parser_own.cpp
    ExprPtr name_of_function(std::string_view name);
    void expect_given(std::size_t begin, std::string_view name);
    Scope scope_of(const OwnFunction& f, const Arguments& given, std::size_t begin);
    ExprPtr own_called(const OwnFunction& f, const Arguments& given, std::size_t begin);
    void assign_within(Scope& scope, const OwnFunction::Step& step, const ExprPtr& value, std::size_t parts, bool condition);
    bool mentions_in(Span s, const std::string& name) const;
    ExprPtr any_function_called(const std::string& name, const Arguments& given) const;
    bool is_value(const Expr& e) const {
        return e.kind == Kind::gradient || e.kind == Kind::helper || (e.kind == Kind::name && names_.values.contains(e.name));
    }
    static ExprPtr as_condition(const ExprPtr& e) {
        Expr out = *e;
        out.truth = true;
        return make(std::move(out));
    }
    static ExprPtr as_list(const ExprPtr& e) {
        Expr out = *e;
        out.listed = true;
        return make(std::move(out));
    }
    /// Conditions and lists are still such where nothing is computed of them.
    ExprPtr marked_as(const Expr& e, const ExprPtr& out) const {
        Expr marked = *out;
        marked.truth = is_condition(e) || holds_conditions(e);
        marked.listed = is_list(e);
        return make(std::move(marked));
    }

    const Source& source_;
    const Names& names_;
    const FileNames* file_;
    std::size_t start_, at_, end_;
    int depth_ = 0;
    std::size_t parts_ = 0;
    const Scope* scope_ = nullptr;  ///< of the function whose line this is
};

}  // namespace gradproof::proof::numpy
