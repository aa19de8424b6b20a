// What sentences change.
#include "gradproof/core/proof/language/latex/changes_said.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/qualified.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

enum class Reach {
    none,
    display,  ///< the formula that the sentence leads to
    rest,     ///< what stands behind it, up to a formula that gives a value anew
    all,      ///< the whole text
};
struct Found {
    Reach reach = Reach::none;
    std::string why{};
};

bool denies(const std::string& s) {
    return has_any(s, {" mistakenly ", " erroneously ", " incorrectly ", " wrongly ", " not the following ", " common mistake ",
                       " common error ", " is not given by ", " is not simply ", " is not just ", " not equal to "}) ||
           s.ends_with(" is not # ") || s.ends_with(" does not read # ");
}

/// "from now on the loss is averaged over the samples"
Reach rescales(const std::string& s) {
    const bool from_here = has_any(s, {" from now on ", " from here on ", " henceforth ", " hereafter ", " in what follows "});
    const bool always = has_any(s, {" throughout ", " always ", " in this paper ", " in this note "});
    const bool scales = has_any(s, {" divided by ", " multiplied by ", " scaled by ", " rescaled by ", " halved ", " doubled ",
                                    " squared ", " negated ", " normalised by ", " normalized by "});
    if (from_here && (scales || has_any(s, {" averaged ", " replaced by ", " weighted by "}))) return Reach::rest;
    const bool of_loss = has_any(s, {" loss ", " objective ", " cost ", " gradient ", " gradients ", " # is "});
    return always && scales && of_loss ? Reach::all : Reach::none;
}

bool speaks_of_loss(const std::string& s) {
    return has_any(s, {" loss ", " objective ", " cost ", " criterion ", " risk ", " error function "});
}
/// "The loss is then divided by the number of samples", "each example is weighted by $c_i$", "we omit the factor".
Reach changes_scale(const std::string& s, bool averages) {
    const bool mean = has_any(s, {" is averaged ", " is then averaged ", " divided by the number ", " divide by the number ",
                                  " is normalised by ", " is normalized by "});
    const bool scale = has_any(s, {" is then divided ", " is then multiplied ", " is then scaled ", " is then squared ",
                                   " we rescale ", " rescale the ", " is rescaled ", " is weighted by ", " are weighted by ",
                                   " is multiplied by ", " omit the factor ", " drop the factor ", " is scaled by "});
    const bool example = has_any(s, {" example ", " examples ", " sample ", " samples "});
    if (mean && (speaks_of_loss(s) || example)) return averages ? Reach::none : Reach::rest;
    return scale && (speaks_of_loss(s) || example || has_any(s, {" omit the factor ", " drop the factor "})) ? Reach::rest
                                                                                                             : Reach::none;
}
/// "Averaging over examples," before a formula without an average.
bool averages_in_words(const std::string& s) {
    return has_any(s, {" averaging over ", " if we average ", " taking the mean over ", " mean instead of the sum ",
                       " instead of the mean ", " instead of the sum "});
}
/// "For robustness we use the absolute loss instead", "let us now replace the squared loss by the Huber loss".
bool takes_another_loss(const std::string& s) {
    const bool other = has_any(s, {" loss instead ", " instead of the squared loss ", " loss instead of ", " error instead "});
    const bool replaces =
        has_any(s, {" replace the ", " replacing the ", " is replaced by "}) && has_any(s, {" by the ", " with the "});
    return other || (replaces && speaks_of_loss(s));
}
/// "We apply dropout to $h$", "the predictions are passed through a sigmoid".
bool applies_more(const std::string& s) {
    return has_any(s, {" apply dropout ", " dropout is applied ", " apply layer ", " apply batch ", " passed through a ",
                       " passed through the ", " apply a softmax ", " apply a relu ", " apply a sigmoid "});
}
/// "Gradients are clipped to norm 1", "only the first $k$ examples are used", "noise is added to $X$".
bool transforms(const std::string& s) {
    const bool of_it = s.find(" # ") != std::string::npos || speaks_of_loss(s) ||
                       has_any(s, {" gradient ", " gradients ", " derivative ", " prediction ", " predictions ", " weights ",
                                   " inputs ", " rows ", " columns ", " example ", " examples ", " labels ", " output layer "});
    const bool done = has_any(s, {" are clipped ",
                                  " is clipped ",
                                  " we clip ",
                                  " is projected ",
                                  " are projected ",
                                  " is preconditioned ",
                                  " are constrained ",
                                  " is constrained ",
                                  " are parametrized ",
                                  " are parametrised ",
                                  " is parametrized ",
                                  " is parametrised ",
                                  " are first standardised ",
                                  " are first standardized ",
                                  " are normalised to ",
                                  " are normalized to ",
                                  " we normalise ",
                                  " we normalize ",
                                  " are rounded ",
                                  " is rounded ",
                                  " we threshold ",
                                  " is left out ",
                                  " are left out ",
                                  " are ignored ",
                                  " only the first ",
                                  " is detached ",
                                  " are detached ",
                                  " is added to ",
                                  " by abuse of notation ",
                                  " natural gradients ",
                                  " root of this ",
                                  " log of the loss ",
                                  " logarithm of the loss ",
                                  " is weighted by ",
                                  " are divided by ",
                                  " we maximise ",
                                  " we maximize ",
                                  " is absorbed ",
                                  " are batch normalised ",
                                  " are batch normalized ",
                                  " weight normalization ",
                                  " not penalised ",
                                  " not penalized ",
                                  " not regularised ",
                                  " not regularized ",
                                  " we again call ",
                                  " is standardised ",
                                  " is standardized ",
                                  " are averaged ",
                                  " layer applies "});
    return of_it && done;
}
bool multiplies_entrywise(const std::string& s) {
    return has_any(
        s, {" products are elementwise ", " products are entrywise ", " products are element wise ", " product is elementwise ",
            " products are hadamard ", " multiplications are elementwise ", " multiplication is elementwise "});
}
/// 1/n, 1/N and 1/|B| in a formula.
bool has_average(const Tokens& t) {
    for (std::size_t i = 0; i + 1 < t.size(); ++i) {
        const bool below = t[i].is_symbol("/") || (i > 0 && t[i].kind == opening && t[i - 1].kind == closing);
        if (below && (t[i + 1].kind == letter || t[i + 1].is_symbol("|") || t[i + 1].is_command("\\lvert"))) return true;
        if (is_fraction(t[i]) && i + 2 < t.size() && t[i + 1].kind == digits && t[i + 2].kind == letter) return true;
    }
    for (std::size_t i = 0; i + 2 < t.size(); ++i)
        if (t[i].is_command("\\mathbb") && t[i + 2].is(letter, "E")) return true;
    return false;
}

