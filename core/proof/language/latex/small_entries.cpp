// Entries in small letters.
#include "gradproof/core/proof/language/latex/small_entries.hpp"

#include <algorithm>
#include <string_view>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_capital_letter(const Token& t) { return t.kind == letter && t.text.size() == 1 && t.text[0] >= 'A' && t.text[0] <= 'Z'; }

/// The tokens between the signs that open and close formulas.
Tokens formulas_of(const Source& source) {
    Tokens out;
    Lexer lexer(source, {0, source.text().size()});
    bool in_line = false, displayed = false;
    for (Token t = lexer.next(); t.kind != none && out.size() < kMostTokens; t = lexer.next()) {
        if (t.is_symbol("$"))
            in_line = !in_line;
        else if (t.is_command("\\[") || t.is_command("\\(") || (t.kind == begins && is_formula(t.text)))
            displayed = true;
        else if (t.is_command("\\]") || t.is_command("\\)") || (t.kind == ends && is_formula(t.text)))
            displayed = false;
        else if ((in_line || displayed) && t.kind != note)
            out.push_back(t);
    }
    return out;
}

/// i j, 1 2 and i, j.
bool are_two_indices(const Tokens& script) {
    std::size_t indices = 0;
    for (const Token& t : script) {
        if (t.kind == digits)
            indices += t.text.size();
        else if (is_small_letter(t))
            ++indices;
        else if (!t.is_symbol(","))
            return false;
    }
    return indices == 2;
}
bool is_defined_at(const Tokens& t, std::size_t behind) {
    while (behind < t.size() && t[behind].is_symbol("&")) ++behind;
    return behind < t.size() && is_equals(t[behind]);
}

}  // namespace

SmallEntries::SmallEntries(const Source& source) : source_(source) {
    try {
        find_letters(formulas_of(source));
    } catch (const ProofError&) {  // braces that do not match are told where formulas are read
        letters_.clear();
    }
}

void SmallEntries::find_letters(const Tokens& formulas) {
    std::set<std::string, std::less<>> entries, others, whole, sizes, defined_entries, own;
    std::size_t above_until = 0;  // the end of what stands in a superscript
    for (std::size_t i = 0; i < formulas.size(); ++i) {
        const Token& t = formulas[i];
        if (t.is_symbol("^") && i + 1 < formulas.size())
            above_until = std::max(above_until, end_of_group(source_, formulas, i + 1));
        if (t.kind == command && i + 1 < formulas.size() && inside_group(source_, formulas, i + 1).size() > 1 &&
            (is_font(t.text) || is_text(t.text) || t.text == "\\operatorname")) {  // \mathrm{softmax}
            i = end_of_group(source_, formulas, i + 1) - 1;
            continue;
        }
        if (!is_small_letter(t) && !is_capital_letter(t)) continue;
        const bool below = i + 2 < formulas.size() && formulas[i + 1].is_symbol("_");
        const Tokens script = below ? inside_group(source_, formulas, i + 2) : Tokens{};
        const std::size_t behind = below ? end_of_group(source_, formulas, i + 2) : i + 1;
        if (is_small_letter(t)) {
            (are_two_indices(script) ? entries : others).emplace(t.text);
            if (is_defined_at(formulas, behind)) defined_entries.emplace(t.text);
        } else if (below) {
            if (are_two_indices(script)) own.emplace(t.text);  // both a_{ij} and A_{ij} are written
        } else {
            (i < above_until ? sizes : whole).emplace(t.text);
            if (is_defined_at(formulas, behind) && behind_list(formulas, i) == i) own.emplace(t.text);
        }
    }
    for (const std::string& one : entries) {
        const std::string_view capital = capital_of(one);
        const bool both = defined_entries.contains(one) && own.contains(capital);
        if (!others.contains(one) && whole.contains(capital) && !sizes.contains(capital) && !is_usual_loss(capital) && !both)
            letters_.insert(one);
    }
}

/// Behind "A = (a_{ij})", from the A at `at`; `at` where no such list stands there.
std::size_t SmallEntries::behind_list(const Tokens& t, std::size_t at) const {
    std::size_t i = at + 1;
    const auto skip_sizes = [&] {
        while (i < t.size() && (t[i].is_command("\\left") || t[i].is_command("\\right") || t[i].is_command("\\bigl") ||
                                t[i].is_command("\\bigr")))
            ++i;
    };
    if (i >= t.size() || !is_equals(t[i])) return at;
    ++i;
    skip_sizes();
    const bool opens = i < t.size() && (t[i].is_symbol("(") || t[i].is_symbol("[") || t[i].is_command("\\{"));
    if (!opens || i + 3 >= t.size()) return at;
    ++i;
    const std::string_view entry = t[i].text;
    const bool of_it = (is_small_letter(t[i]) && capital_of(entry) == t[at].text) || entry == t[at].text;
    if (!of_it || !t[i + 1].is_symbol("_") || !are_two_indices(inside_group(source_, t, i + 2))) return at;
    i = end_of_group(source_, t, i + 2);
    skip_sizes();
    if (i >= t.size() || !(t[i].is_symbol(")") || t[i].is_symbol("]") || t[i].is_command("\\}"))) return at;
    ++i;
    while (i + 1 < t.size() && (t[i].is_symbol("_") || t[i].is_symbol("^"))) i = end_of_group(source_, t, i + 1);
    return i;
}

Tokens SmallEntries::with_capitals(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        Token t = tokens[i];
        const bool entry =
            is_small_letter(t) && letters_.contains(t.text) && i + 1 < tokens.size() && tokens[i + 1].is_symbol("_");
        if (entry) t.text = capital_of(t.text);
        out.push_back(t);
        if (!is_capital_letter(t) || entry) continue;
        const std::size_t behind = behind_list(tokens, i);
        if (behind > i) i = behind - 1;
    }
    return out;
}

}  // namespace gradproof::proof::latex
