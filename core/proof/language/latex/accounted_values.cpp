// What sentences say of values and derivatives, where a formula does not.
#include <algorithm>
#include <string_view>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/denoted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

bool speaks_of_derivative(const std::string& words) {
    return has_any(
        words, {" gradient ", " gradients ", " derivative ", " derivatives ", " jacobian ", " hessian ", " slope ", " adjoint "});
}

/// Whether the words before a formula say that something is this: "is", "equals", "is the error", "we get".
bool say_it_is(const std::string& before) {
    constexpr std::string_view kVerbs[] = {"is",     "are",  "equals", "equal", "yields", "gives", "becomes", "get",
                                           "obtain", "find", "reads",  "be",    "yield",  "give",  "gets",    "has"};
    constexpr std::string_view kOnlyNames[] = {"denoted", "written", "called", "by", "given", "for", "of", "in", "to", "where"};
    const WordList all = words_of(before);
    constexpr std::size_t kMostBetween = 3;
    for (std::size_t i = all.size(); i-- > 0 && all.size() - i <= kMostBetween;) {
        if (is_one(kOnlyNames, all[i])) return false;
        if (is_one(kVerbs, all[i])) return true;
    }
    return false;
}

/// The words between two formulas of a sentence, or before its first.
std::string words_before(const Sentence& s, std::size_t formula) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < formula; ++i) begin = std::min(s.words.find(kFormula, begin), s.words.size() - 1) + 1;
    return s.words.substr(begin, s.words.find(kFormula, begin) - begin);
}

/// What words call that is computed of an input.
constexpr std::string_view kOutputs[] = {"output",   "outputs",    "prediction",  "predictions", "predicted",
                                         "response", "activation", "activations", "logits",      "scores"};
bool is_computed(const std::string& word) {
    constexpr std::string_view kFurther[] = {"responses",     "margin",     "margins", "likelihood",     "residual",
                                             "residuals",     "projection", "logit",   "score",          "context",
                                             "preactivation", "estimate",   "errors",  "reconstruction", "hidden",
                                             "loglikelihood", "attention",  "product"};
    return is_one(kOutputs, word) || is_one(kFurther, word);
}
/// "is the hidden activation of", and not "is the target of the prediction".
bool call_computed(const WordList& words) {
    static constexpr std::string_view kGiven[] = {"target",     "targets", "true",     "desired",   "observed", "given",
                                                  "label",      "labels",  "input",    "inputs",    "weights",  "parameter",
                                                  "parameters", "matrix",  "function", "dimension", "number",   "size"};
    constexpr std::size_t kLongest = 6;
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kLongest));
    const auto noun = std::find_if(words.begin(), end, is_computed);
    return noun != end && std::none_of(words.begin(), noun, [](const std::string& w) { return is_one(kGiven, w); });
}

/// Takes "case" of "in the case of #" and "case 1 : #", and the region of "in the region #", out of the words from `behind` to a
/// formula that is read as a condition of claims. Where the formula stands then.
std::size_t without_words_of_cases(std::string& words, std::size_t behind, std::size_t formula) {
    constexpr std::string_view kAll[] = {"case", "cases", "region", "regime", "range"};
    const std::string before = words.substr(behind, formula - behind) + " ";
    std::string kept;
    for (const std::string& w : words_of(before)) {
        if (is_one(kAll, w) && kept.ends_with(" the")) kept.resize(kept.size() - 4);
        const bool number = w.size() == 1 && before.find(" case " + w + " ") != std::string::npos;
        if (!is_one(kAll, w) && w != "of" && !number) kept += " " + w;
    }
    words.replace(behind, formula - behind, kept);
    return behind + kept.size();
}

}  // namespace

/// Whether formula k of a sentence is the A of "$a_i$ are the columns of $A$" or "$a_i$ is the $i$-th row of $A$",
/// which are read so.
bool Accounted::names_lines(const Sentence& s, std::size_t k) const {
    const Mention& m = s.formulas[k];
    const bool one = m.before.ends_with(" row of ") || m.before.ends_with(" column of ");
    const bool rows = m.before.ends_with(" rows of ") || m.before.ends_with(" row of ");
    const bool columns = m.before.ends_with(" columns of ") || m.before.ends_with(" column of ");
    const std::size_t line = one ? k - 2 : k - 1;  // the formula that names it
    if ((!rows && !columns) || line >= k) return false;
    const Tokens& of = s.formulas[line].formula;
    const NameParts p = of.empty() ? NameParts{} : parts_of(source_, of, 0);
    const std::string matrix = joined(m.formula, 0, m.formula.size());
    return p.end == of.size() && capital_of(p.base) == matrix && (rows ? lines_.rows : lines_.columns).contains(matrix);
}

