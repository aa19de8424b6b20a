// Functions as the text says what they are: "where $\sigma(z) = \tanh(z)$", "$\sigma = \tanh$", "$\sigma$ denotes the softmax".
//
//   Meanings meanings(source, text);                              // what may say so
//   meanings.settle(reading, known);                              // into reading.meanings
//   meanings.is_taken(equation);                                  // it is no line of its own
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

/// "" of what names no function; else as Parser looks it up: "σ", "softmax", "tanh", or the base of a name that may be one.
std::string function_named(const Source& source, const Tokens& tokens);

/// What Reading::meanings has a function with parameters below by, as h_\theta(x).
std::string function_key(const NameParts& p);

/// Where the first ( stands that no braces hold; the end where none does.
std::size_t first_bracket(const Tokens& tokens);

class Meanings {
  public:
    /// `own`: where the text begins whose lines are read; what it says of a function itself goes before what is said above.
    Meanings(const Source& source, Span text, std::size_t own);
    /// The bases of names that are values.
    struct Known {
        std::map<std::string, int> defined;  ///< by equations, how often
        std::set<std::string> stated;        ///< by sentences and comments
        bool has(const std::string& base) const { return defined.contains(base) || stated.contains(base); }
    };
    /// Takes those that say something else than the function's name does.
    void settle(Reading& reading, const Known& known);
    /// Whether it says what a function is, and is judged by nothing.
    bool is_taken(const Equation& e) const { return taken_.contains(e.span.begin); }
    /// What reports say of them.
    std::vector<std::string> texts(const Reading& reading, const Known& known) const;

  private:
    struct Candidate {
        FunctionMeaning meaning;
        bool in_line = false;
    };
    void find_equations(Span text);
    void add_equation(const Equation& e, bool in_line);
    void settle(const Candidate& one, Reading& reading, const Known& known);
    bool says_otherwise(FunctionMeaning& m, bool in_line, Reading& reading, const Known& known);
    static bool give_own_parameter(FunctionMeaning& m);
    bool is_called_otherwise(const FunctionMeaning& m) const;
    bool stands_in_formulas(std::string_view function) const;
    bool assumes_sigmoid(const Reading& reading, const Known& known) const;

    const Source& source_;
    const Span text_;
    const std::size_t own_;
    std::vector<Candidate> candidates_;
    std::vector<Tokens> formulas_;  ///< all of the text
    std::set<std::size_t> taken_;   ///< where equations begin
};

}  // namespace gradproof::proof::latex
