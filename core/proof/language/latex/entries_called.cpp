// Entries in brackets.
#include "gradproof/core/proof/language/latex/entries_called.hpp"

#include <algorithm>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// A small letter that may name an array: f and \sigma are functions even so.
bool may_name_array(const Token& t) {
    constexpr std::string_view kFunctions[] = {"f",     "g",     "h",        "e",     "d",     "\\sigma",
                                               "\\phi", "\\psi", "\\varphi", "\\rho", "\\Phi", "\\Psi"};
    const bool greek = t.kind == command && !letter_of(t.text).empty();
    return (is_small_letter(t) || greek) && !is_one(kFunctions, t.text);
}

/// Where the bracket behind a name, or behind its prime, opens; 0 where none does.
std::size_t bracket_behind(const Tokens& t, std::size_t name) {
    std::size_t at = name + 1;
    if (at < t.size() && t[at].is_symbol("'")) ++at;
    return at < t.size() && t[at].is_symbol("(") ? at : 0;
}

}  // namespace

EntriesCalled::EntriesCalled(const Source& source) : source_(source) {
    Tokens all;
    Lexer lexer(source, {0, source.text().size()});
    for (Token t = lexer.next(); t.kind != none && all.size() < kMostTokens; t = lexer.next())
        if (!t.is_command("\\,") && !t.is_command("\\;") && !t.is_command("\\!") && t.kind != note) all.push_back(t);
    try {
        find_indices(all);
        if (!indices_.empty()) find_names(all);
    } catch (const ProofError&) {  // braces that do not match are told where formulas are read
    }
}

void EntriesCalled::find_indices(const Tokens& all) {
    std::set<std::string, std::less<>> values;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        const bool in_space =
            is_small_letter(all[i]) && all[i + 1].is_command("\\in") &&
            (all[i + 2].is_command("\\mathbb") || all[i + 2].is_command("\\R") || all[i + 2].is_command("\\RR"));
        if (in_space) values.emplace(all[i].text);
        if (i == 0 || !all[i].is_symbol("_")) continue;
        constexpr std::string_view kBig[] = {"\\sum", "\\prod", "\\max", "\\limits"};
        const Tokens below = inside_group(source_, all, i + 1);
        const bool of_name = may_name_array(all[i - 1]) && below.size() == 1;
        if (!below.empty() && is_small_letter(below[0]) && (of_name || is_one(kBig, all[i - 1].text)))
            indices_.emplace(below[0].text);
    }
    for (const std::string& value : values) indices_.erase(value);
}

/// k of q(k), t - 1 of h(t-1).
bool EntriesCalled::are_indices(const Tokens& inside) const {
    const bool step = inside.size() == 3 && (inside[1].is_symbol("+") || inside[1].is_symbol("-")) && inside[2].is(digits, "1");
    return (inside.size() == 1 || step) && indices_.contains(inside[0].text);
}

/// Those of which all brackets hold indices.
void EntriesCalled::find_names(const Tokens& all) {
    std::set<std::string, std::less<>> others;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        const std::size_t open = may_name_array(all[i]) ? bracket_behind(all, i) : 0;
        if (open == 0) continue;
        const std::size_t end = end_of_brackets(all, open);
        const bool indices = end <= all.size() && end > open + 1 && are_indices(part_of(all, open + 1, end - 1));
        (indices ? names_ : others).emplace(all[i].text);
    }
    for (const std::string& other : others) names_.erase(other);
}

Tokens EntriesCalled::with_indices_below(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        const std::size_t open = names_.contains(tokens[i].text) ? bracket_behind(tokens, i) : 0;
        if (open == 0) continue;
        const std::size_t end = end_of_brackets(tokens, open);
        if (end > tokens.size() || end <= open + 1) continue;
        if (open == i + 2) out.push_back(tokens[i + 1]);
        Tokens inside = part_of(tokens, open + 1, end - 1);
        inside.back().span.end = tokens[end - 1].span.end;
        add_below(out, inside, tokens[open].span);
        i = end - 1;
    }
    return out;
}

}  // namespace gradproof::proof::latex
