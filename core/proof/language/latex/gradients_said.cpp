// Names of gradients in sentences.
#include "gradproof/core/proof/language/latex/gradients_said.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/latex/mentions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// The accent of \bar x, where the rest is \partial L / \partial x of the same x; "" of others.
std::string accent_of_adjoint(const Source& source, const Tokens& name, const Tokens& rest) {
    const NameParts p = name.empty() ? NameParts{} : parts_of(source, name, 0);
    const std::string accent(name.empty() || name[0].kind != command ? std::string_view() : accent_of(name[0].text));
    if (p.base.empty() || accent.empty() || p.end != name.size()) return "";
    std::string last;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (const NameParts other = parts_of(source, rest, i); !other.base.empty()) last = other.base;
    return std::ranges::any_of(rest, is_derivative_sign) && p.base == last + "_" + accent ? accent : "";
}

/// Of "let $\bar o_i$ denote the gradient of the loss on $o_i$", "with $\bar Y$ the incoming gradient" the accent; "" of others.
std::string accent_of_incoming(const Source& source, const Mention& m) {
    const NameParts p = m.formula.empty() ? NameParts{} : parts_of(source, m.formula, 0);
    const std::string accent(m.formula.empty() || m.formula[0].kind != command ? std::string_view()
                                                                               : accent_of(m.formula[0].text));
    if (accent != "bar" || p.end != m.formula.size()) return "";
    const std::string behind = m.behind.substr(0, m.behind.find(" . ")) + " ";
    const bool written = behind.starts_with(" for ") && has_any(last_sentence(m.before), {" write ", " writing ", " use "});
    const bool told = has_any(behind, {" gradient ", " cotangent ", " adjoint ", " derivative "}) &&
                      (written || has_any(behind, {" denote ", " be ", " denotes ", " is ", " incoming ", " upstream ",
                                                   " stand for ", " stands for "}));
    return told && !has_any(behind, {" average ", " mean ", " averaged ", " not ", " moving "}) ? accent : "";
}

}  // namespace

std::string said_of_adjoints(const Source& source, Span text) {
    Mention before;
    for (const Mention& m : mentions_in(source, text)) {
        if (m.displayed) continue;
        const bool for_it = before.behind.starts_with(" for ") && before.behind.find(" . ") == std::string::npos;
        const bool written = for_it && has_any(last_sentence(before.before), {" write ", " writing ", " written ", " use "});
        if (written || before.behind == " denotes " || before.behind == " stands for " || before.behind == " means ")
            if (std::string accent = accent_of_adjoint(source, before.formula, m.formula); !accent.empty()) return accent;
        before = m;
        if (std::string accent = accent_of_incoming(source, m); !accent.empty()) return accent;
        const auto equals = std::ranges::find_if(m.formula, is_equals);
        const std::string accent = equals == m.formula.end() ? ""
                                                             : accent_of_adjoint(source, Tokens(m.formula.begin(), equals),
                                                                                 Tokens(equals + 1, m.formula.end()));
        if (accent.empty()) continue;
        const std::string around = last_sentence(m.before) + m.behind.substr(0, m.behind.find(" . ")) + " ";
        if (has_any(around, {" adjoint ", " adjoints ", " write ", " written ", " denote ", " denotes ", " notation ", " bar ",
                             " bars ", " every ", " any ", " each ", " all ", " put ", " set "}))
            return accent;
    }
    return "";
}

bool names_differentials(const Source& source, Span text) {
    const auto begins = [&](const Tokens& all, std::size_t at) {
        if (!all[at].is(letter, "d") || at + 1 == all.size() || all[at + 1].blank) return false;
        const NameParts p = parts_of(source, all, at + 1);
        return !p.base.empty() && (p.end == all.size() || is_equals(all[p.end]) || all[p.end].is_symbol("&"));
    };
    return std::ranges::any_of(mentions_in(source, text), [&](const Mention& m) {
        for (std::size_t i = 0; i < m.formula.size(); ++i)
            if ((i == 0 || is_separator(m.formula[i - 1]) || m.formula[i - 1].is_symbol("&")) && begins(m.formula, i))
                return true;
        return false;
    });
}

}  // namespace gradproof::proof::latex
