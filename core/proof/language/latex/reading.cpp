// Names in LaTeX.
#include "gradproof/core/proof/language/latex/reading.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

bool add_flat(const Source& source, const Tokens& tokens, std::string& out) {
    if (tokens.size() == 1 && (tokens[0].is_symbol("+") || tokens[0].is_symbol("-"))) {  // v^+
        out += tokens[0].text == "+" ? "plus" : "minus";
        return true;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (t.kind == letter || t.kind == word || t.kind == digits || t.kind == words) {
            out += t.text;
        } else if (t.kind == command && !letter_of(t.text).empty()) {
            out += letter_of(t.text);
        } else if (t.kind == command && !accent_of(t.text).empty()) {
            if (!add_flat(source, inside_group(source, tokens, i + 1), out)) return false;
            out += accent_of(t.text);
            i = end_of_group(source, tokens, i + 1) - 1;
        } else if (t.is_command("\\star") || t.is_command("\\ast") || t.is_symbol("*")) {
            out += "star";
        } else if (t.is_symbol("-") || t.is_symbol("+")) {
            if (out.empty() || i + 1 == tokens.size()) return false;
            out += t.text == "-" ? "m" : "p";
        } else if (t.is_command("\\_") || t.is_symbol("_")) {
            out += "_";
        } else if (t.is_symbol("(") || t.is_symbol(")")) {
            out += t.text;
        } else if (!t.is_symbol(",") && t.kind != opening && t.kind != closing && !(t.kind == command && is_font(t.text))) {
            return false;
        }
    }
    return true;
}

/// What \mathbf{...} and its like hold: a letter, a word, or a name with scripts of its own.
std::string inside_font(const Source& source, const Tokens& tokens, std::size_t at, std::string_view font) {
    const Tokens inside = inside_group(source, tokens, at);
    const std::string name = flat(source, inside);
    if (font == "\\mathcal" || font == "\\mathscr") return name == "L" ? "ℒ" : name.size() == 1 ? name + "_cal" : name;
    return name;
}

/// Of \mathbf{x} as one token, which is another name than x: x_bold.
std::string bold_name(const Source& source, const Token& t) {
    Lexer lexer(source, t.span);
    for (Token one = lexer.next(); one.kind != none; one = lexer.next())
        if (one.kind == letter) return std::string(one.text) + "_bold";
    return "";
}

/// Of \log p_\theta as one token: log_p_θ.
std::string name_of_log(const Source& source, const Token& t) {
    Tokens function;
    const std::size_t begin = static_cast<std::size_t>(t.text.data() - source.text().data());
    Lexer lexer(source, {begin, begin + t.text.size()});
    lexer.next();
    for (Token one = lexer.next(); one.kind != none; one = lexer.next()) function.push_back(one);
    const NameParts p = parts_of(source, function, 0);
    const std::string key = p.key(p.has_above, p.has_below, p.primed);
    return key.empty() ? "" : "log_" + key;
}

/// The base of a name at `at`, and where it ends.
std::string base_of(const Source& source, const Tokens& tokens, std::size_t at, std::size_t& end) {
    end = at;
    if (at >= tokens.size()) return "";
    const Token& t = tokens[at];
    end = at + 1;
    if (t.text.starts_with("\\Delta") && t.text.size() > 6) {  // \Delta W, one token
        Lexer inner(source, {t.span.begin + 6, t.span.end});
        Tokens of;
        for (Token one = inner.next(); one.kind != none; one = inner.next()) of.push_back(one);
        std::size_t behind = 0;
        const std::string base = base_of(source, of, 0, behind);
        return base.empty() || behind != of.size() ? "" : "Δ" + base;
    }
    if (t.kind == word && (t.text.starts_with("\\log") || t.text.starts_with("\\ln"))) return name_of_log(source, t);
    if (t.kind == word && t.text.starts_with('\\')) return bold_name(source, t);
    if (t.kind == letter || t.kind == word) return std::string(t.text);
    if (t.kind == words) {
        std::string out(t.text);
        std::replace(out.begin(), out.end(), '-', '_');
        return out.find_first_of(" \\$") == std::string::npos ? out : "";
    }
    if (t.kind == opening) {  // {H_2}_{ij}
        const Tokens inside = inside_group(source, tokens, at);
        const NameParts p = parts_of(source, inside, 0);
        end = end_of_group(source, tokens, at);
        return p.end == inside.size() ? p.key(p.has_above, p.has_below, p.primed) : "";
    }
    if (t.kind != command) return "";
    if (const std::string_view greek = letter_of(t.text); !greek.empty()) return std::string(greek);
    if (const std::string_view accent = accent_of(t.text); !accent.empty()) {
        std::size_t inner = 0;
        const Tokens inside = inside_group(source, tokens, at + 1);
        const std::string base = base_of(source, inside, 0, inner);
        end = end_of_group(source, tokens, at + 1);
        return base.empty() || inner != inside.size() ? "" : base + "_" + std::string(accent);
    }
    if (is_font(t.text)) {
        std::size_t group = at + 1;
        if (group < tokens.size() && tokens[group].is_symbol("*")) ++group;
        end = end_of_group(source, tokens, group);
        return inside_font(source, tokens, group, t.text);
    }
    return "";
}

}  // namespace

