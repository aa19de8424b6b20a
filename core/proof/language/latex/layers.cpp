// Indices of layers.
#include "gradproof/core/proof/language/latex/layers.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool is_index(const Token& t) { return is_small_letter(t) || t.is_command("\\ell"); }
/// l, l - 1 and l + 1.
bool is_stepped(const Tokens& t) {
    return t.size() == 3 && is_index(t[0]) && (t[1].is_symbol("-") || t[1].is_symbol("+")) && t[2].kind == digits;
}
/// l of [l] and (l).
Tokens inside_brackets(const Tokens& t) {
    const bool square = t.size() > 2 && t.front().is_symbol("[") && t.back().is_symbol("]");
    const bool round = t.size() > 2 && t.front().is_symbol("(") && t.back().is_symbol(")");
    return square || round ? part_of(t, 1, t.size() - 1) : Tokens{};
}
/// What names begin with whose script stands at `power`.
std::string_view base_before(const Tokens& t, std::size_t power) {
    std::size_t at = power;
    if (at >= 2 && t[at - 2].is_symbol("_")) {
        at -= 2;
    } else if (at >= 2 && t[at - 1].kind == closing) {
        const std::size_t open = opening_of(t, at - 1);
        if (open >= 1 && t[open - 1].is_symbol("_")) at = open - 1;
    }
    return at > 0 && (t[at - 1].kind == letter || t[at - 1].kind == command) ? t[at - 1].text : "";
}
Token with_letter(Token t) {
    if (t.is_command("\\ell")) t.kind = letter, t.text = "l";
    return t;
}
/// What stands above there, without a transpose behind it.
struct Script {
    Tokens index, transposed;
    std::size_t end = 0;
};
Script script_at(const Source& source, const Tokens& t, std::size_t power) {
    Script out;
    out.end = end_of_group(source, t, power + 1);
    out.index = inside_group(source, t, power + 1);
    if (out.index.size() > 1 && is_transpose(source, {out.index.back()})) {
        out.transposed = {out.index.back()};
        out.index.pop_back();
    }
    return out;
}

}  // namespace

Layers::Layers(const Source& source) : source_(source) {
    Tokens all;
    Lexer lexer(source, {0, source.text().size()});
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) all.push_back(t);
    try {
        find_indices(all);
        if (indices_.empty()) return;
        for (std::size_t i = 0; i + 1 < all.size() && !plain_.empty(); ++i)
            if (all[i].is_symbol("^"))
                if (const Tokens above = script_at(source, all, i).index; !above.empty() && plain_.contains(above[0].text))
                    raised_.insert(base_before(all, i));
        const Tokens known = in_brackets(all);
        for (std::size_t i = 0; i < known.size(); ++i)
            if (const NameParts p = parts_of(source, known, i); p.below.size() > 0 && indices_.contains(p.below[0].text))
                sequences_.insert(p.base);
    } catch (const ProofError&) {  // braces that do not match are told where formulas are read
        indices_.clear();
        ell_ = false;
    }
}

void Layers::find_indices(const Tokens& all) {
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (!all[i].is_symbol("^") && !all[i].is_symbol("_")) continue;
        const Tokens script = script_at(source_, all, i).index, inside = inside_brackets(script);
        const Tokens& index = inside.empty() ? script : inside;
        if (!is_stepped(index)) continue;
        ell_ = ell_ || index[0].is_command("\\ell");
        const bool plain = inside.empty() && (index[0].is_command("\\ell") || index[0].is(letter, "l"));
        if (all[i].is_symbol("_") || (inside.empty() && !plain)) continue;
        indices_.insert(with_letter(index[0]).text);
        if (plain) plain_.insert(index[0].text);
    }
}

bool Layers::is_layer(const Tokens& tokens, std::size_t power, const Tokens& script) const {
    if (script.empty() || plain_.empty() || !raised_.contains(base_before(tokens, power))) return false;
    const bool index = plain_.contains(script[0].text) && (script.size() == 1 || is_stepped(script));
    const bool last = script.size() == 1 && script[0].is(letter, "L");
    return index || last || (script.size() == 1 && script[0].kind == digits);
}

/// With each such index, or the number of a layer, in round brackets.
Tokens Layers::in_brackets(const Tokens& tokens) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(ell_ ? with_letter(tokens[i]) : tokens[i]);
        if (!tokens[i].is_symbol("^") || i + 1 >= tokens.size()) continue;
        const Script above = script_at(source_, tokens, i);
        const Tokens inside = inside_brackets(above.index);
        if (inside.empty() && !is_layer(tokens, i, above.index)) continue;
        const Tokens& index = inside.empty() ? above.index : inside;
        const Span at = tokens[i].span, last = tokens[above.end - 1].span;
        out.push_back({opening, "{", at, false});
        out.push_back({symbol, "(", at, false});
        for (const Token& t : index) out.push_back(ell_ ? with_letter(t) : t);
        out.push_back({symbol, ")", last, false});
        out.insert(out.end(), above.transposed.begin(), above.transposed.end());
        out.push_back({closing, "}", last, false});
        i = above.end - 1;
    }
    return out;
}

Tokens Layers::counted_below(const Tokens& tokens) const {
    const Tokens known = in_brackets(tokens);
    Tokens out;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const NameParts p = parts_of(source_, known, i);
        const Tokens number = sequences_.contains(p.base) ? inside_brackets(p.above) : Tokens{};
        if (number.size() != 1 || number[0].kind != digits || number[0].text == "0" || p.primed) {
            out.push_back(known[i]);
            continue;
        }
        const Tokens base = part_of(known, p.begin, p.base_end);
        out.insert(out.end(), base.begin(), base.end());
        Tokens below = number;
        for (const Token& t : p.below) {
            if (t.is_symbol(",")) continue;
            below.push_back({symbol, ",", t.span, false});
            below.push_back(t);
        }
        add_below(out, below, known[p.end - 1].span);
        i = p.end - 1;
    }
    return out;
}

}  // namespace gradproof::proof::latex
