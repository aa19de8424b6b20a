// What words of a derivation say nothing that formulas do not.
#include "gradproof/core/proof/language/latex/known_words.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/cited.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/word_lists.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::size_t kMostNamed = 3;  ///< words in a message

/// What losses are of that have names of several words; no word is called so.
constexpr std::string_view kSquare = "a square", kDensity = "a density";
/// Words for functions, and what formulas that have them are spelled with.
struct Model {
    std::string_view word;
    std::vector<std::string_view> spelled;
};
const std::vector<Model>& models() {
    static const std::vector<Model> kAll = {
        {"softmax", {"softmax", "e^", "exp"}},
        {"sigmoid", {"sigma", "sigmoid", "1+e", "1+exp"}},
        {"sigmoidal", {"sigma", "sigmoid", "1+e", "1+exp"}},
        {"logistic", {"sigma", "sigmoid", "1+e", "1+exp", "log"}},
        {"tanh", {"tanh"}},
        {"relu", {"ReLU", "relu", "max", "_+", "1}[", "1[", "mathbb{1}", "1_"}},
        {"gelu", {"GELU", "gelu", "Phi"}},
        {"silu", {"SiLU", "silu", "sigma"}},
        {"swish", {"Swish", "swish", "sigma"}},
        {"entropy", {"log", "ln"}},
        {kSquare, {"^2", "^{2}", ")^\\top(", ")^T("}},
        {kDensity, {"log", "ln", "ell", "^2", "^{2}", ")^\\top(", "p("}},
        {"softplus", {"log", "softplus"}},
        {"determinant", {"det", "|"}},
        {"trace", {"tr", "Tr"}},
        {"convolution", {"ast", "*", "star", "+k", "-k"}},
        {"convolutional", {"ast", "*", "star", "+k", "-k"}},
    };
    return kAll;
}

/// Names of losses in several words, and what formulas spell of which they are.
constexpr std::pair<std::string_view, std::string_view> kLossPhrases[] = {{" negative log likelihood ", kDensity},
                                                                          {" log likelihood ", kDensity},
                                                                          {" mean squared error ", kSquare},
                                                                          {" squared error ", kSquare},
                                                                          {" least squares ", kSquare}};
using WordSet = std::set<std::string_view>;
WordSet word_set(std::string_view list) {
    const std::vector<std::string_view> all = parts_between(list, ' ');
    return {all.begin(), all.end()};
}
const Model* model_called(std::string_view word) {
    const auto found = std::ranges::find(models(), word, &Model::word);
    return found == models().end() ? nullptr : &*found;
}

/// "For logistic loss, we get #", "with a relu": it leads to another formula than the one above. "For the bias" does not, nor
/// "for a sample #".
std::string leads_elsewhere(const WordList& all) {
    constexpr std::string_view kLeads[] = {"for", "with", "to", "per", "under", "using", "at", "in", "after", "before"};
    constexpr std::string_view kOfTheText[] = {
        "the",   "each",       "every",   "all",     "any",     "some",  "this",       "these",    "those",  "such",   "its",
        "their", "our",        "respect", "both",    "hand",    "turn",  "terms",      "what",     "which",  "matrix", "vector",
        "fact",  "components", "compact", "index",   "general", "order", "particular", "practice", "detail", "short",  "words",
        "one",   kFormula,     kCitation, "symbols", "full",    "that",  "component",  "other",    "two",    "three"};
    const auto before_formula = [&](std::size_t i) {
        constexpr std::size_t kMost = 1;
        for (std::size_t k = i; k < std::min(all.size(), i + kMost + 1); ++k)
            if (all[k] == kFormula) return true;
        return false;
    };
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const bool of_any = all[i + 1] == "a" || all[i + 1] == "an";
        const bool leads = i == 0 && is_one(kLeads, all[0]) && !is_one(kOfTheText, all[1]) && !(of_any && before_formula(2));
        if (leads || (all[i] == "with" && of_any && !before_formula(i + 2)))
            return fmt::format("\"{} ...\"", fmt::join(std::span(all).subspan(i, std::min(kMostNamed, all.size() - i)), " "));
    }
    return "";
}
/// "with temperature 2"; of "in section 2" and "sum to 1" not.
std::string gives_number(const WordList& all) {
    constexpr std::string_view kNumbered[] = {
        "section",  "figure",  "table", "equation", "lemma",    "theorem",    "proposition", "appendix", "chapter",
        "exercise", "problem", "step",  "part",     "layer",    "question",   "definition",  "example",  "corollary",
        "page",     "line",    "week",  "lecture",  "homework", "assignment", "task",        "sheet"};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_number_word(all[i]) && (i == 0 || !is_one(kNumbered, all[i - 1])))
            return fmt::format("the number {} in words", all[i]);
    return "";
}

