// Cases and matrices of LaTeX.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/remarks.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

std::string_view trimmed(std::string_view text) {
    text = text.substr(std::min(text.find_first_not_of(" ~,."), text.size()));
    return text.substr(0, text.find_last_not_of(" ~,.:") + 1);
}
/// Words beside a condition that change nothing of it.
bool leads_to_condition(std::string_view text) {
    constexpr std::string_view kAll[] = {"if", "for", "when", "where", "otherwise", "else", "with", ""};
    return is_one(kAll, trimmed(text));
}
bool joins_conditions(std::string_view text) { return trimmed(text) == "and" || joins_alternatives(text); }

}  // namespace

ExprPtr Parser::environment() {
    const Token opener = take();
    std::vector<std::vector<Tokens>> rows(1, std::vector<Tokens>(1));
    if (opener.text == "array") group("the columns of the array");
    for (int depth = 0;;) {
        const Token t = take();
        if (t.kind == none)
            fail(opener, fmt::format("\\begin{{{0}}} is never ended: expected \\end{{{0}}}", printable(opener.text, 40)));
        if (t.kind == ends && depth == 0) {
            if (t.text != opener.text)
                fail(t, fmt::format("expected \\end{{{}}}, got \\end{{{}}}", printable(opener.text, 40), printable(t.text, 40)));
            break;
        }
        depth += t.kind == opening || t.kind == begins ? 1 : t.kind == closing || t.kind == ends ? -1 : 0;
        if (depth == 0 && t.is_command("\\\\"))
            rows.emplace_back(1);
        else if (depth == 0 && t.is_symbol("&"))
            rows.back().emplace_back();
        else if (t.kind != note)
            rows.back().back().push_back(t);
    }
    if (rows.back().size() == 1 && rows.back()[0].empty()) rows.pop_back();
    if (rows.empty()) fail(opener, "nothing stands in it");
    const std::string_view name = opener.text;
    if (name == "cases" || name == "dcases" || name == "cases*") return cases(rows, opener);
    if (name == "vmatrix" || name == "Vmatrix")
        fail(opener, fmt::format("{} is not read: a determinant is written \\det, a norm between \\lVert and \\rVert", name));
    if (name.ends_with("matrix") || name == "array") return matrix(rows);
    fail(opener, fmt::format("{} is not read inside a formula: cases and matrices are", printable(name, 40)));
}

ExprPtr Parser::cases(const std::vector<std::vector<Tokens>>& rows, const Token& at) {
    const std::size_t begin = at_ - 1;
    ExprPtr out;
    for (std::size_t i = rows.size(); i-- > 0;) {
        Tokens value = rows[i][0], when = rows[i].size() > 1 ? rows[i][1] : Tokens{};
        if (value.empty()) fail(at, "a case without a value");
        while (!value.empty() && (value.back().is_symbol(",") || value.back().is_symbol(";"))) value.pop_back();
        for (const Token& t : when)
            if (t.kind == words && !leads_to_condition(t.text) && !joins_conditions(t.text))
                fail(t, fmt::format("{} is not read: if, for, when, and, or and otherwise are", printable(t.text, 40)));
        std::erase_if(when,
                      [](const Token& t) { return (t.kind == words && !joins_conditions(t.text)) || t.is_command("\\quad"); });
        while (!when.empty() && (when.back().is_symbol(",") || when.back().is_symbol(".") || when.back().is_symbol(";")))
            when.pop_back();
        const ExprPtr of = inner(value);
        if (when.empty() && out) fail(value[0], "only the last case may go without a condition");
        out = when.empty() ? of : call("where", {condition(when, false), of, out ? out : proof::number(0)});
    }
    return finish(begin, out);
}

/// One row, or one column, is a vector.
ExprPtr Parser::matrix(const std::vector<std::vector<Tokens>>& rows) {
    const std::size_t begin = at_ - 1;
    const auto list = [&](std::vector<ExprPtr> of) { return finish(begin, node(Kind::array, std::move(of))); };
    const bool column = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() == 1; });
    std::vector<ExprPtr> out;
    for (const std::vector<Tokens>& row : rows) {
        std::vector<ExprPtr> entries;
        for (const Tokens& cell : row) entries.push_back(inner(cell));
        out.push_back(column || rows.size() == 1 ? entries.front() : list(entries));
        if (!column && rows.size() == 1) return list(entries);
    }
    return list(out);
}

}  // namespace gradproof::proof::latex
