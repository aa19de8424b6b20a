// What to write above the equations of a text without annotations.
#include "gradproof/core/proof/language/latex/missing.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/equations.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::size_t kMostListed = 12;

/// Names by the base that they have, in the order they come.
struct Gathered {
    std::vector<std::string> keys, texts;
    bool has(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
    void add(const std::string& key, const std::string& text) {
        if (keys.size() > kMostNames || has(key)) return;
        keys.push_back(key);
        texts.push_back(text);
    }
};

bool is_index_letter(const std::string& s) { return s.size() == 1 && s[0] >= 'a' && s[0] <= 'z'; }

/// The small letters in scripts, which are indices.
std::set<std::string> indices_in(const std::vector<Equation>& all) {
    std::set<std::string> out;
    for (const Equation& e : all)
        for (const Tokens* side : {&*e.left, &e.right})
            for (std::size_t i = 1; i < side->size(); ++i) {
                if (!(*side)[i - 1].is_symbol("_")) continue;
                const Token& t = (*side)[i];
                if (t.kind == letter) out.insert(std::string(t.text));
                for (std::size_t k = i; t.kind == opening && k < side->size() && (*side)[k].kind != closing; ++k)
                    if ((*side)[k].kind == letter) out.insert(std::string((*side)[k].text));
            }
    return out;
}

/// A capital, a Greek letter, one in a font or one with a script is an input; a small letter that stands alone a size; indices,
/// gradients and others are left out.
void collect(const Source& source, const Tokens& tokens, const Gathered& defined, const std::set<std::string>& indices,
             Gathered& inputs, Gathered& sizes) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        const bool sum = t.is_command("\\sum") || t.is_command("\\prod");
        if (sum && i + 1 < tokens.size() && tokens[i + 1].is_symbol("_")) i = end_of_group(source, tokens, i + 2) - 1;
        if (sum) continue;
        if (t.is_command("\\partial") || t.is_command("\\nabla") || t.kind == begins || t.kind == opening) continue;
        const NameParts p = parts_of(source, tokens, i);
        if (p.base.empty()) continue;
        const bool loss = p.base == "L" || p.base == "ℒ" || p.base == "Loss";
        const bool word = p.base.size() > 1 && t.kind != command;
        const bool gradient =
            p.base.size() > 1 && p.base[0] == 'd' && (defined.has(p.base.substr(1)) || is_index_letter(p.base.substr(1)));
        const bool function = !function_of(p.base).empty() || p.base == "d" || p.base == "e" || p.base == "δ";
        if (!loss && !function && !word && !gradient && !defined.has(p.base)) {
            const std::string script = p.has_below ? flat(source, p.below) : "";
            const bool entries =
                p.has_below && std::all_of(script.begin(), script.end(), [](char c) { return c >= 'a' && c <= 'z'; });
            const bool size = is_index_letter(p.base) && t.kind == letter && !p.has_below;
            if (size && (indices.contains(p.base) || p.base == "n" || p.base == "d")) continue;
            const bool part = p.has_below && !entries;
            const std::size_t end = part && !p.has_above ? p.end : p.base_end;
            const std::string text(source.slice({t.span.begin, std::max(t.span.end, tokens[end - 1].span.end)}));
            (size ? sizes : inputs).add(part && !p.has_above ? p.key(false, true, false) : p.base, text);
        }
        i = std::max(i, (p.has_above ? p.base_end : p.end) - 1);
    }
}

}  // namespace

bool has_annotations(const Source& source, Span text) {
    Lexer lexer(source, text);
    for (Token t = lexer.next(); t.kind != none; t = lexer.next())
        if (t.kind == note) return true;
    return false;
}

void fail_for_file(const Source& source, const Input& input) {
    constexpr std::string_view kMissing = "is not there, as seen from the folder of", kOutside = "lies outside of the folder of";
    throw ProofError(source, input.span.begin,
                     fmt::format("{} {} {}: what stands in it is not read", printable(input.name, 200),
                                 input.is_within() ? kMissing : kOutside, printable(source.file(), 200)));
}

void fail_without_annotations(const Source& source, Span text, const std::vector<Equation>& asides) {
    Document document(source, text);
    Gathered defined, inputs, sizes;
    std::optional<Equation> first;
    std::vector<Equation> all;
    while (const std::optional<Part> part = document.next())
        for (Equation& e : equations_of(source, {part->note, document.expanded(part->tokens), part->span})) {
            if (const NameParts p = parts_of(source, *e.left, 0); !p.base.empty()) defined.add(p.base, p.base);
            all.push_back(std::move(e));
        }
    for (const Equation& e : asides) {
        const std::string base = parts_of(source, *e.left, 0).base;
        defined.add(base, base);
        all.push_back(e);
    }
    if (!document.left_out().empty()) fail_for_file(source, document.left_out().front());
    if (all.empty()) throw ProofError(source, text.begin, "no equations: they are read from equation, align, gather, $$ and \\[");
    const std::set<std::string> indices = indices_in(all);
    for (const Equation& e : all) collect(source, e.right, defined, indices, inputs, sizes);
    const auto list = [](const std::vector<std::string>& names, const char* between, const char* behind) {
        std::string out;
        for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) out += (i > 0 ? between : "") + names[i] + behind;
        return out;
    };
    std::string write = fmt::format("% gradproof: dims n d {}", list(sizes.texts, " ", ""));
    while (write.ends_with(' ')) write.pop_back();
    write += fmt::format("; input {}", inputs.texts.empty() ? "X [n, d]" : list(inputs.texts, ", ", " [n, d]"));
    throw ProofError(
        source, all.front().span.begin,
        fmt::format("nothing says what the inputs are; write above it, with their shapes:  {}", printable(write, 600)));
}

}  // namespace gradproof::proof::latex
