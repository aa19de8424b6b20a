// Whether a sentence asserts what it says.
#include "gradproof/core/proof/language/latex/sayings.hpp"

#include <algorithm>
#include <string_view>

#include "gradproof/core/proof/language/latex/cited.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::string_view kEndOfSentence = ".";

bool is_condition_word(std::string_view word) {
    constexpr std::string_view kAll[] = {"if",   "iff",      "when",  "whenever", "whether",   "unless",
                                         "once", "provided", "case",  "cases",    "situation", "situations",
                                         "only", "until",    "under", "unlike",   "otherwise", "would"};
    return is_one(kAll, word);
}
/// Of what is so at times.
bool is_weak(std::string_view word) {
    constexpr std::string_view kAll[] = {"often", "usually", "sometimes", "typically", "commonly", "frequently", "generally",
                                         "may",   "might",   "could",     "can",       "some",     "many",       "were"};
    return is_one(kAll, word);
}
bool is_denial(std::string_view word) {
    constexpr std::string_view kAll[] = {"not", "without", "never", "neither", "nor",  "cannot",   "no",    "don",      "doesn",
                                         "isn", "needn",   "avoid", "avoids",  "drop", "dropping", "relax", "relaxing", "rather"};
    return is_one(kAll, word);
}
bool is_supposition(std::string_view word) {
    constexpr std::string_view kAll[] = {"assume", "assumes", "assumed", "assuming", "suppose", "supposing"};
    return is_one(kAll, word);
}

/// "for a", "for # and": what follows is where something holds.
bool is_said_for(const WordList& led) {
    constexpr std::string_view kBetween[] = {"a", "an", "the", "any", "every", "all", "each", "real", "some", "and", kFormula};
    const auto last = std::find_if_not(led.rbegin(), led.rend(), [&](const std::string& w) { return is_one(kBetween, w); });
    return last != led.rend() && *last == "for";
}

bool is_part_of_text(std::string_view word) {
    constexpr std::string_view kAll[] = {"section", "subsection", "appendix",    "chapter",
                                         "part",    "paragraph",  "subsections", "sections"};
    return is_one(kAll, word);
}
/// "For undirected graphs": of some of what the text speaks of.
bool is_of_a_kind(const WordList& led) {
    constexpr std::string_view kGeneral[] = {
        "simplicity",  "brevity",      "convenience", "clarity", "concreteness", "definiteness", "ease", "example",
        "instance",    "notation",     "this",        "now",     "what",         "all",          "any",  "every",
        "each",        "the",          "our",         "later",   "reference",    "illustration", "a",    "an",
        "readability", "completeness", "further",     "use",     "these",        "both"};
    constexpr std::size_t kMost = 4;
    return led.size() > 1 && led.size() <= kMost && led[0] == "for" && !is_one(kGeneral, led[1]) &&
           std::ranges::none_of(led, [](const std::string& w) { return w == kFormula; });
}
/// "is symmetric in Section 3", "is symmetric there, but general here".
bool is_of_a_part(const WordList& behind) {
    const auto end = std::ranges::find(behind, kEndOfSentence);
    for (auto word = behind.begin(); word != end && word + 1 < end; ++word)
        if ((*word == "in" && is_part_of_text(*(word + 1))) || (*word == "but" && *(word + 1) == "general")) return true;
    return false;
}

}  // namespace

bool speaks_of_others(const WordList& led) {
    constexpr std::string_view kAll[] = {
        "usually",  "typically",   "often",         "commonly", "sometimes", "previous", "prior",     "earlier",
        "unlike",   "instead",     "without",       "not",      "no",        "drop",     "dropping",  "relax",
        "relaxing", "classically", "traditionally", "normally", "contrast",  "others",   "generally", "mostly"};
    return std::ranges::any_of(led, [&](const std::string& w) { return is_one(kAll, w); });
}

