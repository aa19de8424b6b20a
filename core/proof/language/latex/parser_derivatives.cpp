// Fractions and derivatives of LaTeX.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/last_value.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/paths.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_partial(const Token& t) { return t.is_command("\\partial") || t.is_symbol("∂"); }

}  // namespace

/// What a derivative is taken of: L, ℒ, Loss, what the file calls its loss; and ℓ, J, E, C where nothing else is called so.
bool Parser::is_loss(const NameParts& p) const {
    const std::string key = p.key(p.has_above, p.has_below, p.primed);
    if (key.empty()) return false;
    if (reading_.names.is_loss(reading_.id_of(key))) return true;
    const bool unnamed = !reading_.unnamed_loss.empty() && p.base == reading_.unnamed_loss && reading_.names.loss.empty();
    return (is_usual_loss(p.base) || unnamed) && !reading_.is_defined(key) && !reading_.is_defined(p.base) &&
           !reading_.defined_bases.contains(p.base);
}

void Parser::skip_loss() {
    NameParts p = parts_of(reading_.source, tokens_, at_);
    if (p.base.empty()) return;
    if (!is_loss(p)) {
        if (reading_.is_defined(p.key(p.has_above, p.has_below, p.primed))) return;  // a value of its own, \mathcal{L}_1
        p.has_above = p.has_below = p.primed = false;  // of \nabla_X L^\top the gradient is transposed
        p.end = p.base_end;
    }
    if (!is_loss(p)) return;
    at_ = p.end;
    told_loss(p);
    skip_arguments(p);
}

/// Behind the name of a value that is written with its arguments, f(x): these.
void Parser::skip_arguments(const NameParts& p) {
    if (!peek().is_symbol("(")) return;
    auto defined = reading_.arguments.find(reading_.id_of(p.key(p.has_above, p.has_below, p.primed)));
    if (defined == reading_.arguments.end() && p.has_below)  // \ell_i(w) of \ell
        defined = reading_.arguments.find(reading_.id_of(p.key(p.has_above, false, p.primed)));
    if (defined == reading_.arguments.end()) return skip_what_it_follows_from(p);
    const std::size_t end = end_of_brackets(tokens_, at_);
    if (joined(tokens_, at_, end) != defined->second.text)
        fail(peek(),
             fmt::format("{0} is a value that was written {0}{1}: with other arguments it is not read; give that value a name",
                         printable(p.base, 40), printable(defined->second.text, 60)));
    at_ = end;
}

/// Of \sigma(W), where \sigma = u^\top W v: a value written with what it follows from.
void Parser::skip_what_it_follows_from(const NameParts& p) {
    const std::string id = reading_.id_of(p.key(p.has_above, p.has_below, p.primed));
    const std::size_t end = end_of_brackets(tokens_, at_);
    if (reading_.proof.find(id) == nullptr || end <= at_ + 2) return;
    for (const Tokens& one : pieces_of(part_of(tokens_, at_ + 1, end - 1), ",")) {
        const NameParts of = one.empty() ? NameParts{} : parts_of(reading_.source, one, 0);
        const std::string by = of.base.empty() ? "" : reading_.id_of(of.key(of.has_above, of.has_below, of.primed));
        if (by.empty() || of.end != one.size() || !follows_from(id, by, reading_.proof)) return;
    }
    at_ = end;
}

/// Of \nabla f(x), where f is written without arguments, the inputs in brackets.
void Parser::skip_inputs(const Differentiated& of) {
    const std::string& name = of.is_loss ? reading_.names.loss : of.name;
    if (!peek().is_symbol("(") || reading_.arguments.contains(name)) return;
    const std::size_t end = end_of_brackets(tokens_, at_);
    if (end <= at_ + 2) return;
    for (const Tokens& one : pieces_of(part_of(tokens_, at_ + 1, end - 1), ",")) {
        const NameParts p = one.empty() ? NameParts{} : parts_of(reading_.source, one, 0);
        const std::string id = reading_.id_of(p.key(p.has_above, p.has_below, p.primed));
        const auto given = std::ranges::find(reading_.proof.given, id, &Given::name);
        if (p.base.empty() || p.end != one.size() || given == reading_.proof.given.end()) return;
        if (reading_.proof.find(name) != nullptr && !follows_from(name, id, reading_.proof))  // L does not follow from w_t
            fail(peek(), fmt::format("a derivative at a point is not read: {} is written of another name than {}", name, id));
    }
    at_ = end;
}

