// What words of a derivation say nothing that formulas do not.
#include "gradproof/core/proof/language/latex/known_words.hpp"

#include <algorithm>
#include <array>
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

/// Words that say nothing together, and might apart.
constexpr std::string_view kKnownPhrases[] = {" product rule ",
                                              " row wise ",
                                              " fully connected ",
                                              " one hot ",
                                              " inner product ",
                                              " outer product ",
                                              " dot product ",
                                              " hadamard product ",
                                              " kronecker product ",
                                              " positive definite ",
                                              " positive semidefinite ",
                                              " sums to one ",
                                              " sum to one ",
                                              " sums to 1 ",
                                              " sum to 1 ",
                                              " mini batch ",
                                              " applied elementwise ",
                                              " applied entrywise ",
                                              " feed forward ",
                                              " over all ",
                                              " over the classes ",
                                              " over classes ",
                                              " over the samples ",
                                              " over samples ",
                                              " over the examples ",
                                              " over examples ",
                                              " over the batch ",
                                              " over the tokens ",
                                              " over time ",
                                              " reverse mode ",
                                              " temperature # ",
                                              " the same way ",
                                              " log probability ",
                                              " log probabilities "};
/// The same of losses, where formulas spell what these are of.
constexpr std::pair<std::string_view, std::string_view> kLossPhrases[] = {{" negative log likelihood ", kDensity},
                                                                          {" log likelihood ", kDensity},
                                                                          {" mean squared error ", kSquare},
                                                                          {" squared error ", kSquare},
                                                                          {" least squares ", kSquare}};
using WordSet = std::set<std::string_view>;
WordSet word_set(std::string_view list) {
    WordSet out;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        out.insert(list.substr(at, end - at));
        at = end + 1;
    }
    return out;
}
bool is_number(std::string_view word) {
    return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}
const Model* model_called(std::string_view word) {
    const auto found = std::ranges::find(models(), word, &Model::word);
    return found == models().end() ? nullptr : &*found;
}

bool is_known(std::string_view word, const SaidWith& with) {
    static const WordSet kAlways = word_set(kDeriving), kOfThings = word_set(kThings), kOfDefinitions = word_set(kDescribing);
    constexpr std::string_view kSay[] = {"is", "are", "be", "equal", "equals", "have", "become", "becomes", "hold", "holds"};
    if (!with.defines && !with.claims && is_one(kSay, word)) return false;  // "all rows of $W$ are equal"
    if ((word.size() == 1 && word != "=") || word == kFormula || word == kCitation || is_number(word) || kAlways.contains(word))
        return true;
    if (model_called(word) != nullptr) return (with.defines || with.claims) && with.functions.contains(word);
    return ((with.defines || with.claims) && kOfThings.contains(word)) || (with.defines && kOfDefinitions.contains(word));
}

/// "The gradients with respect to the keys and queries" without what they are by.
WordList without_what_it_is_by(const WordList& all) {
    static const WordSet kOfThings = word_set(kThings);
    WordList out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        out.push_back(all[i]);
        const bool by = i > 1 && all[i] == "to" && all[i - 1] == "respect";
        const bool of = i > 0 && all[i] == "of" && (all[i - 1].starts_with("gradient") || all[i - 1].starts_with("derivative"));
        if (!by && !of) continue;
        while (i + 1 < all.size() &&
               (is_one(std::to_array<std::string_view>({"the", "all", "its", "each", "and", "both"}), all[i + 1]) ||
                kOfThings.contains(all[i + 1])))
            ++i;
    }
    return out;
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
        if (is_number(all[i]) && (i == 0 || !is_one(kNumbered, all[i - 1]))) return fmt::format("the number {} in words", all[i]);
    return "";
}

/// "the targets are the inputs", "the weights are a function of the input", "are predicted from the input".
std::string ties_things(const WordList& all) {
    static const WordSet kOfThings = word_set(kThings);
    constexpr std::string_view kArticles[] = {"the", "a", "an", "each", "its", "all", "this"};
    const auto behind_articles = [&](std::size_t i) {
        while (i < all.size() && is_one(kArticles, all[i])) ++i;
        return i < all.size() ? all[i] : std::string();
    };
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const bool is = all[i] == "is" || all[i] == "are";
        const std::string next = behind_articles(i + 1);
        const bool of_thing = i > 0 && (kOfThings.contains(all[i - 1]) || all[i - 1] == "matrix" || all[i - 1] == "vector");
        const bool other = kOfThings.contains(next) || next == "function" || next == "identity" || next == "zero";
        const bool has = (all[i] == "has" || all[i] == "have") && (all[i + 1] == "a" || all[i + 1] == "an");
        const bool leads = all[i] == "from" || all[i] == "as" || has || (all[i] == "class" && next == "weights");
        if ((is && of_thing && other) || (leads && kOfThings.contains(next)))
            return fmt::format("\"{}{} {}\"", is ? all[i - 1] + " " : "", all[i], next);
    }
    return "";
}
/// Of "two" and "second" whether what is counted there is known.
bool counts_known(const WordList& all, std::size_t i) {
    static const WordSet kAll = word_set(kCounted);
    constexpr std::string_view kNumerals[] = {"two", "three", "four", "second", "third"};
    return is_one(kNumerals, all[i]) && i + 1 < all.size() && (kAll.contains(all[i + 1]) || all[i + 1] == kFormula);
}

