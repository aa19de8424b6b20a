// Entries of LaTeX: what stands in scripts, counted from 1 or from 0.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

std::vector<Tokens> pieces_of(const Tokens& tokens, std::string_view separator) {
    std::vector<Tokens> out(1);
    int depth = 0;
    for (const Token& t : tokens) {
        if (t.kind == opening || t.is_symbol("(") || t.is_symbol("[") || t.kind == begins) ++depth;
        if (t.kind == closing || t.is_symbol(")") || t.is_symbol("]") || t.kind == ends) --depth;
        if (depth == 0 && t.text == separator && (t.kind == symbol || t.kind == command))
            out.emplace_back();
        else
            out.back().push_back(t);
    }
    return out;
}

/// What an expression of indices that count from 1 is in terms of those that count from 0: n - i + 1 is n - i - 1 then. Where
/// one index is added to numbers, as in i + 1, it stays as it is.
ExprPtr Parser::moved_to_zero(const ExprPtr& e) const {
    const auto is_index = [&](const Expr& part) {
        return part.kind == Kind::name && !reading_.names.dims.contains(part.name) && !reading_.names.values.contains(part.name);
    };
    const std::function<std::optional<double>(const Expr&)> slope = [&](const Expr& part) -> std::optional<double> {
        if (part.kind == Kind::name || part.kind == Kind::number) return is_index(part) ? 1 : 0;
        if (part.kind == Kind::negate)
            if (const auto s = slope(*part.children[0])) return -*s;
        if (part.kind != Kind::sum) return std::nullopt;
        double total = 0;
        for (std::size_t i = 0; i < part.children.size(); ++i) {
            const auto s = slope(*part.children[i]);
            if (!s) return std::nullopt;
            total += part.joints[i] == '-' ? -*s : *s;
        }
        return total;
    };
    const ExprPtr one = proof::number(1);
    if (const auto s = slope(*e)) {  // a sum of indices, each with a sign
        const double by = *s - 1;
        return by == 0 ? e : sum(e, by > 0 ? '+' : '-', proof::number(std::abs(by)));
    }
    const ExprPtr from_one = rewritten(e, [&](const Expr& part) { return is_index(part) ? sum(make(part), '+', one) : nullptr; });
    return sum(from_one, '-', one);
}

ExprPtr Parser::entry(const Tokens& piece) {
    if (piece.empty()) fail(peek(), "expected an index");
    if (piece.size() == 3 && piece[0].is_symbol("(") && piece[2].is_symbol(")") && piece[1].kind == letter)
        fail(piece[0], fmt::format("({}) below a name is not read: it may be the place among sorted entries", piece[1].text));
    const std::size_t at = at_ > 0 ? at_ - 1 : 0;
    const Token& t = piece.front();
    if (piece.size() == 1 && (t.is_symbol(":") || t.is_symbol("*") || t.is_command("\\cdot") || t.is_command("\\bullet"))) {
        return finish(at, node(Kind::slice));
    }
    const int first = reading_.spelling->first;
    const std::vector<Tokens> range = pieces_of(piece, ":");
    if (range.size() == 2 && !range[0].empty() && !range[1].empty()) {
        // 1:h is the first h entries; counted from 0, 0:h is.
        return finish(at, node(Kind::slice, {entry(range[0]), inner(range[1])}));
    }
    Parser p(reading_, piece);
    p.parts_ = parts_;
    p.depth_ = depth_;
    p.in_entry_ = true;
    const ExprPtr e = p.whole();
    const bool relative =
        any_part(*e, [&](const Expr& part) { return part.kind == Kind::name && !reading_.names.dims.contains(part.name); });
    if (first == 0 || is_drawn_place(*e)) return e;
    if (relative) {
        const ExprPtr moved = moved_to_zero(e);
        return moved == e ? e : finish(at, *moved);
    }
    if (e->kind != Kind::number) return finish(at, sum(e, '-', proof::number(first)));
    if (e->number < first)
        fail(t, fmt::format("entries are counted from 1, got {}; a sum from 0 in the file makes it 0", t.text));
    Expr moved = *proof::number(e->number - first);
    moved.span = e->span;
    moved.spelling = reading_.spelling;
    return make(std::move(moved));
}

