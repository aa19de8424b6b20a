// Where a line holds: t = 1, \dots, T and x_i > 0.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

std::string_view relation(const Token& t) {
    using Known = std::pair<std::string_view, std::string_view>;
    constexpr Known kAll[] = {{"<", "<"},      {"\\lt", "<"},        {">", ">"},           {"\\gt", ">"}, {"\\le", "<="},
                              {"\\leq", "<="}, {"\\ge", ">="},       {"\\geq", ">="},      {"≤", "<="},   {"\\leqslant", "<="},
                              {"≥", ">="},     {"\\geqslant", ">="}, {"=", "="},           {"\\ne", "≠"}, {"\\neq", "≠"},
                              {"≠", "≠"},      {"\\in", "in"},       {"\\notin", "not in"}};
    if (t.kind != symbol && t.kind != command) return "";
    for (const auto& [text, sign] : kAll)
        if (t.text == text) return sign;
    return "";
}
std::size_t relation_in(const Tokens& tokens) {
    return static_cast<std::size_t>(
        std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return !relation(t).empty(); }) - tokens.begin());
}

namespace {

/// Of {1, ..., T} and [1, T] what stands within.
Tokens without_set(Tokens t) {
    std::erase_if(t, [](const Token& one) {
        return one.is_command("\\{") || one.is_command("\\}") || one.is_symbol("[") || one.is_symbol("]");
    });
    return t;
}

}  // namespace

/// An index, or an entry by its number, which counts from 0 here.
ExprPtr Parser::bound_value(const Tokens& tokens) {
    if (tokens.empty()) fail(peek(), "expected an index in the bounds before this");
    return entry(tokens);
}

void IndexRanges::add(const ExprPtr& condition) { holds = holds ? proof::product(holds, '*', condition) : condition; }

/// Letters that name nothing else: i, j.
std::vector<std::string> Parser::range_letters(const Tokens& tokens) const {
    std::vector<std::string> out;
    for (const Token& t : tokens)
        if (t.kind == letter && !reading_.names.defined(t.text)) out.emplace_back(t.text);
    return out;
}

/// From the first value to the last, upwards or downwards.
void Parser::range(IndexRanges& out, const std::vector<std::string>& letters, const Tokens& first, const Tokens& last) {
    ExprPtr low = bound_value(first), high = bound_value(last);
    if (high->kind == Kind::number && low->kind != Kind::number) std::swap(low, high);
    const ExprPtr size = size_of_last(*high);
    for (const std::string& i : letters) {
        if (low->kind != Kind::number || low->number != 0) out.add(comparison(name(i), ">=", low));
        if (size && is_size(*size))
            out.extents.push_back({i, size, high->span});
        else
            out.add(comparison(name(i), "<=", high));
    }
}

/// Whether a value stands there, or entries of one.
bool Parser::has_value(const Tokens& tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (names_a_value(reading_, name_at(reading_, tokens, i))) return true;
    return false;
}

/// 1 \le t < T, i \ne j, t \in \{1, \dots, T\}
void Parser::bounds(IndexRanges& out, const Tokens& piece) {
    std::size_t sign_at = relation_in(piece);
    Tokens left = part_of(piece, 0, sign_at);
    while (sign_at < piece.size()) {
        const std::size_t from = sign_at + 1, next = from + relation_in(part_of(piece, from, piece.size()));
        const Tokens right = part_of(piece, from, next);
        const std::string_view sign = relation(piece[sign_at]);
        const bool is_set = !right.empty() && right.front().is_command("\\{") &&
                            std::ranges::none_of(right, [](const Token& t) { return is_dots(t); });
        if (sign == "not in" || (sign == "in" && (is_set || has_value(left)))) {  // x_i \in (0, 1), i \in \{1, n\}
            if (next != piece.size()) fail(piece[next], "nothing may be compared behind \\in: write a condition of its own");
            return out.add(relations(piece, !has_value(left)));
        }
        if (sign == "in") {  // [T], [1, T]
            const std::vector<Tokens> ends = pieces_of(without_set(right), ",");
            const Token one{digits, "1", right.empty() ? piece[sign_at].span : right[0].span, false};
            return range(out, range_letters(left), ends.size() > 1 ? ends.front() : Tokens{one}, ends.back());
        }
        const bool of_values = has_value(left) || has_value(right);  // x_i > 0
        const auto side = [&](const Tokens& t) { return of_values ? with_labels(inner(t)) : bound_value(t); };
        const ExprPtr a = side(left), b = side(right);
        const bool trivial = a->kind == Kind::number && a->number <= 0 && relation(piece[sign_at]) == "<=";
        const bool index = a->kind == Kind::name && !reading_.names.defined(a->name);
        const ExprPtr size = reading_.spelling->first == 0 && sign == "<" ? b : sign == "<=" ? size_of_last(*b) : nullptr;
        if (index && size && size->kind == Kind::name && is_size(*size))
            out.extents.push_back({a->name, size, size->span});
        else if (!trivial)
            out.add(of_values && (sign == "=" || sign == "≠") ? equality_of_values(a, b, sign == "=") : comparison(a, sign, b));
        left = right;
        sign_at = next;
    }
}

