// What words of a derivation say nothing that formulas do not.
#include "gradproof/core/proof/language/latex/known_words.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "gradproof/core/proof/language/latex/cited.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

/// Words that say what stands where, what is done next and what things are called. None of them alone or with others of them makes
/// a formula another one: words for operations (sum, mean, twice, clipped), for conditions on values (fixed, zero, only) and for
/// what is not (no, without, instead) are left out, as are names of methods (dropout, momentum).
constexpr std::string_view kKnownWords =
    // small words
    "the a an and of to in is are be by with for as at on that this these those which it its we our us you from then there here "
    "where let so thus hence therefore since if because while when both each every all any some one ones two three four first "
    "second third last next has have had can may will do does also now again same such whose what how into onto out through per "
    "between among across under over inside outside or either they them th above below previous following follows follow left "
    "right hand side sides ii iii iv vi end ends start starts begin begins later back throughout around during after before "
    "respectively respect respective generally often usually typically "
    // what a derivation does
    "denote denotes denoted denoting write writes writing written define defines defined definition consider considers "
    "considering "
    "given gives give giving obtain obtains obtained get gets find finds found show shows shown see seen note notes recall "
    "recalls "
    "know knows known yield yields yielded say says call calls called become becomes compute computes computed computing "
    "computation derive derives derived deriving derivation calculate calculation differentiate differentiates differentiated "
    "differentiating differentiation differentiable substitute substituting insert inserting collect collecting collects combine "
    "combining expand expanding rearranging rearrange simplify simplifies simplifying simplification take takes taking use uses "
    "using used need needed needs want put putting suppose assume read reads state stated prove proves proof claim claims "
    "proceed "
    "turn turning arrive arrives apply applying come comes go goes going enters enter depend depends receive receives received "
    "satisfy satisfies obey obeys hold holds equal equals check checks look looks stand stands minimise minimize minimises "
    "minimizes minimising minimizing "
    // parts of a text
    "remark theorem lemma proposition corollary exercise solution answer example examples question appendix chapter section "
    "subsection figure table page paragraph lecture notation convention setup set setting statement abstract introduction "
    "background summary conclusion references sheet problem task preliminaries result results expression expressions formula "
    "formulas formulae equation equations identity identities term terms line lines similarly likewise analogously finally "
    "explicitly directly equivalently namely simply easily clearly straightforward immediate immediately consequently particular "
    "general standard usual simple useful important common well convenient short brief full whole complete "
    "however moreover accordingly whence latter current candidate remaining intermediate corresponding several explicit implicit "
    "final distinct global variant version case itself their work works way text level practice analysis trick method "
    "information "
    "evaluated propagated propagate contribution contributions contributes belongs exists slope link marginal free factors "
    // what formulas are made of
    "component components componentwise elementwise entrywise pointwise form forms compact matrix vector vectors matrices scalar "
    "scalars tensor number numbers real row rows column columns entry entries element elements coordinate coordinates index "
    "indices size sizes shape shapes dimension dimensions dimensional length order chain rule rules calculus quotient path paths "
    "function functions map maps mapping value values variable variables quantity quantities argument arguments smooth nonlinear "
    "linear affine quadratic symmetric definite semidefinite invertible multivariate univariate exp "
    // what is derived
    "gradient gradients derivative derivatives jacobian jacobians hessian hessians differential differentials sensitivity "
    "adjoint "
    "adjoints partial upstream incoming downstream backward backwards forward backpropagation backpropagate backpropagates "
    "backpropagated backprop pass passes reverse mode error errors signal loss losses cost objective energy criterion "
    // models and data
    "input inputs output outputs parameter parameters weight weights bias biases layer layers network networks net model models "
    "softmax logits logit label labels class classes probability probabilities target targets prediction predictions predicted "
    "predict predicts true sample samples data point points feature features training train trained learn learns learned "
    "learning "
    "parametrised parameterized parametrized attention query queries key keys score scores token tokens embedding embeddings "
    "word "
    "words hidden states step steps time sequence sequences recurrent recurrence recursion cell gate gates unit units neuron "
    "neurons activation activations preactivation preactivations pre nonlinearity encoder decoder transformation projection "
    "projections residual residuals fully connected feed regression logistic classifier classification multiclass sigmoid tanh "
    "relu gelu silu swish entropy gaussian distribution density likelihood categorical bernoulli observation observations "
    "observed design temperature rate student teacher policy action actions reward reference prompt response responses kernel "
    "kernels channel channels position positions image images stride filter filters covariance precision eigenvalue determinant "
    "trace kronecker delta neural deep transformer lstm gru rnn rnns mlp lora dpo vae ppo context document documents item items "
    "policies rewards preference preferences preferred rejected prior flow flows sampling contrastive infonce distillation focal "
    "margin gain reconstruction risk statistics vocabulary user users rating ratings head heads block blocks pair pairs batch "
    "batches minibatch minibatches rank noise convolution "
    "convolutional method process system space direction language knowledge memory single multi";

