// Definitions by cases within sentences.
#include "gradproof/core/proof/language/latex/piecewise.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/conditions_said.hpp"
#include "gradproof/core/proof/language/latex/conditions_words.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/qualified.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_equation_or_comparison(const Token& t) { return is_equals(t) || is_comparison(t); }
/// 0 of "and $0$ for $j > i$", without commas at its end; nothing of what is an equation or the like.
Tokens value_alone(const Mention& m) {
    Tokens out = m.displayed ? Tokens{} : m.formula;
    while (!out.empty() && (out.back().is_symbol(",") || out.back().is_symbol("."))) out.pop_back();
    const auto states = [](const Token& t) {
        return is_equals(t) || is_other_relation(t) || is_separator(t) || is_derivative_sign(t);
    };
    return std::ranges::any_of(out, states) ? Tokens{} : out;
}

}  // namespace

std::optional<Piecewise::Piece> Piecewise::piece_of(const Source& source, const Mention& m) {
    if (m.displayed || m.formula.size() < 3) return std::nullopt;
    const auto equals = std::ranges::find_if(m.formula, is_equals);
    if (equals == m.formula.end() || std::count_if(m.formula.begin(), m.formula.end(), is_equals) != 1) return std::nullopt;
    Piece out{{m.formula.begin(), equals}, {equals + 1, m.formula.end()}};
    while (!out.value.empty() && (out.value.back().is_symbol(",") || out.value.back().is_symbol("."))) out.value.pop_back();
    NameParts p;
    try {
        if (!out.name.empty()) p = parts_of(source, out.name, 0);
    } catch (const ProofError&) {  // told where it is read
    }
    const bool called = p.end < out.name.size() && out.name[p.end].is_symbol("(") && out.name.back().is_symbol(")");
    const bool plain =
        !p.base.empty() && (p.end == out.name.size() || called) && !out.value.empty() &&
        std::ranges::none_of(out.value, [level = 0](const Token& t) mutable {
            level += bracket(t);
            return (level == 0 && is_equation_or_comparison(t)) || is_derivative_sign(t);  // not the l < i of a sum
        });
    return plain ? std::optional(std::move(out)) : std::nullopt;
}

bool leads_to_condition(const std::string& words) {
    return words == " if " || words == " when " || words == " whenever " || words == " for ";
}

Tokens by_cases(const Tokens& value, const Tokens& condition, const Tokens& other) {
    const Span at = value.front().span;
    Tokens out{{begins, "cases", at, false}};
    out.insert(out.end(), value.begin(), value.end());
    out.push_back({symbol, "&", at, false});
    out.insert(out.end(), condition.begin(), condition.end());
    out.push_back({command, "\\\\", at, false});
    out.insert(out.end(), other.begin(), other.end());
    out.insert(out.end(), {{symbol, "&", at, false}, {words, "otherwise", at, false}, {ends, "cases", at, false}});
    return out;
}

Equation Piecewise::cases(const Piece& first, const Tokens& condition, const Tokens& other, Span span) {
    Equation e;
    e.left = std::make_shared<const Tokens>(first.name);
    e.span = span;
    e.right = by_cases(first.value, condition, other);
    return e;
}

