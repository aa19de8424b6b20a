// What formulas of sentences say of a name.
#include "gradproof/core/proof/language/latex/property_formulas.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_whole_name(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    return !p.base.empty() && p.end == t.size();
}

/// x of \|x\|_2^2.
Tokens within_norm(const Source& source, const Tokens& t) {
    if (t.size() < 3 || !is_norm_bar(t[0])) return {};
    const auto close = std::find_if(t.begin() + 1, t.end(), is_norm_bar);
    if (close == t.end()) return {};
    for (std::size_t at = static_cast<std::size_t>(close - t.begin()) + 1; at < t.size();) {
        const bool script = at + 1 < t.size() && (t[at].is_symbol("_") || t[at].is_symbol("^"));
        if (!script || flat(source, inside_group(source, t, at + 1)) != "2") return {};
        at = end_of_group(source, t, at + 1);
    }
    Tokens name(t.begin() + 1, close);
    return is_whole_name(source, name) ? name : Tokens{};
}

/// The name of x^\top x and, where `behind_too`, of Q Q^\top.
Tokens times_own_transpose(const Source& source, const Tokens& t, bool behind_too) {
    const NameParts a = t.empty() ? NameParts{} : parts_of(source, t, 0);
    if (a.base.empty() || a.end >= t.size()) return {};
    const Tokens left = part_of(t, 0, a.end), right = part_of(t, a.end, t.size());
    if (!is_whole_name(source, right)) return {};
    const Tokens name = own_transpose(source, left, right);
    return name.empty() || (same_texts(name, left) && !behind_too) ? Tokens{} : name;
}

/// I, I_n, \mathbf{I}, \mathbb{I}.
bool is_an_identity(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    if (p.base == "I" && p.end == t.size() && !p.has_above) return true;
    return t.size() > 1 && t[0].is_command("\\mathbb") && flat(source, inside_group(source, t, 1)) == "I";
}

/// Q of Q^{-1} = Q^\top.
Tokens own_inverse(const Source& source, const Tokens& left, const Tokens& right) {
    const NameParts a = left.empty() ? NameParts{} : parts_of(source, left, 0);
    const NameParts b = right.empty() ? NameParts{} : parts_of(source, right, 0);
    if (a.base.empty() || a.base != b.base || a.end != left.size() || b.end != right.size() || a.has_below || b.has_below)
        return {};
    const auto is_inverse = [](const NameParts& p) {
        return p.above.size() == 2 && p.above[0].is_symbol("-") && p.above[1].text == "1";
    };
    const bool one = is_inverse(a) && is_transpose(source, b.above), other = is_inverse(b) && is_transpose(source, a.above);
    return one || other ? part_of(left, 0, a.base_end) : Tokens{};
}

/// A of A^\top = -A.
Tokens own_negative(const Source& source, const Tokens& left, const Tokens& right) {
    const bool minus = right.size() > 1 && right[0].is_symbol("-");
    return minus ? own_transpose(source, left, part_of(right, 1, right.size())) : Tokens{};
}

}  // namespace

Tokens own_transpose(const Source& source, const Tokens& left, const Tokens& right) {
    const NameParts a = left.empty() ? NameParts{} : parts_of(source, left, 0);
    const NameParts b = right.empty() ? NameParts{} : parts_of(source, right, 0);
    if (a.base.empty() || a.end != left.size() || b.base != a.base || b.end != right.size()) return {};
    if (flat(source, a.below) != flat(source, b.below) || a.has_above == b.has_above) return {};
    return is_transpose(source, a.has_above ? a.above : b.above) ? (a.has_above ? right : left) : Tokens{};
}
Tokens own_transpose(const Source& source, const Tokens& formula) {
    const auto equals = std::ranges::find_if(formula, is_equals);
    return equals == formula.end() ? Tokens{} : own_transpose(source, {formula.begin(), equals}, {equals + 1, formula.end()});
}

