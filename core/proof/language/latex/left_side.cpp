// The names, arguments and indices on the left of equations.
#include "gradproof/core/proof/language/latex/left_side.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/statements.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Whether `index` stands in the script of a value, of δ or of a sum, where the script is no part of a name.
bool is_index_in(const Reading& reading, const Tokens& tokens, const std::string& index) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto has = [&](const Tokens& script) {
            return std::any_of(script.begin(), script.end(), [&](const Token& t) { return t.kind == letter && t.text == index; });
        };
        const bool sum = tokens[i].is_command("\\sum") || tokens[i].is_command("\\prod");
        for (std::size_t k = i + 1; sum && k + 1 < tokens.size() && (tokens[k].is_symbol("_") || tokens[k].is_symbol("^"));
             k = end_of_group(reading.source, tokens, k + 1))
            if (has(inside_group(reading.source, tokens, k + 1))) return true;
        const bool compared = i > 0 && i + 2 < tokens.size() && bracket(tokens[i - 1]) > 0 && tokens[i].is(letter, index) &&
                              (relation(tokens[i + 1]) == "=" || relation(tokens[i + 1]) == "≠");
        if (compared) return true;  // of [k = c]
        const bool closes = tokens[i].is_symbol(")") || tokens[i].is_symbol("]");
        const bool behind = closes && i + 2 < tokens.size() && tokens[i + 1].is_symbol("_");
        if (behind && has(inside_group(reading.source, tokens, i + 2))) return true;  // of (W x)_j
        const NameParts p = parts_of(reading.source, tokens, i);
        if (p.base.empty()) continue;
        if (tokens[i].kind == command && !accent_of(tokens[i].text).empty())
            i = p.base_end - 1;  // \tilde{g} holds no name of its own
        if (!p.has_below) continue;
        const std::string named = p.key(p.has_above, true, p.primed), plain = p.key(false, true, false);
        const bool whole = (!named.empty() && reading.is_defined(named)) || (!plain.empty() && reading.is_defined(plain));
        if (!whole && has(p.below)) return true;
    }
    return false;
}

}  // namespace

NameParts name_at(const Reading& reading, const Tokens& tokens, std::size_t at) {
    try {
        return parts_of(reading.source, tokens, at);
    } catch (const ProofError&) {
        return {};
    }
}

std::vector<std::string> ids_of(const Reading& reading, const NameParts& p) {
    std::vector<std::string> out;
    if (p.base.empty()) return out;
    for (const bool above : {false, true})
        for (const bool below : {false, true})
            if (const std::string key = p.key(above && p.has_above, below && p.has_below, p.primed);
                !key.empty() && std::find(out.begin(), out.end(), reading.id_of(key)) == out.end())
                out.push_back(reading.id_of(key));
    return out;
}

std::optional<Reading::Arguments> arguments_of(const Reading& reading, const Tokens& left, const NameParts& p) {
    if (p.end >= left.size() || !left[p.end].is_symbol("(") || end_of_brackets(left, p.end) != left.size()) return std::nullopt;
    if (Statements::has_meaning(p.base)) return std::nullopt;
    Reading::Arguments out{joined(left, p.end, left.size()), {}};
    for (const Tokens& argument : pieces_of({left.begin() + static_cast<std::ptrdiff_t>(p.end) + 1, left.end() - 1}, ",")) {
        const NameParts of = parts_of(reading.source, argument, 0);
        const bool power = of.above.size() == 1 && of.above[0].kind == digits;  // \ell(\mu, \sigma^2)
        const std::string key = of.key(of.has_above && !power, of.has_below, of.primed);
        if (key.empty() || of.end != argument.size() || !reading.is_defined(key)) return std::nullopt;
        out.names.push_back(reading.id_of(key));
    }
    return out;
}

namespace {

/// \mathrm{reg}, which is no index.
bool is_in_words(const Tokens& script) {
    constexpr std::string_view kFonts[] = {"\\mathrm", "\\text", "\\rm", "\\textrm", "\\textnormal", "\\textup"};
    return !script.empty() && (script[0].kind == words || (script[0].kind == command && is_one(kFonts, script[0].text)));
}

/// L_2 and L_{reg} beside a number L, which has no entries; x_{\mathrm{old}} beside any x.
bool is_beside_a_number(const Reading& reading, const NameParts& p) {
    const std::string own = p.key(p.has_above, true, p.primed), of = p.key(p.has_above, false, p.primed);
    const bool index = p.below.size() == 1 && p.below[0].kind == letter;  // of L_i
    if (!p.has_below || index || own.empty() || of.empty() || reading.is_defined(own) || !reading.is_defined(of)) return false;
    if (is_in_words(p.below)) return true;
    const std::string id = reading.id_of(of);
    const auto axes = reading.names.values.contains(id) ? axis_names(id, reading.proof, &reading.names) : std::nullopt;
    return axes && axes->empty();
}

}  // namespace

