// Where equations hold.
#include "gradproof/core/proof/language/latex/conditions.hpp"

#include <algorithm>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"

namespace gradproof::proof::latex {

IndexRanges ranges_of(const Equation& e, const Reading& reading) {
    const Tokens& range = e.range;
    if (range.empty()) return {};
    const Remark says = range[0].kind == Token::Kind::words ? remark_of(range[0].text) : Remark::where;
    if (says == Remark::explains) return {};
    if (says == Remark::other || says == Remark::changes) {
        const auto is_formula = [](const Token& t) {
            return t.kind != Token::Kind::words && !is_separator(t) && !t.is_symbol(".");
        };
        if (std::ranges::none_of(range, is_formula)) return {};
        fail_for_words(reading.source, range[0]);
    }
    try {
        return Parser(reading, range).ranges();
    } catch (const ProofError&) {
        if (std::ranges::any_of(range, [](const Token& t) { return is_equals(t) || is_other_relation(t); })) throw;
        return {};
    }
}

void expect_of_all_entries(const Equation& e, const IndexRanges& ranges, const Reading& reading) {
    const auto is_array = [&](const Expr& part) {
        if (part.kind != Kind::name || !reading.names.values.contains(part.name)) return false;
        const std::optional<AxisNames> axes = axis_names(part.name, reading.proof, &reading.names);
        return !axes || !axes->empty();
    };
    if (ranges.holds && any_part(*ranges.holds, is_array))
        fail(reading.source, e.range.front(),
             "this says what a value is for some of its entries only: write \\begin{cases}, with all of them");
}

ExprPtr on_the_left(const Equation& e, const Expr& left, const ExprPtr& holds, const Reading& reading) {
    const Names& names = reading.names;
    const bool known = !any_part(*holds, [&](const Expr& part) {
        const bool value = names.dims.contains(part.name) || names.values.contains(part.name);
        return part.kind == Kind::name && !value && !mentions(left, part.name);
    });
    const bool has_index = any_part(*holds, [](const Expr& part) { return part.kind == Kind::index; });
    const bool by_entries = left.kind == Kind::index || (left.kind == Kind::jacobian && !left.children.empty());
    if (!known) return nullptr;
    if (by_entries || has_index) return holds;
    const std::optional<AxisNames> axes = axis_names(*holds, reading.proof, &names);
    if (axes && (axes->empty() || axes == axis_names(left, reading.proof, &names))) return holds;
    const bool differs =
        std::ranges::any_of(e.range, [](const Token& t) { return t.is_command("\\ne") || t.is_command("\\neq"); });
    if (differs) return nullptr;
    throw ProofError(reading.source, holds->span.begin,
                     "where it holds is said of entries, and the line of a whole: write its entries");
}

}  // namespace gradproof::proof::latex