/// "From the inputs", "class weights".
std::string ties_things(const WordList& all) {
    constexpr std::string_view kArticles[] = {"the", "a", "an", "each", "its", "all"};
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        std::size_t next = i + 1;
        while (next + 1 < all.size() && is_one(kArticles, all[next])) ++next;
        const bool ties = all[i] == "from" || all[i] == "as" || (all[i] == "class" && all[next] == "weights");
        if (ties && is_thing(all[next])) return fmt::format("\"{} {}\"", all[i], all[next]);
    }
    return "";
}
/// 'the words "feature", "map"': the first of those that are not known.
std::string those_not(const WordList& all, const std::function<bool(const std::string&)>& known) {
    WordList out;
    for (const std::string& w : all)
        if (out.size() < kMostNamed && !known(w) && std::ranges::find(out, w) == out.end()) out.push_back(w);
    if (out.empty()) return "";
    return fmt::format("the word{} \"{}\"", out.size() == 1 ? "" : "s", fmt::join(out, "\", \""));
}

}  // namespace

std::string with_losses_joined(std::string words, const std::set<std::string, std::less<>>& functions) {
    const auto join = [&](std::string_view phrase) {
        for (std::size_t at = words.find(phrase); at != std::string::npos; at = words.find(phrase, at + phrase.size() - 1))
            std::replace(words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                         words.begin() + static_cast<std::ptrdiff_t>(at + phrase.size()) - 1, ' ', kJoinsWords);
    };
    for (const auto& [phrase, model] : kLossPhrases)
        if (functions.contains(model)) join(phrase);
    if (functions.contains("entropy")) join(" cross entropy ");
    return words;
}

std::vector<std::string_view> parts_between(std::string_view text, char at) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t end = text.find(at);
        out.push_back(text.substr(0, end));
        if (end == text.npos) return out;
        text.remove_prefix(end + 1);
    }
}

bool is_number_word(std::string_view word) {
    return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_thing(std::string_view word) {
    static const WordSet kAll = word_set(kThings);
    return kAll.contains(word);
}

std::string topic_in(const std::string& words, const std::set<std::string, std::less<>>& functions) {
    static const WordSet kAll = word_set(kTopics);
    constexpr std::string_view kCounts[] = {"one", "single", "several", "many", "all", "two", "three"};
    const WordList all = words_of(words);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (kAll.contains(all[i])) return all[i];
        const std::string next = i + 1 < all.size() ? all[i + 1] : "";
        const bool counted = is_one(kCounts, all[i]) && (may_be_added(next) || (next == "layers" && all[i] != "all"));
        const bool of_log = (all[i] == "log" || all[i] == "logistic") && next == "loss" && !functions.contains("entropy");
        if (counted || of_log) return all[i] + " " + next;
    }
    return "";
}

bool may_be_added(const std::string& word) {
    static const WordSet kAll = word_set(kAdded);
    return kAll.contains(word);
}

