// The macros that a LaTeX file defines, and their expansion.
//
//   Macros macros;
//   if (Macros::defines(token)) macros.define(lexer, token);        // \newcommand, \def, \DeclareMathOperator ...
//   const Tokens all = macros.expand(source, tokens);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

class Macros {
  public:
    /// Whether a command defines another.
    static bool defines(const Token& command);
    /// What `command` defines, read from the lexer. What is not understood of it defines nothing.
    void define(Lexer& lexer, const Token& command);
    /// What is defined from here on, but for \gdef and \global, ends with the group.
    void open_group() { groups_.emplace_back(); }
    /// Ends the last group, if there is one.
    void close_group();
    /// Errors: ProofError for a macro that ends in itself, for one without its arguments, and where more than kMostTokens come
    /// out.
    Tokens expand(const Source& source, const Tokens& tokens) const;

    struct Argument {
        bool optional = false, is_printed = false;
    };
    /// Of a macro that is defined with arguments, these; none of what is no such.
    std::vector<Argument> arguments_of(std::string_view name) const;

    /// Of \newcommand{\beq}{\begin{equation}} what it begins or ends with, \begin{equation}, and how many arguments it takes.
    struct Edges {
        Token first, last;
        std::size_t parameters = 0;
    };
    std::optional<Edges> edges_of(std::string_view name) const;

  private:
    struct Macro {
        std::size_t parameters = 0;
        bool has_default = false, starred = false;  ///< starred: a * and [size] may stand before its argument
        Tokens fallback, body;
    };
    struct Waiting;
    using Meaning = std::optional<Macro>;
    void set(const std::string& name, Meaning meaning);
    void define_as(Lexer& lexer, const Token& command);
    void define_new(Lexer& lexer, bool unless_defined);
    void define_plain(Lexer& lexer);
    void define_operator(Lexer& lexer);
    void define_pair(Lexer& lexer);
    void define_same(Lexer& lexer);
    static std::vector<Tokens> arguments(const Source& source, const Macro& macro, const Token& use, Waiting& waiting);
    std::map<std::string, Macro, std::less<>> macros_;
    std::vector<std::map<std::string, Meaning>> groups_;  ///< what each open group will put back
    bool global_ = false;                                 ///< what is defined now is to stay
};

}  // namespace gradproof::proof::latex
