// Words that qualify a definition.
#include "gradproof/core/proof/language/latex/qualified.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

/// What may stand between the formula and the word that says what is done to it.
bool leads_on(std::string_view word) {
    constexpr std::string_view kAll[] = {
        "which",   "is",    "are",        "then",         "and",  "further", "additionally", "all",         "now",
        "finally", "again", "afterwards", "subsequently", "each", "element", "wise",         "elementwise", "entrywise",
        "here",    "but",   "next",       "later",        "also", "entries", "being"};
    return is_one(kAll, word);
}
/// What is done to a value, whatever it is.
bool is_done(std::string_view word) {
    constexpr std::string_view kAll[] = {"clipped",     "clamped",       "rounded",   "truncated",  "quantised",  "quantized",
                                         "thresholded", "floored",       "doubled",   "tripled",    "halved",     "negated",
                                         "squared",     "cubed",         "inverted",  "transposed", "shifted",    "rescaled",
                                         "permuted",    "reversed",      "perturbed", "corrupted",  "modulo",     "mod",
                                         "minus",       "sorted",        "capped",    "binarised",  "binarized",  "winsorised",
                                         "winsorized",  "exponentiated", "offset",    "zeroed",     "multiplied", "divided"};
    return is_one(kAll, word);
}
/// What a quotient, a norm or a softmax may be called, too.
bool is_done_by_dividing(std::string_view word) {
    constexpr std::string_view kAll[] = {"normalised",   "normalized", "averaged", "standardised",
                                         "standardized", "whitened",   "scaled",   "weighted"};
    return is_one(kAll, word);
}
bool divides(const Tokens& value) {
    constexpr std::string_view kAll[] = {"softmax", "softmax ", "\\softmax", "\\bar", "\\hat", "\\tilde"};
    for (std::size_t i = 0; i < value.size(); ++i) {
        const Token& t = value[i];
        const bool inverse = t.is_symbol("-") && i > 1 && (value[i - 1].is_symbol("^") || value[i - 2].is_symbol("^"));
        if (inverse || is_fraction(t) || t.is_symbol("/") || is_norm_bar(t) || is_one(kAll, t.text)) return true;
    }
    return false;
}
bool opens_a_phrase(const std::string& words) {
    constexpr std::string_view kAll[] = {" plus # ",
                                         " plus a ",
                                         " plus an ",
                                         " plus the ",
                                         " plus some ",
                                         " times # ",
                                         " times the ",
                                         " times a ",
                                         " followed by ",
                                         " passed through ",
                                         " raised to ",
                                         " with probability ",
                                         " up to a factor ",
                                         " up to the factor ",
                                         " up to sign ",
                                         " up to a sign ",
                                         " up to scale ",
                                         " up to scaling ",
                                         " up to a scale ",
                                         " up to a multiplicative ",
                                         " modulo ",
                                         " except ",
                                         " unless ",
                                         " save for ",
                                         " with a factor ",
                                         " with an extra ",
                                         " with an additional "};
    return std::ranges::any_of(kAll, [&](std::string_view one) { return words.starts_with(one); });
}
bool says_of_some_entries(const std::string& words) {
    if (has_any(words, {" normally set to ", " usually set to ", " typically set to ", " often set to ", " commonly set to "}))
        return false;  // of a parameter
    return has_any(
        words, {" set to zero ", " set to 0 ", " set to one ", " set to # ", " zeroed out ", " replaced by ", " overwritten "});
}
bool ends_with_operation(const std::string& before) {
    constexpr std::string_view kAll[] = {" negative of ",    " half of ",        " twice ",         " square of ",
                                         " square root of ", " logarithm of ",   " log of ",        " average of ",
                                         " mean of ",        " inverse of ",     " reciprocal of ", " opposite of ",
                                         " multiple of ",    " exponential of ", " minus ",         " sign of ",
                                         " transpose of ",   " double of ",      " double ",        " rounded "};
    return std::ranges::any_of(kAll, [&](std::string_view one) { return before.ends_with(one); });
}
/// The words up to the full stop, behind those that lead on, with one # for the formula that follows.
std::string clause(const std::string& behind) {
    const std::size_t stop = behind.find(" . ");
    WordList words = words_of(behind.substr(0, stop == std::string::npos ? behind.size() : stop + 1));
    const auto first = std::ranges::find_if(words, [](const std::string& w) { return !leads_on(w); });
    std::string out = " ";
    for (auto word = first; word != words.end(); ++word) out += *word + " ";
    if (stop == std::string::npos) out += "# ";
    return out;
}
/// All words of the sentence behind formula i.
std::string sentence_behind(const std::vector<Mention>& all, std::size_t i) {
    std::string out = " ";
    for (std::size_t k = i; k < all.size() && all[k].sentence.begin == all[i].sentence.begin; ++k) {
        const std::size_t stop = all[k].behind.find(" . ");
        out += all[k].behind.substr(1, stop) + (stop == std::string::npos ? "# " : "");
        if (stop != std::string::npos) break;
    }
    return out;
}
bool has_equals(const Mention& m) { return std::ranges::any_of(m.formula, is_equals); }
/// Whether words behind a formula take some of it back: "except that $y_1 = x_1$", "but with a zero diagonal".
bool takes_back(const std::string& behind) {
    constexpr std::string_view kAll[] = {" except ", " unless ", " save for ", " but with ", " but not ", " with the exception "};
    return std::ranges::any_of(kAll, [&](std::string_view one) { return behind.starts_with(one); });
}

}  // namespace

std::optional<Span> qualifying_words(const std::vector<Mention>& all, std::size_t i) {
    const Mention& m = all[i];
    const auto in_sentence = [&](std::size_t k) { return k < all.size() && all[k].sentence.begin == m.sentence.begin; };
    const Span before{in_sentence(i - 1) ? all[i - 1].span.end : m.sentence.begin, m.span.begin};
    const Span behind{m.span.end, in_sentence(i + 1) ? all[i + 1].span.end : m.sentence.end};
    if (ends_with_operation(m.before)) return before;
    if (takes_back(m.behind)) return behind;
    const std::string said = clause(m.behind);
    const std::string_view word = std::string_view(said).substr(1, said.find(' ', 1) - 1);
    const bool by_number = word == "multiplied" || word == "divided";
    if (!by_number && in_sentence(i + 1) && has_equals(all[i + 1])) return std::nullopt;
    const auto equals = std::ranges::find_if(m.formula, is_equals);
    const Tokens value(equals == m.formula.end() ? equals : equals + 1, m.formula.end());
    const bool done = is_done(word) || (is_done_by_dividing(word) && !divides(value)) || opens_a_phrase(said);
    if (done || says_of_some_entries(sentence_behind(all, i))) return behind;
    return std::nullopt;
}

}  // namespace gradproof::proof::latex
