// Words before a display that lead to another case of what stands above.
#include "gradproof/core/proof/language/latex/other_cases.hpp"

#include <algorithm>
#include <string_view>

#include "gradproof/core/proof/language/latex/conditions_words.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

/// "The pseudo-Huber loss is", "for the MAE", "the tanh": something with a name of its own, and not "the loss".
bool has_own_name(const WordList& words) {
    constexpr std::string_view kOfAny[] = {
        "the",       "a",          "an",         "for",      "with",    "is",          "are",       "reads",
        "becomes",   "we",         "set",        "use",      "have",    "loss",        "cost",      "error",
        "function",  "objective",  "same",       "total",    "above",   "full",        "whole",     "gradient",
        "gradients", "derivative", "first",      "second",   "third",   "term",        "terms",     "proof",
        "last",      "sum",        "forward",    "backward", "output",  "input",       "pass",      "activation",
        "value",     "result",     "all",        "each",     "every",   "any",         "following", "expanded",
        "final",     "expected",   "expression", "latter",   "former",  "other",       "general",   "risk",
        "energy",    "likelihood", "layer",      "model",    "network", "computation", "previous",  "resulting"};
    return std::ranges::any_of(words, [&](const std::string& w) { return !is_one(kOfAny, w); });
}

/// Whether such words before a display lead to another case: "Tanh:", "for the MAE", "consider next", "the hinge loss is".
/// `label`: a colon ends them.
bool leads_to_another_case(const WordList& words, bool label) {
    constexpr std::string_view kGoesOn[] = {
        "then",  "so",     "hence",  "thus",   "therefore", "expanding", "equivalently", "rewrite",
        "get",   "obtain", "gives",  "yields", "where",     "because",   "since",        "note",
        "equal", "equals", "same",   "that",   "expand",    "simplify",  "simplifies",   "solution",
        "check", "proof",  "recall", "i",      "remember",  "which",     "again"};
    constexpr std::size_t kLongest = 8, kLabel = 4;
    if (words.empty() || words.size() > kLongest) return false;
    if (std::ranges::any_of(words, [&](const std::string& w) { return is_one(kGoesOn, w); })) return false;
    const std::string text = words_as_text(words);
    for (const std::string_view begins :
         {" consider next ", " consider now ", " now consider ", " consider instead ", " instead consider ", " if we use ",
          " if we take ", " if we instead use ", " if instead we use ", " now take ", " now let ", " next consider ",
          " next take ", " suppose instead "})
        if (text.starts_with(begins)) return true;
    if (label && words.size() <= kLabel) return has_own_name(words);
    const bool is = words.back() == "is" || words.back() == "reads";
    const bool set = text.ends_with(" we set ") || text.ends_with(" we use ") || text.ends_with(" we have ");
    const bool for_the = text.starts_with(" for the ") || text.starts_with(" with the ");
    return ((words[0] == "the" && is) || (for_the && (set || words.size() <= kLabel))) && has_own_name(words);
}

}  // namespace

std::vector<std::size_t> other_cases_in(const Source& source, Span text) {
    std::vector<std::size_t> out;
    for (const Sentence& s : sentences_in(source, text)) {
        if (s.formulas.empty() || !s.formulas[0].displayed || s.is_heading) continue;
        const Span before = {s.span.begin, s.formulas[0].span.begin};
        const std::string_view words = source.slice(before);
        const std::size_t last = words.find_last_not_of(" \n\t");
        if (leads_to_another_case(words_of(s.words.substr(0, s.words.find(kFormula))), last != words.npos && words[last] == ':'))
            out.push_back(s.span.begin);
    }
    return out;
}

}  // namespace gradproof::proof::latex