/// "We now add a penalty $\lambda \|w\|^2$ to the loss."
bool adds_term(const std::string& s) {
    if (has_any(s, {" we add a ", " we also add ", " we now add ", " adding a "}) &&
        has_any(s, {" weight decay ", " penalty ", " regulariser ", " regularizer "}))
        return true;
    return has_any(s, {" add ", " adds ", " adding ", " added "}) &&
           has_any(s, {" to the loss ", " to the objective ", " to the cost ", " to this loss ", " to this objective "}) &&
           has_any(s,
                   {" penalty ", " regulariser ", " regularizer ", " regularisation ", " regularization ", " term ", " decay "});
}

bool replaces(const std::string& s) {
    return has_any(s, {" replacing # by # ", " replacing # with # ", " with # replaced by # ", " replace # by # ",
                       " replace # with # ", " if # is replaced by # "});
}

bool are_the_same(const std::string& s) {
    return has_any(s, {" # and # are the same ", " # and # are identical ", " # and # are tied ", " # and # share ",
                       " # and # are shared ", " # is the same as # ", " # and # are one ", " # are tied ", " # is tied "});
}

/// "all sums are over even $i$", "where sums run from $2$ to $n$"
bool restricts_sums(const std::string& s) {
    const bool runs = has_any(s, {" sums run ", " sum runs ", " sums are over ", " sum is over ", " sums range ", " sum ranges ",
                                  " sums extend ", " sum extends ", " sums are taken ", " sum is taken "});
    return runs &&
           has_any(s, {" even ", " odd ", " except ", " excluding ", " starting from ", " every other ", " every second "});
}
/// The first formula from words[at] on; nullptr where there is none.
const Tokens* formula_at(const Sentence& s, std::size_t at) {
    const auto which = static_cast<std::size_t>(std::count(s.words.begin(), s.words.begin() + static_cast<long>(at), '#'));
    return which < s.formulas.size() ? &s.formulas[which].formula : nullptr;
}
/// The formula behind these words.
const Tokens* formula_behind(const Sentence& s, std::string_view words) {
    const std::size_t at = s.words.find(words);
    if (at == std::string::npos) return nullptr;
    return formula_at(s, at + (words.starts_with(" # ") ? 2 : 0));
}
bool starts_later(const Sentence& s) {
    for (const std::string_view words : {" sums run from # ", " sum runs from # ", " sums range from # ", " sums are from # "})
        if (const Tokens* const first = formula_behind(s, words))
            return first->size() == 1 && first->front().kind == digits && first->front().text != "1" &&
                   first->front().text != "0";
    return false;
}

