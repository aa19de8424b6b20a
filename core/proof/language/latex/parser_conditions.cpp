// Conditions of LaTeX: of indicators, cases and sums, and of where a line holds.
#include <algorithm>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"
#include "gradproof/core/proof/language/short_forms.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// i of i + 1, as an index and a label stand that the author counts from 1; nullptr of others.
ExprPtr counted_from_zero(const Expr& e) {
    const bool counted = e.kind == Kind::sum && e.joints == "++" && e.children.size() == 2 && is_number(*e.children[1], 1);
    return counted && (e.children[0]->kind == Kind::name || e.children[0]->kind == Kind::index) ? e.children[0] : nullptr;
}

bool is_or(const Token& t) {
    if (t.kind == words) return joins_alternatives(t.text);
    return t.is_command("\\lor") || t.is_command("\\vee");
}
bool is_and(const Token& t) { return t.kind == words || t.is_symbol(",") || t.is_command("\\land") || t.is_command("\\wedge"); }

/// The parts between such tokens that stand in no brackets; none of them is empty.
template <typename IsBetween>
std::vector<Tokens> parts_between(const Tokens& tokens, const IsBetween& is_between) {
    std::vector<Tokens> out(1);
    int level = 0;
    for (const Token& t : tokens) {
        level += bracket(t);
        if (level == 0 && is_between(t))
            out.emplace_back();
        else
            out.back().push_back(t);
    }
    std::erase_if(out, [](const Tokens& part) { return part.empty(); });
    return out;
}

bool is_infinite(const Tokens& t) { return !t.empty() && t.size() <= 2 && t.back().is_command("\\infty"); }

ExprPtr or_else(const ExprPtr& a, const ExprPtr& b) {
    if (!a) return b;
    const auto none = [](const ExprPtr& e) { return sum(number(1), '-', e); };
    return none(product(none(a), '*', none(b)));
}

}  // namespace

std::vector<Tokens> alternatives_of(const Tokens& condition) { return parts_between(condition, is_or); }
std::vector<Tokens> demands_of(const Tokens& condition) { return parts_between(condition, is_and); }
ExprPtr one_of(const std::vector<ExprPtr>& alternatives) {
    ExprPtr out;
    for (const ExprPtr& one : alternatives) out = or_else(out, one);
    return out;
}

/// With each label that stands as a number and no place as it is in the text, which counts from 1.
ExprPtr Parser::with_labels(const ExprPtr& e) const {
    if (reading_.spelling->first == 0) return e;
    return rewritten(e, [&](const Expr& part) -> ExprPtr {
        const ExprPtr same = std::make_shared<const Expr>(part);
        if (is_drawn_place(part)) return sum(same, '+', proof::number(1));
        return part.kind == Kind::index ? same : nullptr;
    });
}

bool Parser::has_relation(const Tokens& tokens) { return relation_in(tokens) < tokens.size(); }

/// 1 where a is <, >, =, ... b.
ExprPtr Parser::compared(const ExprPtr& a, std::string_view sign, const ExprPtr& b) const {
    const bool equal = sign == "=" || sign == "==", differs = sign == "≠" || sign == "!=";
    const ExprPtr i = equal || differs ? counted_from_zero(*a) : nullptr, j = i ? counted_from_zero(*b) : nullptr;
    if (!j || !(is_drawn_place(*i) || is_drawn_place(*j)) || (i->kind != Kind::name && j->kind != Kind::name))
        return comparison(a, sign, b, reading_.names);
    return equal ? delta(i, j) : sum(proof::number(1), '-', delta(i, j));
}

