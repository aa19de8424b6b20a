// Formulas of a text held against what was read of it.
#include "gradproof/core/proof/language/latex/accounted.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

bool relates(const Token& t) {
    constexpr std::string_view kOthers[] = {"\\propto",    "\\to",        "\\gets",           "\\leftarrow", "\\rightarrow",
                                            "\\mapsto",    "\\Leftarrow", "\\Rightarrow",     "\\approx",    "\\longmapsto",
                                            "\\triangleq", "\\doteq",     "\\longrightarrow", "\\simeq",     "\\cong"};
    return is_equals(t) || (t.kind == Token::Kind::command && is_one(kOthers, t.text));
}
/// \sum_i y_i = 1, \|u\| = 1: what holds for every value holds for these.
bool bounds_one_value(const Tokens& t) {
    const bool bounds = t.front().is_command("\\sum") || is_norm_bar(t.front());
    return bounds && t.size() > 2 && t.back().is(Token::Kind::digits, "1") && is_equals(t[t.size() - 2]);
}
/// 1, n, n - 1 and the like behind t = of a range.
bool is_of_indices(const Tokens& t, std::size_t equals) {
    const auto is_term = [&](std::size_t i) { return t[i].kind == Token::Kind::letter || t[i].kind == Token::Kind::digits; };
    const auto is_sign = [&](std::size_t i) { return t[i].is_symbol("-") || t[i].is_symbol("+"); };
    if (equals > 1 || equals + 1 >= t.size()) return true;  // below a sum
    const bool difference = equals + 4 == t.size() && is_sign(equals + 2) && is_term(equals + 3);
    return is_term(equals + 1) && (equals + 2 == t.size() || difference);
}

}  // namespace

/// |name|name|: a formula as it stands, to be searched for in others.
std::string Accounted::as_run(const Tokens& t) {
    std::string out = "|";
    for (const Token& one : t)
        if (!one.is_symbol(".") && !one.is_symbol(",")) out.append(one.text).append("|");
    return out;
}

bool Accounted::meets(const std::vector<Span>& all, Span at) {
    return std::ranges::any_of(all, [&](Span s) { return s.begin < at.end && at.begin < s.end; });
}

bool Accounted::uses_value(const Tokens& t) const {
    for (std::size_t i = 0; i < t.size(); ++i)
        if (const NameParts p = parts_of(source_, t, i); !p.base.empty() && is_value(p.base)) return true;
    return false;
}

/// (1) and (\star) of a formula, \forall i, \square, and names of indices.
bool Accounted::is_decoration(const Tokens& part) const {
    constexpr std::string_view kSigns[] = {"\\forall",    "\\square", "\\Box",    "\\blacksquare", "\\qed",
                                           "\\checkmark", "\\star",   "\\dagger", "\\ddagger"};
    const bool label = part.size() == 3 && part[0].is_symbol("(") && part[2].is_symbol(")") && part[1].kind != Token::Kind::words;
    const auto letters = std::ranges::count_if(part, is_small_letter);
    constexpr std::ptrdiff_t kMostIndices = 3;  // more are a word
    return label || (letters <= kMostIndices && std::ranges::all_of(part, [&](const Token& t) {
                         const bool index = is_small_letter(t) && !is_value(t.text);
                         return index || is_dots(t) || t.is_symbol(".") || t.is_symbol("*") ||
                                (t.kind == Token::Kind::command && is_one(kSigns, t.text));
                     }));
}

/// D of D &= ..., and T of t = 1, \dots, T; a name behind a blank or in a row of its own is a factor of what stands before it.
bool Accounted::is_left_or_last(const Tokens& formula, const Tokens& part) const {
    const NameParts p = parts_of(source_, part, 0);
    const std::size_t end = !part.empty() && part.back().is_symbol(".") ? part.size() - 1 : part.size();
    const bool difference = part.size() > 1 && part[1].is_symbol("-");    // t = 0, \dots, n - K
    const bool number = end == 1 && part[0].kind == Token::Kind::digits;  // i = n, \dots, 1
    if (!difference && !number && (p.base.empty() || p.end != end)) return false;
    const auto at = std::ranges::find(formula, part.front().span.begin, [](const Token& t) { return t.span.begin; });
    const auto behind = at + std::min(std::ssize(part), formula.end() - at);
    const bool left = behind != formula.end() && behind->is_symbol("&");
    return at != formula.begin() &&
           (left ? !difference && !number : (at - 1)->is_symbol(",") && at - 1 != formula.begin() && is_dots(*(at - 2)));
}

/// = 2x \sim 3x: the second relation ends what is read; \in \mathbb{R}^n says where it lies.
bool Accounted::goes_on_behind_equals(const Tokens& part) {
    int depth = 0;
    bool equals = false;
    for (const Token& t : part) {
        depth += bracket(t);
        if (depth != 0) continue;
        if (equals && is_other_relation(t) && !is_comparison(t) && !t.is_command("\\in")) return true;
        equals = equals || is_equals(t);
    }
    return false;
}