Saying saying_of(const WordList& led, bool introduces) {
    if (is_said_for(led)) return introduces ? Saying::asserted : Saying::conditional;
    Saying out = Saying::asserted;
    bool weak = false, now = false;
    for (std::size_t i = 0; i < led.size(); ++i) {
        const std::string& word = led[i];
        const std::string_view next = i + 1 < led.size() ? std::string_view(led[i + 1]) : "";
        const std::string_view before = i > 0 ? std::string_view(led[i - 1]) : "";
        now = now || word == "now" || word == "henceforth" || word == "instead";
        if (is_denial(word) && !(word == "without" && next == "loss")) {
            out = Saying::denied;
        } else if (is_condition_word(word)) {
            out = Saying::conditional;
            weak = false;
        } else if (is_weak(word) && out != Saying::denied && out != Saying::conditional) {
            out = Saying::conditional;
            weak = true;
        } else if (is_supposition(word) && out != Saying::denied && (out != Saying::conditional || weak)) {
            out = Saying::supposed;
        } else if ((word == "where" && !is_condition_word(before)) || word == "let" || word == "since" || word == "because") {
            out = Saying::asserted;
        } else if (word == kFormula && out == Saying::denied && next != "and" && next != "or" && next != "nor") {
            out = Saying::asserted;  // it was said of that formula
        }
    }
    return out == Saying::asserted && now ? Saying::supposed : out;
}

bool is_in_doubt(const WordList& led, const WordList& behind) {
    constexpr std::string_view kBegins[] = {"where", "let", "since", "because"};
    constexpr std::string_view kDoubts[] = {
        "unless",     "except",        "excepting", "pretend",    "pretending",     "pretends",  "false",       "falsely",
        "wrong",      "wrongly",       "untrue",    "incorrect",  "incorrectly",    "mistaken",  "mistakenly",  "mistake",
        "exclude",    "excludes",      "excluding", "contrast",   "contrary",       "opposed",   "nothing",     "nobody",
        "none",       "readers",       "others",    "authors",    "people",         "textbooks", "claim",       "claims",
        "claimed",    "regardless",    "matter",    "hardly",     "scarcely",       "barely",    "seldom",      "rarely",
        "unclear",    "wonder",        "wondering", "doubt",      "deny",           "denies",    "refute",      "contradicts",
        "contradict", "contradiction", "imagine",   "imagining",  "hypothetically", "fails",     "lacks",       "lack",
        "forget",     "disregard",     "violate",   "violates",   "later",          "elsewhere", "naive",       "naively",
        "tempting",   "believe",       "hope",      "conjecture", "conjectured",    "whether",   "probability", "previous"};
    constexpr std::string_view kTakeBack[] = {
        "not",        "false",     "wrong", "untrue", "fails", "excluded", "except",   "excepting", "unless", "incorrect",
        "impossible", "forbidden", "ruled", "never",  "no",    "doubtful", "unlikely", "mistaken",  "nowhere"};
    const auto begin = std::find_if(led.rbegin(), led.rend(), [&](const std::string& w) { return is_one(kBegins, w); }).base();
    const bool elsewhere =
        std::distance(led.begin(), begin) > 1 && is_part_of_text(*(begin - 2));  // "in the last section, where"
    if (elsewhere || is_of_a_kind(led) || is_of_a_part(behind)) return true;
    for (auto word = begin; word != led.end(); ++word) {
        const std::string next = word + 1 != led.end() ? *(word + 1) : "", before = word != led.begin() ? *(word - 1) : "";
        if (is_one(kDoubts, *word) || (*word == "instead" && next == "of")) return true;
        if (*word == "section" && (before == "in" || before == "next" || before == "following" || before == "other")) return true;
    }
    constexpr std::string_view kNobody[] = {"nobody", "none"};
    if (std::any_of(behind.begin(), std::ranges::find(behind, kEndOfSentence),
                    [&](const std::string& w) { return is_one(kNobody, w); }))
        return true;
    if (is_of_another_work(led, static_cast<std::size_t>(begin - led.begin()), behind)) return true;
    constexpr std::string_view kVerbs[] = {"is", "are", "was", "were", "does", "do", "did", "would", "can", "need", "has"};
    if (behind.empty() || (behind[0] == "not" && behind.size() > 1 && behind[1] == "necessarily")) return false;
    if (!is_one(kVerbs, behind[0]) && !is_one(kTakeBack, behind[0])) return false;
    constexpr std::ptrdiff_t kNear = 4;
    const auto end = std::find(behind.begin(), behind.begin() + std::min(kNear, std::ssize(behind)), ".");
    return std::any_of(behind.begin(), end, [&](const std::string& w) { return is_one(kTakeBack, w); });
}

}  // namespace gradproof::proof::latex
