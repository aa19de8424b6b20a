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

namespace gradproof::proof::latex {
namespace {

constexpr std::size_t kMostNamed = 3;  ///< words in a message

/// What is done to derive something, what parts of a text are called, and what formulas are made of. No words for operations
/// (sum, twice, clipped), for conditions on values (fixed, zero, only), for what is not (no, instead), nor names of methods
/// (dropout).
constexpr std::string_view kDeriving =
    "a above abstract accordingly adjoint adjoints after all also among an analogously and answer any appendix apply "
    "applying are argument arguments arrive as assume at back background backprop backpropagate backpropagated "
    "backpropagates backpropagation backward backwards be because become becomes before below between both brief by "
    "calculate calculation calculus call called calls can chain chapter check checks claim claims clearly collect "
    "collecting column columns combine combining compact complete component components componentwise computation compute "
    "computed computes computing conclusion consequently consider considering considers contribution contributions "
    "convenient convention coordinate coordinates corollary corresponding cost criterion current define defined defines "
    "definition denote denoted denotes denoting derivation derivative derivatives derive derived derives deriving detail "
    "details differentiable differential differentials differentiate differentiated differentiates differentiating "
    "differentiation dimension dimensional dimensions directly do downstream during each easily either element elements "
    "elementwise end ends energy entries entry entrywise equal equals equation equations equivalently evaluated every "
    "example examples exercise exp expand expanding explicit explicitly expression expressions figure final finally find "
    "finds first follow following follows for form forms formula formulae formulas forward found from full function "
    "functions general generally get gets give given gives giving gradient gradients hand have hence here hessian "
    "hessians hold holds how however identities identity if ii iii immediate immediately implicit important in incoming "
    "index indices insert inserting intermediate into introduction is it its iv jacobian jacobians know known last later "
    "latter lecture left lemma let likewise line lines loss losses map maps matrices matrix may mode model models "
    "moreover namely need needed needs network networks next notation note notes now number numbers objective obtain "
    "obtained obtains of often on one onto or order our out page paragraph partial particular pass passes path paths per "
    "pointwise preliminaries previous problem proceed proof propagated proposition prove proves put putting quantities "
    "quantity question quotient reads real rearrange rearranging recall recalls references remaining remark respect "
    "respective respectively result results right row rows rule rules say says scalar scalars section see seen "
    "sensitivity set setting setup several shape shapes sheet short show shown shows side sides signal similarly simple "
    "simplification simplifies simplify simplifying simply since size sizes smooth so solution some standard state stated "
    "statement straightforward subsection substitute substituting such summary suppose table take taking task tensor term "
    "terms text th that the them then theorem there therefore these they this those through thus to turn turning "
    "typically upstream us use useful using usual usually value values variable variables vector vectors vi want we what "
    "when whence where which while whole whose will with work works write writes writing written yield yielded yields you ";
/// What values are called: "the gradient with respect to the weights".
constexpr std::string_view kThings =
    "action actions activation activations attention batch batches bias biases block blocks cell channel channels class "
    "classes context covariance data delta density design determinant document documents eigenvalue embedding embeddings "
    "error errors feature features filter filters gain head heads hidden image images input inputs item items kernel "
    "kernels key keys kronecker label labels language layer layers likelihood link logit logits margin memory minibatch "
    "minibatches net neuron neurons nonlinearity observation observations output outputs pair pairs parameter parameters "
    "point points policies policy position positions pre preactivation preactivations precision predicted prediction "
    "predictions preference preferences preferred probabilities probability projection projections prompt queries query "
    "rate rating ratings recurrence recurrent recursion reference rejected residual residuals response responses reward "
    "rewards sample samples score scores sequence sequences slope states statistics step steps stride student target "
    "targets teacher time token tokens trace training true unit units user users vocabulary weight weights word words ";
/// What describes a value where a formula says what it is: "each sample goes through the layer $z = W x$".
constexpr std::string_view kDescribing =
    "across affine analysis begin begins belongs bernoulli calculus case categorical classification classifier collect "
    "collects come comes common connected contrastive convolution convolutional decoder deep definite direction "
    "distillation distinct distribution does dpo encoder enter enters exists feed flow flows focal free fully gaussian "
    "global go goes going gru has infonce information invertible knowledge knows learn learned learning learns length "
    "level linear look looks lora lstm mapping marginal method minimise minimises minimising minimize minimizes "
    "minimizing mlp multi multiclass multivariate neural nonlinear obey obeys parameterized parametrised parametrized ppo "
    "practice predict predicts process propagate quadratic rank receive received receives reconstruction regression risk "
    "rnn rnns sampling satisfies satisfy semidefinite single space stand stands start starts symmetric system takes "
    "throughout train trained transformation transformer trick under univariate used uses vae variant version want wants "
    "way well ";

/// "two paths", "the second layer": what may be counted.
constexpr std::string_view kCounted =
    "cases contribution contributions derivative equality equation equations expressions factor factors formulas functions "
    "identity layer layers line lines matrices matrix order paragraph parts path paths part results section sides step "
    "steps sum sums term terms theorem things values variables vectors ways ";

/// Of a sentence without a formula that is read: what only leads from one formula to the next. No words for what something is, or
/// is made of (row, term, one, identity), and no verbs that may set something (take, write, apply, put).
constexpr std::string_view kOnlyLeading =
    "a above again all also an and answer appendix as back backprop backpropagate backpropagation backward backwards "
    "background before below between both brief by calculate calculation calculus can chain chapter check checks claim "
    "claims clearly computation compute computed computes computing conclusion consequently consider corollary derivation "
    "derivations derivative derivatives derive derived derives deriving detail details differentiate differentiating "
    "differentiation do during each easily equation equations equivalently every example examples exercise explicit "
    "explicitly figure finally find finds first follow following follows for forward from get gets gradient gradients "
    "hence here hessian hessians how however ii iii in introduction it iv jacobian jacobians later layer layers lecture "
    "lemma let line lines loss mini batch moreover namely need needed needs next note notation notes now obtain obtained "
    "obtains of on or our page paragraph pass passes preliminaries problem proceed proof proposition prove proves "
    "question recall remark respect respectively result results rule rules section see seen show shown shows similarly "
    "simple simplification simplify simplifies simply since size so solution start statement step steps straightforward "
    "subsection summary table task text that the them then theorem there therefore these they this those thus to us use "
    "uses using vi want we what where which will with work works you ";

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
        {"softplus", {"log", "softplus"}},
    };
    return kAll;
}

