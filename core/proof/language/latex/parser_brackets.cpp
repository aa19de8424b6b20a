// Brackets of formulas: (a + b), \langle a, b \rangle, columns (a, b)^\top, and braces, which are not printed.
#include "gradproof/core/proof/language/latex/parser.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

void Parser::expect_close(const Token& opener, std::string_view closer) {
    const Token& t = peek();
    if ((t.kind == symbol || t.kind == command) && t.text == closer) {
        take();
        return;
    }
    if (t.kind == none) fail(opener, fmt::format("this {} is never closed", opener.text));
    fail(t, fmt::format("expected {} or an operator, got {}", closer, printable(t.text, 40)));
}

namespace {

/// Whether + or - stands in a group, and not within brackets of its own.
bool has_bare_sum(const Tokens& inside) {
    constexpr std::string_view kOpen[] = {"(", "[", "\\{", "\\langle", "\\lfloor", "\\lceil", "\\lvert", "\\lVert"},
                               kClose[] = {")", "]", "\\}", "\\rangle", "\\rfloor", "\\rceil", "\\rvert", "\\rVert"};
    int depth = 0;
    bool bars = false;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const Token& t = inside[i];
        if (t.is_symbol("|") || t.is_command("\\|")) bars = !bars;
        depth += t.kind == opening || t.kind == begins || is_one(kOpen, t.text)  ? 1
                 : t.kind == closing || t.kind == ends || is_one(kClose, t.text) ? -1
                                                                                 : 0;
        if (depth == 0 && !bars && (t.is_symbol("+") || t.is_symbol("-") || t.is_symbol("−"))) return true;
    }
    return false;
}

/// Whether what stands in a group is printed as one thing: (x + y), \frac{x}{y}, \|x\|, f(x), x_i and 2; not \sum_i x_i and
/// \sin x.
bool is_one_thing(const Source& source, const Tokens& inside, const Expr& e) {
    const auto is_open = [](const Token& t) { return t.is_symbol("(") || t.is_symbol("["); };
    const Token& last = inside.back();
    if (e.kind == Kind::name || e.kind == Kind::number || e.kind == Kind::index || inside.size() == 1) return true;
    if (is_open(inside[0])) return end_of_brackets(inside, 0) == inside.size();
    if (is_fraction(inside[0])) return end_of_group(source, inside, end_of_group(source, inside, 1)) == inside.size();
    if (inside[0].is_command("\\sqrt") || is_norm_bar(inside[0])) return is_norm_bar(last) || last.kind == closing;
    if (e.kind != Kind::call && e.kind != Kind::reduce) return e.kind == Kind::power || e.kind == Kind::transpose;
    const auto open = std::ranges::find_if(inside, is_open);
    return open != inside.end() && end_of_brackets(inside, static_cast<std::size_t>(open - inside.begin())) == inside.size() &&
           !inside[0].is_command("\\sum") && !inside[0].is_command("\\prod");
}

}  // namespace

/// Braces are not printed: of {a + b} c only b is multiplied, and of {A b}^\top only b is turned.
void Parser::expect_printed_brackets(std::size_t begin, const Tokens& inside, const Expr& e) const {
    if (notation_) return;
    const bool first = begin == 0 || tokens_[begin - 1].is_symbol("+") || tokens_[begin - 1].is_symbol("(") ||
                       tokens_[begin - 1].is_symbol("[") || tokens_[begin - 1].is_symbol(",");
    const Token& next = peek();
    const bool last = done() || next.is_symbol("+") || next.is_symbol("-") || next.is_symbol("−") || next.is_symbol(")") ||
                      next.is_symbol("]") || next.is_symbol(",");
    const bool raised = next.is_symbol("^") || next.is_symbol("'");
    const bool divides = begin > 0 && tokens_[begin - 1].is_symbol("/") && e.kind == Kind::product;  // 1/{2x}
    if ((!(first && last) && has_bare_sum(inside)) || ((raised || divides) && !is_one_thing(reading_.source, inside, e)))
        fail(tokens_[begin], "braces are not printed: write \\left( and \\right) around what goes together");
}

ExprPtr Parser::bracketed() {
    const std::size_t begin = at_;
    const Token opener = take();
    if (opener.kind == opening) {
        --at_;
        const Tokens inside = group("a group");
        if (inside.empty()) return primary();
        const ExprPtr e = inner(inside);
        expect_printed_brackets(begin, inside, *e);
        return finish(begin, e);
    }
    const int bars = std::exchange(bars_, 0);
    const ExprPtr e = expression();
    if (opener.is_command("\\langle")) {
        if (!take_symbol(",") && !peek().is_command("\\mid")) fail(peek(), "expected a comma: \\langle a, b \\rangle");
        const ExprPtr other = expression();
        expect_close(opener, "\\rangle");
        bars_ = bars;
        return finish(begin, call("sum", {finish(begin, proof::product(e, '*', other))}));
    }
    if (opener.is_symbol("(") && peek().is_symbol(",")) {
        const ExprPtr column = rest_of_column(e, begin);
        bars_ = bars;
        return column;
    }
    expect_close(opener, opener.text == "(" ? ")" : opener.text == "[" ? "]" : "\\}");
    bars_ = bars;
    return e;
}

/// (a, b)^\top, a column of numbers, behind the first of them.
ExprPtr Parser::rest_of_column(const ExprPtr& first, std::size_t begin) {
    Expr e = node(Kind::array, {first});
    const Token comma = peek();
    while (take_symbol(",")) e.children.push_back(expression());
    expect_close(tokens_[begin], ")");
    const Tokens above = peek().is_symbol("^") ? script() : Tokens{};
    if (!is_transpose(reading_.source, above) && !take_symbol("'"))
        fail(comma, "a list in brackets is read as a column where it is transposed: (a, b)^\\top");
    for (const ExprPtr& entry : e.children)
        if (const auto axes = names_of_axes(*entry); !axes || !axes->empty())
            fail(comma, "a column in brackets is read of numbers: put arrays below each other with \\operatorname{concat}");
    return finish(begin, std::move(e));
}

/// [1, 2, ...] of an annotation.
ExprPtr Parser::array_of_notation() {
    const std::size_t begin = at_;
    const Token opener = take();
    Expr e = node(Kind::array);
    while (!peek().is_symbol("]")) {
        e.children.push_back(expression());
        if (!take_symbol(",")) break;
    }
    expect_close(opener, "]");
    return finish(begin, std::move(e));
}

}  // namespace gradproof::proof::latex
