// Rows and columns that have names.
#include "gradproof/core/proof/language/latex/lines_said.hpp"

#include <algorithm>
#include <cctype>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"
#include "gradproof/core/proof/language/latex/sentences.hpp"

namespace gradproof::proof::latex {
namespace {

/// The sentence that a place stands in, its formulas with it.
std::string_view sentence_at(std::string_view text, Span at) {
    std::size_t begin = at.begin, end = at.end;
    const auto stops = [&](std::size_t i) {
        return (text[i] == '.' && (i + 1 == text.size() || std::isspace(static_cast<unsigned char>(text[i + 1])) != 0)) ||
               text.substr(i).starts_with("\n\n");
    };
    while (begin > 0 && !stops(begin - 1)) --begin;
    while (end < text.size() && !stops(end)) ++end;
    return text.substr(begin, end - begin);
}

bool speaks_of(const std::string& sentence, bool rows) {
    return rows ? has_any(sentence, {" rows ", " th row ", " be row ", " is row ", " as row "})
                : has_any(sentence, {" columns ", " th column ", " be column ", " is column ", " as column "});
}

/// Capital letters that stand as names.
std::set<std::string> capitals_in(const Source& source, Span text) {
    std::set<std::string> out;
    each_formula(source, text, [&](const Part&, const Tokens& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (const NameParts p = parts_of(source, all, i); p.base.size() == 1 && p.base[0] >= 'A' && p.base[0] <= 'Z')
                out.insert(p.base);
    });
    return out;
}

/// X of X = [x_1, \dots, x_n] and of X = (x_1, \dots, x_n)^\top, and whether these are its rows: where its sizes tell, by them.
struct Listed {
    std::string matrix;
    bool rows = false;
};
Listed listed_in(const Source& source, const Tokens& t) {
    const NameParts p = t.empty() ? NameParts{} : parts_of(source, t, 0);
    const bool capital = p.base.size() == 1 && p.base[0] >= 'A' && p.base[0] <= 'Z' && p.end == p.base_end;
    if (!capital || p.end + 2 >= t.size() || !is_equals(t[p.end]) || bracket(t[p.end + 1]) != 1) return {};
    std::size_t end = p.end + 2;
    std::vector<std::string> indices;
    bool dots = false;
    while (end < t.size() && bracket(t[end]) == 0) {
        const NameParts x = parts_of(source, t, end);
        dots = dots || is_dots(t[end]);
        if (!x.base.empty() && capital_of(x.base) != p.base) return {};
        if (!x.base.empty()) indices.push_back(flat(source, x.below));
        end = std::max(end + 1, x.base.empty() ? end : x.end);
    }
    if (!dots || indices.size() < 2 || indices.front() != "1" || end >= t.size() || bracket(t[end]) != -1) return {};
    bool turned = false;
    if (end + 2 < t.size() && t[end + 1].is_symbol("^")) turned = is_transpose(source, inside_group(source, t, end + 2));
    for (std::size_t i = end; i + 3 < t.size(); ++i) {
        if (!t[i].is_command("\\in") || !t[i + 1].is_command("\\mathbb")) continue;
        const auto power = std::find_if(t.begin() + static_cast<std::ptrdiff_t>(i), t.end(),
                                        [](const Token& one) { return one.is_symbol("^"); });
        if (power == t.end()) break;
        const std::vector<Tokens> sizes =
            pieces_of(inside_group(source, t, static_cast<std::size_t>(power - t.begin()) + 1), "\\times");
        if (sizes.size() == 2 && flat(source, sizes[0]) != flat(source, sizes[1]))
            return {p.base, flat(source, sizes[0]) == indices.back()};
    }
    return {p.base, turned};
}

}  // namespace

bool lists_lines(const Source& source, const Tokens& formula) { return !listed_in(source, formula).matrix.empty(); }

LinesSaid lines_said(const Source& source, Span text) {
    LinesSaid out;
    const std::string_view all = source.slice(text);
    each_formula(source, text, [&](const Part&, const Tokens& t) {
        for (const Tokens& part : pieces_of(t, "\\quad"))
            if (const Listed listed = listed_in(source, part); !listed.matrix.empty())
                (listed.rows ? out.rows : out.columns).insert(listed.matrix);
    });
    if (all.find("row") == all.npos && all.find("column") == all.npos) return out;
    const std::set<std::string> capitals = capitals_in(source, text);
    for (const bool rows : {true, false}) {
        const std::string_view behind = rows ? " rows of " : " columns of ";
        std::set<std::string> matrices, vectors, &said = rows ? out.rows : out.columns;
        bool led = false;
        for (const Mention& m : mentions_in(source, text)) {
            if (m.displayed) continue;
            led = m.before.ends_with(behind) || (led && (m.before == " and " || m.before == " " || m.before.empty()));
            const std::string sentence = plain_words(sentence_at(source.text(), m.span));
            if (!speaks_of(sentence, rows)) continue;
            const bool respective = has_any(sentence, {" respective ", " corresponding ", " its "});
            for (const Tokens& part : parts_of_list(m.formula)) {
                try {
                    const NameParts p = part.empty() ? NameParts{} : parts_of(source, part, 0);
                    const bool capital = p.base.size() == 1 && p.base[0] >= 'A' && p.base[0] <= 'Z' && !p.has_below;
                    if (capital && led) said.insert(p.base);
                    if (capital) matrices.insert(p.base);
                    const std::string matrix(capital_of(p.base));
                    if (p.has_below) vectors.insert(matrix);
                    if (p.has_below && respective && capitals.contains(matrix)) said.insert(matrix);
                } catch (const ProofError&) {  // a remark
                }
            }
        }
        for (const std::string& matrix : matrices)
            if (vectors.contains(matrix)) said.insert(matrix);
    }
    for (const std::string& both : out.rows) out.columns.erase(both);
    return out;
}

}  // namespace gradproof::proof::latex
