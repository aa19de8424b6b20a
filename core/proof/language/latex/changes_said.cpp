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

/// "We now add a penalty $\lambda \|w\|^2$ to the loss."
bool adds_term(const std::string& s) {
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
                       " # and # are shared ", " # is the same as # ", " # is tied to # ", " # and # are one "}) ||
           (s.find(" # are tied ") != std::string::npos || s.find(" # is tied ") != std::string::npos);
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

Found change_in(const Sentence& s) {
    const bool displayed = std::ranges::any_of(s.formulas, &Mention::displayed);
    if (displayed && denies(s.words)) return {Reach::display, "the words before it say that it does not hold"};
    if (displayed && replaces(s.words))
        return {Reach::display,
                "the words before it replace something in the formulas above, which is not read: write them anew"};
    if (const Reach reach = rescales(s.words); reach != Reach::none)
        return {reach, "changes what is said in formulas, which is not read: write it as a formula"};
    if (adds_term(s.words) && !displayed) return {Reach::rest, "adds a term that no formula has: write the loss anew, with it"};
    if (are_the_same(s.words)) return {Reach::all, "makes one of two names, which is not read: write it as an equation"};
    if (restricts_sums(s.words) || starts_later(s))
        return {Reach::all, "says what sums run over, which is not read: write it below each sum"};
    if (redefines_norm(s)) return {Reach::all, "gives a norm another meaning, which is not read: write it out"};
    return {};
}

bool is_of_gradients(const Mention& m) {
    return m.formula.begin() != m.formula.end() &&
           std::any_of(m.formula.begin(), std::ranges::find_if(m.formula, is_equals), is_derivative_sign);
}
/// "\\[ y_i = x_i^2 \\] for $x_i > 0$, and $0$ otherwise."
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
        if (!qualifying_words(all, i) && !holds_for_some(all, i)) continue;
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
    for (const Sentence& s : all) {
        const std::string line = fmt::format("line {} ", source.line(s.span.begin));
        if (Tokens c = dependent_in(s); !c.empty())
            out.push_back({text, line + "makes a name depend on another, which is not read: write how", std::move(c)});
        const Found found = change_in(s);
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
