// Words that say what a formula would have to show, where none does: a product, a temperature, a function, a path.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/said.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {

/// Whether one of the signs stands anywhere in the text.
bool Accounted::shows_any(std::initializer_list<std::string_view> signs) const {
    return std::ranges::any_of(signs, [&](std::string_view sign) { return source_.text().find(sign) != std::string_view::npos; });
}

/// "Consider $Y = A B$, elementwise", "the Kronecker product". What a sentence says of its own formulas they have to show.
std::string Accounted::product_unmarked(const Sentence& s) const {
    constexpr std::string_view kSigns[] = {"\\odot", "\\circ", "\\ast", "\\star", "*"};
    constexpr std::string_view kFunctions[] = {"\\sigma", "\\phi", "\\varphi", "\\psi",          "\\rho",  "\\tanh", "\\exp",
                                               "\\log",   "\\max", "\\sqrt",   "\\operatorname", "\\frac", "^2",     "^{2}",
                                               "f(",      "g(",    "h(",       "\\mathrm",       "_+",     "/"};
    std::string defined;  // its own formulas
    for (const Mention& m : s.formulas)
        if (meets(spans_, m.span) && defines(m)) defined += source_.slice(m.span);
    const std::string_view all = defined.empty() ? std::string_view(definitions_) : source_.slice(s.span);
    const auto shows = [](auto& signs, std::string_view within) {
        return std::ranges::any_of(signs, [&](std::string_view sign) { return within.find(sign) != std::string_view::npos; });
    };
    const std::string& words = s.words;
    if (names_product_by_entry(words) && !shows(kSigns, source_.text())) return "a product that no formula marks";
    const bool by_entries = !claims(s) && has_any(words, {" entry by entry ", " element by element ", " component by component ",
                                                          " for each entry ", " for every entry "});
    const bool says =
        has_any(words, {" elementwise ", " entrywise ", " componentwise ", " pointwise ", " element wise ", " entry wise "});
    if ((by_entries || says) && !shows(kSigns, all) && !shows(kFunctions, all))
        return "elementwise, of which no formula shows what";
    if (has_any(words, {" kronecker "}) && !shows_any({"\\otimes", "\\delta"})) return "a product that no formula marks";
    const bool transposes = shows_any({"\\otimes", "^\\top", "^T", "^{T}", "^{\\top}", "\\intercal", "\\mathsf"});
    return has_any(words, {" outer product "}) && !transposes ? "a product that no formula marks" : "";
}

/// "softmax with temperature $\tau$" above formulas without \tau.
std::string Accounted::number_unmarked(const Sentence& s) const {
    const auto is_used = [&](const Mention& m) {
        const std::string symbol = as_run({m.formula.begin(), m.formula.begin() + (m.formula.empty() ? 0 : 1)});
        return std::ranges::any_of(formulas_, [&](const std::string& f) { return f.find(symbol) != std::string::npos; });
    };
    std::size_t formula = 0;
    for (std::size_t at = s.words.find(' '); at != std::string::npos; at = s.words.find(' ', at + 1)) {
        const std::string_view rest = std::string_view(s.words).substr(at);
        if (rest.starts_with(" # ")) ++formula;
        if (!rest.starts_with(" temperature ")) continue;
        const bool named = rest.starts_with(" temperature # ") && formula < s.formulas.size();
        if (named ? !is_used(s.formulas[formula]) : !shows_any({"\\tau", "/T", "{T}", "\\beta"}))
            return "a temperature that no formula has";
    }
    return "";
}

/// "Batch normalization" above formulas without a mean or a norm.
std::string Accounted::mean_unmarked(const std::string& words) const {
    const bool names =
        has_any(words, {" normalization ", " normalisation ", " batch norm ", " layer norm ", " group norm ", " rmsnorm "});
    const bool shows = shows_any(
        {"\\sum", "mean", "\\mathbb{E}", "\\mathbf{1}", "\\mathbb{1}", "\\bm{1}", "\\|", "\\Vert", "\\bar", "Var", "var", "1_"});
    return names && !shows ? "a normalization, of which no formula has the mean" : "";
}

