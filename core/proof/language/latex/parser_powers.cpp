// Powers, transposes and inverses: x^2, A^\top, A^{-1}, (1 - \eta)^T.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

namespace {

bool adds_a_number(const Expr& e) {
    return e.kind == Kind::sum &&
           std::any_of(e.children.begin(), e.children.end(), [](const ExprPtr& c) { return c->kind == Kind::number; });
}

}  // namespace

/// \lambda^T, (1 - \eta)^{-T}, where T is a size or a number and the base a number; x^\top A y is one that may be transposed.
bool Parser::is_power_of_number(const ExprPtr& base, const Tokens& script) const {
    if (!script.back().is(letter, "T") || script.size() > 2 || (script.size() == 2 && !script[0].is_symbol("-"))) return false;
    const auto is_array = [&](const Expr& e) { return e.kind == Kind::name && !is_without_axes(e); };
    const bool product = base->kind == Kind::product || base->kind == Kind::sum;
    if (!is_without_axes(*base) || (product && any_part(*base, is_array))) return false;
    const bool known = reading_.names.dims.contains("T") || (reading_.names.defined("T") && is_without_axes(*name("T")));
    if (!known)
        fail(script[0],
             fmt::format("{} is a number here, which has no transpose, and T is not known: say what it is, as  $T > 0$",
                         base->kind == Kind::name ? base->name : text_of(*base)));
    return true;
}

/// d of a value that is diag(d); nullptr of others.
ExprPtr Parser::diagonal_of(const Expr& e) const {
    const Assignment* const value = e.kind == Kind::name ? reading_.proof.find(e.name) : nullptr;
    const Expr& of = value ? *value->value : e;
    if ((value && !value->indices.empty()) || of.kind != Kind::call || of.name != "diag" || of.children.size() != 1)
        return nullptr;
    const std::optional<AxisNames> axes = names_of_axes(*of.children[0]);
    return axes && axes->size() == 1 && of.options.empty() ? of.children[0] : nullptr;
}

/// base^script: its transpose, its power, or both as in A^{-T}.
ExprPtr Parser::raised(const ExprPtr& base, const Tokens& script, std::size_t begin) {
    if (script.empty()) fail(tokens_[begin], "nothing stands in its superscript");
    if (is_transpose(reading_.source, script) && !is_power_of_number(base, script)) {
        if (is_number(*base, 1)) fail(tokens_[begin], kPlainOne);
        return finish(begin, transpose(base));
    }
    const auto rest = [&](std::size_t from) { return Tokens(script.begin() + static_cast<std::ptrdiff_t>(from), script.end()); };
    const bool minus = script.size() > 1 && script[0].is_symbol("-");
    if (minus && is_transpose(reading_.source, rest(1)) && !is_power_of_number(base, script))
        return finish(begin, transpose(finish(begin, call("inverse", {base}))));
    const auto is_bound = [&](const Token& t) { return t.kind == letter && std::ranges::find(*bound_, t.text) != bound_->end(); };
    if (script.size() > 1 && !notation_ && std::ranges::all_of(script, is_bound))
        fail(script[0],
             fmt::format("{0}^{{{1}}} may be an entry, and a power: write {0}_{{{1}}}, or {0}^{{{2}}}", shown(begin, begin + 1),
                         joined(script, 0, script.size()), fmt::format("{} \\cdot {}", script[0].text, script[1].text)));
    const bool fraction = std::ranges::any_of(script, [](const Token& t) { return t.is_symbol("/") || t.is_command("\\frac"); });
    if (const ExprPtr diagonal = fraction ? diagonal_of(*base) : nullptr)
        return finish(begin, call("diag", {finish(begin, node(Kind::power, {diagonal, inner(script)}))}));
    // Of a matrix, which has a capital, -1 is the inverse; of anything else a power.
    const bool entry = base->kind == Kind::index || base->kind == Kind::call || base->kind == Kind::reduce;
    if (minus && script.size() == 2 && script[1].text == "1" && !entry && any_part(*base, has_capital)) {
        if (any_part(*base, adds_a_number))
            fail(script[0],
                 "a number is added to what has a capital: write \\frac{1}{...} where each entry is meant, I for the matrix");
        return finish(begin, call("inverse", {base}));
    }
    const bool in_brackets = script.size() == 3 && ((script[0].is_symbol("(") && script[2].is_symbol(")")) ||
                                                    (script[0].is_symbol("[") && script[2].is_symbol("]")));
    const bool layer = in_brackets && (script[1].kind == digits || script[1].kind == letter);
    if (layer)
        fail(tokens_[begin], fmt::format("{0} names nothing: declare it, or write {1}^{{{2}}} for the power", shown(begin, at_),
                                         base->kind == Kind::name ? base->name : shown(begin, begin + 1), script[1].text));
    return finish(begin, node(Kind::power, {base, inner(script)}));
}

}  // namespace gradproof::proof::latex
