// Derivatives written with d.
#include "gradproof/core/proof/language/latex/ordinary_derivatives.hpp"

#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Of d, \mathrm{d} and \mathrm d at `at` the end; `at` of others.
std::size_t end_of_d(const Source& source, const Tokens& t, std::size_t at) {
    if (at >= t.size()) return at;
    if (t[at].is(letter, "d")) return at + 1;
    const bool upright = t[at].kind == command && (is_font(t[at].text) || is_text(t[at].text)) && at + 1 < t.size();
    const Tokens inside = upright ? inside_group(source, t, at + 1) : Tokens{};
    return inside.size() == 1 && inside[0].is(letter, "d") ? end_of_group(source, t, at + 1) : at;
}
std::size_t end_of_order(const Source& source, const Tokens& t, std::size_t at) {
    return at < t.size() && t[at].is_symbol("^") ? end_of_group(source, t, at + 1) : at;
}
/// Behind the name at `at`, with its scripts; `at` where there is none.
std::size_t end_of_name(const Source& source, const Tokens& t, std::size_t at) {
    while (at < t.size() && t[at].kind == command && (t[at].text == "\\," || t[at].text == "\\!")) ++at;
    const NameParts p = at < t.size() ? parts_of(source, t, at) : NameParts{};
    return p.base.empty() ? at : p.end;
}

/// Behind \textrm{CE} and \mathrm{CE}, upright names of several letters; `at` where there is none.
std::size_t end_of_upright(const Source& source, const Tokens& t, std::size_t at) {
    const bool upright = at < t.size() && t[at].kind == command && (is_font(t[at].text) || is_text(t[at].text));
    return upright && at + 1 < t.size() ? end_of_group(source, t, at + 1) : at;
}

/// Whether it is d, d f, d^2 f(x) or d {...}.
bool is_above(const Source& source, const Tokens& t) {
    const std::size_t sign = end_of_d(source, t, 0), order = end_of_order(source, t, sign);
    if (sign == 0 || order == t.size()) return sign > 0;
    if (t[order].kind == opening) return end_of_group(source, t, order) == t.size();
    if (t[order].is_symbol("(") || t[order].is_symbol("[")) return end_of_brackets(t, order) == t.size();
    const std::size_t name = end_of_name(source, t, order), end = name > order ? name : end_of_upright(source, t, order);
    return end > order && (end == t.size() || (t[end].is_symbol("(") && end_of_brackets(t, end) == t.size()));
}
/// Whether it is d x, d x^2 or d x\, d y.
bool is_below(const Source& source, const Tokens& t) {
    std::size_t at = 0;
    while (at < t.size()) {
        const std::size_t sign = end_of_d(source, t, at), end = end_of_name(source, t, sign);
        if (sign == at || end == sign) return false;
        at = end;
    }
    return at > 0;
}

void add_with_sign(const Source& source, const Tokens& t, Tokens& out) {
    for (std::size_t i = 0; i < t.size(); ++i) {
        const std::size_t end = end_of_d(source, t, i);
        out.push_back(t[i]);
        if (end == i || (i > 0 && (t[i - 1].is_symbol("_") || t[i - 1].is_symbol("^")))) continue;
        out.back() = {command, "\\partial", {t[i].span.begin, t[end - 1].span.end}, t[i].blank};
        i = end - 1;
    }
}

}  // namespace

Tokens with_partial_signs(const Source& source, const Tokens& in) {
    Tokens out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t middle = is_fraction(in[i]) ? end_of_group(source, in, i + 1) : i;
        const std::size_t end = middle > i && middle < in.size() ? end_of_group(source, in, middle) : i;
        if (end > i && is_above(source, inside_group(source, in, i + 1)) && is_below(source, inside_group(source, in, middle))) {
            add_with_sign(source, part_of(in, i, end), out);
            i = end - 1;
            continue;
        }
        const std::size_t sign = end_of_d(source, in, i);
        const std::size_t top = sign > i ? end_of_name(source, in, end_of_order(source, in, sign)) : i;
        const std::size_t below = top > sign && top < in.size() && in[top].is_symbol("/") ? end_of_d(source, in, top + 1) : top;
        const std::size_t stop = below > top + 1 ? end_of_name(source, in, below) : below;
        if (stop > below && sign > i) {
            add_with_sign(source, part_of(in, i, stop), out);
            i = stop - 1;
            continue;
        }
        out.push_back(in[i]);
    }
    return out;
}

}  // namespace gradproof::proof::latex
