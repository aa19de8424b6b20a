// Signs that mean one thing in some texts and another in others: what no text decides is not read.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

/// A, W^\top B W and I - A, and not \sqrt{V} + \epsilon, which goes entry by entry.
bool is_of_matrices(const Expr& e) {
    return !any_part(e, [](const Expr& part) {
        const bool number = part.kind == Kind::number && part.number != 1;
        const bool by_entry = part.kind == Kind::product && part.joints.find('*') != std::string::npos;
        return number || by_entry || part.kind == Kind::power || part.kind == Kind::index ||
               (part.kind == Kind::call && part.name != "inverse" && part.name != "eye" && part.name != kIdentity);
    });
}

}  // namespace

/// a^\top of a vector a.
bool Parser::is_row(const Expr& e) const {
    if (notation_ || e.kind != Kind::transpose) return false;
    const std::optional<AxisNames> axes = names_of_axes(*e.children[0]);
    return axes && axes->size() == 1;
}

/// Whether nothing but the formulas themselves says what shape it has.
bool Parser::has_unstated_shape(const Expr& e) const {
    const std::set<std::string> names = names_in(e);
    return std::ranges::any_of(reading_.proof.given, [&](const Given& g) {
        return g.taken && (names.contains(g.name) || std::ranges::any_of(names, [&](const std::string& name) {
                               return reading_.proof.find(name) != nullptr;
                           }));
    });
}

/// What the sign between two arrays means, '*' or '@'. Errors: one that the text gives another meaning, or that may have two.
char Parser::meaning_of_sign(const Token& sign, char op, const Expr& left, const Expr& right) const {
    const auto is_called = [&](const Expr& e) { return e.kind == Kind::name && reading_.functions.contains(e.name); };
    const bool circle = sign.is_command("\\circ") || sign.is_symbol("∘");
    if (circle && is_called(left) && is_called(right))
        fail(sign, "between two functions \\circ means one after the other: write f(g(x))");
    const auto is_number_named = [&](const Expr& e) { return e.kind == Kind::name && is_without_axes(e); };
    if (circle && !notation_ && is_number_named(left) && is_number_named(right))
        fail(sign, "between two numbers \\circ may mean one function after the other: write \\cdot, or f(g(x))");
    if (op == '/') expect_divided_by_entries(sign, right);
    const bool star = sign.is_symbol("*") || sign.is_command("\\ast"), cross = sign.is_command("\\times") || sign.is_symbol("×");
    if (!star && !cross) return op;
    const std::optional<AxisNames> a = names_of_axes(left), b = names_of_axes(right);
    if ((a && a->empty()) || (b && b->empty())) return op;
    if (const FunctionMeaning* const m = meaning_of(star ? "*" : "\\times")) fail(sign, m->refused);
    if (notation_ || reading_.by_entry || !a || !b || a->size() != b->size()) return op;
    if (star)
        fail(sign,
             "between two arrays * may be a convolution, or a product entry by entry: write \\odot for that, the sum for the "
             "other");
    if (a->size() == 1)
        fail(sign, "between two vectors \\times may be the cross product: write \\odot for a product entry by entry");
    if (a->size() > 2) return op;
    const bool stated = !has_unstated_shape(left) && !has_unstated_shape(right);
    if (stated && *a != *b && (*a)[1] == (*b)[0]) return '@';
    if (!stated || is_square(left))
        fail(sign, "between two matrices \\times may be their product: write A B for that, \\odot for a product entry by entry");
    return op;
}

/// A / B of square matrices, which may be A B^{-1}.
void Parser::expect_divided_by_entries(const Token& sign, const Expr& under) const {
    const bool asks = sign.is_command("\\oslash") || notation_ || reading_.by_entry;
    const bool square =
        is_square(under) || (under.kind == Kind::sum && std::ranges::any_of(under.children, [&](const ExprPtr& e) {
                                 return is_square(*e);  // I + B of any I
                             }));
    if (!asks && square && is_of_matrices(under))
        fail(sign,
             "a division by a square matrix may be a product with its inverse: write B^{-1} for that, \\oslash for one entry "
             "by entry");
}

/// [A]_+ of a square matrix, which may be its part with positive eigenvalues.
void Parser::expect_positive_entries(const Token& sign, const Expr& of) const {
    if (!notation_ && !reading_.by_entry && is_square(of))
        fail(sign,
             "of a square matrix this may be its part with positive eigenvalues: write \\max(0, A) for that of its entries");
}

/// \log (x + 1)^2, \log (x + 1)(x + 2) and \log p(1 - p), in print the logarithm of all of it as often as not.
void Parser::expect_end_of_logarithm(const std::string& function, std::size_t begin, std::size_t scripts) const {
    if (function != "log" || notation_ || done()) return;
    const bool goes_on = tokens_[scripts].is_symbol("(") ? peek().is_symbol("(") || peek().is_symbol("^")
                                                         : at_ == scripts + 1 && peek().is_symbol("(");
    if (goes_on) fail(peek(), fmt::format("it is not clear what {} is taken of: put that in brackets", shown(begin, scripts)));
}

}  // namespace gradproof::proof::latex