/// What commas and words join: i, j = 1, \dots, n; t > 1.
IndexRanges Parser::ranges_joined(const std::vector<Tokens>& pieces, bool conditional) {
    IndexRanges out;
    std::vector<std::string> waiting;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        const std::size_t sign = relation_in(pieces[k]);
        if (sign == pieces[k].size()) {
            waiting = range_letters(pieces[k]);
            if (waiting.empty() && !is_dots(pieces[k][0]))
                fail(pieces[k][0], fmt::format("where the line holds is not read: {}", printable(pieces[k][0].text, 40)));
            continue;
        }
        std::size_t dots = k;
        while (dots < pieces.size() && (pieces[dots].size() != 1 || !is_dots(pieces[dots][0]))) ++dots;
        std::vector<std::string> letters = range_letters(part_of(pieces[k], 0, sign));
        const std::string_view by = relation(pieces[k][sign]);
        if (letters.empty() && by == "=" && !(conditional && has_value(part_of(pieces[k], 0, sign)))) continue;
        if ((by != "=" && by != "in") || dots + 1 >= pieces.size()) {
            bounds(out, pieces[k]);
            continue;
        }
        letters.insert(letters.end(), waiting.begin(), waiting.end());
        range(out, letters, without_set(part_of(pieces[k], sign + 1, pieces[k].size())), without_set(pieces[dots + 1]));
        k = dots + 1;
        waiting.clear();
    }
    return out;
}

IndexRanges Parser::ranges() {
    Tokens all = tokens_;
    // if L = 0, where "where h_0 = 0" says what stands before the first entry
    const bool conditional = std::ranges::any_of(all, [](const Token& t) { return t.kind == words && is_conditional(t.text); });
    const auto joins_conditions = [](const Token& t) {
        const Remark says = remark_of(t.text);
        return says == Remark::where || says == Remark::joins || joins_alternatives(t.text);
    };
    for (const Token& t : all)
        if (t.kind == words && !joins_conditions(t))
            fail(t,
                 fmt::format("where the line holds is not read: \\text{{{}}}; say it as t < T or i = j", printable(t.text, 40)));
    std::erase_if(all,
                  [](const Token& t) { return t.is_command("\\quad") || t.is_command("\\qquad") || t.is_command("\\forall"); });
    while (!all.empty() && all.front().kind == words) all.erase(all.begin());
    while (!all.empty() && (all.back().is_symbol(".") || all.back().is_symbol(",") || all.back().is_symbol(";"))) all.pop_back();
    const bool brackets = all.size() > 2 && ((all.front().is_symbol("(") && all.back().is_symbol(")")) ||
                                             (all.front().is_symbol("[") && all.back().is_symbol("]")));
    if (brackets) all = part_of(all, 1, all.size() - 1);
    const std::vector<Tokens> alternatives = alternatives_of(all);
    if (alternatives.empty()) return {};
    if (alternatives.size() == 1) return ranges_joined(demands_of(alternatives[0]), conditional);
    IndexRanges out;
    std::vector<ExprPtr> of;
    for (const Tokens& alternative : alternatives) {
        const IndexRanges one = ranges_joined(demands_of(alternative), conditional);
        if (!one.holds || !one.extents.empty())
            fail(alternative[0], "where the line holds is not read: beside \"or\" it is said by comparisons, as x > 0");
        of.push_back(one.holds);
    }
    out.add(one_of(of));
    return out;
}

}  // namespace gradproof::proof::latex
