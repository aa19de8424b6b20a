// Shapes in sentences.
#include "gradproof/core/proof/language/latex/prose.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Keys of what equations define.
std::set<std::string> defined_in(const Source& source, Span text) {
    std::set<std::string> out;
    Document document(source, text);
    while (const std::optional<Part> part = document.next()) {
        if (part->note.kind == note) continue;
        try {
            for (const Equation& e : equations_of(source, {{}, document.expanded(part->tokens), part->span}))
                if (e.left && !e.left->empty()) out.insert(parts_of(source, *e.left, 0).base);
        } catch (const ProofError&) {  // told where equations are read
        }
    }
    return out;
}

/// \mathbb{R}^{n \times d} at `at`: the tokens of each size; nothing where there is none.
std::optional<std::vector<Tokens>> space_at(const Source& source, const Tokens& t, std::size_t at) {
    if (at >= t.size() || t[at].kind != command) return std::nullopt;
    const bool font = t[at].text == "\\mathbb" || t[at].text == "\\mathbf" || t[at].text == "\\mathrm";
    if (!font && t[at].text != "\\R" && t[at].text != "\\RR" && t[at].text != "\\reals") return std::nullopt;
    if (font && flat(source, inside_group(source, t, at + 1)) != "R") return std::nullopt;
    const std::size_t end = font ? end_of_group(source, t, at + 1) : at + 1;
    if (end + 1 >= t.size() || !t[end].is_symbol("^")) return std::vector<Tokens>{};
    return pieces_of(inside_group(source, t, end + 1), "\\times");
}

/// Names with commas between them that end before `at`, as they begin from the first on.
std::vector<std::size_t> names_before(const Source& source, const Tokens& t, std::size_t at) {
    std::vector<std::size_t> out;
    for (std::size_t begin = at; begin-- > 0;) {
        if (parts_of(source, t, begin).end != at) {
            if (at - begin > 12) break;
            continue;
        }
        const bool script =
            begin > 0 && (t[begin - 1].is_symbol("_") || t[begin - 1].is_symbol("^") || t[begin - 1].kind == opening);
        if (script) continue;
        out.insert(out.begin(), begin);
        if (begin == 0 || !t[begin - 1].is_symbol(",")) break;
        at = begin - 1;
        begin = at;
    }
    return out;
}

}  // namespace

bool declare_from_prose(const Source& source, Span text, Reading& reading, Statements& to) {
    Tokens all;
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none && all.size() < kMostTokens; t = lexer.next()) all.push_back(t);
    const std::set<std::string> defined = defined_in(source, text);
    bool any = false;
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
        if (!all[i].is_command("\\in") && !all[i].is_symbol("∈")) continue;
        std::optional<std::vector<Tokens>> sizes;
        std::vector<std::size_t> names;
        try {
            sizes = space_at(source, all, i + 1);
            if (sizes) names = names_before(source, all, i);
        } catch (const ProofError&) {  // of braces that do not match
        }
        for (const std::size_t begin : names) {
            const NameParts p = parts_of(source, all, begin);
            const std::string key = p.key(p.has_above, p.has_below, p.primed);
            if (key.empty() || defined.contains(p.base) || reading.is_defined(key)) continue;
            Declaration d;
            d.has_shape = true;
            d.span = {all[begin].span.begin, all[p.end - 1].span.end};
            for (const Tokens& size : *sizes) {
                const NameParts n = parts_of(source, size, 0);
                const std::string size_key = n.base.empty() ? "" : n.key(n.has_above, n.has_below, n.primed);
                if (!size_key.empty() && n.end == size.size() && !reading.is_defined(size_key)) {
                    Declaration dim;
                    dim.span = {size.front().span.begin, size.back().span.end};
                    dim.name = reading.define(size_key, size, 0, size.size());
                    to.dims({dim});
                }
                d.shape.push_back(Parser(reading, size).whole());
            }
            d.name = reading.define(key, all, begin, p.end);
            to.declare(std::move(d), true);
            any = true;
        }
    }
    return any;
}

}  // namespace gradproof::proof::latex