/// 'the words "feature", "map"': the first of those that are not known.
std::string those_not(const WordList& all, const std::function<bool(const std::string&)>& known) {
    WordList out;
    for (const std::string& w : all)
        if (out.size() < kMostNamed && !known(w) && std::ranges::find(out, w) == out.end()) out.push_back(w);
    if (out.empty()) return "";
    return fmt::format("the word{} \"{}\"", out.size() == 1 ? "" : "s", fmt::join(out, "\", \""));
}

WordList without_phrases(std::string words, const std::set<std::string, std::less<>>& functions) {
    const auto leave_out = [&](std::string_view phrase) {
        for (std::size_t at = words.find(phrase); at != std::string::npos; at = words.find(phrase, at))
            words.replace(at, phrase.size(), " ");
    };
    for (const auto& [phrase, model] : kLossPhrases)
        if (functions.contains(model)) leave_out(phrase);
    for (const std::string_view phrase : kKnownPhrases) leave_out(phrase);
    for (std::size_t at = words.find(" cross entropy "); at != std::string::npos; at = words.find(" cross entropy ", at))
        words.replace(at, 7, " ");  // entropy is a word of its own
    return words_of(words);
}

}  // namespace

std::string may_change_formulas(const std::string& words, const SaidWith& with) {
    const bool of_columns = has_any(words, {" column ", " columns "});  // that a softmax may be of
    if (of_columns && (with.functions.contains("softmax") || has_any(words, {" sum ", " sums "})))
        return "\"columns\" beside a softmax or a sum";
    if (of_columns && !with.columns && !has_any(words, {" column vector ", " column vectors "}))
        return "columns, where rows are read";
    WordList all = without_what_it_is_by(without_phrases(words, with.functions));
    for (std::size_t i = all.size(); i-- > 0;)
        if (counts_known(all, i)) all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    if (std::string tie = ties_things(all); !tie.empty()) return tie;
    if (std::string unknown = those_not(all, [&](const std::string& w) { return is_known(w, with); }); !unknown.empty())
        return unknown;
    std::string number = gives_number(all);
    return number.empty() ? leads_elsewhere(all) : number;
}

std::string says_more_than_leading(const std::string& words, const std::set<std::string, std::less<>>& functions,
                                   const std::function<Mentioned(std::size_t)>& formula) {
    static const WordSet kLeading = word_set(kOnlyLeading),
                         kBeforeFormulas = word_set(
                             "to of for size and wrt by at differentiate differentiating compute computing "
                             "derive deriving find obtain consider get need want");
    constexpr std::string_view kForms[] = {" in matrix notation ", " in matrix form ", " in vector form ", " in vector notation ",
                                           " in index notation ",  " in terms of ",    " turn to "};
    std::string text = words;
    for (const std::string_view form : kForms)
        for (std::size_t at = text.find(form); at != std::string::npos; at = text.find(form))
            text.replace(at, form.size(), " of ");
    const WordList all = without_what_it_is_by(without_phrases(text, functions));
    std::size_t formulas = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_formula = all[i] == kFormula;
        const Mentioned what = is_formula ? formula(formulas++) : Mentioned::relation;
        if (what == Mentioned::value || (what == Mentioned::name && i > 0 && !kBeforeFormulas.contains(all[i - 1])))
            return "what it says of a formula is not read";
        const bool known =
            is_formula || all[i] == kCitation || all[i].size() == 1 || is_number(all[i]) || kLeading.contains(all[i]);
        if (!known) return fmt::format("\"{}\" in a sentence without a formula that is read", all[i]);
    }
    return "";
}

std::string may_redefine_names(const std::string& words, const SaidWith& with) {
    static const WordSet
        kAll = word_set(
            "where with and for is are denotes denote the a an its each all here i e so then we get have that as which vector "
            "vectors matrix matrices scalar scalars number numbers size sizes dimension dimensions learning learned given real "
            "function elementwise entrywise parameter parameters symmetric"),
        kOfThings = word_set(kThings);
    const WordList all = without_phrases(words, with.functions);
    for (std::size_t i = 1; i < all.size(); ++i)  // "the targets are the inputs"
        if ((all[i] == "is" || all[i] == "are") && all[i - 1] != kFormula)
            return fmt::format("\"{} {} ...\" behind a definition", all[i - 1], all[i]);
    return those_not(all, [&](const std::string& w) {
        return w.size() == 1 || w == kFormula || w == kCitation || kAll.contains(w) || kOfThings.contains(w) ||
               (model_called(w) != nullptr && with.functions.contains(w));
    });
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
    const bool number = std::ranges::all_of(all, [](const std::string& w) { return is_number(w); });  // \text{1.5} \nabla L
    return !number &&
           std::ranges::all_of(all, [&](const std::string& w) { return w.size() == 1 || is_number(w) || kAll.contains(w); });
}

std::string says_in_heading(const std::string& words, const std::set<std::string, std::less<>>& functions) {
    static const WordSet kOfTitles = word_set(kTitles);
    WordList all = without_phrases(words, functions);
    std::size_t numbering = 0;  // "A.1", "2.3"
    while (numbering < all.size() && (is_number(all[numbering]) || (all[numbering].size() == 1 && all[numbering] != kFormula)))
        ++numbering;
    if (numbering > 0 && is_number(all[numbering - 1]))
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(numbering));
    if (std::string tie = ties_things(all); !tie.empty()) return tie;
    const SaidWith with{.defines = true, .claims = true, .functions = functions};
    const auto known = [&](const std::string& w) { return kOfTitles.contains(w) || is_known(w, with); };
    if (std::string unknown = those_not(all, known); !unknown.empty()) return unknown;
    std::string number = gives_number(all);
    return number.empty() ? leads_elsewhere(all) : number;
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
