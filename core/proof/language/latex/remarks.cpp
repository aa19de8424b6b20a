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
constexpr std::string_view kChanges[] = {
    "times",     "plus",       "minus",     "divided",       "over",       "squared",  "cubed",      "mod",     "modulo",
    "or",        "transposed", "transpose", "inverse",       "inverted",   "negated",  "half",       "twice",   "double",
    "doubled",   "halved",     "summed",    "averaged",      "multiplied", "added",    "subtracted", "except",  "unless",
    "otherwise", "else",       "elsewhere", "not",           "without",    "instead",  "thrice",     "tripled", "negative",
    "scaled",    "rescaled",   "roughly",   "approximately", "ignoring",   "dropping", "neglecting", "omitting"};
/// What is done to a formula, at the head of a clause: "by the chain rule, doubled".
constexpr std::string_view kDone[] = {"times",    "plus",       "minus",      "doubled",  "tripled", "halved",
                                      "negated",  "squared",    "cubed",      "inverted", "divided", "scaled",
                                      "rescaled", "multiplied", "transposed", "averaged", "summed"};
constexpr std::string_view kUpTo[] = {"up to a ",    "up to an ",     "up to the ",  "up to sign",      "up to scal",
                                      "up to const", "with a factor", "with factor", "with the factor", "by a factor"};
/// What the words before a formula begin with that makes it another one.
constexpr std::string_view kBefore[] = {"twice", "thrice",  "minus", "plus",          "half",   "double",
                                        "not",   "roughly", "never", "approximately", "triple", "times"};

/// Without blanks and signs at its ends.
std::string_view without_signs(std::string_view text) {
    const std::size_t from = std::min(text.find_first_not_of(" ~,.(:;"), text.size());
    const std::size_t last = text.find_last_not_of(" ~,.):;");
    return last == std::string_view::npos || last < from ? "" : text.substr(from, last + 1 - from);
}
/// In small letters, what is no letter as a blank.
std::string lowered(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const char letter = small_letter(c);
        out += letter == '\0' ? ' ' : letter;
    }
    return out;
}
std::string first_word(const std::string& text) {
    const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(from, std::min(text.find(' ', from), text.size()) - from);
}

bool has_word_of_change(std::string_view text) {
    std::string word;
    for (const char c : lowered(text) + " ") {
        if (c != ' ') {
            word += c;
            continue;
        }
        if (is_one(kChanges, word)) return true;
        word.clear();
    }
    return false;
}
bool says_up_to(std::string_view text) {
    const std::string all = lowered(text);
    return std::ranges::any_of(kUpTo, [&](std::string_view one) { return all.find(one) != std::string::npos; });
}
/// Of "by the chain rule, doubled" what stands behind a comma.
bool changes_behind_a_comma(std::string_view text) {
    for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1))
        if (is_one(kDone, first_word(lowered(text.substr(comma + 1))))) return true;
    return false;
}

}  // namespace

Remark remark_of(std::string_view text) {
    const std::string_view said = without_signs(text);
    if (is_one(kWhere, said)) return Remark::where;
    if (says_up_to(said) || changes_behind_a_comma(said)) return Remark::changes;
    const std::string_view word = said.substr(0, said.find_first_of(" ~,.:"));
    if (is_one(kExplains, word) || said.starts_with("i.e")) return Remark::explains;
    if (has_word_of_change(said)) return Remark::changes;
    if (is_one(kJoins, word)) return Remark::joins;
    const std::size_t from = text.find_first_not_of(" ~,.(:;");
    const bool in_brackets = from != std::string_view::npos && from > 0 && text[from - 1] == '(';
    return in_brackets ? Remark::explains : Remark::other;
}

bool is_conditional(std::string_view text) {
    constexpr std::string_view kIf[] = {"if", "when", "whenever", "provided", "provided that", "and if"};
    return is_one(kIf, without_signs(text));
}
bool is_unless(std::string_view text) { return without_signs(text) == "unless"; }
bool joins_alternatives(std::string_view text) {
    constexpr std::string_view kOr[] = {"or", "or if", "or when", "or for"};
    return is_one(kOr, without_signs(text));
}

bool changes_what_follows(std::string_view text) {
    constexpr std::string_view kDenied[] = {"wrong", "false", "incorrect", "untrue"};
    const std::string words = lowered(text);
    if (std::ranges::any_of(kDenied, [&](std::string_view one) { return words.find(one) != std::string::npos; })) return true;
    const std::size_t last = text.find_last_not_of(" ~");
    if (last == std::string_view::npos || text[last] == ':') return false;  // a label
    std::string all = lowered(text.substr(0, last + 1));
    all.erase(all.find_last_not_of(' ') + 1);
    return is_one(kBefore, first_word(all)) || all == "negative" || all.ends_with(" of");
}

bool says_equal(std::string_view text) {
    constexpr std::string_view kVerbs[] = {"is", "equals", "becomes", "reads", "gives", "yields", "as"};
    return is_one(kVerbs, first_word(lowered(text)));
}

void fail_for_words(const Source& source, const Token& words) {
    fail(source, words,
         fmt::format("what these words say of the formula is not understood: \\text{{{}}}; write a formula, or put them into the "
                     "text around it",
                     printable(words.text, 40)));
}

}  // namespace gradproof::proof::latex
