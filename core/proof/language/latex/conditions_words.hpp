// What the words around conditions say of them.
#pragma once

#include <string>
#include <string_view>

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

/// Whether it leads to a condition: "for", "if", "provided".
bool is_lead(std::string_view word);
/// Of the words before a condition what leads to it: "for all", "at", "for every unit with", "for active units (",
/// "for these, i.e."; "" of others. `behind_lead`: "for $i$" stands before them. `in_brackets`: a bracket opens at their end.
/// `behind_formula`: what is to hold stands directly before them, so that "where" may lead to a condition, too.
std::string lead_word(WordList words, bool behind_lead, bool in_brackets, bool behind_formula);
/// What words between two conditions say: "and", also of "for $i < n$, if $x_i > 0$"; "or", also of "for $x_i > 0$ and for
/// $x_i < 0$"; "" of what joins no conditions.
std::string_view joint(WordList words);
/// Behind these what was said before goes on no more.
bool breaks_off(const WordList& words);
/// "Otherwise", "elsewhere".
bool begins_with_otherwise(const WordList& words);
/// Of "for positive formula", "for the true class", "on the diagonal", as plain words.
bool names_a_case(const std::string& words);
/// Whether the last sentence of a text speaks of such a case.
bool leads_with_case_in_words(std::string_view text);
/// "Otherwise, we have", also behind a full stop.
bool says_otherwise(WordList words);
/// "and zero otherwise", "else zero".
bool says_zero_otherwise(WordList words);
/// With a blank around each.
std::string words_as_text(const WordList& words);
/// "and thus for all $i$", "and in general": what was said before of some is said of all.
bool goes_beyond(const WordList& words);

}  // namespace gradproof::proof::latex
