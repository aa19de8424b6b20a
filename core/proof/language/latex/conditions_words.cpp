// Words around conditions.
#include "gradproof/core/proof/language/latex/conditions_words.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {

bool is_lead(std::string_view word) {
    constexpr std::string_view kLeads[] = {"for", "if",    "when",     "whenever", "wherever",
                                           "at",  "where", "provided", "once",     "unless"};
    return is_one(kLeads, word);
}

namespace {

/// "As long as", "in case", "provided that", at the end of words.
bool ends_in_a_phrase(const WordList& words) {
    constexpr std::string_view kAll[] = {" as long as ",   " in case ",           " provided that ",   " so long as ",
                                         " as soon as ",   " in the case ",       " in the region ",   " in the regime ",
                                         " in the range ", " in the case that ",  " for which ",       " under the condition ",
                                         " on the side ",  " in the case where ", " in the region of "};
    const std::string all = words_as_text(words);
    return std::ranges::any_of(kAll, [&](std::string_view one) { return all.ends_with(one); });
}
/// "Case 1:", "consider the case", \\item: what follows goes on behind a full stop, too.
bool opens_a_case(const WordList& words) {
    const std::size_t from = words.size() - std::min<std::size_t>(words.size(), 2);
    const auto is_case = [](const std::string& w) { return w == "case" || w == "item"; };
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(from), words.end(), is_case);
}

}  // namespace

std::string lead_word(WordList words, bool behind_lead, bool in_brackets, bool behind_formula) {
    constexpr std::string_view kBetween[] = {"all", "every", "each", "any", "either", "both", "those", "that", "which"};
    constexpr std::string_view kSuch[] = {"with", "satisfying", "where"};
    constexpr std::string_view kOfPart[] = {"particular", "especially", "notably", "also"};  // it holds for others, too
    if (std::ranges::any_of(words, [&](const std::string& w) { return is_one(kOfPart, w); })) return "";
    if (ends_in_a_phrase(words)) return "for";
    const bool such_that = words.size() > 1 && words.back() == "that" && words[words.size() - 2] == "such";
    const bool such = such_that || (!words.empty() && is_one(kSuch, words.back()));
    const auto leads = [&](const std::string& w) { return w == "for" || w == "if" || w == "when"; };
    const std::size_t n = words.size();
    const bool explains =
        n > 2 && ((words[n - 2] == "i" && words[n - 1] == "e") || (words[n - 2] == "that" && words[n - 1] == "is"));
    if ((explains || in_brackets) && std::ranges::any_of(words, leads)) return "for";
    if (opens_a_case(words)) return "case";
    if (words == WordList{"with"} && behind_formula) return "where";
    if (such && ((behind_lead && words.size() <= 2) || std::ranges::any_of(words, leads))) return "for";
    if (such_that) return "";
    while (!words.empty() && is_one(kBetween, words.back())) words.pop_back();
    if (words.empty()) return "";
    const std::string last = words.back();
    words.pop_back();
    const bool begins = !words.empty() && words.back() == ".";
    if (last == "where" && !begins && !behind_formula) return "";  // says what a name is
    constexpr std::string_view kDenies[] = {"except", "not", "but", "only", "than", "as", "even"};
    const bool denied = !words.empty() && is_one(kDenies, words.back());
    return denied || !is_lead(last) ? "" : last;
}

std::string_view joint(WordList words) {
    if (words == WordList{"as", "well", "as"} || words == WordList{"as", "well", "as", "for"}) return "or";
    std::erase_if(words, [](const std::string& w) { return w == "also" || w == "again" || w == "else"; });
    const std::string last = words.empty() ? "" : words.back();
    const bool leads = last == "if" || last == "when" || last == "for";
    if (leads) words.pop_back();
    if (words.empty()) return "and";
    if (words.size() > 1 || (words[0] != "or" && words[0] != "and")) return "";
    return words[0] == "or" || last == "for" ? "or" : "and";
}