/// "We write $\|v\|^2$ for $\frac12 v^\top v$."
bool redefines_norm(const Sentence& s) {
    for (std::size_t i = 0; i + 1 < s.formulas.size(); ++i) {
        const Tokens &name = s.formulas[i].formula, &value = s.formulas[i + 1].formula;
        const std::string& between = s.formulas[i].behind;
        const bool says = between == " for " || between == " denotes " || between == " stands for " || between == " means ";
        if (!says || name.empty() || !(is_norm_bar(name.front()) || name.front().is_symbol("|"))) continue;
        const auto changes = [](const Token& t) {
            return is_fraction(t) || t.is_symbol("/") || (t.kind == digits && t.text != "2");
        };
        if (std::ranges::any_of(value, changes)) return true;
    }
    return false;
}

/// "Here $\|v\|^2 = v^\top \Sigma^{-1} v$"
bool weighs_norm(const Sentence& s) {
    if (!has_any(s.words, {" here # ", " where # ", " define # ", " denote # ", " with # "})) return false;
    return std::ranges::any_of(s.formulas, [](const Mention& m) {
        const auto equals = std::ranges::find_if(m.formula, is_equals);
        if (m.displayed || equals == m.formula.end() || equals == m.formula.begin() || !is_norm_bar(m.formula.front()))
            return false;
        const auto stands_on_left = [&](const Token& t) {
            return std::any_of(m.formula.begin(), equals, [&](const Token& l) { return l.text == t.text; });
        };
        return std::any_of(equals + 1, m.formula.end(), [&](const Token& t) {
            const bool capital = t.kind == letter && t.text[0] >= 'A' && t.text[0] <= 'Z';
            const bool weight = capital || t.is_command("\\Sigma") || t.is_command("\\Lambda") || t.is_command("\\mathbf");
            return is_fraction(t) || t.is_symbol("/") || (weight && !stands_on_left(t));
        });
    });
}

/// "the target $r + \gamma w^\top \phi'$ is treated as a constant"
bool holds_expression(const Sentence& s) {
    for (const std::string_view words : {" # is treated as a constant ", " # is treated as constant ", " # is held fixed ",
                                         " # is held constant ", " # is kept fixed ", " # is regarded as constant "}) {
        if (s.words.find(words) == std::string::npos) continue;
        const Tokens* const formula = formula_at(s, s.words.find(words));
        if (formula != nullptr &&
            std::ranges::any_of(*formula, [](const Token& t) { return t.is_symbol("+") || t.is_symbol("-"); }) &&
            std::ranges::none_of(*formula, is_equals))
            return true;
    }
    return false;
}

Found change_in(const Sentence& s, bool averages, bool behind_value) {
    const bool displayed = std::ranges::any_of(s.formulas, &Mention::displayed);
    if (displayed && denies(s.words)) return {Reach::display, "the words before it say that it does not hold"};
    if (displayed && replaces(s.words))
        return {Reach::display,
                "the words before it replace something in the formulas above, which is not read: write them anew"};
    constexpr const char* kAsFormula = "changes what is said in formulas, which is not read: write it as a formula";
    if (const Reach reach = rescales(s.words); reach != Reach::none) return {reach, kAsFormula};
    if (adds_term(s.words) && !displayed) return {Reach::rest, "adds a term that no formula has: write the loss anew, with it"};
    if (const Reach reach = displayed ? Reach::none : changes_scale(s.words, averages); reach != Reach::none)
        return {reach, kAsFormula};
    if (!displayed && (takes_another_loss(s.words) || applies_more(s.words) || (behind_value && transforms(s.words))))
        return {Reach::rest, kAsFormula};
    if (displayed && has_any(s.words, {" its laplacian is ", " the laplacian is ", " the laplacian of # is "}))
        return {Reach::display, "the words before it speak of a Laplacian, which is not read: write its trace"};
    if (holds_expression(s)) return {Reach::all, "holds an expression constant, which is not read: give it a name"};
    if (has_any(s.words, {" matrix exponential "})) return {Reach::all, "speaks of a matrix exponential, which is not read"};
    if (displayed && takes_another_loss(s.words)) return {Reach::display, "the words before it speak of another loss"};
    if (multiplies_entrywise(s.words))
        return {Reach::all, "says that products are entry by entry, which is not read: write \\odot"};
    if (displayed && averages_in_words(s.words) &&
        std::ranges::none_of(s.formulas, [](const Mention& m) { return m.displayed && has_average(m.formula); }))
        return {Reach::display, "the words before it speak of an average that the formula has not"};
    if (are_the_same(s.words)) return {Reach::all, "makes one of two names, which is not read: write it as an equation"};
    if (restricts_sums(s.words) || starts_later(s))
        return {Reach::all, "says what sums run over, which is not read: write it below each sum"};
    if (redefines_norm(s) || weighs_norm(s)) return {Reach::all, "gives a norm another meaning, which is not read: write it out"};
    return {};
}