/// What is printed of gradients is as their author first wrote one.
void Parser::told(GradientStyle style) const {
    if (reading_.spelling->style == GradientStyle::none) reading_.spelling->style = style;
}
void Parser::told_loss(const NameParts& p) const {
    if (reading_.spelling->loss.empty()) reading_.spelling->loss = joined(tokens_, p.begin, p.end);
}

Parser::Differentiated Parser::differentiated(const NameParts& p, const Token& at, bool may_be_loss) {
    Differentiated out;
    if (may_be_loss && is_loss(p)) {
        out.is_loss = true;
        told_loss(p);
        skip_arguments(p);
        return out;
    }
    is_differentiated_ = true;
    ExprPtr e = defined_name(p);
    is_differentiated_ = false;
    if (!e) e = row_by(p);
    if (!e) fail_for_unknown(p, shown(p.begin, p.end));
    if (const ExprPtr root = may_be_loss ? nullptr : root_of_number(e)) {
        out.square_of = root;
        e = root;
    }
    if (e->kind == Kind::name) {
        out.name = e->name;
    } else if (e->kind == Kind::index && e->children[0]->kind == Kind::name) {
        out.name = e->children[0]->name;
        out.entries.assign(e->children.begin() + 1, e->children.end());
    } else {
        fail(at, "a derivative is of a value, or of an entry of one, by another: \\frac{\\partial Y_{ij}}{\\partial X_{kl}}");
    }
    return out;
}

/// Of the tokens behind the sign of a derivative.
Parser::Differentiated Parser::differentiated_in(const Tokens& tokens, bool may_be_loss) {
    Parser p(reading_, tokens);
    p.parts_ = parts_;
    p.depth_ = depth_;
    if (tokens.empty()) fail(peek(), "a derivative says of what and by what: \\frac{\\partial L}{\\partial X}");
    if (tokens[0].is_symbol("^")) fail(tokens[0], "derivatives of a higher order than the second are not read");
    const bool grouped = tokens[0].kind == opening && end_of_group(reading_.source, tokens, 0) == tokens.size();
    if (grouped) return differentiated_in(inside_group(reading_.source, tokens, 0), may_be_loss);
    if (may_be_loss) return p.whole_differentiated();
    const NameParts name = p.take_name("the name of a value");
    Differentiated out = p.differentiated(name, tokens[0], may_be_loss);
    if (!p.done())
        fail(p.peek(), fmt::format("a derivative is taken by one value, got {} behind its name", printable(p.peek().text, 40)));
    return out;
}

/// A value, the loss, or an expression, of all that is left.
Parser::Differentiated Parser::whole_differentiated() {
    const std::size_t begin = at_;
    const NameParts name = parts_of(reading_.source, tokens_, at_);
    if (!name.base.empty()) {
        at_ = name.end;
        const bool function = function_at(name) == "trace" && !done();  // \operatorname{tr}(A X), unless tr is a value
        const bool value = is_loss(name) || done() || (peek().is_symbol("(") && !function);
        if (value) {
            Differentiated out = differentiated(name, tokens_[begin], true);
            if (done()) return out;
        }
        at_ = begin;
    }
    Differentiated out;
    out.expression = whole();
    return out;
}

/// Whether a superscript is next that is no transpose.
bool Parser::power_follows() {
    if (!peek().is_symbol("^")) return false;
    const std::size_t here = at_;
    const Tokens above = script();
    at_ = here;
    return !is_transpose(reading_.source, above);
}

/// Of \nabla_w L^2, where L is a value that follows from w.
bool Parser::is_power_of_value(NameParts p, const Differentiated& by) const {
    if (!p.has_above || is_transpose(reading_.source, p.above)) return false;
    p.has_above = false;
    const std::string key = p.key(false, p.has_below, p.primed), id = reading_.id_of(key);
    return !key.empty() && reading_.names.values.contains(id) && reading_.proof.order_of(id) > reading_.proof.order_of(by.name);
}

