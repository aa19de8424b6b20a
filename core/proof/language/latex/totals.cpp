// Totals and their summands.
#include "gradproof/core/proof/language/latex/totals.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "gradproof/core/errors.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kSummand = "L_each";

/// L_t and L^{(t)}.
bool is_summand(const NameParts& p, const std::string& base) {
    const auto index = [](const Tokens& below) {
        return !below.empty() &&
               std::ranges::all_of(below, [](const Token& t) { return t.is_symbol(",") || is_small_letter(t); });
    };
    return p.base == base && !p.primed && p.has_below && !p.has_above && index(p.below);
}
bool has_summand(const Source& source, const Tokens& t, const std::string& base) {
    for (std::size_t i = 0; i < t.size(); ++i)
        if (is_summand(parts_of(source, t, i), base)) return true;
    return false;
}
Tokens with_summands(const Source& source, const Tokens& t, const std::string& base) {
    Tokens out;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const NameParts p = parts_of(source, t, i);
        if (!is_summand(p, base)) {
            out.push_back(t[i]);
            continue;
        }
        const Span at = t[i].span;
        out.push_back({word, kSummand, at, t[i].blank});
        add_below(out, p.below, at);
        i = p.end - 1;
    }
    return out;
}

/// The base of an L = \sum_t L_t beside an L_t = ...; "" where there is none.
std::string base_of_total(const Source& source, const std::vector<Equation>& all) {
    const auto defines = [&](const Equation& e, const std::string& base) {
        const NameParts p = parts_of(source, *e.left, 0);
        return p.end == e.left->size() && is_summand(p, base);
    };
    for (const Equation& e : all) {
        if (e.note.kind == note || !e.left || e.left->empty() || e.chained) continue;
        const NameParts p = parts_of(source, *e.left, 0);
        const bool plain = !p.base.empty() && !p.has_below && !p.has_above && !p.primed &&
                           (p.end == e.left->size() || (*e.left)[p.end].is_symbol("("));
        if (!plain || !has_summand(source, e.right, p.base)) continue;
        if (std::ranges::none_of(e.right, [](const Token& t) { return t.is_command("\\sum"); })) continue;
        for (const Equation& other : all)
            if (other.note.kind != note && other.left && !other.left->empty() && !other.chained && defines(other, p.base))
                return p.base;
    }
    return "";
}

}  // namespace

void with_own_names_of_summands(std::vector<Equation>& all, const Reading& reading) {
    std::vector<Equation> out = all;
    try {
        const std::string base = base_of_total(reading.source, all);
        if (base.empty()) return;
        std::map<std::shared_ptr<const Tokens>, std::shared_ptr<const Tokens>> lefts;  // one for all of a chain
        for (Equation& e : out) {
            if (e.note.kind == note || !e.left) continue;
            auto& left = lefts[e.left];
            if (!left) left = std::make_shared<const Tokens>(with_summands(reading.source, *e.left, base));
            e.left = left;
            e.right = with_summands(reading.source, e.right, base);
        }
    } catch (const ProofError&) {  // told where it is read
        return;
    }
    all = std::move(out);
}

}  // namespace gradproof::proof::latex
