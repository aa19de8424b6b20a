// Words within formulas.
#include "gradproof/core/proof/language/latex/remarks.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::string_view kJoins[] = {"and", "where", "with", "so", "hence", "thus", "then", "therefore", ""};
constexpr std::string_view kWhere[] = {"for",       "if",       "when",      "whenever", "for all", "for any",
                                       "for every", "for each", "such that", "provided", "all",     "provided that",
                                       "s.t",       "and if",   "and for"};
constexpr std::string_view kExplains[] = {"since", "because", "by", "using", "as",    "due",
                                          "from",  "see",     "is", "are",   "which", "i.e"};
constexpr std::string_view kChanges[] = {"times",    "plus",       "minus", "divided",    "over",      "squared", "cubed",
                                         "mod",      "modulo",     "or",    "transposed", "transpose", "inverse", "inverted",
                                         "negated",  "half",       "twice", "double",     "doubled",   "halved",  "summed",
                                         "averaged", "multiplied", "added", "subtracted", "except",    "unless",  "otherwise",
                                         "else",     "elsewhere",  "not",   "without",    "instead"};

bool has_word_of_change(std::string_view text) {
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (const char letter = i < text.size() ? small_letter(text[i]) : '\0') {
            word += letter;
            continue;
        }
        if (is_one(kChanges, word)) return true;
        word.clear();
    }
    return false;
}

}  // namespace

Remark remark_of(std::string_view text) {
    const std::size_t from = std::min(text.find_first_not_of(" ~,.(:;"), text.size());
    const std::size_t last = text.find_last_not_of(" ~,.):;");
    const std::string_view said = last == std::string_view::npos || last < from ? "" : text.substr(from, last + 1 - from);
    if (is_one(kWhere, said)) return Remark::where;
    const std::string_view word = said.substr(0, said.find_first_of(" ~,.:"));
    if (is_one(kExplains, word) || said.starts_with("i.e")) return Remark::explains;
    if (has_word_of_change(said)) return Remark::changes;
    if (is_one(kJoins, word)) return Remark::joins;
    const bool in_brackets = from > 0 && text[from - 1] == '(';
    return in_brackets ? Remark::explains : Remark::other;
}

bool is_conditional(std::string_view text) {
    constexpr std::string_view kIf[] = {"if", "when", "whenever", "provided", "provided that", "and if"};
    const std::size_t from = std::min(text.find_first_not_of(" ~,.(:;"), text.size());
    const std::size_t last = text.find_last_not_of(" ~,.):;");
    return last != std::string_view::npos && last >= from && is_one(kIf, text.substr(from, last + 1 - from));
}

void fail_for_words(const Source& source, const Token& words) {
    fail(source, words,
         fmt::format("what these words say of the formula is not understood: \\text{{{}}}; write a formula, or put them into the "
                     "text around it",
                     printable(words.text, 40)));
}

}  // namespace gradproof::proof::latex