/// Whether formulas have a function of numbers.
bool Accounted::shows_function() const {
    constexpr std::string_view kOfMatrices[] = {"determinant", "trace", "convolution", "convolutional"};
    return std::ranges::any_of(functions_, [&](const std::string& f) {
        return f.find(' ') == std::string::npos && !is_one(kOfMatrices, f);  // a square is none
    });
}

/// "The weights of both layers are equal", "For the minimizing $w$ the error is": what no formula says of values.
std::string Accounted::relation_unmarked(const std::string& words) const {
    if (has_any(words, {" equal weights ", " equal matrices ", " equal parameters ", " one weight matrix ", " one matrix works ",
                        " one set of ", " same weights ", " equal and ", " with equal ", " equal keys ", " equal queries ",
                        " equal values "}))
        return "what is equal";
    for (std::size_t at = words.find(" are equal "); at != words.npos; at = words.find(" are equal ", at + 1))
        if (words.compare(at, 14, " are equal to ") != 0) return "what is equal";
    if (has_any(words,
                {" the minimizing ",  " the minimising ",    " minimizes it ",     " minimises it ",     " minimize it ",
                 " that minimizes ",  " that minimises ",    " which minimizes ",  " which minimises ",  " # minimizes ",
                 " # minimises ",     " # minimize ",        " # minimise ",       " weights minimize ", " weights minimise ",
                 " at the solution ", " at its solution ",   " at a solution ",    " trained # ",        " learned # ",
                 " solution # ",      " trained weights # ", " learned weights # "}))
        return "an optimum in words";
    const bool before = has_any(words, {" previous tokens ", " previous keys ", " earlier tokens ", " preceding tokens ",
                                        " with causal ", " with masked "});
    if (before && !shows_any({"mask", "M", "\\infty", "\\le", "<", "causal", "tril"})) return "a mask that no formula has";
    const bool rows = has_any(words, {" row wise ", " rowwise ", " each row ", " every row "});
    if (rows && !functions_.contains("softmax") && shows_any({"\\|", "\\Vert", "\\lVert", "\\max", "\\min"}))
        return "by rows, which no formula shows";
    return "";
}

/// x, x \in \mathbb{R}^n and D > 0 of an input.
bool Accounted::names_input(const Mention& m) const {
    if (m.displayed || m.formula.empty()) return false;
    if (is_given(m.formula)) return true;
    const std::size_t end = parts_of(source_, m.formula, 0).end;
    return end < m.formula.size() && is_comparison(m.formula[end]) && is_given(part_of(m.formula, 0, end));
}

/// "trace" of "a matrix $A$ with trace $t$" and "$t$ its trace": what the words around an input say that it is of another value.
std::string Accounted::said_of_another(const Mention& m) {
    constexpr std::string_view kOfAnother[] = {
        "determinant", "trace",      "eigenvalue",  "eigenvalues", "eigenvector", "inverse",        "precision", "entropy",
        "residual",    "residuals",  "logit",       "logits",      "score",       "scores",         "embedding", "embeddings",
        "jacobian",    "hessian",    "blocks",      "block",       "components",  "component",      "norm",      "output",
        "outputs",     "prediction", "predictions", "activation",  "activations", "representation", "row",       "rank",
        "image",       "code",       "response",    "responses",   "features",    "covariance"};
    constexpr std::string_view kOfOneMatrix[] = {"determinant", "trace", "inverse", "precision", "entropy"};
    const WordList before = words_of(m.before), behind = words_of(m.behind);
    const auto is_noun = [&](const WordList& all, std::size_t i) {
        if (i > 0 && (all[i] == "matrix" || all[i] == "vector")) --i;
        return is_one(kOfAnother, all[i]);
    };
    if (has_any(m.before, {" with ", " its ", " has ", " have "}) && !before.empty() && is_noun(before, before.size() - 1))
        return before.back();
    if (behind.size() > 1 &&
        ((behind[0] == "the" && is_one(kOfOneMatrix, behind[1])) || (behind[0] == "its" && is_noun(behind, 1))))
        return behind[1];
    return has_any(m.before, {" first row ", " last row ", " first column ", " last column "}) ? "a line" : "";
}