namespace {

/// x and y of \|x\| = \|y\| = 1, and x of x^\top x = 1; nothing of others.
std::vector<Tokens> of_length_one(const Source& source, const std::vector<Tokens>& sides) {
    std::vector<Tokens> out;
    if (sides.size() < 2 || sides.back().size() != 1 || sides.back()[0].text != "1") return {};
    for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
        Tokens name = within_norm(source, sides[i]);
        if (name.empty()) name = times_own_transpose(source, sides[i], false);
        if (name.empty()) return {};
        out.push_back(std::move(name));
    }
    return out;
}
std::vector<Tokens> sides_of(const Tokens& t) {
    std::vector<Tokens> out(1);
    for (const Token& one : t)
        if (is_equals(one))
            out.emplace_back();
        else
            out.back().push_back(one);
    if (!out.back().empty() && out.back().back().is_symbol(".")) out.back().pop_back();
    return out;
}

}  // namespace

std::optional<ByFormula> said_by_formula(const Source& source, const Tokens& t) {
    const auto in = std::ranges::find_if(t, [](const Token& one) { return one.is_command("\\in") || one.is_symbol("∈"); });
    if (Tokens name = own_transpose(source, Tokens(t.begin(), in)); !name.empty()) return ByFormula{Fill::symmetric, {name}};
    const bool ends = t.size() > 2 && t.back().text == "0";
    if (ends && (t[t.size() - 2].is_command("\\succ") || t[t.size() - 2].is_command("\\succeq")))
        return ByFormula{Fill::definite, {part_of(t, 0, t.size() - 2)}};
    const std::vector<Tokens> sides = sides_of(t);
    if (std::vector<Tokens> names = of_length_one(source, sides); !names.empty()) return ByFormula{Fill::unit, std::move(names)};
    if (sides.size() != 2) return std::nullopt;
    const Tokens &left = sides[0], &right = sides[1];
    Tokens name = is_an_identity(source, right) ? times_own_transpose(source, left, false) : Tokens{};
    if (!name.empty()) return ByFormula{Fill::frame, {std::move(name)}};
    name = is_an_identity(source, right) ? times_own_transpose(source, left, true) : own_inverse(source, left, right);
    if (!name.empty()) return ByFormula{Fill::orthogonal, {std::move(name)}};
    name = own_negative(source, left, right);
    if (name.empty()) name = own_negative(source, right, left);
    return name.empty() ? std::nullopt : std::optional(ByFormula{Fill::skew, {std::move(name)}});
}

bool is_said_of_some(std::string_view behind) {
    constexpr std::string_view kLeads[] = {" for ", " if ", " when ", " whenever ", " unless ", " where "};
    return is_one(kLeads, behind);
}

std::optional<ComparedWithZero> compared_with_zero(const Source& source, const Tokens& t) {
    if (t.size() < 3) return std::nullopt;
    Tokens all = t.back().is_symbol(".") ? part_of(t, 0, t.size() - 1) : t;
    if (all.size() < 3 || all.back().text != "0") return std::nullopt;
    const Token& sign = all[all.size() - 2];
    const Tokens name = part_of(all, 0, all.size() - 2);
    constexpr std::string_view kAbove[] = {">", "\\gt", "\\ge", "\\geq", "\\geqslant", "\\succ", "\\succeq"};
    constexpr std::string_view kBelow[] = {"<", "\\lt", "\\le", "\\leq", "\\leqslant"};
    const bool above = is_one(kAbove, sign.text);
    if ((!above && !is_one(kBelow, sign.text) && !is_equals(sign)) || !is_whole_name(source, name)) return std::nullopt;
    const NameParts p = parts_of(source, name, 0);
    const auto is_index = [](const Token& one) { return one.kind == Token::Kind::letter || one.is_symbol(","); };
    if (!std::ranges::all_of(p.below, is_index) || p.has_above) return std::nullopt;  // x_i, and not x_1
    return ComparedWithZero{part_of(name, 0, p.base_end), above, p.below.size() > 1};
}

}  // namespace gradproof::proof::latex