/// What stands in a formula besides what was read of it; "" where nothing does.
std::string Accounted::left_beside(const Mention& m) const {
    if (!is_of_a_line(m.span)) return "";
    const bool softmax = models_of(joined(m.formula, 0, m.formula.size())).contains("softmax");
    for (const Token& t : m.formula) {
        if (t.kind != Token::Kind::words || is_of_a_line(t.span)) continue;
        if (t.text.find('$') != std::string_view::npos || !leave_display(plain_words(t.text), softmax))
            return source_.one_line(t.span);
    }
    for (const Tokens& part : parts_of_list(m.formula)) {
        const auto is_relation = [](const Token& t) { return is_other_relation(t) || is_comparison(t); };
        const bool goes_on = is_relation(part[0]) && !part[0].is_command("\\in");  // a row \le 3x
        const bool condition =
            !goes_on && std::ranges::any_of(part, [&](const Token& t) { return is_relation(t) || is_dots(t); });
        const bool relation = std::ranges::any_of(part, relates);
        const bool read = std::ranges::any_of(part, [&](const Token& t) { return is_of_a_line(t.span); });
        if (goes_on_behind_equals(part)) return joined(part, 0, part.size());
        const bool listed = !m.displayed && is_name_of_value(part) &&
                            std::ranges::any_of(m.formula, [](const Token& t) { return t.is_command("\\in"); });
        if (!condition && !relation && !read && !listed && !is_decoration(part) && !is_left_or_last(m.formula, part))
            return joined(part, 0, part.size());
    }
    return "";
}

/// "Here $x \in \mathbb{R}^{1 \times n}$" of an x of which another sentence says what it is.
bool Accounted::states_anew(const Mention& m) const {
    const auto in = std::ranges::find_if(m.formula, [](const Token& t) { return t.is_command("\\in"); });
    if (m.displayed || in == m.formula.end() || in == m.formula.begin() || is_of_a_line(m.span) || in + 1 == m.formula.end())
        return false;
    const std::string whole = as_run(m.formula);
    const NameParts p = parts_of(source_, m.formula, 0);
    const bool input = std::ranges::find(proof_.given, p.base, &Given::name) != proof_.given.end();
    const bool space = (in + 1)->is_command("\\mathbb") && input && std::cmp_equal(p.end, in - m.formula.begin());
    return space && std::ranges::none_of(formulas_, [&](const std::string& f) { return f.find(whole) != std::string::npos; });
}

/// Whether a formula states or relates something that no line stems from, or is one that no line has.
bool Accounted::leaves_out(const Mention& m) const {
    for (std::size_t i = 0; i + 2 < m.formula.size(); ++i)
        if (m.formula[i].is_command("\\mathbb") && m.formula[i + 2].is(Token::Kind::letter, "C")) return true;
    if (states_anew(m)) return true;
    const bool compares =
        std::ranges::any_of(m.formula, [](const Token& t) { return is_comparison(t) || t.is_command("\\sim"); });
    if (compares && std::ranges::any_of(m.formula, is_derivative_sign) && !is_of_a_line(m.span)) return true;  // \nabla L \ne 2 x
    if (!m.displayed && lists_lines(source_, m.formula) && is_value(m.formula[0].text)) return false;
    if (leaves_out_of_range(m)) return true;
    if (std::ranges::any_of(m.formula, relates)) {
        std::vector<Span> equivalences;
        for (const Token& t : m.formula)
            if (is_equivalence(t)) equivalences.push_back(t.span);
        return std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& one) { return leaves_out(one, equivalences); });
    }
    return !is_of_a_line(m.span) && (m.displayed || !is_mention(m.formula));
}