/// Whether what follows \nabla_X is what is differentiated, and no factor of the gradient: a function, a norm, a sum, a number,
/// the loss, or X itself.
bool Parser::begins_expression_of(const Differentiated& by) {
    if (done()) return false;
    const Token& t = peek();
    if (t.kind == digits) return true;
    if (const NameParts p = parts_of(reading_.source, tokens_, at_); !p.base.empty()) {
        if (is_loss(p) || is_power_of_value(p, by) || !function_at(p).empty()) return true;
        const std::size_t here = at_;
        const ExprPtr e = defined_name(p);
        at_ = here;
        const Expr* const named = named_within(e.get());
        return named && named->name == by.name;  // of x^\top x too
    }
    constexpr std::string_view kBegin[] = {"\\sum",  "\\prod",  "\\frac",  "\\tfrac", "\\dfrac",
                                           "\\sqrt", "\\lVert", "\\lvert", "\\|",     "\\langle"};
    return t.kind == command && (is_one(kBegin, t.text) || !function_of(t.text.substr(1)).empty());
}

/// \sigma of \sigma^2, a number or an entry; nullptr of others.
ExprPtr Parser::root_of_number(const ExprPtr& e) const {
    if (e->kind != Kind::power || e->children.size() != 2 || !is_number(*e->children[1], 2)) return nullptr;
    const ExprPtr& root = e->children[0];
    if (root->kind == Kind::index) return root->children[0]->kind == Kind::name ? root : nullptr;
    const std::optional<AxisNames> axes = root->kind == Kind::name ? names_of_axes(root->name) : std::nullopt;
    return axes && axes->empty() ? root : nullptr;
}

ExprPtr Parser::derivative(Differentiated of, Differentiated by, std::size_t begin) {
    if (const ExprPtr root = std::exchange(by.square_of, nullptr)) {  // dL / d\sigma^2 = (dL / d\sigma) / (2 \sigma)
        const ExprPtr by_root = derivative(std::move(of), std::move(by), begin);
        Expr e = node(Kind::product, {by_root, proof::product(proof::number(2), '*', root)});
        e.joints = "@/";
        return finish(begin, std::move(e));
    }
    if (!of.is_loss && !of.expression) enter_one_row(*proof::name(of.name), of.entries);
    enter_one_row(*proof::name(by.name), by.entries);
    Expr e = node(of.is_loss ? Kind::gradient : Kind::jacobian);
    if (of.is_loss) {
        e.name = by.name;
        const ExprPtr gradient = finish(begin, std::move(e));
        if (by.entries.empty()) return gradient;
        Expr at = node(Kind::index, {gradient});
        at.children.insert(at.children.end(), by.entries.begin(), by.entries.end());
        return finish(begin, std::move(at));
    }
    e.name = of.name;
    e.other = by.name;
    e.children = std::move(of.entries);
    e.split = e.children.size();
    e.children.insert(e.children.end(), by.entries.begin(), by.entries.end());
    if (of.expression) e.children.push_back(of.expression);
    return finish(begin, std::move(e));
}

/// \nabla_x^\top L is no product of (\nabla_x)^\top and L.
void Parser::expect_no_transposed_sign() const {
    if (!peek().is_symbol("^") || !is_transpose(reading_.source, inside_group(reading_.source, tokens_, at_ + 1))) return;
    const std::size_t behind = end_of_group(reading_.source, tokens_, at_ + 1);
    if (behind < tokens_.size() && !parts_of(reading_.source, tokens_, behind).base.empty())
        fail(peek(), "a transpose between the sign and what is differentiated is not read: write (\\nabla_x L)^\\top");
}

