// Gradients on a surface that the text says its input lies on: \operatorname{grad} f(x) of a unit vector x.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/last_value.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

ExprPtr inner_product(const ExprPtr& a, const ExprPtr& b) { return call("sum", {product(a, '*', b)}); }

/// y of x^\top y and y^\top x, for the input x; nullptr of others.
ExprPtr factor_beside(const Expr& e, const std::string& x) {
    if (e.kind == Kind::call && e.name == "sum" && e.children.size() == 1) return factor_beside(*e.children[0], x);
    if (e.kind != Kind::product || e.children.size() != 2 || e.joints[1] == '/') return nullptr;
    const auto bare = [](const ExprPtr& c) { return c->kind == Kind::transpose ? c->children[0] : c; };
    const ExprPtr a = bare(e.children[0]), b = bare(e.children[1]);
    if (a->kind == Kind::name && a->name == x && !mentions(*b, x)) return b;
    return b->kind == Kind::name && b->name == x && !mentions(*a, x) ? a : nullptr;
}
/// \sum_i x_i.
bool is_sum_of(const Expr& e, const std::string& x) {
    const bool sums =
        (e.kind == Kind::reduce && e.name == "sum" && e.bound.size() == 1) || (e.kind == Kind::call && e.name == "sum");
    if (!sums || e.children.size() != 1) return false;
    const Expr& of = e.children[0]->kind == Kind::index ? *e.children[0]->children[0] : *e.children[0];
    return of.kind == Kind::name && of.name == x;
}

/// Where e is to stay as it is: a sum of the entries, or an inner product; nullptr of others.
ExprPtr along_assumed(const ExprPtr& gradient, const std::string& by, const Expr& e) {
    if (is_sum_of(e, by)) return sum(gradient, '-', call("mean", {gradient}));
    const ExprPtr other = factor_beside(e, by);
    if (!other) return nullptr;
    if (other->kind == Kind::call && other->name == "ones") return sum(gradient, '-', call("mean", {gradient}));
    const ExprPtr part = product(inner_product(other, gradient), '/', inner_product(other, other));
    return sum(gradient, '-', product(part, '*', other));
}

/// The part of a gradient along the surface that an input lies on; nullptr where nothing says which.
ExprPtr along_surface(const ExprPtr& gradient, const std::string& by, const Proof& proof) {
    const auto given = std::ranges::find(proof.given, by, &Given::name);
    const Fill fill = given == proof.given.end() ? Fill::normal : given->fill;
    const ExprPtr x = name(by);
    const bool has_form = fill == Fill::unit || fill == Fill::orthogonal || fill == Fill::frame;
    const auto said = std::ranges::count_if(proof.assumed, [&](const Assumption& a) { return a.of.contains(by); });
    if (said + has_form != 1) return nullptr;  // on several surfaces at once
    if (fill == Fill::unit) return sum(gradient, '-', product(inner_product(x, gradient), '*', x));
    if (fill == Fill::orthogonal || fill == Fill::frame) {
        const ExprPtr across = product(transpose(x), '@', gradient), back = product(transpose(gradient), '@', x);
        return sum(gradient, '-', product(x, '@', product(sum(across, '+', back), '/', number(2))));
    }
    for (const Assumption& a : proof.assumed)
        if (a.left && !mentions(*a.right, by))
            if (const ExprPtr along = along_assumed(gradient, by, *a.left)) return along;
    return nullptr;
}

}  // namespace

/// Of \operatorname{grad} f(x), \operatorname{grad}_x f and \operatorname{grad}_{\mathcal M} f; nullptr where none stands here.
ExprPtr Parser::gradient_on_surface() {
    const std::size_t begin = at_;
    const Token at = peek();
    NameParts p;
    if (at.is_command("\\grad")) {
        p.base = "grad";
        p.end = at_ + 1;
    } else {
        p = parts_of(reading_.source, tokens_, at_);
    }
    if (p.base != "grad" || p.has_above || p.primed || reading_.names.defined("grad") || meaning_of("grad")) return nullptr;
    if (parts_of(reading_.source, tokens_, p.end).base.empty()) return nullptr;  // a name: \mathrm{grad}_W
    at_ = p.end;
    Differentiated by;
    if (p.has_below && !p.below.empty() && !is_font(p.below[0].text)) by = differentiated_in(p.below, false);
    Differentiated of = differentiated(take_name("what the gradient is of: \\operatorname{grad} f(x)"), tokens_[p.end], true);
    skip_inputs(of);
    const std::string& f = of.is_loss ? reading_.names.loss : of.name;
    if (by.name.empty()) by.name = only_input_of(f, reading_);
    if (by.name.empty())
        fail(at, "say by which input the gradient is taken: write f with it, as f(x) = ..., or \\operatorname{grad}_x f");
    if (const Assignment* const value = reading_.proof.find(f); value != nullptr && value->is_loss) of.is_loss = true;
    const ExprPtr along = along_surface(derivative(of, by, begin), by.name, reading_.proof);
    if (!along)
        fail(at,
             fmt::format("grad is read as the gradient along the surface that {0} lies on, and no one thing that is read says "
                         "which: say $\\|{0}\\| = 1$, ${0}^\\top {0} = I$ or $\\sum_i {0}_i = 0$, or write \\nabla for all "
                         "directions",
                         by.name));
    return finish(begin, along);
}

}  // namespace gradproof::proof::latex