/// The words of a sentence, without those of rows and columns that are read.
std::string Accounted::words_without_lines(const Sentence& s) const {
    constexpr std::pair<std::string_view, std::string_view> kPhrases[] = {
        {" are the rows of ", " and "},          {" are the columns of ", " and "},
        {" is the # th row of ", " and # and "}, {" is the # th column of ", " and # and "},
        {" denote the rows of ", " and "},       {" denote the columns of ", " and "}};
    std::string out = s.words;
    std::size_t behind = 0;
    for (const Mention& m : s.formulas) {  // "and $0$ otherwise" of cases that are judged
        std::size_t formula = out.find(" # ", behind);
        if (formula == std::string::npos) break;
        if (meets(conditions_, m.span)) formula = without_words_of_cases(out, behind, formula);
        constexpr std::string_view kOtherwise = " otherwise ";
        behind = formula + 2;
        if (is_judged(m.span, 0) && out.substr(behind).starts_with(kOtherwise)) out.erase(behind, kOtherwise.size() - 1);
    }
    bool names = false;
    for (std::size_t k = 0; k < s.formulas.size(); ++k) names = names || names_lines(s, k);
    if (!names) return out;
    for (const auto& [phrase, instead] : kPhrases)
        if (const std::size_t at = out.find(phrase); at != std::string::npos) out.replace(at, phrase.size(), instead);
    return out;
}

/// "where $w$ is a function of $x$", "$y$ is the input $x$": what one value is, by another.
bool Accounted::ties_values(const Sentence& s) const {
    for (std::size_t k = 1; k < s.formulas.size(); ++k) {
        const Mention& m = s.formulas[k];
        if (m.displayed || is_of_a_line(m.span) || !is_name_of_value(m.formula) || names_lines(s, k)) continue;
        const bool ties = has_any(m.before, {" is ", " are ", " be ", " equals ", " depends ", " depend "}) &&
                          !has_any(m.before, {" respect to ", " denoted by ", " given by ", " by "});
        if (ties) return true;
    }
    return false;
}

/// "For $b$ we use $A x$", "with $b$ given by $z$", "we turn $z$ into $b$": that one value is another.
bool Accounted::ties_to_value(const Sentence& s) const {
    constexpr std::string_view kTies[] = {"by",  "use", "uses",   "as",     "into",    "take",
                                          "put", "set", "choose", "called", "written", "value"};
    const auto names = [&](const Mention& m) { return is_given(m.formula) || is_name_of_value(m.formula); };
    for (std::size_t k = 1; k < s.formulas.size(); ++k) {
        const Mention &one = s.formulas[k - 1], &other = s.formulas[k];
        if (one.displayed || other.displayed || is_of_a_line(one.span) || is_of_a_line(other.span)) continue;
        const WordList between = words_of(other.before);
        if (between.empty() || speaks_of_derivative(other.before)) continue;
        const bool phrase = std::ranges::any_of(
            std::initializer_list<std::string_view>{" equal to ", " set to ", " evaluated at ", " function of ", " those of "},
            [&](std::string_view end) { return other.before.ends_with(end); });
        const bool values = (names(one) && uses_value(other.formula)) || (uses_value(one.formula) && names(other));
        if (values && (phrase || is_one(kTies, between.back()))) return true;
    }
    return false;
}

/// "We then apply $\sigma$ to each entry of $z$", where no formula has a \sigma.
bool Accounted::speaks_of_function(const Sentence& s) const {
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || !is_name_of_function(source_, m.formula)) return false;
        const std::string name = as_run(m.formula);
        return std::ranges::none_of(formulas_, [&](const std::string& f) { return f.find(name) != std::string::npos; });
    });
}

/// "Differentiating gives \[ g = z - b \]" of a g that is read as a name for z - b: whether that is the gradient is not judged.
bool Accounted::calls_definition_gradient(const Sentence& s) const {
    for (std::size_t k = 0; k < s.formulas.size(); ++k) {
        const Mention& m = s.formulas[k];
        if (!m.displayed || is_judged(m.span, 0) || std::ranges::any_of(m.formula, is_derivative_sign)) continue;
        const bool defines = std::ranges::any_of(proof_.forward, [&](const Assignment& a) {
            return !a.is_loss && m.span.begin <= a.statement.span.begin && a.statement.span.begin < m.span.end;
        });
        std::string before;  // in this sentence, from the last formula on that is displayed or read
        bool named = false;
        for (std::size_t i = 0; i <= k; ++i) {
            before += words_before(s, i);
            if (i == k || (!s.formulas[i].displayed && !is_of_a_line(s.formulas[i].span))) {
                named = named || (i < k && std::ranges::any_of(s.formulas[i].formula, is_derivative_sign));
            } else {
                before.clear();
                named = false;
            }
        }
        const bool says = speaks_of_derivative(before) ||
                          has_any(before, {" differentiating ", " differentiate ", " differentiation ", " chain rule ",
                                           " backpropagation ", " backpropagating ", " backward ", " upstream "});
        if (defines && (says || named)) return true;
    }
    return false;
}

