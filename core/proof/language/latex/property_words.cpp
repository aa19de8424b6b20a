// Words that say what a name is.
#include "gradproof/core/proof/language/latex/property_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

/// In the order they are looked for.
struct Phrase {
    WordList words;
    Fill fill;
};
const std::vector<Phrase>& phrases() {
    static const std::vector<Phrase> kAll = {{{"symmetric", "with", "zero", "diagonal"}, Fill::literal},
                                             {{"symmetric", "with", "a", "zero", "diagonal"}, Fill::literal},
                                             {{"symmetric", "with", "zeros", "on", "the", "diagonal"}, Fill::literal},
                                             {{"symmetric", "and", "positive", "definite"}, Fill::definite},
                                             {{"symmetric", "positive", "definite"}, Fill::definite},
                                             {{"symmetric", "positive", "semidefinite"}, Fill::definite},
                                             {{"symmetric", "positive", "semi", "definite"}, Fill::definite},
                                             {{"positive", "definite"}, Fill::definite},
                                             {{"positive", "semidefinite"}, Fill::definite},
                                             {{"positive", "semi", "definite"}, Fill::definite},
                                             {{"spd"}, Fill::definite},
                                             {{"covariance", "matrix"}, Fill::definite},
                                             {{"covariance", "matrices"}, Fill::definite},
                                             {{"covariance"}, Fill::definite},
                                             {{"precision", "matrix"}, Fill::definite},
                                             {{"precision", "matrices"}, Fill::definite},
                                             {{"gram", "matrix"}, Fill::symmetric},
                                             {{"kernel", "matrix"}, Fill::symmetric},
                                             {{"hermitian"}, Fill::symmetric},
                                             {{"self", "adjoint"}, Fill::symmetric},
                                             {{"skew", "symmetric"}, Fill::skew},
                                             {{"anti", "symmetric"}, Fill::skew},
                                             {{"antisymmetric"}, Fill::skew},
                                             {{"symmetric"}, Fill::symmetric},
                                             {{"block", "diagonal"}, Fill::literal},
                                             {{"positive", "diagonal"}, Fill::literal},
                                             {{"strictly", "lower", "triangular"}, Fill::literal},
                                             {{"strictly", "upper", "triangular"}, Fill::literal},
                                             {{"orthogonal", "projection"}, Fill::literal},
                                             {{"orthogonal", "projector"}, Fill::literal},
                                             {{"orthogonal"}, Fill::orthogonal},
                                             {{"orthonormal"}, Fill::orthogonal},
                                             {{"diagonal"}, Fill::diagonal},
                                             {{"lower", "triangular"}, Fill::lower},
                                             {{"upper", "triangular"}, Fill::upper},
                                             {{"unit", "vector"}, Fill::unit},
                                             {{"unit", "vectors"}, Fill::unit},
                                             {{"has", "unit", "norm"}, Fill::unit},
                                             {{"has", "unit", "length"}, Fill::unit},
                                             {{"with", "unit", "norm"}, Fill::unit},
                                             {{"with", "unit", "length"}, Fill::unit},
                                             {{"of", "unit", "norm"}, Fill::unit},
                                             {{"of", "unit", "length"}, Fill::unit},
                                             {{"unit", "norm"}, Fill::unit},
                                             {{"unit", "length"}, Fill::unit},
                                             {{"has", "orthonormal", "columns"}, Fill::frame},
                                             {{"have", "orthonormal", "columns"}, Fill::frame},
                                             {{"with", "orthonormal", "columns"}, Fill::frame},
                                             {{"one", "hot"}, Fill::onehot},
                                             {{"probability", "distribution"}, Fill::distribution},
                                             {{"probability", "vector"}, Fill::distribution},
                                             {{"probability", "distributions"}, Fill::distribution},
                                             {{"probability", "vectors"}, Fill::distribution},
                                             {{"discrete", "distributions"}, Fill::distribution},
                                             {{"target", "distribution"}, Fill::distribution},
                                             {{"teacher", "distribution"}, Fill::distribution},
                                             {{"true", "distribution"}, Fill::distribution},
                                             {{"label", "distribution"}, Fill::distribution},
                                             {{"discrete", "distribution"}, Fill::distribution},
                                             {{"has", "positive", "entries"}, Fill::positive},
                                             {{"with", "positive", "entries"}, Fill::positive},
                                             {{"have", "positive", "entries"}, Fill::positive},
                                             {{"idempotent"}, Fill::literal},
                                             {{"nilpotent"}, Fill::literal},
                                             {{"normalized"}, Fill::literal},
                                             {{"normalised"}, Fill::literal},
                                             {{"unitary"}, Fill::literal},
                                             {{"with", "zero", "diagonal"}, Fill::literal},
                                             {{"has", "zero", "diagonal"}, Fill::literal},
                                             {{"hollow"}, Fill::literal},
                                             {{"toeplitz"}, Fill::literal},
                                             {{"have", "rows", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"has", "rows", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"with", "rows", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"have", "columns", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"has", "columns", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"with", "columns", "that", "sum", "to", "one"}, Fill::literal},
                                             {{"row", "stochastic"}, Fill::literal},
                                             {{"column", "stochastic"}, Fill::literal},
                                             {{"doubly", "stochastic"}, Fill::literal},
                                             {{"stochastic"}, Fill::literal},
                                             {{"involutory"}, Fill::literal},
                                             {{"circulant"}, Fill::literal},
                                             {{"tridiagonal"}, Fill::literal},
                                             {{"centered"}, Fill::literal},
                                             {{"centred"}, Fill::literal},
                                             {{"negative", "definite"}, Fill::literal},
                                             {{"negative", "semidefinite"}, Fill::literal},
                                             {{"projection", "matrix"}, Fill::literal},
                                             {{"permutation", "matrix"}, Fill::literal},
                                             {{"stochastic", "matrix"}, Fill::literal},
                                             {{"rotation", "matrix"}, Fill::literal},
                                             {{"projection"}, Fill::literal},
                                             {{"projector"}, Fill::literal},
                                             {{"permutation"}, Fill::literal},
                                             {{"reflection"}, Fill::literal},
                                             {{"rotation"}, Fill::literal},
                                             {{"rank", "one"}, Fill::literal},
                                             {{"rank", "1"}, Fill::literal},
                                             {{"triangular"}, Fill::literal},
                                             {{"nonpositive"}, Fill::literal},
                                             {{"negative"}, Fill::literal},
                                             {{"elementwise", "positive"}, Fill::positive},
                                             {{"entrywise", "positive"}, Fill::positive},
                                             {{"strictly", "positive"}, Fill::positive},
                                             {{"nonnegative"}, Fill::positive},
                                             {{"non", "negative"}, Fill::positive},
                                             {{"positive"}, Fill::positive}};
    return kAll;
}

