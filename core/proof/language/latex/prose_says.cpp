// Of which names sentences say what they are.
#include <algorithm>
#include <utility>

#include "gradproof/core/proof/language/latex/left_side.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"

namespace gradproof::proof::latex {

using enum Token::Kind;

/// \sigma_j = e^{s_j / 2} of a bare \sigma.
bool Prose::is_by_entries(const NameParts& whole, const Defined& d) {
    if (!whole.has_below || whole.has_above || whole.end != d.left->size()) return false;
    return std::ranges::all_of(whole.below, [&](const Token& t) {
        const bool index = t.kind == letter && t.text.size() == 1 && t.text[0] >= 'i' && t.text[0] <= 'n';
        return t.is_symbol(",") || (index && std::ranges::any_of(d.right, [&](const Token& o) { return o.is(letter, t.text); }));
    });
}

/// K_y of K_y = K_f + \sigma^2 I, where y is no index: K_f is another matrix.
bool Prose::names_one_of_several(const NameParts& whole, const Defined& d) {
    const bool capital = whole.base.size() == 1 && whole.base[0] >= 'A' && whole.base[0] <= 'Z';
    if (!capital || whole.below.size() != 1 || whole.below[0].kind != letter || whole.has_above) return false;
    return std::ranges::none_of(d.right, [&](const Token& t) { return t.is(letter, whole.below[0].text); });
}

bool Prose::says(const NameParts& p) const {
    const std::string key = p.full_key();
    const auto is_of = [&](const NameParts& whole) {
        if (whole.base != p.base || whole.primed != p.primed) return false;
        const bool by_entries =
            whole.has_below && std::ranges::all_of(whole.below, [](const Token& t) {
                return t.is_symbol(",") || t.kind == digits || (t.kind == letter && t.text[0] >= 'a' && t.text[0] <= 'z');
            });
        return whole.full_key() == key || !whole.has_below || (p.has_below && by_entries);
    };
    return noted_.contains(key) || noted_.contains(p.base) ||
           std::ranges::any_of(stated_, [&](const Stated& s) { return is_of(parts_of(source_, s.name, 0)); }) ||
           std::ranges::any_of(defined_,
                               [&](const Defined& d) {
                                   const NameParts whole = parts_of(source_, *d.left, 0);
                                   if (names_one_of_several(whole, d)) return whole.full_key() == key;
                                   return is_of(whole) || (!p.has_below && p.base == whole.base && p.primed == whole.primed &&
                                                           is_by_entries(whole, d));
                               }) ||
           std::ranges::any_of(spoken_of_, [&](const auto& left) {
               const NameParts one = parts_of(source_, *left, 0);
               return one.end == left->size() && one.full_key() == key;
           });
}

/// Whether an equation says what it is, of it or of its entries.
bool Prose::is_defined(const Reading& reading, const NameParts& p, std::size_t axes) const {
    const auto letters_of = [](const Tokens& script) {
        return std::ranges::count_if(script, [](const Token& t) { return t.kind == letter; });
    };
    const auto stands_bare = [&](const Tokens& right) {  // z of z_q = z + ...
        for (std::size_t i = 0; i < right.size(); ++i)
            if (const NameParts one = name_at(reading, right, i); one.base == p.base && !one.has_below) return true;
        return false;
    };
    const auto uses = [](const Tokens& right, const Tokens& script) {
        return std::ranges::all_of(script, [&](const Token& i) {
            return i.kind != letter || std::ranges::any_of(right, [&](const Token& t) { return t.is(letter, i.text); });
        });
    };
    const std::string key = p.full_key();
    return std::ranges::any_of(defined_, [&](const Defined& d) {
        const NameParts left = name_at(reading, *d.left, 0);
        if (left.base != p.base || left.primed != p.primed) return false;
        if (left.full_key() == key) return true;
        const bool of_entries = left.has_below && left.key(left.has_above, false, left.primed) == key;
        if (of_entries && !indices_of(reading, left, d.right).empty()) return true;
        const bool of_all_axes =
            of_entries && std::cmp_equal(letters_of(left.below), axes) && !stands_bare(d.right) && uses(d.right, left.below);
        if (of_all_axes && axes > 0) return true;
        const bool entry = p.has_below && std::ranges::all_of(p.below, [](const Token& t) {
                               return t.is_symbol(",") || (t.kind == letter && t.text[0] >= 'a' && t.text[0] <= 'z');
                           });
        return entry && p.key(p.has_above, false, p.primed) == left.full_key();
    });
}

}  // namespace gradproof::proof::latex
