// What words within a formula say of it: \text{for all}, \text{by the chain rule}, \text{divided by}.
#pragma once

#include <string_view>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

enum class Remark {
    joins,     ///< and, so, thus: a further equation follows
    where,     ///< for, if, such that: what follows is where the line holds
    explains,  ///< since, by: why it holds; what follows is no part of it
    changes,   ///< times, divided by, unless, otherwise: the line is not what the formula alone says
    other,
};
Remark remark_of(std::string_view text);
/// Whether they are "if" or "when": what follows may be false.
bool is_conditional(std::string_view text);

/// Whether they stand between conditions of which one holds: "or", "or if".
bool joins_alternatives(std::string_view text);
/// Whether it holds where what follows is false.
bool is_unless(std::string_view text);

/// Whether words before a formula make it another one: "twice", "half of".
bool changes_what_follows(std::string_view text);

/// Whether they stand for an =: "is", "equals", "becomes".
bool says_equal(std::string_view text);

/// Of words that may change the formula they stand in.
[[noreturn]] void fail_for_words(const Source& source, const Token& words);

}  // namespace gradproof::proof::latex
