// Other works in sentences.
#include "gradproof/core/proof/language/latex/cited.hpp"

#include <algorithm>
#include <cctype>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using Words = std::vector<std::string>;

/// [3], [3, 7], [12-14]; [0, 1] is an interval.
std::size_t numbered_length(std::string_view text) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close < 2) return 0;
    const std::string_view inside = text.substr(1, close - 1);
    if (inside.find_first_not_of("0123456789,-~ ") != std::string_view::npos) return 0;
    if (std::isdigit(static_cast<unsigned char>(inside[0])) == 0 || inside[0] == '0') return 0;
    return close + 1;
}

/// (2019), (2019a)
std::size_t year_length(std::string_view text) {
    if (text.size() < 6 || (text.substr(1, 2) != "19" && text.substr(1, 2) != "20")) return 0;
    const auto is_digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
    if (!is_digit(3) || !is_digit(4)) return 0;
    const std::size_t close = text[5] == ')' ? 5 : 6;
    return close < text.size() && text[close] == ')' ? close + 1 : 0;
}

/// \cite, \citet*, \parencite, with what stands in their brackets.
std::size_t command_length(std::string_view text) {
    std::size_t i = 1;
    while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0) ++i;
    const std::string_view name = text.substr(1, i - 1);
    constexpr std::string_view kOthers[] = {"textcite", "parencite", "autocite", "footcite", "fullcite", "Textcite", "Parencite"};
    if (!name.starts_with("cite") && !name.starts_with("Cite") && !is_one(kOthers, name)) return 0;
    if (i < text.size() && text[i] == '*') ++i;
    while (i < text.size() && (text[i] == '[' || text[i] == '{')) {
        const bool last = text[i] == '{';
        const std::size_t close = text.find(last ? '}' : ']', i);
        if (close == std::string_view::npos) break;
        i = close + 1;
        if (last) break;
    }
    return i;
}

bool is_verb_of_saying(std::string_view word) {
    constexpr std::string_view kAll[] = {
        "assume", "assumes", "assumed",  "suppose",   "supposes",   "supposed", "require", "requires", "required",  "take",
        "takes",  "took",    "consider", "considers", "considered", "show",     "shows",   "showed",   "prove",     "proves",
        "proved", "use",     "uses",     "used",      "choose",     "chooses",  "chose",   "set",      "sets",      "state",
        "states", "stated",  "note",     "notes",     "noted",      "treat",    "treats",  "treated",  "restrict",  "restricts",
        "impose", "imposes", "imposed",  "ask",       "asks",       "asked",    "believe", "believes", "postulate", "postulates"};
    return is_one(kAll, word);
}
bool is_participle(std::string_view word) {
    constexpr std::string_view kAll[] = {"assumed", "supposed", "required", "taken",   "considered",
                                         "shown",   "proved",   "proven",   "used",    "chosen",
                                         "stated",  "claimed",  "treated",  "imposed", "posited"};
    return is_one(kAll, word);
}
/// In these words that a text says of itself: "following [3], we assume", "as in [3], assume".
bool is_own(std::string_view word) {
    constexpr std::string_view kAll[] = {"we", "us", "our", "i", "let"};
    return is_one(kAll, word);
}
bool is_before_a_citation(std::string_view word) {
    constexpr std::string_view kAll[] = {"in",  "following", "of",   "by",  "to",     "from",
                                         "per", "as",        "with", "see", "unlike", "like"};
    return is_one(kAll, word);
}

/// $A$ is symmetric in [3], is used in [3].
bool is_said_behind(const std::vector<std::string>& behind) {
    constexpr std::size_t kNear = 4;
    for (std::size_t i = 1; i < behind.size() && i <= kNear && behind[i - 1] != "."; ++i) {
        if (behind[i] != kCitation || (behind[i - 1] != "in" && behind[i - 1] != "by")) continue;
        return i == 1 ? behind[0] == "in" : is_participle(behind[i - 2]);
    }
    return false;
}