bool breaks_off(const WordList& words) {
    constexpr std::string_view kAll[] = {".",      "otherwise", "else", "while",   "whereas",   "but",    "not",
                                         "except", "instead",   "only", "general", "generally", "always", "particular"};
    return std::ranges::any_of(words, [&](const std::string& w) { return is_one(kAll, w); });
}

bool begins_with_otherwise(const WordList& words) {
    return !words.empty() && (words[0] == "otherwise" || words[0] == "elsewhere" || words[0] == "else");
}

bool names_a_case(const std::string& words) {
    constexpr auto kAll =
        std::to_array<std::string_view>({" for positive formula ",  " for negative formula ",  " for active ",
                                         " for inactive ",          " for nonzero ",           " for the true class ",
                                         " for the correct class ", " for all others ",        " for all other ",
                                         " for the others ",        " for the other ",         " for others ",
                                         " on the diagonal ",       " off the diagonal ",      " for even formula ",
                                         " for odd formula ",       " for positive examples ", " for negative examples ",
                                         " for negative ones ",     " for the last ",          " only if ",
                                         " in the other case "});
    return std::ranges::any_of(kAll, [&](std::string_view one) { return words.find(one) != std::string::npos; });
}

namespace {

/// "If $k$ is the true class," and "when they differ,", a case that no formula says.
bool is_case_in_words(const WordList& words) {
    constexpr std::string_view kOpens[] = {"if", "when", "whenever", "once", "provided", "unless", "wherever"};
    constexpr auto kCases = std::to_array<std::string_view>(
        {"positive",  "negative", "active",    "inactive", "true",   "correct", "nonzero", "violated",
         "satisfied", "met",      "greater",   "less",     "larger", "smaller", "exceeds", "between",
         "differ",    "differs",  "different", "above",    "below",  "outside", "inside"});
    constexpr std::string_view kOthers[] = {"we", "definite", "semidefinite", "semi", "symmetric", "differentiable"};
    const auto has = [&](auto& any) { return std::ranges::any_of(words, [&](const std::string& w) { return is_one(any, w); }); };
    constexpr std::size_t kMost = 14;
    return !words.empty() && words.size() <= kMost && is_one(kOpens, words.front()) && has(kCases) && !has(kOthers);
}

}  // namespace

bool leads_with_case_in_words(std::string_view text) {
    constexpr std::size_t kLongest = 400;
    const std::string words =
        last_sentence(plain_words(without_formulas(text.substr(text.size() - std::min(text.size(), kLongest)))));
    return names_a_case(words) || is_case_in_words(words_of(words));
}

bool says_otherwise(WordList words) {
    const auto stop = std::find(words.rbegin(), words.rend(), ".");
    words.erase(words.begin(), stop.base());
    if (words.size() > 1 && words[0] == "and") words.erase(words.begin());
    constexpr std::size_t kMostWords = 6;
    const bool everywhere = words.size() > 1 && words[0] == "everywhere" && words[1] == "else";
    return words.size() <= kMostWords && (begins_with_otherwise(words) || everywhere);
}

bool says_zero_otherwise(WordList words) {
    if (!words.empty() && (words[0] == "and" || words[0] == "or")) words.erase(words.begin());
    if (words.size() < 2) return false;
    const auto is_zero = [](const std::string& w) { return w == "zero" || w == "0"; };
    if (words[0] == "else") return is_zero(words[1]);
    const bool zero = is_zero(words[0]);
    words.erase(words.begin());
    return zero && begins_with_otherwise(words);
}

std::string words_as_text(const WordList& words) {
    std::string out = " ";
    for (const std::string& w : words) out += w + " ";
    return out;
}

bool goes_beyond(const WordList& words) {
    constexpr std::string_view kSo[] = {"thus", "hence", "therefore", "so", "consequently"},
                               kGeneral[] = {"general", "generally"};
    const auto has = [&](auto& any) { return std::ranges::any_of(words, [&](const std::string& w) { return is_one(any, w); }); };
    const bool all = std::ranges::find(words, "for") != words.end() || std::ranges::find(words, "everywhere") != words.end();
    return (has(kSo) && all) || has(kGeneral);
}

}  // namespace gradproof::proof::latex
