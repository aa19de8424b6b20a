// Sums over sets.
#include "gradproof/core/proof/language/latex/sets.hpp"

#include <algorithm>
#include <optional>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Whether a sum has a set below it.
bool has_sum_over_set(std::string_view text) {
    constexpr std::string_view kSum = "\\sum_{";
    for (std::size_t at = text.find(kSum); at != text.npos; at = text.find(kSum, at + 1)) {
        int depth = 1;
        std::size_t end = at + kSum.size();
        for (; end < text.size() && depth > 0; ++end) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        const std::string_view below = text.substr(at, end - at);
        for (std::size_t in = below.find("\\in"); in != below.npos; in = below.find("\\in", in + 1)) {
            const char next = in + 3 < below.size() ? below[in + 3] : '}';
            if (!((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'))) return true;
        }
    }
    return false;
}

/// What lies in a set, and which: (i,j) and \Omega of j : (i,j) \in \Omega, where j is summed over.
struct Membership {
    Tokens over;  ///< empty where all of the element is
    std::vector<Token> element;
    Tokens set, slice{};  ///< i of \Omega_i and \Omega^i, of those that are in \Omega with i
};
std::optional<Membership> membership_in(const Source& source, const Tokens& below) {
    const auto in = std::ranges::find_if(below, [](const Token& t) { return t.is_command("\\in"); });
    if (in == below.end()) return std::nullopt;
    Membership out;
    Tokens element(below.begin(), in);
    out.set.assign(in + 1, below.end());
    const auto such_that =
        std::ranges::find_if(element, [](const Token& t) { return t.is_symbol(":") || t.is_command("\\mid"); });
    if (such_that != element.end()) {
        out.over.assign(element.begin(), such_that);
        element.erase(element.begin(), such_that + 1);
    }
    for (const Token& t : element)
        if (is_small_letter(t))
            out.element.push_back(t);
        else if (!t.is_symbol("(") && !t.is_symbol(")") && !t.is_symbol(",") && !t.is_command("\\,"))
            return std::nullopt;
    const NameParts p = out.set.empty() ? NameParts{} : parts_of(source, out.set, 0);
    const Tokens& script = p.has_above ? p.above : p.below;
    if (p.has_below != p.has_above && p.end == out.set.size() && script.size() == 1 && is_small_letter(script[0])) {
        out.slice = script;
        out.set = part_of(out.set, 0, p.base_end);
        return out.element.size() == 1 && out.over.empty() ? std::optional(out) : std::nullopt;
    }
    const bool name = !p.base.empty() && p.end == out.set.size() && !p.has_below && !out.set[0].is_command("\\mathbb");
    return name && !out.element.empty() && out.element.size() <= 2 ? std::optional(out) : std::nullopt;
}

/// "the support vectors", "the observed entries": of some of all indices.
bool speaks_of_some(std::string_view words) {
    constexpr std::string_view kSome[] = {
        " support ", " active ",  " observed ", " selected ",   " violat",  " relevant ", " neighbour",
        " neighbor", " positive", " negative",  " outlier",     " inlier",  " masked",    " unmasked",
        " subset",   " known ",   " labelled ", " labeled ",    " correct", " incorrect", " misclassified",
        " even ",    " odd ",     " held-out ", " validation ", " some "};
    const std::string padded = std::string(words) + " ";
    return std::ranges::any_of(kSome, [&](std::string_view one) { return padded.find(one) != std::string::npos; });
}

std::string key_at(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    return p.base.empty() ? "" : p.key(p.has_above, p.has_below, p.primed);
}

}  // namespace

Sets::Sets(const Source& source) : source_(source), any_(has_sum_over_set(source.text())) {
    if (!any_) return;
    Tokens all;
    Lexer lexer(source, {0, source.text().size()});
    for (Token t = lexer.next(); t.kind != none && all.size() < kMostTokens; t = lexer.next())
        if (!t.is_command("\\,") && !t.is_command("\\;") && !t.is_command("\\!")) all.push_back(t);
    try {
        find_sums(all);
        find_definitions(all);
        find_subsets(all);
        find_masks(all);
    } catch (const ProofError&) {  // braces that do not match are told where formulas are read
    }
}

void Sets::find_sums(const Tokens& all) {
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        if (!all[i].is_command("\\sum") || !all[i + 1].is_symbol("_")) continue;
        const Tokens below = inside_group(source_, all, i + 2);
        const auto m = membership_in(source_, below);
        if (m && m->element.size() == 2)
            pairs_.emplace(key_at(source_, m->set), m->element);
        else if (m && m->slice.empty())
            single_.insert(key_at(source_, m->set));
        else if (!below.empty() && is_small_letter(below[0]))
            alone_.emplace(below[0].text);
    }
}

/// \mathcal M = \{i : y_i < 1\}.
void Sets::find_definitions(const Tokens& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const NameParts p = parts_of(source_, all, i);
        if (p.base.empty() || p.end + 4 >= all.size() || !is_equals(all[p.end])) continue;
        std::size_t open = p.end + 1;
        if (all[open].is_command("\\left") || all[open].is_command("\\bigl")) ++open;
        if (!all[open].is_command("\\{") || !is_small_letter(all[open + 1])) continue;
        if (!all[open + 2].is_symbol(":") && !all[open + 2].is_command("\\mid") && !all[open + 2].is_symbol("|")) continue;
        std::size_t close = open + 3;
        while (close < all.size() && !all[close].is_command("\\}")) ++close;
        Tokens condition = part_of(all, open + 3, std::min(close, all.size()));
        std::erase_if(condition, [](const Token& t) { return t.is_command("\\right") || t.is_command("\\bigr"); });
        const bool compares = std::ranges::any_of(condition, [](const Token& t) { return is_comparison(t) || t.text == "="; });
        const std::string key = p.key(p.has_above, p.has_below, p.primed);
        if (close < all.size() && compares && !key.empty())
            defined_.emplace(key, Defined{std::string(all[open + 1].text), std::move(condition)});
    }
}

