// Second derivatives of LaTeX.
#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/last_value.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_sign(const Token& t) { return t.is_command("\\partial") || t.is_symbol("∂"); }

}  // namespace

/// Of the gradient by one value, which the option says, by another.
ExprPtr Parser::second_derivative(Differentiated of, Differentiated by, Differentiated then_by, std::size_t begin) {
    Expr e = node(Kind::jacobian);
    e.name = of.is_loss ? reading_.names.loss.empty() ? "L" : reading_.names.loss : of.name;
    if (!of.entries.empty()) fail(tokens_[begin], "a second derivative is of one number: of a value f, or of the loss");
    e.children = std::move(by.entries);
    e.split = e.children.size();
    e.children.insert(e.children.end(), then_by.entries.begin(), then_by.entries.end());
    e.other = then_by.name;
    if (of.expression) e.children.push_back(of.expression);
    e.options.push_back({"by", proof::name(by.name), tokens_[begin].span});
    return finish(begin, std::move(e));
}

/// \partial x \partial y^\top, and \partial x^2.
std::pair<Parser::Differentiated, Parser::Differentiated> Parser::twice_by(const Tokens& bottom) {
    std::size_t second = 1;
    while (second < bottom.size() && !is_sign(bottom[second])) ++second;
    Tokens first = part_of(bottom, 1, second), then;
    const bool two = second < bottom.size();
    if (two) then = part_of(bottom, second + 1, bottom.size());
    Tokens& last = two ? then : first;
    std::size_t raised = last.size();
    while (raised > 0 && !last[raised - 1].is_symbol("^")) --raised;
    const Tokens script = raised > 0 && raised < last.size() ? inside_group(reading_.source, last, raised) : Tokens{};
    const bool square = script.size() == 1 && script[0].text == "2";
    if (two ? is_transpose(reading_.source, script) : square) last.resize(raised - 1);
    if (!two && !square)
        fail(bottom[0],
             "a second derivative says what it is taken by twice: \\frac{\\partial^2 f}{\\partial x \\partial x^\\top}");
    const Differentiated by = differentiated_in(first, false);
    return {by, two ? differentiated_in(then, false) : by};
}

/// The tokens behind \partial above, and all of those below.
ExprPtr Parser::second_fraction(const Tokens& top, const Tokens& bottom, std::size_t begin) {
    const std::size_t behind = end_of_group(reading_.source, top, 1);
    const Tokens order = top.size() > 1 ? inside_group(reading_.source, top, 1) : Tokens{};
    if (order.size() != 1 || order[0].text != "2") fail(top[0], "derivatives of a higher order than the second are not read");
    const Tokens above = part_of(top, behind, top.size());
    Differentiated of;
    if (!above.empty()) of = differentiated_in(above, true);
    auto [by, then_by] = twice_by(bottom);
    const std::size_t behind_sign = at_;
    if (above.empty()) of = follower();
    if (of.expression && above.empty()) expect_no_term_of(behind_sign, by);
    return second_derivative(std::move(of), std::move(by), std::move(then_by), begin);
}

/// \partial^2 f / \partial x \partial y
ExprPtr Parser::second_partial(std::size_t begin) {
    const Tokens order = script();
    if (order.size() != 1 || order[0].text != "2")
        fail(tokens_[begin], "derivatives of a higher order than the second are not read");
    const Token at = peek();
    Differentiated of = differentiated(take_name("the name of a value"), at, true);
    if (!take_symbol("/") || !is_sign(peek()))
        fail(peek(), "expected / and what the derivative is taken by: \\partial^2 f / \\partial x \\partial x^\\top");
    Tokens bottom;
    for (int names = 0; names < 2 && !done() && is_sign(peek()); ++names) {
        bottom.push_back(take());
        const std::size_t from = at_;
        take_name("the name of a value");
        for (std::size_t i = from; i < at_; ++i) bottom.push_back(tokens_[i]);
    }
    auto [by, then_by] = twice_by(bottom);
    return second_derivative(std::move(of), std::move(by), std::move(then_by), begin);
}

/// What \nabla^2 is of: the loss or a value, by its name.
Parser::Differentiated Parser::named_follower() {
    Differentiated out;
    const std::size_t begin = at_;
    skip_loss();
    out.is_loss = at_ != begin;
    if (out.is_loss) return out;
    if (peek().is_symbol("(")) {
        out.expression = bracketed();
        return out;
    }
    const Token at = peek();
    return differentiated(take_name("what the second derivative is of: \\nabla^2 f"), at, false);
}

/// \nabla^2 f, \nabla_x^2 f, \nabla^2_{x} f; nothing where no ^2 stands behind the sign.
std::optional<ExprPtr> Parser::second_nabla(std::size_t begin) {
    std::optional<Tokens> by, order;
    const std::size_t start = at_;
    while (peek().is_symbol("^") || peek().is_symbol("_")) {
        const bool above = peek().is_symbol("^");
        (above ? order : by) = script();
    }
    if (!order || order->size() != 1 || (*order)[0].text != "2") {
        at_ = start;
        return std::nullopt;
    }
    Differentiated x;
    if (by) x = differentiated_in(*by, false);
    const Differentiated of = named_follower();
    if (!by && !of.expression) x.name = only_input_of(of.is_loss ? reading_.names.loss : of.name, reading_);
    return second_derivative(of, x, x, begin);
}

}  // namespace gradproof::proof::latex
