// Formulas of a text with the words around them, and the sentences in which they stand.
//
//   for (const Mention& m : mentions_in(source, text)) m.formula, m.led ...
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/proof/language/latex/tokens.hpp"

namespace gradproof::proof::latex {

using WordList = std::vector<std::string>;

/// How words write a formula among them.
inline constexpr std::string_view kFormula = "#";

/// A formula with macros expanded.
struct Mention {
    Tokens formula;
    Span span;
    bool displayed = false;
    std::string before, behind;  ///< to the formulas next to it, as plain_words() has them
    WordList led;                ///< its sentence before it, as far as a sentence goes
    Span sentence;               ///< all of that
};
/// In the order of the text, but for what a comment switches off. One that is not read is left out.
std::vector<Mention> mentions_in(const Source& source, Span text);

/// A sentence of a text with the formulas in it.
struct Sentence {
    std::string words;  ///< as plain_words() has them, " # " for each formula
    std::vector<Mention> formulas;
    Span span;
    bool is_heading = false;  ///< of a section or paragraph
};
/// In the order of the text. The formulas that are not read are none of the formulas of a sentence, and stand in its words.
std::vector<Sentence> sentences_in(const Source& source, Span text);

/// Behind the pair of brackets, {} or [], that begins at `at`; `at` where none does.
std::size_t behind_brackets(std::string_view text, std::size_t at, std::size_t end);
/// Words in small letters with one blank around each, " the softmax is taken column wise "; a full stop as " . ".
std::string plain_words(std::string_view text);
/// With a word, "formula", in the place of each $...$.
std::string without_formulas(std::string_view text);
/// Whether one of these stands in such words: " row vector ", with the blanks around it.
bool has_any(const std::string& plain, std::initializer_list<std::string_view> any);
/// How often such words stand there.
std::size_t times_in(const std::string& plain, const std::string& words);
/// Such words behind the last full stop in them.
std::string last_sentence(const std::string& plain);
/// Those words one by one.
WordList words_of(const std::string& plain);

}  // namespace gradproof::proof::latex
