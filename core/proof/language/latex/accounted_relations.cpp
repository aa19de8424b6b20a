// What a text says of the shape, the size and the bounds of values and derivatives, and for which indices it claims them.
#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

/// "n,d" of \mathbb{R}^{n \times d} behind a place.
std::string sizes_stated(const Source& source, const Tokens& t, std::size_t from) {
    std::string out;
    const auto power =
        std::find_if(t.begin() + static_cast<std::ptrdiff_t>(from), t.end(), [](const Token& one) { return one.is_symbol("^"); });
    if (power == t.end()) return out;
    for (const Token& one : inside_group(source, t, static_cast<std::size_t>(power - t.begin()) + 1))
        out += one.is_command("\\times") ? "," : std::string(one.text);
    return out;
}

std::string without_ones(std::string sizes) {
    while (sizes.ends_with(",1")) sizes.resize(sizes.size() - 2);
    return sizes == "1" ? "" : sizes;
}

/// = p_i (1 - p_i) \in [0, 1/4] and = X^\top X > 0.
bool bounds_behind_equals(const Tokens& part) {
    int depth = 0;
    bool equals = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
        depth += bracket(part[i]);
        if (depth != 0) continue;
        const bool lies = part[i].is_command("\\in") && i + 1 < part.size() && !part[i + 1].is_command("\\mathbb");
        if (equals && (lies || is_comparison(part[i]))) return true;
        equals = equals || is_equals(part[i]);
    }
    return false;
}

}  // namespace

/// \nabla_W L = z x^\top \in \mathbb{R}^{n \times m} of a W that is no n x m, and y = W x \in \mathbb{R}^n of a y that is none.
bool Accounted::places_elsewhere(const Tokens& t) const {
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (!t[i].is_command("\\in") || !t[i + 1].is_command("\\mathbb")) continue;
        const auto in = t.begin() + static_cast<std::ptrdiff_t>(i);
        const auto by = std::find_if(t.begin(), in, is_derivative_sign);
        const std::string stated = sizes_stated(source_, t, i);
        if (by == in) return lies_elsewhere(t, i, stated);
        if (stated.empty()) return true;
        std::string sizes;
        for (auto at = by; at < in && sizes.empty(); ++at)
            for (const Given& g : proof_.given)
                if (g.name == at->text)
                    for (const ExprPtr& size : g.shape)
                        sizes += (sizes.empty() ? "" : ",") + (size->kind == Kind::name     ? size->name
                                                               : size->kind == Kind::number ? fmt::format("{}", size->number)
                                                                                            : "?");
        return sizes != stated;
    }
    return false;
}

/// y of y = W x \in \mathbb{R}^n, or of y \in \mathbb{R}^n alone, a value that is computed, of other sizes.
bool Accounted::lies_elsewhere(const Tokens& t, std::size_t in, const std::string& stated) const {
    const NameParts p = parts_of(source_, t, 0);
    if (p.base.empty() || proof_.find(p.base) == nullptr || (p.end != in && (p.end >= t.size() || !is_equals(t[p.end]))))
        return false;
    const std::optional<AxisNames> axes = axis_names(*proof::name(p.base), proof_);
    if (!axes || std::ranges::count(*axes, "?") > 0) return false;
    return without_ones(stated) != without_ones(fmt::format("{}", fmt::join(*axes, ",")));
}

/// Of t = 1, \dots, T behind a claim with h_{t+1}, which no index beyond the last has.
bool Accounted::claims_beyond_ends(const Mention& m) const {
    const auto is_restricted = [&](const JudgedLine& l) {
        return l.read_as.starts_with("judged where this is an entry") && m.span.begin <= l.statement.span.begin &&
               l.statement.span.begin < m.span.end;
    };
    if (std::ranges::none_of(proof_.lines, is_restricted)) return false;
    const std::string led = fmt::format(" {} ", fmt::join(m.led, " "));
    if (has_any(led, {" for all # ", " for every # ", " for each # ", " for any # "}) || m.behind.starts_with(" for all ") ||
        m.behind.starts_with(" for every "))
        return true;
    const Tokens& t = m.formula;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (!is_equals(t[i]) || !is_small_letter(t[i - 1]) || is_value(t[i - 1].text)) continue;
        const bool begins = i == 1 || is_separator(t[i - 2]) || t[i - 2].kind == Token::Kind::words;
        const std::vector<Tokens> parts = begins ? listed_from(t, i + 1) : std::vector<Tokens>{};
        const bool ranges = parts.size() > 1 && !parts[0].empty() &&
                            std::ranges::any_of(parts, [](const Tokens& one) { return one.size() == 1 && is_dots(one[0]); });
        if (ranges && !is_part_of_range(parts, std::string(t[i - 1].text))) return true;
    }
    return false;
}

/// "Thus $0 < p_i < \frac12$" of a p that is computed; that a softmax lies between 0 and 1, and a power of e above 0, is known.
bool Accounted::bounds_computed(const Mention& m) const {
    constexpr std::string_view kLeads[] = {"thus", "hence", "since", "so", "therefore", "that", "because", "then", "as", "have"};
    const WordList before = words_of(m.before);
    if (m.displayed || before.empty() || !is_one(kLeads, before.back())) return false;
    const std::vector<Tokens> between = compared_in(m.formula);
    if (between.size() < 2) return false;
    const Assignment* value = nullptr;
    bool known = true;  // the bounds are 0 and 1
    for (const Tokens& one : between) {
        const NameParts p = one.empty() ? NameParts{} : parts_of(source_, one, 0);
        if (!p.base.empty() && p.end == one.size() && proof_.find(p.base) != nullptr)
            value = proof_.find(p.base);
        else
            known = known && one.size() == 1 && (one[0].text == "0" || one[0].text == "1");
    }
    if (value == nullptr) return false;
    const Expr& e = *value->value;
    const bool within = e.kind == Kind::call && (e.name == "softmax" || e.name == "sigmoid");
    const bool above =
        e.kind == Kind::call && e.name == "exp" && between.size() == 2 && between[1].size() == 1 && between[1][0].text == "0";
    const bool greater = std::ranges::any_of(m.formula, [](const Token& t) { return t.is_symbol(">"); });
    return !known || !((within && !greater) || (above && greater));
}

/// What a formula says of where values and derivatives lie, and no line does; "" where nothing.
std::string Accounted::bound_left_out(const Mention& m) const {
    const std::vector<Tokens> parts = parts_of_list(m.formula);
    const auto no_derivative = [](const Tokens& part) { return std::ranges::none_of(part, is_derivative_sign); };
    if (std::ranges::any_of(parts, [&](const Tokens& part) { return no_derivative(part) && places_elsewhere(part); }))
        return "a shape that a value does not have";
    if (claims_beyond_ends(m)) return "a range with indices beyond the ends";
    const auto bounds = [&](const Tokens& part) {
        return bounds_behind_equals(part) && std::ranges::any_of(part, [&](const Token& t) { return is_of_a_line(t.span); });
    };
    if (std::ranges::any_of(parts, bounds)) return "a bound behind the formula, which is not judged";
    return bounds_computed(m) ? "a bound of a value, which is not judged" : "";
}

}  // namespace gradproof::proof::latex