bool names_a_thing(const std::string& word, const std::set<std::string, std::less<>>& functions) {
    static const WordSet
        kOfThings = word_set(kThings),
        kBeside = word_set(
            "a all an and any at basis by coordinate column columns common component constant corresponding cost "
            "derivative derivatives differentiable dimension dimensions discount distribution distributions dot each element "
            "elementwise entry entrywise every euclidean expectation expected family for frobenius free function "
            "functions generic given global gradient gradients hadamard hessian i identity in incoming indicator "
            "inner instance integer into its j jacobian k learnable learned learning length let level local loss "
            "losses map mapping matrices matrix mean metric model models natural network norm number numbers "
            "objective of on ones or our outer parameterized parametrized per pointwise possible product "
            "random rank rate real regression respect resulting row rows scalar scalars set shape single size sizes "
            "some space standard step strength temperature term tensor that th the their these this time to total "
            "trace trained transpose unknown upstream value values variable variables vector vectors with wrt zero "
            "zeros");
    return word == kFormula || word == kCitation || word.size() == 1 || kOfThings.contains(word) || kBeside.contains(word) ||
           (model_called(word) != nullptr && functions.contains(word));
}

bool leave_display(const std::string& words, bool softmax) {
    static const WordSet kAll = word_set(
        "for all every each any and where with by chain rule since so thus hence then we have get therefore using eq equation of "
        "the as in "
        "from above see section because def definition if when otherwise else");
    if (words == " row wise " || words == " rowwise " || words == " softmax row wise ") return softmax;
    const WordList all = words_of(words);
    const bool number = std::ranges::all_of(all, [](const std::string& w) { return is_number_word(w); });  // \text{1.5} \nabla L
    return !number &&
           std::ranges::all_of(all, [&](const std::string& w) { return w.size() == 1 || is_number_word(w) || kAll.contains(w); });
}

std::string says_in_heading(const std::string& words, const std::set<std::string, std::less<>>& functions) {
    static const WordSet kOfTitles = word_set(kTitles), kOfThings = word_set(kThings);
    WordList all = words_of(with_losses_joined(words, functions));
    std::size_t numbering = 0;  // "A.1", "2.3"
    while (numbering < all.size() &&
           (is_number_word(all[numbering]) || (all[numbering].size() == 1 && all[numbering] != kFormula)))
        ++numbering;
    if (numbering > 0 && is_number_word(all[numbering - 1]))
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(numbering));
    const auto known = [&](const std::string& w) {
        if (model_called(w) != nullptr) return functions.contains(w);
        return w.size() == 1 || w == kCitation || w.find(kJoinsWords) != w.npos || is_number_word(w) || kOfTitles.contains(w) ||
               kOfThings.contains(w);
    };
    if (std::string tie = ties_things(all); !tie.empty()) return tie;
    if (std::string unknown = those_not(all, known); !unknown.empty()) return unknown;
    std::string number = gives_number(all);
    return number.empty() ? leads_elsewhere(all) : number;
}

bool is_plain_label(const std::string& words) {
    static const WordSet kLabels = word_set(
        "upstream local incoming chain rule by from of the and a def definition first second term path "
        "forward backward see eq equation ");
    const WordList all = words_of(words);
    return std::ranges::all_of(
        all, [&](const std::string& w) { return is_thing(w) || kLabels.contains(w) || is_number_word(w) || w.size() == 1; });
}

std::set<std::string, std::less<>> models_of(const std::string& formula) {
    std::set<std::string, std::less<>> out;
    for (const Model& m : models())
        if (std::ranges::any_of(m.spelled, [&](std::string_view s) { return formula.find(s) != std::string::npos; }))
            out.emplace(m.word);
    constexpr std::string_view kTransposed = "^\\top ";
    for (std::size_t at = formula.find(kTransposed); at != std::string::npos; at = formula.find(kTransposed, at + 1))
        if (at > 0 && at + kTransposed.size() < formula.size() && formula[at - 1] == formula[at + kTransposed.size()])
            out.insert({std::string(kSquare), std::string(kDensity)});  // r^\top r
    return out;
}

}  // namespace gradproof::proof::latex
