// Conditions of claims.
#include "gradproof/core/proof/language/latex/conditions_of_claims.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/piecewise.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// Of what none of the claims before it is said.
void ConditionsOfClaims::add_otherwise(Equation& claim, const ConditionsSaid& before) {
    const bool known = !said_.empty() && before.where.empty() && std::ranges::all_of(said_, &Said::alone);
    claim.led = known ? Equation::Led::where : Equation::Led::words;
    for (const Said& s : said_) {
        const std::string_view by = claim.range.empty() ? "unless" : "or";
        claim.range.push_back({words, by, s.range.empty() ? claim.span : s.range.front().span, false});
        claim.range.insert(claim.range.end(), s.range.begin(), s.range.end());
    }
}

void ConditionsOfClaims::add_to(Equation& claim, Span before_it, Span behind_it) {
    before_it.begin = std::max(before_it.begin, std::min(taken_, before_it.end));
    const bool free = before_it.begin == last_ || before_it.begin == taken_;
    const ConditionsSaid before = conditions_before(*source_, before_it, free);
    seen_.insert(seen_.end(), before.seen.begin(), before.seen.end());
    WiderSaid wider = wider_around(*source_, before_it, behind_it);
    claim.in_general = wider.in_general;
    claim.of_any = std::move(wider.of_any);
    const ConditionsSaid behind = conditions_behind(*source_, behind_it, !before.where.empty());
    const bool goes_on = free && source_->slice(before_it).find('.') == std::string_view::npos;
    const bool unread = before.unclear || (goes_on && (is_nested_ || unclear_));
    last_ = behind_it.begin;
    taken_ = behind.where.empty() ? last_ : behind.end;
    is_nested_ = before.nested;
    unclear_ = behind.unclear;
    if (!said_.empty() && !same_texts(said_.back().left, *claim.left)) said_.clear();
    claim.range = before.where;
    if (before.otherwise || behind.otherwise) return add_otherwise(claim, before);
    const auto denies = [](const Tokens& t) { return !t.empty() && t.front().kind == words && t.front().text == "unless"; };
    const bool both = !before.where.empty() && !behind.where.empty();
    if (unread || behind.unclear || (both && (denies(before.where) || denies(behind.where) || !behind.other.empty()))) {
        claim.led = Equation::Led::words;
        return;
    }
    if (!behind.other.empty() && !claim.right.empty()) {
        claim.right = by_cases(claim.right, behind.where, behind.other);
        claim.span.end = std::max(claim.span.end, behind.end);
        return;
    }
    if (both) claim.range.push_back({words, "and", claim.range.front().span, false});
    claim.range.insert(claim.range.end(), behind.where.begin(), behind.where.end());
    if (claim.range.empty()) return;
    claim.led = before.at_point ? Equation::Led::at : Equation::Led::where;
    said_.push_back({*claim.left, claim.range, !both && !before.nested && !denies(claim.range)});
}

std::vector<Span> conditions_of_claims(const Source& source, Span text) {
    std::vector<Span> out;
    ConditionsOfClaims conditions(source);
    Document document(source, text, true);
    std::size_t behind = text.begin;
    try {
        while (const std::optional<Part> part = document.next()) {
            if (part->note.kind == note) {
                document.switched_by(part->note);
                continue;
            }
            const Tokens tokens = document.expanded(part->tokens);
            if (!is_claim(tokens)) {
                if (!part->in_line) behind = part->span.end;
                continue;
            }
            Equation claim;
            const auto equals = std::ranges::find_if(tokens, is_equals);
            claim.left = std::make_shared<const Tokens>(tokens.begin(), equals);
            claim.right.assign(equals + 1, tokens.end());
            claim.span = part->span;
            conditions.add_to(claim, {behind, part->span.begin}, {part->span.end, text.end});
            for (const Token& t : claim.range)
                if (t.kind != words) out.push_back(t.span);
            behind = part->span.end;
        }
    } catch (const ProofError&) {  // told where formulas are read
    }
    out.insert(out.end(), conditions.seen().begin(), conditions.seen().end());
    return out;
}

}  // namespace gradproof::proof::latex