/// "We compute $A$ from $x$", "a network maps $x$ to $b$", "we write $x$ for $A x$", "by $A$ we denote".
bool Accounted::computes_values(const Sentence& s) const {
    constexpr std::string_view kVerbs[] = {"from",  "compute", "computes", "calculate", "calculates",   "map",    "maps",
                                           "apply", "get",     "gets",     "give",      "gives",        "yield",  "yields",
                                           "put",   "set",     "sets",     "take",      "takes",        "denote", "denotes",
                                           "write", "follow",  "follows",  "obtain",    "applies",      "read",   "reads",
                                           "find",  "finds",   "call",     "calls",     "substituting", "putting"};
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || is_of_a_line(m.span) || std::ranges::any_of(m.formula, is_derivative_sign) || !uses_value(m.formula))
            return false;
        const WordList before = words_of(m.before);
        const bool renames = m.before == " by " && m.behind.starts_with(" we denote");
        return renames || (!before.empty() && is_one(kVerbs, before.back()));
    });
}

/// "The network with input $x$ has the output $y$" of a y that is read as another input.
bool Accounted::calls_output(const Sentence& s) const {
    constexpr std::string_view kFurther[] = {"result", "image", "representation", "features"};
    const auto is_output = [&](const std::string& w) { return is_one(kOutputs, w) || is_one(kFurther, w); };
    if (!has_any(s.words, {" input ", " inputs ", " of # ", " for the # "})) return false;
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || !is_given(m.formula)) return false;
        const WordList before = words_of(m.before), behind = words_of(m.behind);
        const bool called = !before.empty() && is_output(before.back());
        const bool is_called = has_any(m.behind, {" is ", " are ", " be ", " denote ", " denotes ", " the ", " its "}) &&
                               std::ranges::any_of(behind, is_output);
        return called || (is_called && !has_any(m.behind, {" input "}));
    });
}

/// "where $h$ is the hidden activation", "the prediction $s$" of one that is read as an input beside those that it is computed
/// of: its name; "" of other sentences.
std::string Accounted::called_computed(const Sentence& s) const {
    constexpr std::string_view kCalls[] = {" is ", " are ", " be ", " denotes ", " denote ", " the ", " a "};
    std::set<std::string> names;
    for (const Mention& m : s.formulas) {
        const NameParts p = m.displayed || m.formula.empty() ? NameParts{} : parts_of(source_, m.formula, 0);
        const auto given =
            std::ranges::find_if(proof_.given, [&](const Given& g) { return g.name == p.base && g.differentiable; });
        const bool weight = m.formula.size() == 3 && is_small_letter(m.formula[2]) && has_any(s.words, {" attention weights "});
        if (p.base.empty() || (p.has_below && !weight) || given == proof_.given.end()) continue;
        const bool behind = std::ranges::any_of(kCalls, [&](std::string_view one) { return m.behind.starts_with(one); }) &&
                            call_computed(words_of(m.behind.substr(0, m.behind.find(" . "))));
        WordList before = words_of(m.before);
        if (!before.empty() && (before.back() == "is" || before.back() == "be")) before.pop_back();
        if (behind || (!before.empty() && is_computed(before.back()))) names.insert(given->name);
    }
    return names.empty() || !is_derived_by_others(names) ? "" : *names.begin();
}

/// "We collect the entries of $x$ in the rows of $A$".
bool Accounted::arranges_values(const Sentence& s) const {
    if (!lines_.columns.empty() ||
        !has_any(s.words, {" collect ", " collects ", " collected ", " collecting ", " insert ", " put ", " combine ",
                           " inserting ", " putting ", " combining ", " enter ", " enters ", " form ", " set "}))
        return false;
    const bool parts =
        has_any(s.words, {" row ", " rows ", " columns ", " column ", " entries ", " matrix ", " vector ", " elements "});
    const auto values = std::ranges::count_if(s.formulas, [&](const Mention& m) { return !m.displayed && is_given(m.formula); });
    return parts && values > 1;
}