std::string flat(const Source& source, const Tokens& tokens) {
    std::string out;
    return add_flat(source, tokens, out) ? out : "";
}

bool has_property(const Proof& proof, std::string_view input) {
    const auto given = std::ranges::find(proof.given, input, &Given::name);
    return given != proof.given.end() && given->fill != Fill::normal;
}

bool is_transpose(const Source& source, const Tokens& script) {
    if (script.size() == 1 && (script[0].is_command("\\top") || script[0].is_command("\\intercal") || script[0].is_symbol("⊤")))
        return true;
    return flat(source, script) == "T";
}

std::string NameParts::key(bool with_above, bool with_below, bool with_prime) const {
    static const std::string none;
    std::string out = base;
    const auto add = [&](const Tokens& script, char mark) {
        std::string text;
        if (script.empty()) return false;
        for (const Token& t : script)
            if (t.is_command("\\top") || t.is_command("\\intercal")) return false;
        if (!add_flat(*source, script, text)) return false;
        out += mark + text;
        return true;
    };
    if (with_above && !add(above, '^')) return none;
    if (with_below && !add(below, '_')) return none;
    if (with_prime) out += "'";
    return out;
}

namespace {

/// The t - 1 of x^{(t-1)}, which is an index as in x_{t-1}; empty of W^{(1)}, which is a name.
Tokens index_above(const Tokens& script) {
    if (script.size() < 3 || !script.front().is_symbol("(") || !script.back().is_symbol(")")) return {};
    const Token& index = script[1];
    const bool letter = (index.kind == Token::Kind::letter && index.text.size() == 1) ||
                        (index.kind == Token::Kind::command && !letter_of(index.text).empty());
    const bool stepped =
        script.size() == 5 && (script[2].is_symbol("-") || script[2].is_symbol("+")) && script[3].kind == Token::Kind::digits;
    return letter && (script.size() == 3 || stepped) ? Tokens(script.begin() + 1, script.end() - 1) : Tokens{};
}
/// Whether ij, i1 or nothing stands below, or labels as y_i of p_{y_i}; W^{(h)}_Q is a name.
bool are_indices(const Tokens& below) {
    for (std::size_t i = 0; i < below.size(); ++i) {
        const Token& t = below[i];
        const bool lower = is_small_letter(t);
        const bool script = i > 0 && (t.is_symbol("_") || t.is_symbol("^")) && i + 1 < below.size();
        if (script) {  // all that is left
            Tokens rest(below.begin() + static_cast<std::ptrdiff_t>(i) + 1, below.end());
            std::erase_if(rest, [](const Token& one) {
                return one.kind == Token::Kind::opening || one.kind == Token::Kind::closing || one.is_symbol("(") ||
                       one.is_symbol(")");
            });
            return rest.size() == 1 && rest[0].kind == Token::Kind::letter;
        }
        if (!lower && t.kind != Token::Kind::digits && !t.is_symbol(",")) return false;
    }
    return true;
}

}  // namespace

