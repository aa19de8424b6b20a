// What stands behind the sign of a derivative, and how far it goes.
#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// Of \frac{\partial}{\partial X} L and \frac{\partial}{\partial x} x^\top x what follows.
Parser::Differentiated Parser::follower() {
    Differentiated out;
    const std::size_t begin = at_;
    skip_loss();
    out.is_loss = at_ != begin;
    if (!out.is_loss) out.expression = product();
    return out;
}

/// Whether a value is used that is computed from x or is x, or a gradient, as of \nabla_x (v^\top \nabla_x f).
bool Parser::uses_what_follows(const Expr& e, const std::string& x) const {
    const std::size_t order = reading_.proof.order_of(x);
    return any_part(e, [&](const Expr& part) {
        if (part.kind == Kind::gradient || part.kind == Kind::jacobian) return true;
        return part.kind == Kind::name && (part.name == x || reading_.proof.order_of(part.name) > order);
    });
}

/// \nabla_x f g of two that follow from x may be of the product, and may be a gradient times g.
void Parser::expect_no_factor_of(const Differentiated& by) {
    const std::size_t here = at_;
    const Token at = peek();
    const bool divides = operator_here() != '\0';
    if (!divides && !starts_operand()) return;
    if (divides) take();
    const bool is_gradient = at.is_command("\\nabla") || at.is_symbol("∇");
    const ExprPtr factor = unary();
    if (is_gradient && factor->kind == Kind::transpose) return void(at_ = here);  // \nabla_x f \nabla_x f^\top
    if (any_part(*factor, [](const Expr& part) { return part.kind == Kind::name; }) && uses_what_follows(*factor, by.name))
        fail(at, "what the gradient is taken of may end before this factor or behind it: put brackets");
    at_ = here;
}

/// \frac{d}{dx} x^2 + 3 x may be of the sum, and may be of x^2 alone; not of what stands in brackets from `begin` on.
void Parser::expect_no_term_of(std::size_t begin, const Differentiated& by) {
    const Token at = peek();
    const bool bracketed = tokens_[begin].is_symbol("(") && end_of_brackets(tokens_, begin) == at_;
    if (bracketed || by.name.empty() || !(at.is_symbol("+") || at.is_symbol("-"))) return;
    const std::size_t here = at_;
    take();
    const ExprPtr term = product();
    const auto derives = [](const Expr& e) { return e.kind == Kind::gradient || e.kind == Kind::jacobian; };
    if (!any_part(*term, derives) && uses_what_follows(*term, by.name))
        fail(at, "what the derivative is taken of may end before this term or behind it: put brackets");
    at_ = here;
}

/// f of f^\top, where it is one number: of \nabla_x f^\top the gradient is transposed.
NameParts Parser::without_transpose(NameParts p) const {
    if (!p.has_above || p.has_below || p.primed || !is_transpose(reading_.source, p.above)) return p;
    const std::string id = reading_.id_of(p.key(false, false, false));
    const auto axes = reading_.proof.find(id) != nullptr ? names_of_axes(id) : std::nullopt;
    if (!axes || !axes->empty()) return p;
    p.has_above = false;
    p.end = p.base_end;
    return p;
}

/// What a gradient by a value is taken of where it is not the loss: a value that is computed from it, or an expression in
/// brackets; nothing where a factor follows.
std::optional<Parser::Differentiated> Parser::follower_of(const Differentiated& by) {
    const std::size_t begin = at_, order = reading_.proof.order_of(by.name);
    if (peek().is_symbol("(")) {
        Differentiated out;
        out.expression = bracketed();
        if (uses_what_follows(*out.expression, by.name)) return out;
    } else if (const NameParts p = without_transpose(parts_of(reading_.source, tokens_, at_)); !p.base.empty()) {
        if (const ExprPtr e = defined_name(p)) {
            const bool entry = e->kind == Kind::index && e->children[0]->kind == Kind::name;
            const Expr& of = entry ? *e->children[0] : *e;
            if (of.kind == Kind::name && reading_.proof.order_of(of.name) > order) {
                Differentiated out;
                out.name = of.name;
                if (entry) out.entries.assign(e->children.begin() + 1, e->children.end());
                return out;
            }
        }
    }
    at_ = begin;
    return std::nullopt;
}

/// \frac{df}{dx}(3), and (x), is the derivative there, and no product.
void Parser::expect_no_point(const Differentiated& by) {
    if (!peek().is_symbol("(")) return;
    const std::size_t end = end_of_brackets(tokens_, at_);
    const bool number = end == at_ + 3 && tokens_[at_ + 1].kind == digits;
    const NameParts p = end > at_ + 2 && end <= tokens_.size() ? parts_of(reading_.source, tokens_, at_ + 1) : NameParts{};
    const bool itself =
        !p.base.empty() && p.end + 1 == end && reading_.id_of(p.key(p.has_above, p.has_below, p.primed)) == by.name;
    if (number || itself)
        fail(peek(), "a derivative at a point is not read: leave the point out where it is general; for a product write \\cdot");
}

}  // namespace gradproof::proof::latex
