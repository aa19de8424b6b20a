// Arrays whose rows a text names one by one.
#include "gradproof/core/proof/language/latex/families.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/left_side.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The letter below, where nothing else stands there; "" of others.
std::string_view letter_below(const NameParts& p) {
    const bool one = p.has_below && !p.primed && p.below.size() == 1 && p.below[0].kind == letter;
    return one && p.below[0].text[0] >= 'a' && p.below[0].text[0] <= 'z' ? p.below[0].text : "";
}

bool is_first(const Token& t) { return t.is(digits, "1") || t.is(digits, "0"); }

/// Whether `t` runs over the letter: \sum_{i=1}^n, \sum_i, \max_{i < j}.
bool runs_over(const Source& source, const Tokens& t, std::string_view index) {
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        constexpr std::string_view kAll[] = {"\\sum", "\\prod", "\\max", "\\min", "\\limits", "\\mathbb", "\\operatorname"};
        if (!t[i].is_symbol("_") || t[i - 1].kind != command || std::ranges::find(kAll, t[i - 1].text) == std::end(kAll))
            continue;
        const Tokens below = inside_group(source, t, i + 1);
        if (std::ranges::any_of(below, [&](const Token& one) { return one.is(letter, index); })) return true;
    }
    return false;
}
bool has_below(const Source& source, const Tokens& t, std::string_view index) {
    for (std::size_t i = 0; i + 1 < t.size(); ++i)
        if (t[i].is_symbol("_"))
            if (std::ranges::any_of(inside_group(source, t, i + 1), [&](const Token& one) { return one.is(letter, index); }))
                return true;
    return false;
}

/// x of h(x) = ..., which is any; "" of other left sides.
std::string parameter_of(const Source& source, const Tokens& left) {
    const NameParts p = left.empty() ? NameParts{} : parts_of(source, left, 0);
    if (p.base.empty() || p.end >= left.size() || !left[p.end].is_symbol("(") || end_of_brackets(left, p.end) != left.size())
        return "";
    const Tokens inside = part_of(left, p.end + 1, left.size() - 1);
    const NameParts of = inside.empty() ? NameParts{} : parts_of(source, inside, 0);
    return of.end == inside.size() && !of.has_below ? of.base : "";
}

}  // namespace

Families::Families(const Source& source, Span text) : source_(source) {
    each_formula(source, text, [&](const Part& part, const Tokens& all) {
        add_ends(all);
        const auto equals = std::ranges::find_if(all, is_equals);
        if (part.in_line && equals != all.end()) add_bare(all, parameter_of(source, {all.begin(), equals}));
    });
}

void Families::add_bare(const Tokens& t, const std::string& parameter) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        const NameParts p = parts_of(source_, t, i);
        if (!p.has_below && !p.has_above && p.base != parameter) bare_.insert(p.base);
        i = std::max(i + 1, p.base_end) - 1;  // the letters of \mathrm{diag} are no names
    }
}

void Families::add_ends(const Tokens& t) {
    const auto add = [&](const Token& index, const Tokens& end) {
        const NameParts p = end.empty() ? NameParts{} : parts_of(source_, end, 0);
        if (!p.base.empty() && p.end == end.size() && end.size() == 1) ends_[std::string(index.text)].emplace(p.base, end);
    };
    for (std::size_t i = 0; i + 2 < t.size(); ++i) {
        if (t[i].kind != letter) continue;
        const bool equals = is_equals(t[i + 1]), in = t[i + 1].is_command("\\in");
        if (equals && is_first(t[i + 2])) {
            if (i + 5 < t.size() && t[i + 3].kind == closing && t[i + 4].is_symbol("^"))
                add(t[i], inside_group(source_, t, i + 5));
            else if (i + 6 < t.size() && t[i + 3].is_symbol(",") && is_dots(t[i + 4]) && t[i + 5].is_symbol(","))
                add(t[i], {t[i + 6]});
        } else if (in && t[i + 2].is_command("\\{") && i + 8 < t.size() && is_first(t[i + 3]) && is_dots(t[i + 5])) {
            add(t[i], {t[i + 7]});
        } else if (in && t[i + 2].is_symbol("[") && i + 4 < t.size() && t[i + 4].is_symbol("]")) {
            add(t[i], {t[i + 3]});
        }
    }
}

void Families::see(const Tokens& left, const Tokens& right) {
    const bool claims = std::ranges::any_of(left, is_derivative_sign);  // and may do so wrongly
    const std::string parameter = parameter_of(source_, left);
    add_bare(left, parameter);
    add_bare(right, parameter);
    for (const Tokens* side : {&left, &right})
        for (std::size_t i = 0; i < side->size(); ++i) {
            const NameParts p = parts_of(source_, *side, i);
            if (p.base.empty()) continue;
            i = std::max(i + 1, p.base_end) - 1;
            const std::string_view index = letter_below(p);
            if (index.empty()) continue;
            used_.insert(p.base);
            if (!claims && !runs_over(source_, right, index) && !has_below(source_, left, index)) loose_.insert(p.base);
        }
}

/// Whether it names one row of an array, or one entry, where the whole may stand without an index too.
bool Families::are_rows(const NameParts& p, bool entries) const {
    return !p.has_above && !letter_below(p).empty() && used_.contains(p.base) && !loose_.contains(p.base) &&
           (entries || !bare_.contains(p.base));
}

/// n_i: how many rows there are, where the text does not say.
Tokens Families::unsaid_end(const NameParts& p) {
    const Span at = p.below[0].span;
    return {{letter, "n", at, false}, {symbol, "_", at, false}, p.below[0]};
}

void Families::join(std::vector<Stated>& stated) const {
    std::map<std::string, std::set<std::string>> named;
    for (const Stated& s : stated) named[parts_of(source_, s.name, 0).base].insert(joined(s.name, 0, s.name.size()));
    for (Stated& s : stated) {
        const NameParts p = parts_of(source_, s.name, 0);
        if (named[p.base].size() != 1 || !are_rows(p, s.sizes.empty())) continue;
        const auto ends = ends_.find(std::string(letter_below(p)));
        if (ends != ends_.end() && ends->second.size() != 1) continue;
        s.sizes.insert(s.sizes.begin(), ends != ends_.end() ? ends->second.begin()->second : unsaid_end(p));
        s.name = part_of(s.name, 0, p.base_end);
    }
}

}  // namespace gradproof::proof::latex
