// Indices of which a text says that they run over a part of what they could.
#include <algorithm>
#include <optional>

#include "gradproof/core/proof/language/latex/accounted.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

bool is_text(const Tokens& t, std::string_view text) { return t.size() == 1 && t[0].text == text; }
bool is_bar(const Token& t) { return t.is_symbol("|") || t.is_command("\\lvert") || t.is_command("\\rvert") || is_norm_bar(t); }

}  // namespace

bool Accounted::is_size(const Tokens& t) const {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source_, t, 0);
    return !p.base.empty() && p.end == t.size() && std::ranges::find(proof_.dims, p.base, &Dim::name) != proof_.dims.end();
}

/// Of x_i of an input whose shape is stated, x [n], where i = 1, ..., m.
bool Accounted::is_of_another_axis(const std::string& index, const std::string& last) const {
    const auto stands = [&](const std::string& name) {
        return std::ranges::any_of(formulas_, [&](const std::string& f) {
            return f.find("|" + name + "|_|" + index + "|") != f.npos || f.find("|" + name + "|_|{|" + index + "|") != f.npos;
        });
    };
    bool same = false, other = false;
    for (const Given& g : proof_.given) {
        if (g.taken || g.shape.empty() || g.shape[0]->kind != Kind::name) continue;
        std::string line = g.name;  // x_i of X
        if (line.size() == 1) line[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(line[0])));
        if (!stands(g.name) && (g.shape.size() != 2 || !stands(line))) continue;
        (g.shape[0]->name == last ? same : other) = true;
    }
    return other && !same;
}

/// What stands behind i = ends where something else begins: the parts between commas.
std::vector<Tokens> Accounted::listed_from(const Tokens& t, std::size_t at) const {
    std::vector<Tokens> out(1);
    for (; at < t.size(); ++at) {
        const Token& one = t[at];
        if (one.is_symbol(",")) {
            out.emplace_back();
            continue;
        }
        const bool goes_on = is_dots(one) || one.kind == Token::Kind::digits || one.kind == Token::Kind::letter ||
                             one.is_symbol("-") || one.is_symbol("+") || one.is_symbol("_");
        const bool ends = is_separator(one) || one.kind == Token::Kind::words || one.is_symbol("&") || one.is_symbol(".") ||
                          one.is_command("\\\\");
        if (ends) break;
        out.back().push_back(one);  // and n / 2, of which the rest is no range
        if (!goes_on) break;
    }
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
}

/// i = 1, \dots, n - 1, i = 2, \dots, n and i = 1, 3, 5 of all that the index could be; not i = 1, \dots, n and
/// t = T, \dots, 1, nor i = 0, \dots, n - 1.
bool Accounted::is_part_of_range(const std::vector<Tokens>& parts, const std::string& index) const {
    const auto dots = std::ranges::find_if(parts, [](const Tokens& p) { return p.size() == 1 && is_dots(p[0]); });
    if (dots == parts.end()) return parts.size() > 1 || parts[0].size() > 1;
    if (dots + 1 == parts.end()) return true;
    const Tokens& last = *(dots + 1);
    const auto is_from = [](const Tokens& t) { return is_text(t, "1") || is_text(t, "0"); };
    if (is_from(last) && parts[0][0].kind == Token::Kind::letter) return false;
    const bool from_one = is_text(parts[0], "1");
    const auto before = dots - parts.begin();
    const bool next = before == 1 || (before == 2 && is_text(parts[1], from_one ? "2" : "1"));
    if (!is_from(parts[0]) || !next) return true;
    if (last.size() == 1 && last[0].kind == Token::Kind::digits) return false;
    const NameParts p = parts_of(source_, last, 0);
    if (p.base.empty()) return true;
    if (p.end == last.size()) return from_one && is_of_another_axis(index, p.base);
    return from_one || p.end + 2 != last.size() || !last[p.end].is_symbol("-") || last.back().text != "1";
}