bool is_marked(const NameParts& p) {
    const bool mark = p.above.size() == 1 && (p.above[0].kind == symbol || p.above[0].kind == command);
    return mark && !is_transpose(*p.source, p.above);
}

bool names_a_value(const Reading& reading, const NameParts& p) {
    if (is_beside_a_number(reading, p)) return false;
    if (const std::string own = p.key(p.has_above, p.has_below, p.primed);
        is_marked(p) && !own.empty() && !reading.is_defined(own))
        return false;
    for (const bool above : {true, false})
        for (const bool below : {true, false}) {
            const std::string key = p.key(above && p.has_above, below && p.has_below, p.primed);
            const bool size = !key.empty() && reading.names.dims.contains(reading.id_of(key));
            if (!key.empty() && reading.is_defined(key) && !(size && key == p.base && p.has_below)) return true;
        }
    return false;
}

bool is_slope(const Reading& reading, const NameParts& p) {
    const std::string primed = p.key(p.has_above, p.has_below, true), plain = p.key(p.has_above, p.has_below, false);
    return !plain.empty() && !reading.is_defined(primed) && reading.arguments.contains(reading.id_of(plain));
}
bool may_be_slope(const Reading& reading, const NameParts& p) {
    const std::string plain = p.key(p.has_above, p.has_below, false);
    const bool is_function = reading.functions.contains(plain) || reading.meanings.contains(plain);
    return is_slope(reading, p) || (!plain.empty() && is_function);
}

bool has_name_of_its_own(const Reading& reading, const NameParts& p, const Tokens& right) {
    const std::string own = p.key(p.has_above, p.has_below, p.primed), of = p.key(p.has_above, false, p.primed);
    const bool letters = p.has_below && std::ranges::all_of(p.below, [](const Token& t) { return t.kind == letter; });
    if (!letters || own.empty() || reading.is_defined(own)) return false;
    if (std::ranges::none_of(reading.proof.given, [&](const Given& g) { return g.name == reading.id_of(of); })) return false;
    if (std::ranges::any_of(p.below, [&](const Token& t) { return is_index_in(reading, right, std::string(t.text)); }))
        return false;
    for (std::size_t i = 0; i < right.size(); ++i)
        if (const NameParts other = name_at(reading, right, i);
            !other.base.empty() && !other.has_below && other.key(other.has_above, false, other.primed) == of)
            return true;
    return false;
}

std::optional<NameParts> without_adjoint(const Reading& reading, NameParts p) {
    const std::string mark = "_" + reading.adjoint;
    if (reading.adjoint.empty() || !p.base.ends_with(mark) || p.base.size() == mark.size()) return std::nullopt;
    if (const std::string own = p.key(false, false, false); reading.is_defined(own)) return std::nullopt;
    p.base.resize(p.base.size() - mark.size());
    return names_a_value(reading, p) ? std::optional(p) : std::nullopt;
}

bool is_gradient(const Reading& reading, const NameParts& p) {
    if (without_adjoint(reading, p)) return true;
    if (!p.base.starts_with("d") || p.base.size() < 2) return false;
    NameParts of = p;
    of.base = p.base.substr(1);
    return names_a_value(reading, of);
}

std::vector<std::string> indices_of(const Reading& reading, const NameParts& p, const Tokens& right) {
    std::vector<std::string> out;
    for (const Token& t : p.below) {
        if (t.is_symbol(",")) continue;
        if (t.kind != letter || t.text.size() != 1 || t.text[0] < 'a' || t.text[0] > 'z' || reading.names.defined(t.text) ||
            reading.gates.contains(t.text))
            return {};
        out.emplace_back(t.text);
    }
    if (out.empty() || !std::all_of(out.begin(), out.end(), [&](const std::string& i) { return is_index_in(reading, right, i); }))
        return {};
    return out;
}

std::set<std::string> free_indices(const Expr& e, const Names& names) {
    std::set<std::string> out;
    const bool letter = e.kind == Kind::name && e.name.size() == 1 && e.name[0] >= 'a' && e.name[0] <= 'z' && e.name != "e";
    if (letter && !names.defined(e.name)) out.insert(e.name);
    for (const ExprPtr& c : e.children) out.merge(free_indices(*c, names));
    for (const std::string& bound : e.bound) out.erase(bound);
    return out;
}

}  // namespace gradproof::proof::latex