NameParts parts_of(const Source& source, const Tokens& tokens, std::size_t at) {
    NameParts out;
    out.source = &source;
    out.begin = at;
    out.base = base_of(source, tokens, at, out.base_end);
    out.end = out.base_end;
    while (!out.base.empty() && out.end < tokens.size()) {
        const Token& t = tokens[out.end];
        if (t.is_symbol("'") && !out.primed) {
            out.primed = true;
            ++out.end;
            continue;
        }
        const bool above = t.is_symbol("^");
        if (!(above ? !out.has_above : t.is_symbol("_") && !out.has_below)) break;
        if (out.end + 1 >= tokens.size()) fail(source, t, above ? "nothing stands behind ^" : "nothing stands behind _");
        (above ? out.has_above : out.has_below) = true;
        Tokens& script = above ? out.above : out.below;
        const std::size_t first = out.end + 1;
        const Token& what = tokens[first];
        const bool with_argument =
            what.kind == command && (is_font(what.text) || is_text(what.text) || !accent_of(what.text).empty());
        out.end = end_of_group(source, tokens, with_argument ? first + 1 : first);
        // ^\mathsf{T} without braces around it
        script = with_argument ? part_of(tokens, first, out.end) : inside_group(source, tokens, first);
    }
    Tokens transposed;  // of h^{(t)\top}
    if (out.above.size() > 3 && is_transpose(source, {out.above.back()})) {
        transposed = {out.above.back()};
        if (index_above({out.above.begin(), out.above.end() - 1}).empty())
            transposed.clear();
        else
            out.above.pop_back();
    }
    if (Tokens index = index_above(out.above); !index.empty() && are_indices(out.below)) {
        bool nested = false;  // y_i of p^{(t)}_{y_i} stays together
        for (const Token& t : out.below) {
            if (t.is_symbol(",")) continue;
            nested = nested || t.is_symbol("_") || t.is_symbol("^");
            if (!nested) index.push_back({Token::Kind::symbol, ",", t.span, false});
            index.push_back(t);
        }
        out.below = index;
        out.above = transposed;
        out.has_below = true;
        out.has_above = !transposed.empty();
    }
    return out;
}

bool has_name(const Source& source, const Tokens& tokens, std::string_view base) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (parts_of(source, tokens, i).base == base) return true;
    return false;
}

bool is_at_step(const NameParts& p) { return p.below.size() >= 3 && (p.below[1].is_symbol("-") || p.below[1].is_symbol("+")); }

std::string Reading::id_of(const std::string& key) const {
    if (const auto found = ids.find(key); found != ids.end()) return found->second;
    return is_of_another(key) ? key + "_" : key;
}
bool Reading::is_of_another(const std::string& key) const {
    const bool marked = key.ends_with("_plus") || key.ends_with("_minus") || key.ends_with("_star");
    return (marked || spelled_twice.contains(key)) &&
           std::ranges::any_of(ids, [&](const auto& one) { return one.second == key && one.first != key; });
}

std::size_t end_of_brackets(const Tokens& tokens, std::size_t at) {
    int depth = 0;
    for (; at < tokens.size(); ++at) {
        depth += tokens[at].is_symbol("(") ? 1 : tokens[at].is_symbol(")") ? -1 : 0;
        if (depth == 0) return at + 1;
    }
    return at;
}

std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
    std::string spelled;
    for (std::size_t i = begin; i < end; ++i) {
        const char first = tokens[i].text.empty() ? ' ' : tokens[i].text[0];
        const bool letter_next = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
        if (i > begin && tokens[i - 1].kind == command && tokens[i].kind != words && letter_next) spelled += ' ';
        spelled += tokens[i].kind == words ? "\\text{" + std::string(tokens[i].text) + "}" : std::string(tokens[i].text);
    }
    return spelled;
}

std::string Reading::define(const std::string& key, const Tokens& tokens, std::size_t begin, std::size_t end) {
    std::string id;
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (key[i] == '\'')
            id += "_prime";
        else if (key[i] != '(' && key[i] != ')')
            id += key[i] == '^' ? '_' : key[i];
    }
    const auto taken = [&](const std::string& one) {
        return names.defined(one) ||
               std::any_of(ids.begin(), ids.end(), [&](const auto& i) { return i.second == one && i.first != key; });
    };
    if (id != key || is_of_another(key))
        while (taken(id)) id += "_";
    ids[key] = id;
    spelling->names[id] = joined(tokens, begin, end);
    return id;
}

std::string Reading::define_rows(const std::string& key, const Tokens& tokens, const NameParts& p) {
    std::string id = define(key, tokens, 0, p.base_end);
    if (p.has_above && !p.above.empty()) {  // of \sigma_j^2, which is no \sigma
        const std::string above = joined(p.above, 0, p.above.size());
        spelling->names[id] += p.above.size() == 1 ? "^" + above : "^{" + above + "}";
    }
    return id;
}

bool stands_above(const Source& source, const Token& index) {
    const std::size_t before = source.text().find_last_not_of("{([ ", index.span.begin - 1);
    return index.span.begin > 0 && before != std::string_view::npos && source.text()[before] == '^';
}

}  // namespace gradproof::proof::latex
