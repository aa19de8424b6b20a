// Arrays and boxes around equations.
#include "gradproof/core/proof/language/latex/arrays.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool has_columns(std::string_view name) {
    constexpr std::string_view kAll[] = {"array", "darray", "IEEEeqnarraybox", "subarray"};
    return is_one(kAll, name);
}
/// What may hold equations as well as a value.
bool may_hold_equations(std::string_view name) {
    constexpr std::string_view kAll[] = {"cases", "dcases", "rcases", "drcases", "matrix", "cases*", "dcases*"};
    return has_columns(name) || is_one(kAll, name);
}

/// Where the environment ends that begins at `at`; the end of the tokens where it does not.
std::size_t end_of_environment(const Tokens& t, std::size_t at) {
    int depth = 0;
    for (std::size_t i = at; i < t.size(); ++i) {
        depth += t[i].kind == begins ? 1 : t[i].kind == ends ? -1 : 0;
        if (depth == 0) return i;
    }
    return t.size();
}

/// Behind [t].
std::size_t behind_option(const Tokens& t, std::size_t at) {
    if (at >= t.size() || !t[at].is_symbol("[")) return at;
    while (at < t.size() && !t[at++].is_symbol("]")) {
    }
    return at;
}
/// Behind [t] and {rcl}.
std::size_t behind_columns(const Source& source, const Tokens& t, std::size_t begin) {
    const std::size_t at = behind_option(t, begin + 1);
    return has_columns(t[begin].text) && at < t.size() ? end_of_group(source, t, at) : at;
}

/// Whether an = stands in the first column, or alone at the head of the second: x = 1 in the second is a condition.
bool holds_equations(const Tokens& t, std::size_t begin, std::size_t end) {
    int level = 0, columns = 0;
    for (std::size_t i = begin; i < end; ++i) {
        level += bracket(t[i]);
        if (level != 0) continue;
        if (t[i].is_command("\\\\")) columns = 0;
        if (t[i].is_symbol("&")) ++columns;
        if (is_equals(t[i]) && (columns == 0 || (columns == 1 && t[i - 1].is_symbol("&")))) return true;
    }
    return false;
}

/// Whether a row or an equation begins behind `before`, or ends before `behind`.
bool is_edge(const Token& t) {
    return is_separator(t) || t.kind == words || t.is_symbol("&") || t.is_command("\\\\") || t.is_symbol(".");
}

/// Of {f(x) =} and rows: f(x) = \begin{cases} ... \end{cases}; the rows alone where they are equations.
Tokens with_cases(const Source& source, const Tokens& in) {
    if (in[0].kind != opening) return in;  // of {} nothing is left
    const std::size_t first = end_of_group(source, in, 0);
    const bool equations = holds_equations(in, first, in.size());
    Tokens out = equations ? Tokens{} : inside_group(source, in, 0);
    if (!equations) out.push_back({begins, "cases", in[0].span, false});
    out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(first), in.end());
    if (!equations) out.push_back({ends, "cases", in.back().span, false});
    return out;
}

}  // namespace

bool is_see_through(std::string_view name) {
    constexpr std::string_view kAll[] = {"split", "aligned", "gathered", "alignedat", "multlined", "aligned*"};
    return is_one(kAll, name);
}

Tokens with_formulas_of_boxes(const Source& source, const Tokens& in) {
    constexpr std::string_view kBoxes[] = {"\\fbox", "\\framebox", "\\makebox", "\\ovalbox", "\\doublebox", "\\shadowbox"};
    constexpr std::string_view kBoxesWithArgument[] = {"\\colorbox", "\\parbox", "\\raisebox"};
    Tokens out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        out.push_back(in[i]);
        const bool box = in[i].kind == command && is_one(kBoxes, in[i].text);
        const bool after_argument = in[i].kind == command && is_one(kBoxesWithArgument, in[i].text);
        if (!box && !after_argument && !(in[i].kind == command && is_text(in[i].text))) continue;
        std::size_t at = i + 1;
        if (box) at = behind_option(in, behind_option(in, at));
        if (after_argument && at < in.size()) at = end_of_group(source, in, at);
        if (at >= in.size() || in[at].kind != opening) continue;
        const std::size_t end = end_of_group(source, in, at);
        const auto within = [&](std::size_t k) { return in[k].is_symbol("$"); };
        const bool formula = end - at > 4 && within(at + 1) && within(end - 2);
        std::size_t dollars = 0;
        for (std::size_t k = at; k < end; ++k) dollars += within(k) ? 1 : 0;
        if (!formula || dollars != 2) continue;
        out.back() = in[at];
        const Tokens inside = part_of(in, at + 2, end - 2);
        out.insert(out.end(), inside.begin(), inside.end());
        out.push_back(in[end - 1]);
        i = end - 1;
    }
    return out;
}

Tokens with_equations_of_arrays(const Source& source, std::string_view formula, const Tokens& in) {
    if (in.empty()) return in;
    if (formula.starts_with("\\begin{empheq")) {
        const std::size_t name = behind_option(in, 0);
        const std::size_t rows = name < in.size() ? end_of_group(source, in, name) : name;
        return part_of(in, rows, in.size());
    }
    if (formula.starts_with("\\begin{numcases") || formula.starts_with("\\begin{subnumcases")) return with_cases(source, in);
    Tokens out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool braced = in[i].is_command("\\{") && i + 1 < in.size() && in[i + 1].kind == begins;
        const std::size_t begin = braced ? i + 1 : i;
        const bool see_through = in[begin].kind == begins && is_see_through(in[begin].text);
        const bool array = in[begin].kind == begins && may_hold_equations(in[begin].text);
        const std::size_t end = see_through || array ? end_of_environment(in, begin) : in.size();
        const bool alone = (out.empty() || is_edge(out.back())) && (end + 1 >= in.size() || is_edge(in[end + 1]));
        const std::size_t first = array && end < in.size() ? behind_columns(source, in, begin) : begin;
        const bool opens = end < in.size() && alone && (see_through ? braced : array && holds_equations(in, first, end));
        const bool cases =
            !opens && braced && array && end < in.size() && !(end + 1 < in.size() && in[end + 1].is_command("\\}"));
        if (!opens && !cases) {
            out.push_back(in[i]);
            continue;
        }
        const Tokens rows = part_of(in, first, see_through ? end + 1 : end);
        if (cases) out.push_back({begins, "cases", in[i].span, in[i].blank});
        out.insert(out.end(), rows.begin(), rows.end());
        if (cases) out.push_back({ends, "cases", in[end].span, false});
        i = end;
    }
    return out;
}

}  // namespace gradproof::proof::latex