/// S of S \subset \{1, \dots, n\}, unless |S| stands in the text.
void Sets::find_subsets(const Tokens& all) {
    std::set<std::string> counted;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const NameParts p = parts_of(source_, all, i);
        if (p.base.empty() || p.end >= all.size()) continue;
        const std::string key = p.key(p.has_above, p.has_below, p.primed);
        if (all[p.end].is_command("\\subset") || all[p.end].is_command("\\subseteq")) subsets_.insert(key);
        if (i > 0 && (all[i - 1].is_symbol("|") || all[i - 1].is_command("\\lvert")) && single_.contains(key))
            counted.insert(key);
    }
    find_subsets_in_words(all);
    for (const std::string& key : counted) subsets_.erase(key);
    counts_ = !counted.empty();
}

/// "let $S$ be the support vectors"
void Sets::find_subsets_in_words(const Tokens& all) {
    const std::string_view text = source_.text();
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        if (!all[i].is_symbol("$")) continue;
        const NameParts p = parts_of(source_, all, i + 1);
        if (p.base.empty() || p.end >= all.size() || !all[p.end].is_symbol("$")) continue;
        const std::string key = p.key(p.has_above, p.has_below, p.primed);
        std::string_view behind = text.substr(all[p.end].span.end);
        behind = behind.substr(0, behind.find_first_of("$.,;\\"));
        const bool says = behind.starts_with(" be ") || behind.starts_with(" is ") || behind.starts_with(" denote") ||
                          behind.starts_with(" the ");
        if (says && single_.contains(key) && speaks_of_some(behind)) subsets_.insert(key);
    }
}

/// Whether it may be less than all that its index runs over: the text says that it is a subset, or has sums over another set too.
bool Sets::is_subset(const std::string& key) const {
    if (defined_.contains(key) || !single_.contains(key)) return false;
    return subsets_.contains(key) || (single_.size() > 1 && !counts_);
}

/// "the 0/1 mask $M$ of $\Omega$", "let $M$ be the mask of $\Omega$", "its indicator matrix $M$".
void Sets::find_masks(const Tokens& all) {
    std::vector<std::string> known;
    for (const auto& [key, element] : pairs_) known.push_back(key);
    known.insert(known.end(), single_.begin(), single_.end());
    if (known.size() != 1) return;
    const std::string_view text = source_.text();
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        if (!all[i].is_symbol("$")) continue;
        const NameParts p = parts_of(source_, all, i + 1);
        if (p.base.empty() || p.end >= all.size() || !all[p.end].is_symbol("$")) continue;
        constexpr std::size_t kNear = 40;
        const std::size_t begin = all[i].span.begin, end = all[p.end].span.end;
        const std::string_view before = text.substr(begin - std::min(begin, kNear), std::min(begin, kNear));
        std::string_view behind = text.substr(end, kNear);
        behind = behind.substr(0, behind.find_first_of("$."));
        const auto speaks = [](std::string_view words) {
            return words.find("mask") != words.npos || words.find("indicator") != words.npos;
        };
        const bool is_it = (behind.starts_with(" be ") || behind.starts_with(" is ")) && speaks(behind);
        const std::size_t last = before.find_last_of("$.,");
        if (is_it || speaks(before.substr(last == before.npos ? 0 : last + 1)))
            if (key_at(source_, part_of(all, i + 1, p.end)) != known[0]) masks_.emplace(known[0], part_of(all, i + 1, p.end));
    }
}

