// LaTeX cut into tokens, as TeX would: commands, letters, numbers, braces; blanks and comments fall away.
//
//   Lexer lexer(source, span);
//   for (Token t = lexer.next(); t.kind != Token::Kind::none; t = lexer.next()) ...
#pragma once

#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::latex {

struct Token {
    enum class Kind {
        letter,   ///< one character
        word,     ///< several, as in annotations and of \mathrm{...}
        digits,   ///< 2, 2.5
        command,  ///< \frac, \\, \,
        symbol,   ///< any other character
        opening,  ///< {
        closing,  ///< }
        begins,   ///< \begin{text}
        ends,     ///< \end{text}
        words,    ///< of \text{...}
        note,     ///< the text of a comment behind % gradproof:
        none,     ///< nothing is left
    } kind = Kind::none;
    std::string_view text;
    Span span;           ///< in the file; of what a macro made, of its use
    bool blank = false;  ///< stands before it

    bool is(Kind k, std::string_view t) const { return kind == k && text == t; }
    bool is_command(std::string_view t) const { return is(Kind::command, t); }
    bool is_symbol(std::string_view t) const { return is(Kind::symbol, t); }
};
using Tokens = std::vector<Token>;

Tokens part_of(const Tokens& tokens, std::size_t begin, std::size_t end);

/// \dots and the like.
bool is_dots(const Token& t);
/// =, \coloneqq and the like.
bool is_equals(const Token& t);
/// \frac, \tfrac or \dfrac.
bool is_fraction(const Token& t);
/// \partial or \nabla.
bool is_derivative_sign(const Token& t);
/// <, \ge, \neq and the like.
bool is_comparison(const Token& t);
/// Relations that say nothing of what is equal to what.
bool is_other_relation(const Token& t);
/// \iff, \implies and the like.
bool is_equivalence(const Token& t);
/// 0, and \mathbf{0}.
bool is_zero(const Tokens& t);
/// What stands between the equations of a row.
bool is_separator(const Token& t);
/// \|, \lVert and \rVert.
bool is_norm_bar(const Token& t);
/// a to z.
bool is_small_letter(const Token& t);
/// Whether they are the same as they stand there.
bool same_texts(const Tokens& a, const Tokens& b);
/// 1 of what opens a bracket or an environment, -1 of what closes one, else 0.
int bracket(const Token& t);

/// What is wrong at a token. Never returns.
[[noreturn]] void fail(const Source& source, const Token& at, const std::string& text);

class Lexer {
  public:
    /// `words`: letters that stand together are one word, numbers may have an exponent, a # begins a comment, as in annotations.
    Lexer(const Source& source, Span span, bool words = false);
    /// What stands in \iffalse ... \fi, in the \else of another condition, or in one that is not known to hold, is passed over.
    Token next();
    /// Goes on behind the first `stop`, or to the end where there is none. Returns whether there was.
    bool skip_past(std::string_view stop);
    std::size_t at() const { return at_; }
    const Source& source() const { return source_; }

  private:
    Token token();
    bool condition(const Token& t);
    bool pass_over();
    Token take(Token::Kind kind, std::size_t bytes);
    Token command();
    bool environment(Token& t);
    std::string_view left() const { return source_.text().substr(at_, end_ - at_); }

    const Source& source_;
    std::size_t at_, end_;
    bool words_, blank_ = false;
};

/// The position behind the group, or the one token, that begins at tokens[at]. Errors: ProofError for a { that is never closed.
std::size_t end_of_group(const Source& source, const Tokens& tokens, std::size_t at);
/// Where the brace stands that the one at tokens[at] closes.
std::size_t opening_of(const Tokens& tokens, std::size_t at);
/// _{...} behind what stands there.
void add_below(Tokens& to, const Tokens& below, Span at);
/// The tokens of that group without its braces.
Tokens inside_group(const Source& source, const Tokens& tokens, std::size_t at);

}  // namespace gradproof::proof::latex