/// "We write derivatives by vectors as rows", where they were not read so.
bool Accounted::lays_gradients(const Sentence& s) const {
    const bool rows = has_any(s.words, {" as rows ", " as a row ", " row vector ", " row vectors ", " are rows ", " is a row ",
                                        " in rows ", " form a row ", " one row ", " row form ", " by rows "});
    const bool read = std::ranges::any_of(
        proof_.holds_for, [](const std::string& said) { return said == "gradients as rows" || said.ends_with(" layout"); });
    const bool claims = std::ranges::any_of(
        s.formulas, [&](const Mention& m) { return is_judged(m.span, 0) && std::ranges::any_of(m.formula, is_derivative_sign); });
    return rows && !read && (claims || speaks_of_derivative(s.words));
}

/// "We write $\nabla_W L$ for $\partial L / \partial W^\top$", "$\nabla_W L \in \mathbb{R}^{n \times m}$", "$\nabla$ is by $z$":
/// how derivatives are written or lie; and "the Hessian is" of what is none.
bool Accounted::names_derivatives(const Sentence& s) const {
    std::size_t named = 0;
    for (const Mention& m : s.formulas) {
        if (is_of_a_line(m.span) || std::ranges::none_of(m.formula, is_derivative_sign)) continue;
        const bool placed = std::ranges::any_of(m.formula, [](const Token& t) { return t.is_command("\\in"); });
        const bool told = has_any(m.before, {" is ", " are ", " equals ", " equal "}) && !m.before.ends_with(" to ");
        if (++named > 1 || placed || told || m.formula.size() == 1) return true;
    }
    if (named > 0 && !claims(s) && has_any(s.words, {" respect to # "}))
        return true;  // "write $\nabla_x L$ for the derivative by $z$"
    const bool hessian = has_any(s.words, {" hessian is # ", " hessian reads # ", " hessian equals # "});
    return hessian && std::ranges::any_of(s.formulas, [&](const Mention& m) {
               return m.displayed && is_judged(m.span, 0) &&
                      std::ranges::none_of(m.formula, [](const Token& t) { return t.is_symbol("^"); });
           });
}

/// Of x_i beside X, of which the head says "rows x_i of X".
bool Accounted::takes_rows() const {
    return std::ranges::any_of(proof_.holds_for, [](const std::string& said) { return said.starts_with("rows "); });
}

/// "The gradient is $h - y$", "$\nabla_b L$ & $h - y$": a value that words or a table give to something.
bool Accounted::tells_value(const Sentence& s) const {
    const bool derivative = speaks_of_derivative(s.words);
    bool names_derivative = false;
    const bool claimed = claims(s);
    for (const Mention& m : s.formulas)
        names_derivative = names_derivative || (!is_of_a_line(m.span) && std::ranges::any_of(m.formula, is_derivative_sign));
    return std::ranges::any_of(s.formulas, [&](const Mention& m) {
        if (m.displayed || is_of_a_line(m.span) || std::ranges::any_of(m.formula, is_derivative_sign)) return false;
        if (m.before.ends_with(" equal to ") || m.before.ends_with(" equals ")) return true;
        const std::vector<Tokens> parts = parts_of_list(m.formula);
        const bool named = std::ranges::all_of(parts, [&](const Tokens& one) { return is_name_or_space(one); });
        return (!named && (names_derivative || (derivative && !claimed))) || (say_it_is(m.before) && (!named || derivative));
    });
}

/// "Let $g$ denote the gradient of $L$" of a g that a formula defines as a value.
bool Accounted::calls_gradient(const Mention& m, const std::string& words) const {
    constexpr std::string_view kSays[] = {" denote the ", " denotes the ", " be the ", " is the ", " for the "},
                               kWhat[] = {"gradient ", "derivative ", "hessian ", "jacobian "};
    const auto says = std::ranges::find_if(kSays, [&](std::string_view one) { return m.behind.starts_with(one); });
    const std::string what = says == std::end(kSays) ? "" : m.behind.substr(says->size());
    const bool called = std::ranges::any_of(kWhat, [&](std::string_view one) { return what.starts_with(one); }) ||
                        has_any(words, {" gradient by # "});
    return called && !m.displayed && is_name_of_value(m.formula);
}

/// "We write $L$ for $M$" of two values.
bool Accounted::renames(const Mention& a, const Mention& b) const {
    const bool joined = a.behind == " for " || a.behind == " by " || a.behind == " as ";
    return joined && is_name_of_value(a.formula) && is_name_of_value(b.formula);
}

}  // namespace gradproof::proof::latex