/// Up to the first full stop, and behind the last.
WordList up_to_stop(WordList all) {
    all.erase(std::ranges::find(all, "."), all.end());
    return all;
}
WordList behind_stop(WordList all) {
    all.erase(all.begin(), std::find(all.rbegin(), all.rend(), ".").base());
    return all;
}
bool has_word_of(const WordList& all, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(all, [&](const std::string& one) { return is_one(any, one); });
}
std::string in_words(const WordList& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// "positive" of numbers: of examples and pairs it says something else.
bool is_of_numbers(const Phrase& p, const WordList& said) {
    if (p.fill != Fill::positive && p.words.front() != "negative" && p.words.front() != "nonpositive") return true;
    constexpr std::string_view kBehind[] = {"and",  "for",    "vector",  "vectors",       "scalar",      "scalars",    "constant",
                                            "real", "number", "numbers", "constants",     "everywhere",  "throughout", "entries",
                                            "so",   "then",   "we",      "componentwise", "elementwise", "entrywise",  "here"};
    return said.size() == p.words.size() || is_one(kBehind, said[p.words.size()]);
}
/// "u is orthogonal to" another vector.
bool is_of_two(const Phrase& p, const WordList& said) {
    return p.fill == Fill::orthogonal && said.size() > p.words.size() && said[p.words.size()] == "to";
}

/// "symmetric up to a permutation", "symmetric or skew", "symmetric for $n = 1$", of what stands behind the property.
bool is_qualified(const WordList& rest) {
    constexpr std::string_view kAll[] = {"or",       "up",        "about", "around", "modulo",   "under",
                                         "function", "functions", "only",  "until",  "although", "kernel"};
    constexpr std::string_view kWith[] = {"probability", "respect", "high"};
    constexpr std::string_view kIn[] = {"distribution", "law", "expectation", "its", "the", "their"};
    if (rest.empty()) return false;
    const std::string next = rest.size() > 1 ? rest[1] : "";
    if (rest[0] == "for" || (rest[0] == "in" && next.empty())) return next.empty();  // a formula follows
    return is_one(kAll, rest[0]) || (rest[0] == "with" && is_one(kWith, next)) || (rest[0] == "in" && is_one(kIn, next));
}

constexpr std::string_view kArticles[] = {"a", "an", "the"};
constexpr std::string_view kOfMatrices[] = {"matrix", "matrices", "real", "square"};
constexpr std::string_view kOfLabels[] = {"encoded", "encoding", "encodings", "label", "labels", "vector", "vectors",
                                          "target",  "targets",  "class",     "row",   "ground", "truth"};
constexpr std::string_view kOfArrays[] = {"vector",    "vectors", "scalar",  "scalars", "constant",
                                          "constants", "number",  "numbers", "weights", "real"};
bool may_stand_between(Fill fill, const std::string& word) {
    if (is_label_fill(fill)) return is_one(kOfLabels, word);
    if (fill == Fill::positive || fill == Fill::unit) return is_one(kOfArrays, word);
    return is_one(kOfMatrices, word) || (fill == Fill::literal && is_one(kOfArrays, word));
}
/// Of "$v$, a symmetric matrix $P$", where it is said of the name that follows.
bool is_of_the_next(const Mention& m, const Phrase& p, const WordList& article, const WordList& said) {
    const bool apposed = article.size() == 1 && is_one(kArticles, article[0]);
    return apposed && !is_one(words_of(m.behind), ".") &&
           std::all_of(said.begin() + static_cast<std::ptrdiff_t>(p.words.size()), said.end(),
                       [&](const std::string& w) { return may_stand_between(p.fill, w); });
}

}  // namespace