/// "in [3]", "in the book [3]", "in the work of Smith and Jones [3]", but not "in the network [3]".
bool is_led_by_preposition(Words::const_iterator first, Words::const_iterator cited) {
    constexpr std::string_view kOthers[] = {"the", "a",    "an", "this", "our",      "these", "each",  "all",
                                            "any", "both", "is", "are",  "standard", "usual", kFormula};
    constexpr std::ptrdiff_t kMost = 6;
    constexpr std::string_view kWorks[] = {"book", "textbook", "paper", "article", "work", "thesis", "report"};
    if (cited != first && is_one(kWorks, *(cited - 1))) return true;
    for (auto word = cited; word != first && cited - word < kMost;) {
        if (is_before_a_citation(*--word)) return true;
        if (is_one(kOthers, *word)) return false;
    }
    return false;
}
/// "they assume"
bool is_said_by_others(const Words& led, bool cited) {
    constexpr std::string_view kTheir[] = {"assume", "suppose", "require", "show", "prove", "assumed", "supposed", "required"};
    for (std::size_t i = 0; i + 1 < led.size(); ++i)
        if (led[i] == "they" || led[i] == "he" || led[i] == "she")
            if (is_one(kTheir, led[i + 1]) || (cited && is_verb_of_saying(led[i + 1]))) return true;
    return false;
}

}  // namespace

std::size_t citation_length(std::string_view text) {
    if (text.empty()) return 0;
    if (text[0] == '\\') return command_length(text);
    if (text[0] == '[') return numbered_length(text);
    if (text[0] == '(') return year_length(text);
    return text.starts_with("al.") ? 3 : 0;
}

bool is_of_another_work(const std::vector<std::string>& all, std::size_t clause, const std::vector<std::string>& behind) {
    if (is_said_behind(behind)) return true;
    if (clause > 2 && all[clause - 1] == "where" && all[clause - 2] == kCitation)  // in [3], where
        if (all[clause - 3] == "in" || all[clause - 3] == "follow" || all[clause - 3] == "following") return true;
    const std::vector<std::string> led(all.begin() + static_cast<std::ptrdiff_t>(clause), all.end());
    const auto cited = std::find(led.rbegin(), led.rend(), kCitation);
    if (is_said_by_others(led, cited != led.rend())) return true;
    if (cited == led.rend()) return false;
    const auto at = cited.base() - 1;
    constexpr std::string_view kLinks[] = {"but", "however", "and", "while", "whereas", "so",   "also",  "then",
                                           "e",   "g",       "i",   "here",  "note",    "that", kFormula};
    const auto first = std::find_if_not(led.begin(), at, [&](const std::string& w) { return is_one(kLinks, w); });
    const std::string_view next = at + 1 != led.end() ? std::string_view(*(at + 1)) : "";
    const std::string_view before = at != first ? std::string_view(*(at - 1)) : "";
    constexpr std::string_view kLikewise[] = {"following", "as", "like", "similar", "similarly", "just"};
    const bool likewise = is_one(kLikewise, *first);
    constexpr std::string_view kImperatives[] = {"assume", "suppose", "take", "consider", "choose", "set"};
    if (likewise && is_one(kImperatives, next)) return false;
    if (is_verb_of_saying(next) || next == "who" || next == "whose") return true;
    const bool own = std::any_of(first, led.end(), [](const std::string& w) { return is_own(w); });
    if (own) return *first == "in" && before == "in" && at - first == 1;  // "in [3] we assumed", not "here, as in [3], we"
    constexpr std::string_view kFirst[] = {"in", "per", "according", "unlike", "contrary", "with", "for"};
    return at == first || (before == "in" && at - first > 1 && is_participle(*(at - 2))) ||
           ((likewise || is_one(kFirst, *first)) && is_led_by_preposition(first, at));
}

}  // namespace gradproof::proof::latex