Tokens Sets::mask_of(const Tokens& set) const {
    const auto named = masks_.find(key_at(source_, set));
    return named == masks_.end() ? set : named->second;
}

bool Sets::is_mask(const std::string& key) const {
    if (std::ranges::any_of(masks_, [&](const auto& m) { return key_at(source_, m.second) == key; })) return true;
    return !defined_.contains(key) && !masks_.contains(key) && (pairs_.contains(key) || single_.contains(key));
}

std::map<std::string, std::string> Sets::taken_whole(Span formula) const {
    std::map<std::string, std::string> out;
    Tokens all;
    Lexer lexer(source_, formula);
    for (Token t = lexer.next(); t.kind != none && t.span.begin < formula.end; t = lexer.next()) all.push_back(t);
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        if (!all[i].is_command("\\sum") || !all[i + 1].is_symbol("_")) continue;
        const auto m = membership_in(source_, inside_group(source_, all, i + 2));
        if (!m || m->element.size() != 1 || !m->slice.empty()) continue;
        const std::string key = key_at(source_, m->set);
        const bool masked = alone_.contains(std::string(m->element[0].text)) || is_subset(key) || masks_.contains(key);
        if (!key.empty() && !defined_.contains(key) && !masked) out.emplace(key, joined(m->set, 0, m->set.size()));
    }
    return out;
}

/// What stands below the sum instead, and the factor that goes before what is summed.
Tokens Sets::sum_over(const Tokens& below, Tokens& factor) const {
    const std::optional<Membership> m = membership_in(source_, below);
    if (!m) return below;
    const Token at = m->set[0];
    const auto symbol_there = [&](Token::Kind kind, std::string_view text) { return Token{kind, text, at.span, false}; };
    std::vector<Token> place = m->element;  // of the mask
    if (!m->slice.empty()) {
        const auto pairs = pairs_.find(key_at(source_, m->set));
        if (pairs == pairs_.end()) return below;
        const std::string_view one = m->element[0].text, other = m->slice[0].text, first = pairs->second[0].text,
                               second = pairs->second[1].text;
        if (!(one == first && other == second) && !(one == second && other == first)) return below;
        place = one == first ? std::vector{m->element[0], m->slice[0]} : std::vector{m->slice[0], m->element[0]};
    }
    const auto defined = defined_.find(key_at(source_, m->set));
    if (defined != defined_.end() && m->element.size() == 1 && m->over.empty()) {
        Tokens out{m->element[0], symbol_there(symbol, ":")};
        for (const Token& t : defined->second.condition) {
            const bool index = t.is(letter, defined->second.index);
            out.push_back({t.kind, index ? m->element[0].text : t.text, index ? m->element[0].span : t.span, t.blank});
        }
        return out;
    }
    const bool mask = place.size() == 2 || alone_.contains(std::string(m->element[0].text)) || is_subset(key_at(source_, m->set));
    if (mask) {
        factor = mask_of(m->set);
        add_below(factor, place, at.span);
        for (Token& t : factor) t.span = at.span;
    }
    if (!m->over.empty()) return m->over;
    Tokens out;
    for (const Token& t : m->element) {
        if (!out.empty()) out.push_back(symbol_there(symbol, ","));
        out.push_back(t);
    }
    return out;
}

Tokens Sets::written_out(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        if (!tokens[i].is_command("\\sum") || i + 2 >= tokens.size() || !tokens[i + 1].is_symbol("_")) continue;
        const Tokens below = inside_group(source_, tokens, i + 2);
        Tokens factor;
        const Tokens other = sum_over(below, factor);
        if (same_texts(below, other)) continue;
        const Span at = tokens[i + 2].span;
        out.push_back(tokens[i + 1]);
        out.push_back({opening, "{", at, false});
        out.insert(out.end(), other.begin(), other.end());
        out.push_back({closing, "}", at, false});
        out.insert(out.end(), factor.begin(), factor.end());
        i = end_of_group(source_, tokens, i + 2) - 1;
    }
    return out;
}

}  // namespace gradproof::proof::latex