/// A place that is drawn, from 0 on, or an entry of such.
bool Parser::is_drawn_place(const Expr& e) const {
    const Expr& of = e.kind == Kind::index ? *e.children[0] : e;
    const auto given = std::ranges::find(reading_.proof.given, of.name, &Given::name);
    return of.kind == Kind::name && given != reading_.proof.given.end() && given->fill == Fill::index;
}

/// i, j of _{ij} and of _{i,j}.
std::vector<ExprPtr> Parser::entries(const Tokens& script) {
    if (script.size() > 2 && script.front().is_symbol("[") && script.back().is_symbol("]"))
        fail(script.front(), "an index in square brackets is not read: it may count entries by their size");
    std::vector<Tokens> pieces = pieces_of(script, ",");
    const auto plain = [](const Token& t) {
        const bool digit = t.kind == digits && t.text.size() == 1;
        return t.kind == letter || digit || t.is_symbol(":") || (t.kind == command && !letter_of(t.text).empty());
    };
    // X_{i1} is the first entry of row i; 2i is a number.
    const bool letters = std::any_of(script.begin(), script.end(), [](const Token& t) { return t.kind != digits; });
    if (pieces.size() == 1 && script.size() > 1 && letters && script.front().kind != digits &&
        std::all_of(script.begin(), script.end(), plain)) {
        pieces.clear();
        for (const Token& t : script) pieces.push_back({t});
    }
    std::vector<ExprPtr> out;
    for (const Tokens& piece : pieces) out.push_back(entry(piece));
    return out;
}

/// n, m of I_{n \times m}.
std::vector<ExprPtr> Parser::entries_as_sizes(const Tokens& script) {
    std::vector<ExprPtr> out;
    for (const Tokens& piece : pieces_of(script, pieces_of(script, ",").size() > 1 ? "," : "\\times"))
        out.push_back(inner(piece));
    return out;
}

std::optional<std::size_t> Parser::axes_of(const Expr& e) const {
    if (e.kind != Kind::name) return std::nullopt;
    const std::vector<Given>& given = reading_.proof.given;
    const auto found = std::ranges::find(given, e.name, &Given::name);
    return found == given.end() ? std::nullopt : std::optional(found->shape.size());
}

/// 1 and 2 of A_{12} and (A^{-1})_{12}, of a matrix.
Tokens Parser::digits_apart(const Expr& of, const Tokens& script) const {
    const bool run = script.size() == 1 && script[0].kind == digits && script[0].text.size() == 2;
    if (!run) return script;
    const auto axes = names_of_axes(of);
    if (axes ? axes->size() != 2 : !has_capital(of)) return script;
    Token first = script[0], second = script[0];
    first.text = first.text.substr(0, 1);
    second.text = second.text.substr(1);
    first.span.end = second.span.begin = first.span.begin + 1;
    return {first, {symbol, ",", second.span, false}, second};
}

/// x_j of x \in \mathbb{R}^{1 \times d} is an entry of its one row: with the 0 of that row before j.
void Parser::enter_one_row(const Expr& of, std::vector<ExprPtr>& at) const {
    if (at.size() != 1 || at.front()->kind == Kind::slice) return;
    const auto axes = names_of_axes(of);
    if (axes && axes->size() == 2 && axes->front() == "1" && axes->back() != "1") at.insert(at.begin(), proof::number(0));
}

ExprPtr Parser::entry_of(const ExprPtr& of, const Tokens& script, std::size_t begin) {
    const bool row =
        of->kind == Kind::index && std::ranges::none_of(of->children, [](const ExprPtr& c) { return c->kind == Kind::slice; });
    Expr e = node(Kind::index, row ? of->children : std::vector<ExprPtr>{of});  // (h_t)_i is an entry of h
    std::vector<ExprPtr> at = entries(digits_apart(*of, script));
    if (!row) enter_one_row(*of, at);
    e.children.insert(e.children.end(), at.begin(), at.end());
    return finish(begin, std::move(e));
}

}  // namespace gradproof::proof::latex