/// Of \nabla_X L and \partial_X L: the loss may be left out.
ExprPtr Parser::derivative_by_script(std::size_t begin) {
    const Differentiated by = differentiated_in(script(), false);
    expect_no_transposed_sign();
    const std::size_t behind = at_;
    Differentiated loss;
    loss.is_loss = true;
    skip_loss();
    if (at_ > behind) skip_inputs(loss);
    if (at_ > behind && !power_follows()) return derivative(loss, by, begin);
    at_ = behind;  // \nabla_x L^2 is not (\nabla_x L)^2
    std::optional<Differentiated> of = follower_of(by);
    if (of && !of->name.empty()) skip_inputs(*of);
    if (of ? power_follows() : begins_expression_of(by)) {
        at_ = behind;
        of.emplace();
        of->expression = product();
        expect_no_term_of(behind, by);
    } else if (of) {
        expect_no_factor_of(by);
    }
    return derivative(of ? *of : loss, by, begin);
}

/// \partial L / \partial X, and \partial_X L.
ExprPtr Parser::partial() {
    const std::size_t begin = at_;
    take();
    if (peek().is_symbol("_")) return derivative_by_script(begin);
    if (peek().is_symbol("^")) return second_partial(begin);
    const Token at = peek();
    const NameParts top = take_name("the name of a value");
    Differentiated of = differentiated(top, at, true);
    if (of.is_loss) told(GradientStyle::slash);
    if (!take_symbol("/") || !is_partial(peek()))
        fail(peek(), "expected / and what the derivative is taken by: \\partial L / \\partial X");
    take();
    const Token below = peek();
    const NameParts bottom = take_name("the name of a value");
    // A script that is no part of the name belongs to the derivative where it is a transpose.
    return derivative(std::move(of), differentiated(bottom, below, false), begin);
}

/// \nabla f(x) within an expression, where f is written with arguments, by its one input.
ExprPtr Parser::gradient_of_function(const Differentiated& of, std::size_t begin) {
    const Assignment* const value = reading_.proof.find(of.name);
    const auto axes = value != nullptr && of.entries.empty() ? names_of_axes(of.name) : std::nullopt;
    const bool number = axes && axes->empty();  // \nabla u of a number that follows from x is no gradient by u
    if (!reading_.arguments.contains(of.name) && !number) return nullptr;
    Differentiated by, loss;
    by.name = only_input_of(of.name, reading_);
    loss.is_loss = value != nullptr && value->is_loss;
    return by.name.empty() ? nullptr : derivative(loss.is_loss ? loss : of, by, begin);
}

ExprPtr Parser::nabla() {
    const std::size_t begin = at_;
    take();
    if (const std::optional<ExprPtr> second = second_nabla(begin)) return *second;
    told(GradientStyle::nabla);
    if (peek().is_symbol("_")) return derivative_by_script(begin);
    Differentiated loss;
    loss.is_loss = true;
    const Token at = peek();
    const NameParts p = take_name("what the gradient is taken by: \\nabla_X L");
    const Differentiated by = differentiated(p, at, false);
    skip_inputs(by);
    if (const ExprPtr of_function = gradient_of_function(by, begin)) {
        Differentiated input;
        input.name = only_input_of(by.name, reading_);
        expect_no_factor_of(input);
        return of_function;
    }
    return derivative(loss, by, begin);
}

ExprPtr Parser::fraction() {
    const std::size_t begin = at_;
    take();
    const Tokens top = group("the numerator: \\frac{a}{b}"), bottom = group("the denominator: \\frac{a}{b}");
    if (!top.empty() && !bottom.empty() && is_partial(top[0]) && is_partial(bottom[0])) {
        Differentiated of;
        const Tokens above = part_of(top, 1, top.size());
        if (!above.empty() && above[0].is_symbol("^")) return second_fraction(above, bottom, begin);
        if (!above.empty()) of = differentiated_in(above, true);
        if (of.is_loss) told(GradientStyle::fraction);
        const Differentiated by = differentiated_in(part_of(bottom, 1, bottom.size()), false);
        const std::size_t behind = at_;
        if (above.empty()) of = follower();
        if (of.expression && above.empty()) expect_no_term_of(behind, by);
        expect_no_point(by);
        return derivative(std::move(of), by, begin);
    }
    const ExprPtr over = inner(top);
    const bool within = std::exchange(is_below_, true);
    Expr e = node(Kind::product, {over, inner(bottom)});
    is_below_ = within;
    e.joints = "@/";
    expect_divided_by_entries(tokens_[begin], *e.children[1]);
    return finish(begin, std::move(e));
}

}  // namespace gradproof::proof::latex