std::optional<SaidOf> said_behind(const Mention& m) {
    const WordList all = up_to_stop(words_of(m.behind));
    constexpr std::string_view kVerbs[] = {"is", "are", "be", "to", "denotes", "denote", "being", "which", "where"};
    constexpr std::string_view kBetween[] = {
        "a",        "an",    "the",    "assumed", "sample", "empirical", "taken",  "its",     "their",      "as",
        "given",    "some",  "both",   "all",     "also",   "real",      "square", "and",     "invertible", "fixed",
        "constant", "known", "target", "true",    "label",  "labels",    "vector", "vectors", "matrix",     "matrices"};
    constexpr std::string_view kOfOne[] = {"has", "with", "of"};
    const auto names_distribution = [&](std::size_t i) { return i + 1 < all.size() && all[i + 1] == "distribution"; };
    std::size_t at = 0;
    while (at < all.size() && (is_one(kArticles, all[at]) || !names_distribution(at)) &&
           (is_one(kVerbs, all[at]) || (at > 0 && is_one(kBetween, all[at])) || all[at] == "a" || all[at] == "the"))
        ++at;
    const WordList said(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
    for (const Phrase& p : phrases()) {
        if (said.size() < p.words.size() || !std::equal(p.words.begin(), p.words.end(), said.begin())) continue;
        if (has_word_of(said, {"if", "when", "only", "iff", "unless", "nor"})) return std::nullopt;
        if (!is_of_numbers(p, said)) return std::nullopt;
        const WordList verb(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
        if (verb.empty() && behind_stop(words_of(m.before)).size() > 0 && behind_stop(words_of(m.before)).back() == "is")
            return std::nullopt;  // is $A$ symmetric
        if (is_of_the_next(m, p, verb, said)) return std::nullopt;
        const bool of_two = is_of_two(p, said);
        const WordList rest(said.begin() + static_cast<std::ptrdiff_t>(p.words.size()), said.end());
        const bool one = has_word_of(verb, {"is", "a", "an", "the"}) || (is_label_fill(p.fill) && !has_word_of(verb, {"are"})) ||
                         (is_one(kOfOne, p.words.front()) && !has_word_of(verb, {"are", "be"}));
        return SaidOf{of_two ? Fill::literal : p.fill,
                      of_two ? "mutually orthogonal" : in_words(p.words),
                      one,
                      !one && has_word_of(verb, {"are", "be"}),
                      0,
                      is_qualified(rest),
                      rest};
    }
    return std::nullopt;
}

namespace {

/// Whether a noun has to stand between: a matrix with diagonal $d$, the positive $x^+$.
bool takes_a_noun(const Phrase& p, const Mention& m) {
    if (p.fill == Fill::positive || p.words.back() == "norm" || p.words.back() == "length" || p.words.back() == "negative")
        return true;
    const bool of_matrices =
        p.fill == Fill::orthogonal || p.fill == Fill::frame || p.fill == Fill::diagonal || p.fill == Fill::literal;
    const Token& first = m.formula.front();
    return of_matrices && !(first.kind == Token::Kind::letter && first.text[0] >= 'A' && first.text[0] <= 'Z');
}

/// Of "$A$ be symmetric, $x$", where it is said of the name before.
bool is_of_the_last(const Mention& m, std::size_t words) {
    constexpr std::string_view kAdverbs[] = {"a",  "an",    "the", "also",    "both", "all",    "real",  "square", "assumed",
                                             "to", "taken", "as",  "further", "not",  "always", "known", "given",  "some"};
    constexpr std::string_view kVerbs[] = {"is", "are", "be", "being", "denotes", "denote", "has", "have"};
    std::size_t at = m.led.size() - std::min(words, m.led.size());
    while (at > 0 && is_one(kAdverbs, m.led[at - 1])) --at;
    return at > 1 && is_one(kVerbs, m.led[at - 1]) && m.led[at - 2] == kFormula;
}

}  // namespace

std::optional<SaidOf> said_before(const Mention& m) {
    const WordList all = behind_stop(words_of(m.before));
    constexpr std::string_view kUnlike[] = {"not", "non",         "skew", "anti",     "cross", "un",
                                            "nor", "necessarily", "unit", "strictly", "block", "mutually"};
    if (m.formula.empty()) return std::nullopt;
    for (const Phrase& p : phrases())
        for (std::size_t behind = 0; behind <= 4 && behind + p.words.size() <= all.size(); ++behind) {
            const auto end = all.end() - static_cast<std::ptrdiff_t>(behind);
            const auto begin = end - static_cast<std::ptrdiff_t>(p.words.size());
            if (!std::equal(p.words.begin(), p.words.end(), begin)) continue;
            const bool known = std::all_of(end, all.end(), [&](const std::string& w) { return may_stand_between(p.fill, w); });
            if (!known || (behind == 0 && takes_a_noun(p, m))) continue;
            if (begin != all.begin() && is_one(kUnlike, *(begin - 1))) continue;
            if (is_of_the_last(m, behind + p.words.size())) continue;
            const bool many =
                std::any_of(begin, all.end(), [](const std::string& w) { return w == "matrices" || w == "vectors"; });
            return SaidOf{p.fill, in_words(p.words), !many, many, behind + p.words.size(), false, words_of(m.behind)};
        }
    return std::nullopt;
}

SubjectOf subject_of(const std::vector<Mention>& all, std::size_t i) {
    constexpr std::string_view kVerbs[] = {"is", "are", "be", "has", "have"};
    constexpr std::string_view kNouns[] = {"the",     "a",      "an",       "both",  "vector",
                                           "vectors", "matrix", "matrices", "input", "inputs"};
    constexpr std::string_view kBefore[] = {"of", "to", "by", "from", "at", "through", "over"};
    constexpr std::string_view kParts[] = {"row", "rows", "column", "columns", "block", "blocks"};
    constexpr std::string_view kOfEntries[] = {"entry", "element", "component", "coordinate"};
    constexpr std::string_view kMany[] = {"entries", "elements", "components", "coordinates"};
    using enum SubjectOf::Kind;
    const WordList behind = words_of(all[i].behind);
    if (behind.empty() || !is_one(kVerbs, behind[0])) return {};
    std::size_t first = i;
    while (first > 0 && !all[first - 1].displayed && (all[first].before == " and " || all[first].before == " ")) --first;
    WordList words = behind_stop(words_of(all[first].before));
    while (!words.empty() && is_one(kNouns, words.back())) words.pop_back();
    if (words.empty() || !is_one(kBefore, words.back())) return {};
    if (words.back() != "of" || words.size() < 2) return {other};
    const std::string noun = words[words.size() - 2], article = words.size() > 2 ? words[words.size() - 3] : "";
    if (is_one(kParts, noun)) return {parts, noun};
    const bool of_all = article.empty() || article == "the" || article == "all";
    if (is_one(kMany, noun)) return of_all ? SubjectOf{entries} : SubjectOf{parts, noun};
    if (is_one(kOfEntries, noun)) return article == "each" || article == "every" ? SubjectOf{entries} : SubjectOf{parts, noun};
    return {other};
}

bool is_of_the_start(const Mention& m) {
    const auto is_start = [](const std::string& w) { return w.starts_with("initial"); };
    return std::ranges::any_of(m.led, is_start) || std::ranges::any_of(up_to_stop(words_of(m.behind)), is_start);
}

}  // namespace gradproof::proof::latex