/// Whether the words before an input say that something is mapped to it: "maps $x$ to", "has the next state".
bool Accounted::is_mapped_to(const Mention& m, const Sentence& s) {
    constexpr std::size_t kMost = 5;  // words from "to" on
    if (has_any(m.before, {" has the next ", " with the next ", " have the next "})) return true;
    const WordList before = words_of(m.before);
    const bool maps = has_any(s.words, {" map ", " maps ", " mapping ", " takes ", " take ", " sends ", " transforms "});
    return maps && !before.empty() && before.size() < kMost &&
           (before[0] == "to" || before[0] == "into" || has_any(m.before, {" it to "}));
}

/// "a matrix $A$ with trace $t$", "$r$ its residuals", "maps $x$ to $z$": a value that is read as an input of its own.
std::string Accounted::value_unmarked(const Sentence& s) const {
    constexpr std::string_view kMap = "a map that no formula shows";
    if (has_any(s.words, {" map it to ", " maps it to ", " takes it to "})) return std::string(kMap);
    const bool any = std::ranges::any_of(s.formulas, [&](const Mention& m) { return names_input(m); });
    if (any && has_any(s.words, {" statistics "})) return "statistics that no formula shows";
    for (std::size_t k = 1; k < s.formulas.size(); ++k) {
        const Mention& m = s.formulas[k];
        if (!names_input(m) || s.formulas[k - 1].displayed) continue;
        if (const std::string noun = said_of_another(m); !noun.empty())
            return fmt::format("{} of another value, of which no formula says it", noun);
        if (is_mapped_to(m, s)) return std::string(kMap);
    }
    return "";
}

/// "where the probabilities sum to one", of values whose formulas do not make them so.
std::string Accounted::sum_unmarked(const std::string& words) const {
    if (!has_any(words, {" sum to one ", " sums to one ", " unit vector ", " unit vectors ", " unit norm ", " unit length "}))
        return "";
    const bool drawn = std::ranges::any_of(proof_.given, [](const Given& g) {
        return g.fill == Fill::distribution || g.fill == Fill::onehot || g.fill == Fill::unit;
    });
    const bool computed = std::ranges::any_of(proof_.forward, [](const Assignment& a) { return adds_up(*a.value); });
    return drawn || computed ? "" : "what values add up to";
}

namespace {

/// Where the sign of a formula stands that its name speaks of.
enum class Sign { anywhere, or_inverse, first, in_exponent, before_power, or_two_powers };

/// Without blanks and the minus of each 1 - p, and with \\log for \\ln.
std::string without_complements(std::string_view formula) {
    std::string out(formula);
    std::erase(out, ' ');
    for (std::size_t at = out.find("\\ln"); at != out.npos; at = out.find("\\ln", at)) out.replace(at, 3, "\\log");
    for (std::size_t at = out.find("(1-"); at != out.npos; at = out.find("(1-", at)) out.erase(at + 2, 1);
    return out;
}

bool has_minus(std::string_view right, Sign at) {
    const auto has = [&](std::string_view part) { return right.find(part) != right.npos; };
    switch (at) {
        case Sign::anywhere: return has("-");
        case Sign::or_inverse: {
            constexpr std::string_view kInverses[] = {"\\log\\frac{1}", "\\log\\frac1", "\\log(1/", "\\log1/",
                                                      "\\log\\left(\\frac{1}"};
            const std::string plain = without_complements(right);
            return plain.find('-') != std::string::npos ||
                   std::ranges::any_of(kInverses, [&](std::string_view part) { return plain.find(part) != std::string::npos; });
        }
        case Sign::first: return right.find_first_not_of(" &\n") != right.npos && right[right.find_first_not_of(" &\n")] == '-';
        case Sign::in_exponent: return has("(-") || has("(- ") || has("{-") || has("{- ") || has("[-") || has("\\{-");
        case Sign::or_two_powers: return has("-") || right.find("e^") != right.rfind("e^");  // e^z / (1 + e^z)
        case Sign::before_power: return has("1 - e") || has("1-e") || has("1 - \\exp") || has("1-\\exp");
    }
    return false;
}

struct NamedSign {
    std::string_view words, part;  ///< part: of the formula; "" of any
    Sign at;
    bool minus;  ///< whether it has one there
};
constexpr NamedSign kNamedSigns[] = {{" cross entropy ", "\\log", Sign::or_inverse, true},
                                     {" negative log likelihood ", "\\log", Sign::or_inverse, true},
                                     {" entropy ", "\\log", Sign::or_inverse, true},
                                     {" logistic loss ", "\\log", Sign::anywhere, true},
                                     {" residual ", "+", Sign::anywhere, true},
                                     {" residuals ", "+", Sign::anywhere, true},
                                     {" prediction error ", "+", Sign::anywhere, true},
                                     {" squared error ", "+", Sign::anywhere, true},
                                     {" squared loss ", "+", Sign::anywhere, true},
                                     {" gaussian kernel ", "", Sign::in_exponent, true},
                                     {" rbf kernel ", "", Sign::in_exponent, true},
                                     {" sigmoid ", "e^", Sign::or_two_powers, true},
                                     {" logistic function ", "e^", Sign::or_two_powers, true},
                                     {" softplus ", "\\log", Sign::before_power, false},
                                     {" log likelihood ", "\\log", Sign::first, false}};

}  // namespace