/// 1 where it is within (a, b), [a, b), ..., or one of \{a, b\}.
ExprPtr Parser::within_set(const ExprPtr& value, const Token& in, const Tokens& set, bool of_indices) {
    const auto refuse = [&]() { fail(in, "this condition is not read: <, >, \\le, \\ge, =, \\ne and \\in (a, b) are"); };
    if (set.size() < 3 || bracket(set.front()) != 1 || bracket(set.back()) != -1) refuse();
    const std::vector<Tokens> parts = pieces_of(part_of(set, 1, set.size() - 1), ",");
    const auto side = [&](const Tokens& t) { return of_indices ? bound_value(t) : with_labels(inner(t)); };
    const bool listed = set.front().is_command("\\{");
    const auto is_between = [](const Tokens& t) { return t.size() == 1 && is_dots(t[0]); };
    const bool from_to = listed && parts.size() > 2 && is_between(parts[parts.size() - 2]);  // \{1, \dots, n\}
    if (from_to)
        return proof::product(compared(value, ">=", side(parts.front())), '*', compared(value, "<=", side(parts.back())));
    if (std::ranges::any_of(parts, [&](const Tokens& t) { return t.empty() || is_between(t); })) refuse();
    if (listed) {
        std::vector<ExprPtr> out;
        for (const Tokens& t : parts) out.push_back(compared(value, "=", side(t)));
        return one_of(out);
    }
    const bool interval =
        (set.front().is_symbol("(") || set.front().is_symbol("[")) && (set.back().is_symbol(")") || set.back().is_symbol("]"));
    if (!interval || parts.size() != 2 || (is_infinite(parts[0]) && is_infinite(parts[1]))) refuse();
    ExprPtr out;
    if (!is_infinite(parts[0])) out = compared(value, set.front().is_symbol("[") ? ">=" : ">", side(parts[0]));
    if (is_infinite(parts[1])) return out;
    const ExprPtr below = compared(value, set.back().is_symbol("]") ? "<=" : "<", side(parts[1]));
    return out ? proof::product(out, '*', below) : below;
}

/// 1 where the relations hold, else 0: of j < i, a \le x \le b and x \in (a, b).
ExprPtr Parser::relations(const Tokens& piece, bool of_indices) {
    std::vector<std::size_t> signs;
    int level = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        level += bracket(piece[i]);
        if (level == 0 && !relation(piece[i]).empty()) signs.push_back(i);
    }
    if (signs.empty() || signs[0] == 0 || signs.back() + 1 >= piece.size())
        fail(piece.empty() ? peek() : piece[0], "expected a condition, as j < i or x > 0");
    ExprPtr out, before;
    for (std::size_t k = 0; k <= signs.size(); ++k) {
        const Tokens side = part_of(piece, k == 0 ? 0 : signs[k - 1] + 1, k < signs.size() ? signs[k] : piece.size());
        const std::string_view sign = k == 0 ? "" : relation(piece[signs[k - 1]]);
        const bool in = sign == "in" || sign == "not in";
        const ExprPtr value = in ? nullptr : of_indices ? bound_value(side) : with_labels(inner(side));
        if (k > 0) {
            ExprPtr one = in ? within_set(before, piece[signs[k - 1]], side, of_indices) : compared(before, sign, value);
            if (sign == "not in") one = sum(proof::number(1), '-', one);
            out = out ? proof::product(out, '*', one) : one;
        }
        if (in && k < signs.size()) fail(piece[signs[k]], "nothing may be compared behind \\in: write a condition of its own");
        before = value;
    }
    return out;
}

/// 1 where all of it holds, as x > 0, y > 0, or one of its alternatives: x > 1 \lor x < 0.
ExprPtr Parser::condition(const Tokens& tokens, bool of_indices) {
    std::vector<ExprPtr> alternatives;
    for (const Tokens& alternative : alternatives_of(tokens)) {
        ExprPtr all;
        for (const Tokens& piece : demands_of(alternative)) {
            const ExprPtr one = relations(piece, of_indices);
            all = all ? proof::product(all, '*', one) : one;
        }
        if (!all) fail(tokens[0], "expected a condition, as j < i or x > 0");
        alternatives.push_back(all);
    }
    if (alternatives.empty()) fail(tokens.empty() ? peek() : tokens[0], "expected a condition, as j < i or x > 0");
    return one_of(alternatives);
}

}  // namespace gradproof::proof::latex
