// Definitions by cases within sentences: "$a_i = z_i$ if $z_i > 0$ and $a_i = 0$ otherwise" as one equation with cases.
//
//   const Piecewise cases(source, text);
//   cases.of(formula.begin)      // the equation, if one begins with that formula
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

class Piecewise {
  public:
    Piecewise(const Source& source, Span text);
    /// The equation of cases whose first piece is the formula that begins there; nullptr where none is. Where the pieces are not
    /// understood, the right side is words that no one reads.
    const Equation* of(std::size_t formula) const {
        const auto found = whole_.find(formula);
        return found == whole_.end() ? nullptr : &found->second;
    }
    /// Whether it is a condition or a further piece.
    bool is_part(std::size_t formula) const { return parts_.contains(formula); }

  private:
    /// NAME = VALUE.
    struct Piece {
        Tokens name, value;
    };
    static std::optional<Piece> piece_of(const Source& source, const Mention& m);
    static Equation cases(const Piece& first, const Tokens& condition, const Tokens& other, Span span);
    static bool is_condition_in_brackets(const Source& source, const Piece& first, const Mention& m, const Mention& next);
    void refuse(const Piece& piece, Span formula, std::string_view why = "under a condition");
    bool refuse_exception(const Source& source, const std::vector<Mention>& all, std::size_t i, const Piece& first);

    std::map<std::size_t, Equation> whole_;
    std::set<std::size_t> parts_;
};

/// Whether the words between a value and the next formula say that it holds under that: "$y = x$ if $x > 0$".
bool leads_to_condition(const std::string& words);

/// The tokens of \begin{cases} value & condition \\ other & otherwise \end{cases}.
Tokens by_cases(const Tokens& value, const Tokens& condition, const Tokens& other);

}  // namespace gradproof::proof::latex
