// Rows and columns that have names.
#include "gradproof/core/proof/language/latex/lines_said.hpp"

#include <algorithm>
#include <cctype>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
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

}  // namespace

LinesSaid lines_said(const Source& source, Span text) {
    LinesSaid out;
    const std::string_view all = source.slice(text);
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
                    if (p.has_below) vectors.insert(capital_of(p.base));
                    if (p.has_below && respective && capitals.contains(capital_of(p.base))) said.insert(capital_of(p.base));
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
