// Sequences of a text.
#include "gradproof/core/proof/language/latex/sequences_seen.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {

void SequencesSeen::see_left(const NameParts& p) {
    lefts_.insert(p.key(p.has_above, p.has_below, p.primed));
    if (!p.below.empty() && is_small_letter(p.below[0])) stands_left_[p.base].emplace(p.below[0].text);
}

void SequencesSeen::see(const NameParts& p) {
    if (is_at_step(p) && is_small_letter(p.below[0])) steps_.emplace(p.below[0].text);
}

bool SequencesSeen::any_steps(const Indices& indices) const {
    return std::ranges::any_of(indices, [&](const std::string& i) { return steps_.contains(i); });
}

bool SequencesSeen::is_last(const NameParts& p) const {
    constexpr std::string_view kEnds[] = {"L", "T", "N", "K"};
    const bool end = !p.below.empty() && p.below[0].kind == Token::Kind::letter && is_one(kEnds, p.below[0].text) &&
                     (p.below.size() == 1 || p.below[1].is_symbol(","));
    const auto of = end ? stands_left_.find(p.base) : stands_left_.end();
    return of != stands_left_.end() && any_steps(of->second);
}

bool SequencesSeen::is_step_back(const NameParts& p, const std::set<std::string>& indices) const {
    const bool back = is_at_step(p) && !p.has_above && indices.contains(std::string(p.below[0].text)) &&
                      p.below[1].is_symbol("-") && p.below[2].is(Token::Kind::digits, "1") &&
                      (p.below.size() == 3 || p.below[3].is_symbol(","));
    if (!back) return false;
    const std::string key = p.base + "_" + std::string(p.below[0].text);
    return std::ranges::any_of(
        lefts_, [&](const std::string& l) { return l.starts_with(key) && (l.size() == key.size() || p.below.size() > 3); });
}

bool SequencesSeen::goes_by_steps(const std::string& key) const {
    const auto found = stands_at_.find(key);
    return found != stands_at_.end() && any_steps(found->second);
}

}  // namespace gradproof::proof::latex