Piecewise::Piecewise(const Source& source, Span text) {
    const std::vector<Mention> all = mentions_in(source, text);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::optional<Piece> first = piece_of(source, all[i]);
        if (first && refuse_exception(source, all, i, *first)) continue;
        if (const auto qualifying = first && all[i].behind != " unless " ? qualifying_words(all, i) : std::nullopt) {
            const std::string_view said = source.slice(*qualifying);
            refuse(*first, all[i].span, said.substr(std::min(said.find_first_not_of(" ,\n~$"), said.size())));
            continue;
        }
        if (i + 1 == all.size()) break;
        const bool unless = all[i].behind == " unless ";
        const bool bare = all[i].behind == " " && says_zero_otherwise(words_of(all[i + 1].behind));
        const bool leads =
            leads_to_condition(all[i].behind) || bare || (first && is_condition_in_brackets(source, *first, all[i], all[i + 1]));
        if (!first || (!leads && !unless) || all[i + 1].displayed || !is_condition(all[i + 1].formula)) continue;
        const Tokens& condition = all[i + 1].formula;
        std::optional<Piece> second = i + 2 < all.size() ? piece_of(source, all[i + 2]) : std::nullopt;
        if (Tokens value = i + 2 < all.size() && !second ? value_alone(all[i + 2]) : Tokens{}; !value.empty())
            second = Piece{first->name, std::move(value)};
        const std::string& between = all[i + 1].behind;
        const bool joined = between == " and " || between == " but " || between == " " || between == " in which case " ||
                            between == " while " || between == " else ";
        const bool same = second && joined && same_texts(second->name, first->name);
        const bool by_if =
            same && i + 3 < all.size() && leads_to_condition(all[i + 2].behind) && is_condition(all[i + 3].formula);
        const bool complete =
            same && (begins_with_otherwise(words_of(all[i + 2].behind)) || by_if || unless || between == " else ");
        const Tokens zero{{digits, "0", all[i].span, false}};
        parts_.insert(all[i + 1].span.begin);
        if (same) parts_.insert(all[i + 2].span.begin);
        if (by_if) parts_.insert(all[i + 3].span.begin);
        Equation& e = whole_[all[i].span.begin];
        if (complete && unless)
            e = cases({first->name, second->value}, condition, first->value, all[i].span);
        else if (complete)
            e = cases(*first, condition, second->value, all[i].span);
        else if (!unless && says_zero_otherwise(words_of(between)))
            e = cases(*first, condition, zero, all[i].span);
        else if (all[i].behind == " for " && !same) {  // a parameter that is positive, or all of an index
            parts_.erase(all[i + 1].span.begin);
            whole_.erase(all[i].span.begin);
        } else {
            refuse(*first, all[i].span);
        }
    }
}

/// "$M_{ij} = S_{ij}$ ($i \ne j$)", on an index of the name.
bool Piecewise::is_condition_in_brackets(const Source& source, const Piece& first, const Mention& m, const Mention& next) {
    const bool brackets = m.behind == " " && source.slice({m.span.end, next.span.begin}).find('(') != std::string_view::npos;
    const NameParts p = parts_of(source, first.name, 0);
    return brackets && !next.formula.empty() && next.formula[0].kind == letter &&
           std::ranges::any_of(p.below, [&](const Token& t) { return t.is(letter, next.formula[0].text); });
}

/// As words that no one reads.
void Piecewise::refuse(const Piece& piece, Span formula, std::string_view why) {
    Equation& e = whole_[formula.begin];
    e.left = std::make_shared<const Tokens>(piece.name);
    e.span = formula;
    e.right = {{words, why, piece.value.front().span, false}};
}

/// What is said of all entries is not so for some: "$a_i = z_i$, but $a_1 = 0$", "$M_{ij} = S_{ij}$ for $i \ne j$,
/// $M_{ii} = 0$".
bool Piecewise::refuse_exception(const Source& source, const std::vector<Mention>& all, std::size_t i, const Piece& first) {
    const NameParts name = parts_of(source, first.name, 0);
    if (!name.has_below || has_name(source, first.value, name.base)) return false;
    const auto is_special = [](const NameParts& p) {
        const bool number = p.below.size() == 1 && p.below[0].kind == digits && p.below[0].text != "0";
        return number || (p.below.size() == 2 && p.below[0].kind == letter && p.below[0].text == p.below[1].text);
    };
    for (const std::size_t k : {i + 1, i + 2, i - 1}) {
        if (k >= all.size() || all[k].sentence.begin != all[i].sentence.begin) continue;
        const std::optional<Piece> other = piece_of(source, all[k]);
        const NameParts p = other ? parts_of(source, other->name, 0) : NameParts{};
        if (p.base != name.base || !is_special(p) || is_special(name)) continue;
        refuse(first, all[i].span);
        parts_.insert(all[k].span.begin);
        return true;
    }
    return false;
}

}  // namespace gradproof::proof::latex