/// Of a formula with such a range behind it, but for one of a claim by that index, and i = 0, \dots, n - K of what is defined.
bool Accounted::leaves_out_of_range(const Mention& m) const {
    const Tokens& t = m.formula;
    std::size_t row = 0;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (t[i].is_command("\\\\")) row = i;
        const bool begins = i == 1 || is_separator(t[i - 2]) || t[i - 2].kind == Token::Kind::words || t[i - 2].is_symbol("&") ||
                            t[i - 2].is_command("\\\\") || t[i - 2].is_command("\\forall");
        if (!is_equals(t[i]) || !begins || !is_small_letter(t[i - 1]) || is_value(t[i - 1].text)) continue;
        const auto first = t.begin() + static_cast<std::ptrdiff_t>(row), here = t.begin() + static_cast<std::ptrdiff_t>(i - 1);
        const bool on_the_left =
            std::any_of(first, std::find_if(first, here, is_equals), [&](const Token& one) { return one.text == t[i - 1].text; });
        if (on_the_left && is_judged(m.span, 0)) continue;
        const std::vector<Tokens> parts = listed_from(t, i + 1);
        if (parts.empty() || parts[0].empty()) continue;
        const bool of_results =
            on_the_left && is_text(parts[0], "0") && parts.back().size() > 2 && !parts.back().back().is(Token::Kind::digits, "1");
        if (!of_results && is_part_of_range(parts, std::string(t[i - 1].text))) return true;
        const bool is_another = parts.size() == 1 && parts[0].size() == 1 && is_small_letter(parts[0][0]) && !is_size(parts[0]);
        if (is_another && m.before == " where ") return true;  // "where $j = i$"
    }
    return false;
}

/// 1, i, j and n of 1 \le i < j \le n.
std::vector<Tokens> Accounted::compared_in(const Tokens& t) {
    std::vector<Tokens> out(1);
    for (const Token& one : t)
        if (is_comparison(one))
            out.emplace_back();
        else
            out.back().push_back(one);
    return out;
}

/// Of 1 \le i < j \le n and 2 \le i whether it leaves indices out; nothing of what does not begin with a number.
std::optional<bool> Accounted::restricts_from_number(const Tokens& t) const {
    if (t.empty() || t[0].kind != Token::Kind::digits) return std::nullopt;
    const std::vector<Tokens> between = compared_in(t);
    if (between.size() < 2) return std::nullopt;
    const auto is_letter = [](const Tokens& one) { return one.size() == 1 && one[0].kind == Token::Kind::letter; };
    const auto is_index = [&](const Tokens& one) { return is_letter(one) && is_small_letter(one[0]) && !is_value(one[0].text); };
    if (!is_index(between[1])) return std::nullopt;
    Tokens relations;
    std::ranges::copy_if(t, std::back_inserter(relations), is_comparison);
    const auto strict = [&](std::size_t i) { return relations[i].text == "<"; };
    const bool from_first = strict(0) ? is_text(between[0], "0") : is_text(between[0], "0") || is_text(between[0], "1");
    if (!from_first || between.size() > 3) return true;
    if (between.size() < 3) return false;
    if (!is_letter(between[2]) || !is_size(between[2])) return true;  // 1 \le j \le i
    const bool from_zero = is_text(between[0], "0") && !strict(0);
    return strict(1) != from_zero || is_of_another_axis(std::string(between[1][0].text), std::string(between[2][0].text));
}

/// |i - j| \le 1, 0 < j - i and \tau \le t: relations of indices alone.
bool Accounted::relates_indices(const Tokens& t) const {
    bool index = false;
    for (const Token& one : t) {
        const bool size = is_size({one}), letter = is_small_letter(one) && !is_value(one.text) && !size;
        const std::string base = one.kind == Token::Kind::command ? parts_of(source_, {one}, 0).base : "";
        const bool greek = base.size() > 1 && !is_value(base);
        const bool sign = one.is_symbol("-") || one.is_symbol("+") || one.kind == Token::Kind::digits || is_comparison(one);
        if (!letter && !greek && !sign && !size && !is_bar(one)) return false;
        index = index || letter;
    }
    return index && std::ranges::any_of(t, is_comparison);
}