/// Words that say nothing together, and might apart.
constexpr std::string_view kKnownPhrases[] = {" negative log likelihood ",
                                              " log likelihood ",
                                              " product rule ",
                                              " row wise ",
                                              " one hot ",
                                              " mean squared error ",
                                              " squared error ",
                                              " least squares ",
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
/// Names of losses and models that no formula tells from others.
constexpr std::string_view kNamesOfOthers[] = {
    "decay",       "ridge",       "lasso",          "momentum",       "dropout", "absolute",  "hinge",  "huber",  "focal",
    "regularised", "regularized", "regularisation", "regularization", "penalty", "smoothing", "masked", "causal", "weighted"};

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
        "section", "figure", "table", "equation", "lemma",    "theorem",    "proposition", "appendix",  "chapter", "exercise",
        "problem", "step",   "part",  "layer",    "question", "definition", "example",     "corollary", "page",    "line"};
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

WordList without_phrases(std::string words) {
    for (const std::string_view phrase : kKnownPhrases)
        for (std::size_t at = words.find(phrase); at != std::string::npos; at = words.find(phrase, at))
            words.replace(at, phrase.size(), " ");
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
    WordList all = without_what_it_is_by(without_phrases(words));
    for (std::size_t i = all.size(); i-- > 0;)
        if (counts_known(all, i)) all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    if (std::string tie = ties_things(all); !tie.empty()) return tie;
    if (std::string unknown = those_not(all, [&](const std::string& w) { return is_known(w, with); }); !unknown.empty())
        return unknown;
    std::string number = gives_number(all);
    return number.empty() ? leads_elsewhere(all) : number;
}

std::string says_more_than_leading(const std::string& words, const std::function<Mentioned(std::size_t)>& formula) {
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
    const WordList all = without_what_it_is_by(without_phrases(text));
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
    const WordList all = without_phrases(words);
    for (std::size_t i = 1; i < all.size(); ++i)  // "the targets are the inputs"
        if ((all[i] == "is" || all[i] == "are") && all[i - 1] != kFormula)
            return fmt::format("\"{} {} ...\" behind a definition", all[i - 1], all[i]);
    return those_not(all, [&](const std::string& w) {
        return w.size() == 1 || w == kFormula || w == kCitation || kAll.contains(w) || kOfThings.contains(w) ||
               (model_called(w) != nullptr && with.functions.contains(w));
    });
}

bool names_a_thing(const std::string& word, const std::set<std::string, std::less<>>& functions) {
    static const WordSet
        kOfThings = word_set(kThings),
        kBeside = word_set(
            "a all an and any at basis by coordinate column columns common component constant corresponding cost "
            "derivative derivatives differentiable dimension dimensions discount distribution dot each element "
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

std::string names_another_model(const std::string& words, const SaidWith& with) {
    return those_not(words_of(words), [&](const std::string& w) {
        return !is_one(kNamesOfOthers, w) && (model_called(w) == nullptr || with.functions.contains(w));
    });
}

std::set<std::string, std::less<>> models_of(const std::string& formula) {
    std::set<std::string, std::less<>> out;
    for (const Model& m : models())
        if (std::ranges::any_of(m.spelled, [&](std::string_view s) { return formula.find(s) != std::string::npos; }))
            out.emplace(m.word);
    return out;
}

}  // namespace gradproof::proof::latex
