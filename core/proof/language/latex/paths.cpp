// Derivatives along paths that the text says.
#include "gradproof/core/proof/language/latex/paths.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof::latex {
namespace {

bool is_zero_of_claims(const Expr& e) {
    return is_number(e, 0) || (e.kind == Kind::call && e.name == "zeros") || (e.kind == Kind::array && e.children.empty());
}

/// The derivative that stands on the left, of another expression, which is a number too.
ExprPtr derivative_of(const ExprPtr& expression, const ExprPtr& left) {
    const bool entries = left->kind == Kind::index;
    const Expr& derivative = entries ? *left->children[0] : *left;
    Expr out = node(Kind::jacobian);
    out.other = derivative.kind == Kind::gradient ? derivative.name : derivative.other;
    if (entries) out.children.assign(left->children.begin() + 1, left->children.end());
    if (derivative.kind == Kind::jacobian)
        out.children.insert(out.children.end(), derivative.children.begin(), derivative.children.end());
    out.children.push_back(expression);
    out.span = left->span;
    out.spelling = left->spelling;
    return make(std::move(out));
}

}  // namespace

ExprPtr hinge_of(const Expr& left, const Reading& reading) {
    const Expr& derivative = left.kind == Kind::index ? *left.children[0] : left;
    const bool of_loss = derivative.kind == Kind::gradient;
    if (!of_loss && (derivative.kind != Kind::jacobian || derivative.split != 0)) return nullptr;
    const Assignment* const value = reading.proof.find(of_loss ? reading.names.loss : derivative.name);
    if (value == nullptr || !value->indices.empty()) return nullptr;
    std::vector<ExprPtr> inside;
    for_each(*value->value, [&](const Expr& part) {
        if (part.kind != Kind::call) return;
        if (part.name == "relu" && part.children.size() == 1) inside.push_back(part.children[0]);
        const bool two = part.name == "max" && part.children.size() == 2;
        for (std::size_t i = 0; two && i < 2; ++i)
            if (is_number(*part.children[i], 0)) inside.push_back(part.children[1 - i]);
    });
    const auto axes = inside.size() == 1 ? axis_names(*inside[0], reading.proof, &reading.names) : std::nullopt;
    return axes && axes->empty() ? inside[0] : nullptr;
}

ExprPtr with_added(const ExprPtr& left, const ExprPtr& term, const Reading& reading) {
    const Expr& derivative = left->kind == Kind::index ? *left->children[0] : *left;
    const bool of_loss = derivative.kind == Kind::gradient && !reading.names.loss.empty();
    const bool plain =
        derivative.kind == Kind::jacobian && derivative.options.empty() && !derivative.name.empty() && derivative.split == 0;
    if (!of_loss && !plain)
        throw ProofError(reading.source, left->span.begin,
                         "the words before it add a term to what it is of, which is read of a number with a name");
    Expr of = node(Kind::name, {}, of_loss ? reading.names.loss : derivative.name);
    of.span = left->span;
    of.spelling = left->spelling;
    return derivative_of(sum(make(std::move(of)), '+', term), left);
}

namespace {

[[noreturn]] void fail_without_path(const Expr& at, std::string_view from, std::string_view to, const Reading& reading) {
    throw ProofError(reading.source, at.span.begin,
                     fmt::format("nothing that is read here leads from {} to {}: the line that says how is missing", from, to));
}
/// Of \partial \log p_a / \partial z and of second derivatives, where nothing leads to what is differentiated.
void expect_a_path_to_expression(const Expr& derivative, const Reading& reading) {
    if (derivative.kind != Kind::jacobian) return;
    const Assignment* const twice = derivative.options.empty() ? nullptr : reading.proof.find(derivative.name);
    if (twice == nullptr && (!derivative.name.empty() || derivative.children.empty())) return;
    const std::string& by = derivative.other;
    const Expr& of = twice ? *twice->value : *derivative.children.back();
    const bool given = std::ranges::find(reading.proof.given, by, &Given::name) != reading.proof.given.end();
    const bool known = given || reading.proof.find(by) != nullptr;
    if (!known || reading.proof.loss_runs_through != 0 || contains(of, Kind::gradient) || contains(of, Kind::jacobian)) return;
    if (!sources_of(of, reading.proof).contains(by)) fail_without_path(derivative, by, "what is differentiated", reading);
}

}  // namespace

ExprPtr along_a_path(const ExprPtr& left, const Expr& right, const Alternatives& alternatives, const Reading& reading) {
    const bool entries = left->kind == Kind::index;
    const Expr& derivative = entries ? *left->children[0] : *left;
    const bool of_loss = derivative.kind == Kind::gradient;
    const bool plain = derivative.kind == Kind::jacobian && derivative.options.empty() && !derivative.name.empty();
    if (!is_zero_of_claims(right)) expect_a_path_to_expression(derivative, reading);
    if (!of_loss && !plain) return left;
    const std::string of = of_loss ? reading.names.loss : derivative.name, by = of_loss ? derivative.name : derivative.other;
    const Assignment* const value = reading.proof.find(of);
    const bool given = std::ranges::any_of(reading.proof.given, [&](const Given& g) { return g.name == by || g.behind == by; });
    if (value == nullptr || of == by || (!given && reading.proof.find(by) == nullptr)) return left;
    if (reading.proof.loss_runs_through != 0 || sources_of(*value->value, reading.proof).contains(by)) return left;
    const bool number = derivative.kind == Kind::gradient || derivative.split == 0;
    for (const ExprPtr& one : number ? alternatives(of) : std::vector<ExprPtr>{}) {
        if (!sources_of(*one, reading.proof).contains(by)) continue;
        return derivative_of(one, left);
    }
    if (is_zero_of_claims(right)) return left;
    fail_without_path(*left, by, of, reading);
}

}  // namespace gradproof::proof::latex