bool is_of_gradients(const Mention& m) {
    return m.formula.begin() != m.formula.end() &&
           std::any_of(m.formula.begin(), std::ranges::find_if(m.formula, is_equals), is_derivative_sign);
}
/// "\[ y_i = x_i^2 \] for $x_i > 0$, and $0$ otherwise."
bool holds_for_some(const std::vector<Mention>& all, std::size_t i) {
    const std::string& behind = all[i].behind;
    if (i + 1 >= all.size() || !(behind == " for " || behind == " if " || behind == " when ")) return false;
    const std::string last = all[i + 1].behind + (i + 2 < all.size() ? "# " + all[i + 2].behind : "");
    return has_any(last.substr(0, last.find(" . ")) + " ", {" otherwise ", " elsewhere ", " else "});
}
/// Displayed formulas of which the words behind them say that they are others.
void add_qualified(const Source& source, const std::vector<Mention>& all, std::size_t end, std::vector<ChangeSaid>& out) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Mention& m = all[i];
        if (!m.displayed || std::ranges::none_of(m.formula, is_equals)) continue;
        const bool conditional = is_of_gradients(m) && m.behind == " unless ";  // which conditions_said.hpp reads
        if ((conditional || !qualifying_words(all, i)) && (is_of_gradients(m) || !holds_for_some(all, i))) continue;
        out.push_back(
            {{m.span.begin, is_of_gradients(m) ? m.span.end : end},
             fmt::format("the words behind the formula in line {} change it, which is not read: write what they say as a "
                         "formula",
                         source.line(m.span.end))});
    }
}

/// The c of "$c$ depends linearly on $x$".
Tokens dependent_in(const Sentence& s) {
    constexpr std::string_view kDepends[] = {" # depends on # ",       " # depends linearly on # ", " # depends smoothly on # ",
                                             " # is a function of # ", " # is computed from # ",    " # follows from # "};
    for (const std::string_view words : kDepends) {
        const std::size_t at = s.words.find(words);
        if (at == std::string::npos) continue;
        const Tokens* const formula = formula_at(s, at);
        return formula != nullptr ? *formula : Tokens{};
    }
    return {};
}

/// Where a displayed formula behind `at` begins that gives a value; the end of the text where none does.
std::size_t next_value(const std::vector<Sentence>& all, std::size_t at, std::size_t end) {
    for (const Sentence& s : all)
        for (const Mention& m : s.formulas) {
            if (!m.displayed || m.span.begin < at) continue;
            const auto equals = std::ranges::find_if(m.formula, is_equals);
            if (equals != m.formula.end() && std::none_of(m.formula.begin(), equals, is_derivative_sign)) return m.span.begin;
        }
    return end;
}

}  // namespace

std::vector<ChangeSaid> changes_said(const Source& source, Span text) {
    std::vector<ChangeSaid> out;
    const std::vector<Sentence> all = sentences_in(source, text);
    bool behind_value = false;  // a displayed formula
    const bool averages = std::ranges::any_of(all, [](const Sentence& s) {
        return std::ranges::any_of(s.formulas, [](const Mention& m) { return has_average(m.formula); });
    });
    for (const Sentence& s : all) {
        const std::string line = fmt::format("line {} ", source.line(s.span.begin));
        if (Tokens c = dependent_in(s); !c.empty())
            out.push_back({text, line + "makes a name depend on another, which is not read: write how", std::move(c)});
        const Found found = change_in(s, averages, behind_value);
        behind_value = behind_value || std::ranges::any_of(s.formulas, [](const Mention& m) {
                           return m.displayed && std::ranges::any_of(m.formula, is_equals);
                       });
        if (found.reach == Reach::all) out.push_back({text, line + found.why});
        if (found.reach == Reach::rest)
            out.push_back({{s.span.begin, next_value(all, s.span.begin, text.end)}, line + found.why});
        if (found.reach != Reach::display) continue;
        for (const Mention& m : s.formulas)
            if (m.displayed) {
                out.push_back({m.span, found.why});
                break;
            }
    }
    add_qualified(source, mentions_in(source, text), text.end, out);
    return out;
}

}  // namespace gradproof::proof::latex
