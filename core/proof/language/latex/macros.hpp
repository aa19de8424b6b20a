// The macros that a LaTeX file defines, and their expansion.
//
//   Macros macros;
//   if (Macros::defines(token)) macros.define(lexer, token);        // \newcommand, \def, \DeclareMathOperator ...
//   const Tokens all = macros.expand(source, tokens);
#pragma once

#include <map>
#include <string>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Macros {
  public:
    /// Whether a command defines another.
    static bool defines(const Token& command);
    /// What `command` defines, read from the lexer. What is not understood of it defines nothing.
    void define(Lexer& lexer, const Token& command);
    /// Errors: ProofError for a macro that ends in itself, for one without its arguments, and where more than kMostTokens come
    /// out.
    Tokens expand(const Source& source, const Tokens& tokens) const;

  private:
    struct Macro {
        std::size_t parameters = 0;
        bool has_default = false, starred = false;  ///< starred: a * and [size] may stand before its argument
        Tokens fallback, body;
    };
    struct Waiting;
    void define_new(Lexer& lexer);
    void define_plain(Lexer& lexer);
    void define_operator(Lexer& lexer);
    void define_pair(Lexer& lexer);
    void define_same(Lexer& lexer);
    static std::vector<Tokens> arguments(const Source& source, const Macro& macro, const Token& use, Waiting& waiting);
    std::map<std::string, Macro, std::less<>> macros_;
};

}  // namespace gradproof::proof::latex
