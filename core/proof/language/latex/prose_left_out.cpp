// What sentences seem to state, and do not.
#include <algorithm>
#include <iterator>

#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/property_formulas.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"
#include "gradproof/core/proof/language/latex/sayings.hpp"

namespace gradproof::proof::latex {
namespace {

Tokens without_commas(const Tokens& script) {
    Tokens out;
    std::ranges::copy_if(script, std::back_inserter(out), [](const Token& t) { return !t.is_symbol(","); });
    return out;
}

/// The formula that stands around a place, or none.
const Mention* mention_at(const std::vector<Mention>& all, std::size_t place) {
    const auto m = std::ranges::find_if(all, [&](const Mention& one) { return one.span.begin <= place && place < one.span.end; });
    return m == all.end() ? nullptr : &*m;
}

}  // namespace

/// "for every $i$ with $x_i > 0$" says when a claim holds, and nothing of x; "usually $y_i \in \{0, 1\}$" what is so elsewhere.
void Prose::leave_out_conditions(const std::vector<Mention>& all, const std::vector<Span>& conditions) {
    const auto is_condition_of_claim = [&](const Stated& s) {
        const Span name{s.name.front().span.begin, s.name.back().span.end};
        return std::ranges::any_of(conditions, [&](Span c) { return name.begin < c.end && c.begin < name.end; });
    };
    const auto is_said_elsewhere = [&](const Stated& s) {
        const Mention* m = mention_at(all, s.name.front().span.begin);
        return m != nullptr && !m->displayed && parts_of(source_, s.name, 0).has_below && speaks_of_others(m->led);
    };
    std::erase_if(stated_, [&](const Stated& s) {
        const bool only_where = s.sizes.empty() && s.is_limited();
        return only_where && (is_condition_of_claim(s) || is_said_elsewhere(s));
    });
}

/// The c_{ij} of c_{ij} \in \mathbb{R}, whose letters are indices of others, too: an entry of an array that nothing else states.
bool Prose::is_entry_of_array(const Stated& s) const {
    const NameParts p = parts_of(source_, s.name, 0);
    const Tokens at = without_commas(p.below);
    return at.size() > 1 && !p.has_above && std::ranges::all_of(at, [&](const Token& t) {
               const auto found = indexed_.find(t.text);
               return is_small_letter(t) && found != indexed_.end() &&
                      (found->second.size() > 1 || !found->second.contains(p.base));
           });
}

/// x_1 \in \mathbb{R} beside x \in \mathbb{R}^n: an entry of it. What is said of any, as x_i \in (0, 1) and A_{ij} > 0, is
/// said of all.
void Prose::leave_out_entries_of_stated(const std::vector<Mention>& all) {
    const auto of_some = [&](const Stated& s) {
        const Mention* m = mention_at(all, s.name.front().span.begin);
        return m != nullptr && is_said_of_some(m->behind);
    };
    const auto array_of = [&](const std::string& base, std::size_t axes) {
        return std::ranges::find_if(stated_, [&](const Stated& o) {
            const NameParts whole = parts_of(source_, o.name, 0);
            return whole.base == base && !whole.has_below && !whole.has_above && o.sizes.size() == axes;
        });
    };
    std::vector<std::size_t> entries;
    for (const Stated& s : stated_) {
        const NameParts p = parts_of(source_, s.name, 0);
        const Tokens at = without_commas(p.below);
        const auto whole = !at.empty() && !p.has_above && s.sizes.empty() ? array_of(p.base, at.size()) : stated_.end();
        if (whole == stated_.end()) continue;
        const bool any = std::ranges::all_of(at, [](const Token& t) { return is_small_letter(t); });
        if (std::ranges::any_of(at, [](const Token& t) { return !is_small_letter(t) && t.kind != Token::Kind::digits; }))
            continue;
        entries.push_back(static_cast<std::size_t>(&s - stated_.data()));
        if (!any || whole->is_limited() || of_some(s)) continue;
        whole->positive = s.positive;
        whole->between = s.between;
        whole->fill = s.fill;
    }
    for (; !entries.empty(); entries.pop_back()) stated_.erase(stated_.begin() + static_cast<std::ptrdiff_t>(entries.back()));
}

/// $q_i \in \mathbb{R}^d$ of what the text calls the rows of a Q.
void Prose::leave_out_lines_of_matrices(const LinesSaid& lines) {
    const auto is_known = [&](const std::string& matrix) {
        return bases_.contains(matrix) ||
               std::ranges::any_of(defined_, [&](const Defined& d) { return parts_of(source_, *d.left, 0).base == matrix; });
    };
    std::erase_if(stated_, [&](const Stated& s) {
        const NameParts p = parts_of(source_, s.name, 0);
        const std::string matrix(capital_of(p.base));
        const bool line = p.below.size() == 1 && is_small_letter(p.below[0]) && s.sizes.size() == 1;
        return line && lines.are_of(matrix) && is_known(matrix);
    });
}

}  // namespace gradproof::proof::latex
