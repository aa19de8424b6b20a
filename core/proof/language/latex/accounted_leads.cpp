// What headings and the words that lead to a claim add to what it is of: "Mean squared error", "With a bias $b$, we get".
#include <algorithm>

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

/// "With a bias $b$, we get", "for $n$ examples, the gradient is": of what no line has and nothing else speaks of.
std::string Accounted::added_by_words(const Sentence& s) const {
    constexpr std::string_view kLeads[] = {"with", "for", "over", "across", "given", "under", "using", "in"};
    constexpr std::string_view kCounts[] = {"one", "single", "several", "many", "all", "two", "same", "shared"};
    constexpr std::string_view kShared[] = {"matrix", "weight", "weights", "layer", "layers", "both", "parameters"};
    const bool claimed = claims(s);
    const WordList all = words_of(s.words);
    std::size_t formula = 0;  // those before a word
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i] == kFormula) ++formula;
        const bool leads = all[i] == "with" || (claimed && i == 0 && is_one(kLeads, all[i]));
        if (!leads || all[i + 1] == "respect") continue;
        const std::size_t end = end_of_phrase(all, i + 1);
        const bool one_of = all[i + 1] == "a" || all[i + 1] == "an";
        const bool the_things = all[i + 1] == "the" && all[i] != "with";  // for the bias
        std::size_t next = formula;
        for (std::size_t k = i + 1; k < end; ++k) {
            if (all[k] == kFormula) {
                ++next;
                continue;
            }
            const bool named =
                k + 1 < all.size() && all[k + 1] == kFormula && next < s.formulas.size() && !s.formulas[next].displayed;
            const bool counted = is_one(kCounts, all[k - 1]) && k > i + 1;
            if (one_of && named && k <= i + 3 && is_in_no_line(s.formulas[next]) && (claimed || may_be_added(all[k])))
                return fmt::format("a {} that no line has", all[k]);
            if (claimed && named && all[k] == "function" && is_given(s.formulas[next].formula))
                return "an input that is a function";
            if (!claimed || the_things) continue;
            if (all[i] == "with" && all[k] == "one" && k + 1 < end && is_one(kShared, all[k + 1])) return "what is shared";
            if (all[i] == "with" && all[k] == "also") return "what is also so";
            const bool bare = !named || counted || is_in_no_line(s.formulas[next]);
            if (may_be_added(all[k]) && bare && is_nowhere_else(all[k], s))
                return fmt::format("\"{}\", which nothing else in the text speaks of", all[k]);
        }
    }
    return claimed ? speaks_of_one(s) : "";
}

/// "The gradient of the $i$-th example is", of a claim that has no $i$.
std::string Accounted::speaks_of_one(const Sentence& s) const {
    for (const Mention& m : s.formulas) {
        const WordList behind = words_of(m.behind);
        const bool one = behind.size() > 1 && behind[0] == "th" && may_be_added(behind[1]);
        if (!one || !has_any(m.before, {" for the ", " of the ", " on the "}) || !is_nowhere_else(behind[1], s)) continue;
        const std::string index = as_run(m.formula);
        const bool in_claim = std::ranges::any_of(s.formulas, [&](const Mention& other) {
            return is_judged(other.span, 0) && as_run(other.formula).find(index) != std::string::npos;
        });
        if (!in_claim) return fmt::format("one {} of several", behind[1]);
    }
    return "";
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
