// Means in words.
#include "gradproof/core/proof/language/latex/means_said.hpp"

#include <algorithm>
#include <optional>

#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// x of \bar x; empty of others.
Tokens letter_under_bar(const Source& source, const Tokens& t) {
    const bool bar = t.size() > 1 && (t[0].is_command("\\bar") || t[0].is_command("\\overline"));
    const NameParts p = bar ? parts_of(source, t, 0) : NameParts{};
    if (p.end != t.size() || p.has_below || p.has_above) return {};
    Tokens out = t[1].kind == opening ? inside_group(source, t, 1) : part_of(t, 1, t.size());
    return out.size() == 1 ? out : Tokens{};
}
bool is_called_a_mean(const Mention& m) {
    for (const std::string_view before : {" mean ", " means ", " average ", " averages "})
        if (m.before.ends_with(before)) return true;
    for (const std::string_view behind :
         {" is the mean ", " is the sample mean ", " is the average ", " the mean ", " the sample mean ", " denotes the mean ",
          " denotes the sample mean ", " be the mean ", " be the sample mean "})
        if (m.behind.starts_with(behind)) return true;
    return false;
}
/// n of x_1, \dots, x_n, and of \sum_{i=1}^{n} x_i.
Tokens count_of(const Source& source, const Tokens& t, const Token& letter) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (!t[i].is(letter.kind, letter.text) || i + 2 >= t.size() || !t[i + 1].is_symbol("_")) continue;
        const Tokens below = inside_group(source, t, i + 2);
        const bool last = i > 1 && t[i - 1].is_symbol(",") && is_dots(t[i - 2]);
        if (last && below.size() == 1 && below[0].kind == Token::Kind::letter) return below;
        if (i > 4 && below.size() == 1 && t[i - 1].kind != opening)
            for (std::size_t k = 0; k + 2 < i; ++k) {
                if (!t[k].is_command("\\sum") || !t[k + 1].is_symbol("_")) continue;
                const Tokens from = inside_group(source, t, k + 2);
                const std::size_t up = end_of_group(source, t, k + 2);
                const bool of_it = from.size() == 3 && from[0].text == below[0].text && from[2].text == "1";
                if (of_it && up + 1 < t.size() && t[up].is_symbol("^")) return inside_group(source, t, up + 1);
            }
    }
    return {};
}
Tokens mean_of(const Token& letter, const Tokens& count, Span at) {
    const auto put = [&](Token::Kind kind, std::string_view text) { return Token{kind, text, at, false}; };
    Tokens out{put(command, "\\frac"), put(opening, "{"), put(digits, "1"), put(closing, "}"), put(opening, "{")};
    const auto add_count = [&] {
        for (const Token& t : count) out.push_back(put(t.kind, t.text));
        out.push_back(put(closing, "}"));
    };
    add_count();
    for (const Token& t : {put(command, "\\sum"), put(symbol, "_"), put(opening, "{"), put(Token::Kind::letter, "i"),
                           put(symbol, "="), put(digits, "1"), put(closing, "}"), put(symbol, "^"), put(opening, "{")})
        out.push_back(t);
    add_count();
    for (const Token& t : {put(letter.kind, letter.text), put(symbol, "_"), put(Token::Kind::letter, "i")}) out.push_back(t);
    return out;
}

}  // namespace

std::vector<Equation> means_said(const Source& source, Span text) {
    std::vector<Equation> out;
    for (const Mention& m : mentions_in(source, text)) {
        const Tokens letter = m.displayed || !is_called_a_mean(m) ? Tokens{} : letter_under_bar(source, m.formula);
        if (letter.empty()) continue;
        Tokens count;
        each_formula(source, text, [&](const Part&, const Tokens& all) {
            if (count.empty()) count = count_of(source, all, letter[0]);
        });
        if (count.empty()) continue;
        Equation e;
        e.left = std::make_shared<const Tokens>(m.formula);
        e.right = mean_of(letter[0], count, m.formula.front().span);
        e.span = m.span;
        out.push_back(std::move(e));
    }
    return out;
}

}  // namespace gradproof::proof::latex
