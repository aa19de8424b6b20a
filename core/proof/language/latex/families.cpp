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

/// How many sums of a formula run over the letter.
std::size_t sums_over(const Source& source, const Tokens& t, std::string_view index) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t[i].is_command("\\sum")) out += runs_over(source, part_of(t, i, std::min(i + 8, t.size())), index);
    return out;
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
        if (!part.in_line || equals == all.end()) return;
        const Tokens left(all.begin(), equals), right(equals + 1, all.end());
        const bool list = std::ranges::any_of(right, is_dots), set = !right.empty() && right[0].is_command("\\{");
        if (!list && !set) return see(left, right);
        add_bare(all, parameter_of(source, left));  // y = (y_1, \dots, y_n) and S = \{i : y_i < 1\} run over no y_i
        add_places(left, right);
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
    add_places(left, right);
}

/// Of (R_{ij} - u_i^\top v_j)^2, summed over i and j, where the letters stand below R: u has as many rows as R then.
void Families::add_places(const Tokens& left, const Tokens& right) {
    if (std::ranges::any_of(left, is_derivative_sign)) return;  // which may be claimed wrongly
    for (std::size_t i = 0; i < right.size(); ++i) {
        const NameParts p = parts_of(source_, right, i);
        if (p.base.empty()) continue;
        i = std::max(i + 1, p.base_end) - 1;
        if (!p.has_below || p.primed || std::ranges::any_of(p.below, [](const Token& t) { return t.kind != letter; })) continue;
        for (std::size_t at = 0; at < p.below.size(); ++at) {
            const std::string_view index = p.below[at].text;
            if (sums_over(source_, right, index) + has_below(source_, left, index) == 1)
                places_[std::string(index)].push_back({p.base, at, p.below.size()});
        }
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

/// The one size that the arrays have at whose axes the letter stands; nothing where they have several, or none says theirs.
Tokens Families::end_at_places(const std::string& index, const std::vector<Stated>& stated) const {
    Tokens out;
    const auto places = places_.find(index);
    if (places == places_.end()) return out;
    for (const Place& place : places->second)
        for (const Stated& s : stated) {
            const NameParts p = parts_of(source_, s.name, 0);
            const bool has_place = s.sizes.size() == place.of || (place.of == 1 && s.sizes.size() == 2);  // x_i of rows
            if (p.base != place.base || p.has_below || !has_place) continue;
            const Tokens& size = s.sizes[place.at];
            const bool other = !out.empty() && joined(out, 0, out.size()) != joined(size, 0, size.size());
            if (other || size.size() != 1 || size[0].kind != letter) return {};
            out = size;
        }
    return out;
}

/// m_i \in \{0, 1\} of an m that formulas have without an index.
bool Families::is_entry_of_bare(const NameParts& p, const Stated& s) const {
    const bool entry = !p.has_above && !letter_below(p).empty() && s.sizes.empty() && !used_.contains(p.base);
    return entry && bare_.contains(p.base) && s.is_limited();
}

/// The size of the vectors that are stated; nothing where they have several.
Tokens Families::only_size(const std::vector<Stated>& stated) const {
    Tokens out;
    for (const Stated& s : stated) {
        if (s.sizes.size() != 1 || parts_of(source_, s.name, 0).has_below) continue;
        if (!out.empty() && joined(out, 0, out.size()) != joined(s.sizes[0], 0, s.sizes[0].size())) return {};
        out = s.sizes[0];
    }
    return out;
}

void Families::join(std::vector<Stated>& stated) const {
    std::map<std::string, std::set<std::string>> named;
    for (const Stated& s : stated) named[parts_of(source_, s.name, 0).base].insert(joined(s.name, 0, s.name.size()));
    const Tokens only = only_size(stated);
    for (Stated& s : stated) {
        const NameParts p = parts_of(source_, s.name, 0);
        if (named[p.base].size() == 1 && !only.empty() && is_entry_of_bare(p, s)) {
            s.sizes = {only};
            s.name = part_of(s.name, 0, p.base_end);
            continue;
        }
        if (named[p.base].size() != 1 || !are_rows(p, s.sizes.empty())) continue;
        const std::string index(letter_below(p));
        const auto ends = ends_.find(index);
        if (ends != ends_.end() && ends->second.size() != 1) continue;
        const Tokens end = ends != ends_.end() ? ends->second.begin()->second : end_at_places(index, stated);
        s.sizes.insert(s.sizes.begin(), end.empty() ? unsaid_end(p) : end);
        s.name = part_of(s.name, 0, p.base_end);
    }
}

}  // namespace gradproof::proof::latex
