// Scripts and what they belong to.
#include "gradproof/core/proof/language/latex/scripts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gradproof/core/proof/language/latex/document.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// \overline{h}_{t-1} of \overline{h_{t-1}}.
Tokens with_scripts_behind_accents(const Source& source, const Tokens& tokens) {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        const bool accent = tokens[i].kind == command && !accent_of(tokens[i].text).empty();
        if (!accent || i + 1 >= tokens.size() || tokens[i + 1].kind != opening) continue;
        const Tokens inside = inside_group(source, tokens, i + 1);
        const NameParts p = inside.empty() ? NameParts{} : parts_of(source, inside, 0);
        if (p.base.empty() || p.base_end == inside.size() || p.end != inside.size() || p.primed) continue;
        const std::size_t end = end_of_group(source, tokens, i + 1);
        out.push_back(tokens[i + 1]);
        out.insert(out.end(), inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(p.base_end));
        out.push_back({closing, "}", inside[p.base_end - 1].span, false});
        out.insert(out.end(), inside.begin() + static_cast<std::ptrdiff_t>(p.base_end), inside.end());
        out.back().span.end = std::max(out.back().span.end, tokens[end - 1].span.end);
        i = end - 1;
    }
    return out;
}

/// p_{\text{t}} of p_\text{t}.
Tokens with_braced_words(const Source& source, const Tokens& tokens) {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool text = tokens[i].kind == Token::Kind::command && is_text(tokens[i].text);
        const bool script = i > 0 && (tokens[i - 1].is_symbol("_") || tokens[i - 1].is_symbol("^"));
        if (!text || !script || i + 1 >= tokens.size() || tokens[i + 1].kind != Token::Kind::opening) {
            out.push_back(tokens[i]);
            continue;
        }
        const std::size_t end = end_of_group(source, tokens, i + 1);
        out.push_back({Token::Kind::opening, "{", tokens[i].span, false});
        out.insert(out.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin() + static_cast<std::ptrdiff_t>(end));
        out.push_back({Token::Kind::closing, "}", tokens[end - 1].span, false});
        i = end - 1;
    }
    return out;
}

/// \|x\|_2^2 of \|x\|^2_2.
Tokens with_marks_of_norms_first(const Source& source, const Tokens& tokens) {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        const bool bar = is_norm_bar(tokens[i]) || tokens[i].is_symbol("|") || tokens[i].is_command("\\rvert");
        if (!bar || i + 3 >= tokens.size() || !tokens[i + 1].is_symbol("^")) continue;
        const std::size_t mark = end_of_group(source, tokens, i + 2);
        if (mark + 1 >= tokens.size() || !tokens[mark].is_symbol("_")) continue;
        const std::size_t end = end_of_group(source, tokens, mark + 1);
        for (const auto& [from, to] : {std::pair{mark, end}, std::pair{i + 1, mark}})
            for (std::size_t k = from; k < to; ++k) out.push_back(tokens[k]);
        i = end - 1;
    }
    return out;
}

}  // namespace

Tokens with_scripts_in_order(const Source& source, const Tokens& tokens) {
    const Tokens braced = with_braced_words(source, tokens);
    return with_marks_of_norms_first(source, with_scripts_behind_accents(source, braced));
}

bool is_index_above(const NameParts& p, const Tokens& tokens) {
    return !p.base.empty() && p.has_below && p.below.size() == 1 && p.base_end < p.end && tokens[p.base_end].is_symbol("^");
}

std::set<std::string, std::less<>> names_spelled_twice(const Source& source, Span text) {
    std::set<std::string, std::less<>> below, above, out;
    each_formula(source, text, [&](const Part&, const Tokens& written) {
        const Tokens formula = tidied(source, written);
        for (std::size_t i = 0; i < formula.size(); ++i) {
            const NameParts p = parts_of(source, formula, i);
            if (p.base.empty()) continue;
            std::string key = p.key(p.has_above, p.has_below, false);
            if (is_index_above(p, formula)) {
                above.insert(key);
                continue;
            }
            const bool alone = std::none_of(formula.begin() + static_cast<std::ptrdiff_t>(p.base_end),
                                            formula.begin() + static_cast<std::ptrdiff_t>(p.end),
                                            [](const Token& t) { return t.is_symbol("^"); });
            if (p.has_below && alone) below.insert(key);
            if (!p.has_above || key.find('^') == std::string::npos) continue;
            std::ranges::replace(key, '^', '_');
            std::erase_if(key, [](char c) { return c == '(' || c == ')'; });
            above.insert(key);
        }
    });
    std::ranges::set_intersection(below, above, std::inserter(out, out.end()));
    return out;
}

}  // namespace gradproof::proof::latex
