// Entries that formulas leave out.
#include "gradproof/core/proof/language/latex/elsewhere.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/piecewise.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// j \le i of (j \le i).
Tokens without_brackets(Tokens t) {
    std::erase_if(t, [](const Token& one) { return is_separator(one) || one.is_symbol("."); });
    const bool within = t.size() > 2 && t.front().is_symbol("(") && t.back().is_symbol(")");
    return within ? part_of(t, 1, t.size() - 1) : t;
}
/// Of a single comparison.
struct Compared {
    Tokens left, right;
    std::string_view sign;
};
std::optional<Compared> compared(const Tokens& t) {
    const std::size_t at = relation_in(t);
    if (at == 0 || at + 1 >= t.size()) return std::nullopt;
    Compared out{part_of(t, 0, at), part_of(t, at + 1, t.size()), relation(t[at])};
    return relation_in(out.right) < out.right.size() ? std::nullopt : std::optional(std::move(out));
}
/// Whether each of two comparisons holds where the other does not: j \le i and j > i, or i < j.
bool are_opposite(const Tokens& a, const Tokens& b) {
    const std::optional<Compared> first = compared(a), second = compared(b);
    if (!first || !second) return false;
    constexpr std::pair<std::string_view, std::string_view> kOpposite[] = {{"<", ">="}, {"<=", ">"}, {">", "<="}, {">=", "<"}};
    constexpr std::pair<std::string_view, std::string_view> kTurned[] = {{"<", "<="}, {"<=", "<"}, {">", ">="}, {">=", ">"}};
    const bool same = same_texts(first->left, second->left) && same_texts(first->right, second->right);
    const bool turned = same_texts(first->left, second->right) && same_texts(first->right, second->left);
    const auto holds = [&](const auto& all) {
        return std::ranges::any_of(all, [&](const auto& one) { return one.first == first->sign && one.second == second->sign; });
    };
    return (same && holds(kOpposite)) || (turned && holds(kTurned));
}

}  // namespace

Elsewhere::Elsewhere(const Source& source, Span text) {
    const std::vector<Mention> all = mentions_in(source, text);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const Tokens& t = all[i].formula;
        const auto equals = std::ranges::find_if(t, is_equals);
        const bool zero = equals != t.end() && equals + 2 == t.end() && (equals + 1)->is(digits, "0");
        if (zero && leads_to_condition(all[i].behind) && !all[i].displayed)
            all_.push_back({{t.begin(), equals}, without_brackets(all[i + 1].formula)});
    }
}

void Elsewhere::complete(Equation& e) const {
    if (!e.left || e.chained || e.note.kind == note || e.range.empty() || e.right.empty()) return;
    const Tokens condition = without_brackets(e.range);
    const auto zero = std::ranges::find_if(
        all_, [&](const Zero& z) { return same_texts(z.name, *e.left) && are_opposite(condition, z.condition); });
    if (zero == all_.end()) return;
    e.right = by_cases(e.right, condition, {{digits, "0", e.right.front().span, false}});
    e.range.clear();
}

}  // namespace gradproof::proof::latex