/// "The cross-entropy is $L = \sum_i y_i \log p_i$": a sign that the name stands for, and the formula has not, or the other way
/// round.
std::string Accounted::sign_unmarked(const Sentence& s) const {
    const auto says = [&](std::string_view words) {
        const bool other =
            (words == " entropy " && has_any(s.words, {" cross entropy ", " relative entropy "})) ||
            (words == " log likelihood " && has_any(s.words, {" negative log likelihood "})) ||
            (words == " residual " &&
             has_any(s.words, {" residual connection ", " residual connections ", " residual block ", " residual network ",
                               " residual stream ", " residual branch ", " residual layer ", " residual path "}));
        return !other && s.words.find(words) != std::string::npos;
    };
    const auto of_formula = [&](std::string_view all, bool led) -> std::string {
        const std::string_view right = all.substr(std::min(all.find('='), all.size() - 1) + 1);
        for (const NamedSign& one : kNamedSigns) {
            const bool has_part = right.find(one.part) != right.npos || (one.part == "\\log" && right.find("\\ln") != right.npos);
            if ((one.at == Sign::or_inverse || !led) && says(one.words) && has_part && has_minus(right, one.at) != one.minus)
                return fmt::format("{} {} a minus sign", one.words.substr(1, one.words.size() - 2),
                                   one.minus ? "without" : "with");
        }
        return "";
    };
    for (const Mention& m : s.formulas)
        if (defines(m) && meets(spans_, m.span))
            if (std::string why = of_formula(source_.slice(m.span), false); !why.empty()) return why;
    if (claims(s))  // the gradient of the negative log-likelihood is
        for (const Assignment& a : proof_.forward)
            if ((a.is_loss || &a == &proof_.forward.back()) && a.statement.span.begin < a.statement.span.end)
                if (std::string why = of_formula(source_.slice(a.statement.span), true); !why.empty()) return why;
    return "";
}

std::string Accounted::unmarked(const Sentence& s) const {
    if (std::string sign = sign_unmarked(s); !sign.empty()) return sign;
    if (std::string product = product_unmarked(s); !product.empty()) return product;
    if (std::string number = number_unmarked(s); !number.empty()) return number;
    if (std::string relation = relation_unmarked(s.words); !relation.empty()) return relation;
    if (std::string value = value_unmarked(s); !value.empty()) return value;
    if (std::string sum = sum_unmarked(s.words); !sum.empty()) return sum;
    if (has_any(s.words, {" nonlinearity ", " with activation ", " and activation "}) && !shows_function() &&
        !shows_any({"\\sigma", "\\phi", "\\varphi", "\\psi", "\\rho", "f(", "g(", "h(", "_+", "\\max"}))
        return "a function that no formula has";
    if (claims(s) &&
        has_any(s.words, {" explicit partial ", " immediate partial ", " explicit derivative ", " immediate derivative ",
                          " path through ", " contribution ", " first path ", " second path ", " direct path ", " first term is ",
                          " first term gives ", " derivative of the first term "}))
        return "which part of a derivative it is";
    return "";
}

}  // namespace gradproof::proof::latex