/// What stands with indices in a formula, and these.
Accounted::Indexed Accounted::indexed_in(const Tokens& t) const {
    Indexed out;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const NameParts p = parts_of(source_, t, i);
        if (p.has_below) out.names.insert(t[i].text);
        for (const Token& one : p.below)
            if (is_small_letter(one) && !is_value(one.text)) out.indices.insert(one.text);
    }
    return out;
}

/// p_i > 0 and 0 < p_i < 1 of a p that stands in the definition, too, and not |p_i| \le 1: says what it is.
bool Accounted::says_what_entries_are(const Tokens& t, const Indexed& there, const Indexed& of_definition) {
    const std::vector<Tokens> sides = compared_in(t);
    const auto numbers =
        std::ranges::count_if(sides, [](const Tokens& side) { return side.size() == 1 && side[0].kind == Token::Kind::digits; });
    return there.names.size() == 1 && of_definition.names.contains(*there.names.begin()) && numbers + 1 == std::ssize(sides) &&
           std::ranges::none_of(t, is_bar);
}

/// "\[ L = \sum_i r_i^2, \] where $m_i > 0$", "for $|r_i| \le \delta$", "with $s_i > s_j$": behind a definition with these
/// indices, which of its entries or terms are meant.
bool Accounted::selects_terms(const Sentence& s, std::size_t k) const {
    constexpr std::string_view kLeads[] = {"where", "with", "for", "if", "when", "whenever", "that", "over", "satisfying"};
    const Mention &m = s.formulas[k], &defined = s.formulas[k - 1];
    const WordList words = words_of(m.before);
    if (m.displayed || words.empty() || !is_one(kLeads, words.back())) return false;
    if (is_judged(m.span, 0) || meets(conditions_, m.span) || !meets(spans_, defined.span) || !defines(defined)) return false;
    const Indexed of_definition = indexed_in(defined.formula);
    return std::ranges::any_of(parts_of_list(m.formula), [&](const Tokens& one) {
        const Indexed there = indexed_in(one);
        const auto &all = of_definition.indices, &some = there.indices;
        return !some.empty() && std::includes(all.begin(), all.end(), some.begin(), some.end()) &&
               std::ranges::any_of(one, is_comparison) && !says_what_entries_are(one, there, of_definition);
    });
}

/// Not i = 1, \dots, n and i \in \{1, \dots, n\}, nor 1 \le i \le n.
bool Accounted::restricts_index(const Tokens& t) const {
    if (const std::optional<bool> from_number = restricts_from_number(t)) return *from_number;
    const auto relation = std::ranges::find_if(t, [](const Token& one) {
        return is_comparison(one) || one.is_command("\\ne") || one.is_command("\\neq") || one.is_command("\\in") ||
               one.is_command("\\sim");
    });
    if (relation == t.end() || relation == t.begin()) return false;
    const bool index = std::all_of(t.begin(), relation, [&](const Token& one) {
        return one.is_symbol("(") || one.is_symbol(")") || one.is_symbol(",") || (is_small_letter(one) && !is_value(one.text));
    });
    if (!index || !relation->is_command("\\in")) return index || relates_indices(t);
    const Tokens set(relation + 1, t.end());
    const bool space = !set.empty() && set[0].is_command("\\mathbb");
    const bool all = set.size() > 2 && set[0].is_command("\\{") && set[1].text == "1" && std::ranges::any_of(set, is_dots) &&
                     is_size(part_of(set, set.size() - 2, set.size() - 1)) && set[set.size() - 3].is_symbol(",");
    const bool up_to = set.size() == 3 && set[0].is_symbol("[") && is_size(part_of(set, 1, 2));  // [n]
    return !space && !all && !set.empty() && !up_to;
}

}  // namespace gradproof::proof::latex