/// Words that say nothing together, and might apart.
constexpr std::string_view kKnownPhrases[] = {" cross entropy ",
                                              " negative log likelihood ",
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
                                              " matrix product ",
                                              " kronecker product ",
                                              " hadamard product ",
                                              " positive definite ",
                                              " positive semidefinite ",
                                              " sums to one ",
                                              " sum to one ",
                                              " sums to 1 ",
                                              " sum to 1 ",
                                              " mini batch ",
                                              " applied elementwise ",
                                              " applied entrywise ",
                                              " feed forward "};

bool is_number(std::string_view word) {
    return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}
bool is_known(std::string_view word) {
    static const std::set<std::string_view> kAll = [] {
        std::set<std::string_view> out;
        for (std::size_t at = 0; at < kKnownWords.size();) {
            const std::size_t end = std::min(kKnownWords.find(' ', at), kKnownWords.size());
            out.insert(kKnownWords.substr(at, end - at));
            at = end + 1;
        }
        return out;
    }();
    return word.size() == 1 || word == kFormula || word == kCitation || kAll.contains(word);
}

/// "For logistic loss, we get #", "with a relu": it leads to another formula than the one above. "For the bias" does not, nor
/// "for a sample #".
bool leads_elsewhere(const WordList& all) {
    constexpr std::string_view kLeads[] = {"for", "with", "to", "per", "under", "using", "at", "in", "after", "before"};
    constexpr std::string_view kOfTheText[] = {
        "the",   "each",       "every",   "all",     "any",     "some",  "this",       "these",    "those",  "such",   "its",
        "their", "our",        "respect", "both",    "hand",    "turn",  "terms",      "what",     "which",  "matrix", "vector",
        "fact",  "components", "compact", "index",   "general", "order", "particular", "practice", "detail", "short",  "words",
        "one",   kFormula,     kCitation, "symbols", "full",    "that",  "component",  "other",    "two",    "three"};
    const auto before_formula = [&](std::size_t i) {
        constexpr std::size_t kMost = 3;
        for (std::size_t k = i; k < std::min(all.size(), i + kMost + 1); ++k)
            if (all[k] == kFormula) return true;
        return false;
    };
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const bool of_any = all[i + 1] == "a" || all[i + 1] == "an";
        if (all[i] == "with" && of_any && !before_formula(i + 2)) return true;
        if (i == 0 && is_one(kLeads, all[0]) && !is_one(kOfTheText, all[1]) && !(of_any && before_formula(2))) return true;
    }
    return false;
}
/// "with temperature 2"; of "in section 2" and "sum to 1" not.
bool gives_number(const WordList& all) {
    constexpr std::string_view kNumbered[] = {
        "section", "figure", "table", "equation", "lemma",    "theorem",    "proposition", "appendix",  "chapter", "exercise",
        "problem", "step",   "part",  "layer",    "question", "definition", "example",     "corollary", "page",    "line"};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_number(all[i]) && (i == 0 || !is_one(kNumbered, all[i - 1]))) return true;
    return false;
}

}  // namespace

bool leaves_formulas(const std::string& words) {
    std::string rest = words;
    for (const std::string_view phrase : kKnownPhrases)
        for (std::size_t at = rest.find(phrase); at != std::string::npos; at = rest.find(phrase, at))
            rest.replace(at, phrase.size(), " ");
    const WordList all = words_of(rest);
    return std::ranges::all_of(all, [](const std::string& w) { return is_known(w) || is_number(w); }) && !gives_number(all) &&
           !leads_elsewhere(all);
}

}  // namespace gradproof::proof::latex
