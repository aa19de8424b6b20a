// What headings and the words that lead to a claim add to what it is of: "Mean squared error", "With a bias $b$, we get".
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

/// Behind the words that lead on to a claim from there: "with a bias # | we get", "for # examples | the gradient is".
std::size_t end_of_phrase(const WordList& all, std::size_t begin) {
    constexpr std::string_view kGoOn[] = {"we",     "gradient", "gradients", "derivative", "derivatives", "jacobian", "hessian",
                                          "this",   "it",       "is",        "are",        "gives",       "yields",   "becomes",
                                          "obtain", "get",      "let",       "that",       "which",       ".",        "computes"};
    std::size_t i = begin;
    while (i < all.size() && !is_one(kGoOn, all[i])) ++i;
    return i;
}

}  // namespace

/// Whether no other sentence has the word, in the singular or plural.
bool Accounted::is_nowhere_else(const std::string& word, const Sentence& s) const {
    const std::string stem = word.ends_with("s") && !word.ends_with("ss") ? word.substr(0, word.size() - 1) : word;
    const auto here_alone = [&](const std::string& one) { return times_in(words_, one) == times_in(s.words, one); };
    return here_alone(" " + stem + " ") && here_alone(" " + stem + "s ") && here_alone(" " + stem + "es ");
}

/// $b$ and $\alpha_i$ of names that no line has.
bool Accounted::is_in_no_line(const Mention& m) const {
    if (m.displayed || m.formula.empty() || is_of_a_line(m.span) || uses_value(m.formula)) return false;
    const NameParts p = parts_of(source_, m.formula, 0);
    const std::string name = as_run(part_of(m.formula, 0, 1));
    return !p.base.empty() && p.end == m.formula.size() &&
           std::ranges::none_of(formulas_, [&](const std::string& f) { return f.find(name) != std::string::npos; });
}

/// "with a bias # |": words of a sentence from one that leads on up to `end`.
struct Accounted::Phrase {
    const WordList& words;
    std::size_t lead, end;
    bool of_claim;
    std::string_view first() const { return words[lead + 1]; }
};

/// Of "with a bias $b$" and "with class weights" what word k adds, where `named` is the formula right behind it, nullptr of none.
std::string Accounted::added_with(const Sentence& s, const Phrase& p, std::size_t k, const Mention* named) const {
    constexpr std::string_view kParts[] = {"weights", "bias", "biases", "margin", "margins", "gains", "masks"};
    constexpr std::array<std::string_view, 10> kKinds{"recurrent", "symmetric", "tied", "shared", "skip",
                                                      "residual",  "linear",    "two",  "three",  "several"};
    constexpr std::string_view kShared[] = {"matrix", "weight", "weights", "layer", "layers", "both", "parameters"};
    constexpr std::size_t kOfModels = 5;  // the others may describe a formula
    const std::string& word = p.words[k];
    const bool part = is_one(kParts, word);
    if (part && named != nullptr && is_in_no_line(*named)) return fmt::format("{} that no line has", word);
    if (part && named == nullptr && is_nowhere_else(word, s)) return fmt::format("{} that no formula has", word);
    if (is_one(std::span(kKinds).first(p.of_claim ? kKinds.size() : kOfModels), word) && is_nowhere_else(word, s))
        return fmt::format("\"{}\", which nothing else in the text speaks of", word);
    if (p.of_claim && word == "one" && k + 1 < p.end && is_one(kShared, p.words[k + 1])) return "what is shared";
    return p.of_claim && word == "also" ? "what is also so" : "";
}

/// The same of all phrases, "for $n$ examples" too.
std::string Accounted::added_by_word(const Sentence& s, const Phrase& p, std::size_t k, const Mention* named) const {
    constexpr std::string_view kCounts[] = {"one", "single", "several", "many", "all", "two", "same", "shared"};
    constexpr std::size_t kMostBefore = 3;  // "a scalar weight #"
    const std::string& word = p.words[k];
    const bool unknown = named != nullptr && is_in_no_line(*named), one_of = p.first() == "a" || p.first() == "an";
    if (one_of && unknown && k <= p.lead + kMostBefore && (p.of_claim || may_be_added(word)))
        return fmt::format("a {} that no line has", word);
    const bool with = p.words[p.lead] == "with";
    if (std::string added = with ? added_with(s, p, k, named) : ""; !added.empty()) return added;
    if (!p.of_claim) return "";
    if (named != nullptr && word == "function" && is_given(named->formula)) return "an input that is a function";
    const bool the_things = p.first() == "the" && !with;  // for the bias
    const bool counted = k > p.lead + 1 && is_one(kCounts, p.words[k - 1]);
    const bool adds = !the_things && may_be_added(word) && (named == nullptr || counted || unknown) && is_nowhere_else(word, s);
    return adds ? fmt::format("\"{}\", which nothing else in the text speaks of", word) : "";
}

/// "With a bias $b$, we get", "for $n$ examples, the gradient is": of what no line has and nothing else speaks of.
std::string Accounted::added_by_words(const Sentence& s) const {
    constexpr std::string_view kLeads[] = {"with", "for", "over", "across", "given", "under", "using", "in"};
    const bool claimed = claims(s);
    const WordList all = words_of(s.words);
    std::size_t formulas = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i] == kFormula) ++formulas;
        const bool leads = all[i] == "with" || (claimed && i == 0 && is_one(kLeads, all[i]));
        if (!leads || all[i + 1] == "respect") continue;
        const Phrase p{all, i, end_of_phrase(all, i + 1), claimed};
        std::size_t next = formulas;
        for (std::size_t k = i + 1; k < p.end; ++k) {
            if (all[k] == kFormula) {
                ++next;
                continue;
            }
            const bool before_formula = k + 1 < all.size() && all[k + 1] == kFormula && next < s.formulas.size();
            const Mention* const named = before_formula && !s.formulas[next].displayed ? &s.formulas[next] : nullptr;
            if (std::string added = added_by_word(s, p, k, named); !added.empty()) return added;
        }
    }
    if (std::string other = claimed ? names_things_otherwise(s) : ""; !other.empty()) return other;
    return claimed ? speaks_of_one(s) : "";
}

/// "Mean squared error" between a loss and claims, where nothing is defined below it and nothing above it speaks of that.
void Accounted::see_topics(const std::vector<Sentence>& all) {
    std::string before;  // the words above
    bool defined = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Sentence& s = all[i];
        const std::string topic = s.is_heading && defined ? topic_in(s.words, functions_) : "";
        bool claims_below = false, defines_below = false;
        for (std::size_t k = i + 1; !topic.empty() && k < all.size() && !all[k].is_heading; ++k) {
            claims_below = claims_below || claims(all[k]);
            defines_below = defines_below || std::ranges::any_of(all[k].formulas, [&](const Mention& m) {
                                return defines(m) && meets(spans_, m.span);
                            });
        }
        if (claims_below && !defines_below && before.find(" " + topic + " ") == before.npos) topics_[s.span.begin] = topic;
        before += s.words;
        defined =
            defined || std::ranges::any_of(s.formulas, [&](const Mention& m) { return defines(m) && meets(spans_, m.span); });
    }
}

}  // namespace gradproof::proof::latex