/// Whether a value has a part that may make its entries sum to something: a softmax, a sum or a norm.
bool Accounted::adds_up(const Expr& value) {
    const std::string text = proof::text_of(value);
    return std::ranges::any_of(std::to_array<std::string_view>({"softmax", "sum", "Σ", "norm", "Vert"}),
                               [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// \sum_i p_i = 1 of p_i = e^{x_i} / Z, whose formula does not make it so: it says what Z is.
bool Accounted::sets_free_value(const Tokens& equation) const {
    for (std::size_t i = 0; i < equation.size(); ++i) {
        const std::string name = parts_of(source_, equation, i).base;
        if (proof_.find(name) == nullptr) continue;
        bool sums = false;
        std::set<std::string> used{name};
        for (auto a = proof_.forward.rbegin(); a != proof_.forward.rend(); ++a) {
            if (!used.contains(a->name)) continue;
            sums = sums || adds_up(*a->value);
            used.merge(names_in(*a->value));
        }
        if (!sums) return true;
    }
    const bool of_values =
        equation.size() > 8 && std::ranges::any_of(equation, [](const Token& t) { return t.is_symbol("-") || t.is_symbol("+"); });
    return of_values;  // \sum_j [z_j - \tau]_+ = 1
}

/// \sum_i y_i p_i = 1 of two values.
bool Accounted::sums_a_product(const Tokens& equation) const {
    std::set<std::string> values;
    for (std::size_t i = 0; i < equation.size(); ++i)
        if (const std::string name = parts_of(source_, equation, i).base; is_value(name)) values.insert(name);
    return values.size() > 1;
}

/// \|y\| = 1 of a y whose entries sum to 1 here.
bool Accounted::speaks_of_distribution(const Tokens& t) const {
    for (std::size_t i = 0; i < t.size(); ++i) {
        const auto given = std::ranges::find(proof_.given, parts_of(source_, t, i).base, &Given::name);
        if (given != proof_.given.end() && (given->fill == Fill::distribution || given->fill == Fill::onehot)) return true;
    }
    return false;
}

bool Accounted::leaves_out(const Tokens& equation, const std::vector<Span>& equivalences) const {
    const bool of_derivatives = std::ranges::any_of(equation, is_derivative_sign);  // \sum_i \partial L / \partial x_i = 1
    if (bounds_one_value(equation))
        return of_derivatives || sums_a_product(equation) || sets_free_value(equation) ||
               (is_norm_bar(equation.front()) && speaks_of_distribution(equation));
    for (std::size_t i = 0; i < equation.size(); ++i) {
        const std::size_t at = equation[i].span.begin;
        if (!relates(equation[i])) continue;
        if (is_range(equation, i) && is_of_indices(equation, i)) continue;  // leaves_out_of_range()
        std::size_t from = 0;  // what follows a \implies is no part of the line before it, and defines nothing
        for (const Span e : equivalences)
            if (e.begin < at) from = e.end;
        const Span behind = equation[std::min(i + 1, equation.size() - 1)].span;  // a further link begins there
        const Span link{equation[i].span.begin, std::max(equation[i].span.end, behind.end)};
        if (from > 0 ? !is_judged(link, from) || meets(skipped_, link) : !is_of_a_line(link)) return true;
    }
    return false;
}

bool Accounted::is_name_of_value(const Tokens& t) const {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source_, t, 0);
    return !p.base.empty() && p.end == t.size() && is_value(p.base);
}

/// x and x \in \mathbb{R}^n of an input.
bool Accounted::is_given(const Tokens& t) const {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source_, t, 0);
    if (p.base.empty() || (p.end != t.size() && !t[p.end].is_command("\\in"))) return false;
    return std::ranges::find(proof_.given, p.base, &Given::name) != proof_.given.end();
}

bool Accounted::is_of_a_line(Span at) const { return meets(spans_, at) || is_judged(at, 0) || meets(conditions_, at); }

bool Accounted::is_judged(Span at, std::size_t from) const {
    return std::ranges::any_of(judged_, [&](Span s) { return from <= s.begin && s.begin < at.end && at.begin < s.end; });
}

/// Whether one of its formulas is a line that is judged.
bool Accounted::claims(const Sentence& s) const {
    return std::ranges::any_of(s.formulas, [&](const Mention& m) { return is_judged(m.span, 0); });
}

/// An equation that is no claim.
bool Accounted::defines(const Mention& m) const { return !is_judged(m.span, 0) && std::ranges::any_of(m.formula, is_equals); }

bool Accounted::is_value(std::string_view name) const {
    return proof_.find(name) != nullptr || std::ranges::find(proof_.given, name, &Given::name) != proof_.given.end();
}

/// i of i = 1, \dots, n and of \sum_{i=1}, which is no value.
bool Accounted::is_range(const Tokens& t, std::size_t equals) const {
    const bool first =
        equals == 1 || (equals > 1 && (t[equals - 2].kind == Token::Kind::opening || t[equals - 2].is_symbol("[")));
    return first && is_small_letter(t[equals - 1]) && !is_value(t[equals - 1].text);
}

/// A name, several, a space, a derivative, or a part of a formula that is a line or displayed.
bool Accounted::is_mention(const Tokens& formula) const {
    const std::string whole = as_run(formula);
    return std::ranges::any_of(formulas_, [&](const std::string& f) { return f.find(whole) != std::string::npos; }) ||
           std::ranges::all_of(parts_of_list(formula), [&](const Tokens& one) { return is_name_or_space(one); });
}

bool Accounted::is_name_or_space(const Tokens& t) const {
    if (std::ranges::any_of(t, [](const Token& one) { return is_other_relation(one); })) return is_drawn_so(t);
    if (std::ranges::none_of(t, [](const Token& one) { return one.kind == Token::Kind::letter || is_derivative_sign(one); }))
        return true;  // numbers, dots, operators on their own
    if (std::ranges::any_of(t, is_derivative_sign))
        return std::ranges::none_of(
            t, [](const Token& one) { return one.kind == Token::Kind::digits || one.is_symbol("+") || one.is_symbol("-"); });
    const NameParts p = parts_of(source_, t, 0);
    const bool input = std::ranges::find(proof_.given, p.base, &Given::name) != proof_.given.end();
    if (!p.base.empty() && p.end < t.size() && t[p.end].is_symbol("("))
        return !input || !uses_value(part_of(t, p.end, t.size()));  // the weights W(x)
    return !p.base.empty() && (p.end == t.size() || t[p.end].is_command("\\times"));
}

}  // namespace gradproof::proof::latex
