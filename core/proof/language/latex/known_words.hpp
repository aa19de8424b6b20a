// What words of a text name, and which of headings and labels say nothing that formulas do not.
//
//   says_in_heading(" ridge regression ", {});      // the word "ridge"
//   models_of("L = -\\log p");                      // "entropy", "a density" and others
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/latex/mentions.hpp"

namespace gradproof::proof::latex {

/// Of words within a display, behind or beside its formulas. `softmax`: one stands there, which is by rows.
bool leave_display(const std::string& words, bool softmax);

/// Of a heading, the words that are not known to say nothing: 'the word "ridge"'; "" if all are.
std::string says_in_heading(const std::string& words, const std::set<std::string, std::less<>>& functions);

/// Of a heading whose words are known, the first that name a model or a loss; "" if none do. A "logistic loss" is none where a
/// formula has a logarithm.
std::string topic_in(const std::string& words, const std::set<std::string, std::less<>>& functions);

/// Whether a model may have it, or a loss be summed over it, and formulas say nothing of it: a bias, a margin, examples.
bool may_be_added(const std::string& word);

/// Of a word of "$X$ denotes the weights of the layer" whether it is what a value may be called: no number, order or operation.
bool names_a_thing(const std::string& word, const std::set<std::string, std::less<>>& functions);

inline constexpr char kJoinsWords = '_';
/// With the names of losses of several words that formulas spell as one each: "mean_squared_error" where one has a square.
std::string with_losses_joined(std::string words, const std::set<std::string, std::less<>>& functions);

/// The parts between the characters, empty ones too.
std::vector<std::string_view> parts_between(std::string_view text, char at);
/// Whether a word is one of digits alone.
bool is_number_word(std::string_view word);

/// Whether a value may be called so: "weights".
bool is_thing(std::string_view word);

/// Of the words of a label beneath a part of a formula, whether they are known to say nothing.
bool is_plain_label(const std::string& words);

/// The functions of a formula that words name too.
std::set<std::string, std::less<>> models_of(const std::string& formula);

}  // namespace gradproof::proof::latex
