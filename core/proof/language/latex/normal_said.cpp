// Φ and φ as sentences call them.
#include "gradproof/core/proof/language/latex/normal_said.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/language/latex/meanings.hpp"
#include "gradproof/core/proof/language/latex/tidied.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// \mathcal{N}(0, 1) of "the distribution function of $\mathcal{N}(0, 1)$".
bool is_of_unit_normal(const Source& source, const Mention& m) {
    std::string text(source.slice(m.span));
    std::erase_if(text, [](char c) { return c == ' ' || c == '$' || c == '{' || c == '}'; });
    return text.ends_with("N(0,1)");
}

/// The distribution function Φ and the density φ of the standard normal distribution.
FunctionMeaning of_unit_normal(const std::string& function, Span said) {
    static const Source kFormulas("", "\\frac12 (1 + \\mathrm{erf}(z / \\sqrt 2)) \\frac{1}{\\sqrt{2 \\pi}} \\exp(-z^2 / 2)");
    static const std::size_t kSecond = kFormulas.text().find("\\frac{");
    static constexpr std::string_view kOwn = "argument";
    const bool distribution = function == "Φ";
    Lexer lexer(kFormulas, distribution ? Span{0, kSecond} : Span{kSecond, kFormulas.text().size()});
    FunctionMeaning out{.function = function};
    for (Token t = lexer.next(); t.kind != none; t = lexer.next()) {
        if (t.text == "z") t = {word, kOwn, t.span, t.blank};
        t.span = said;
        out.body.push_back(t);
    }
    out.body = tidied(kFormulas, out.body);
    out.parameter = {{word, kOwn, said, false}};
    out.text =
        distribution ? "\\Phi(z) = (1 + \\operatorname{erf}(z / \\sqrt 2)) / 2" : "\\phi(z) = e^{-z^2 / 2} / \\sqrt{2 \\pi}";
    return out;
}

bool speaks_of_a_distribution(const std::string& behind) {
    return has_any(behind.substr(0, behind.find(" . ")) + " ",
                   {" cdf ", " pdf ", " distribution ", " density ", " normal ", " gaussian "});
}

}  // namespace

std::optional<FunctionMeaning> said_of_normal(const Source& source, std::span<const Mention> formulas, bool asserted) {
    const Mention& m = formulas[0];
    const std::string named = function_named(source, part_of(m.formula, 0, first_bracket(m.formula)));
    if (named != "Φ" && named != "φ") return std::nullopt;
    const bool listed =
        formulas.size() > 1 && (m.behind == " and " || m.behind == " ") && speaks_of_a_distribution(formulas[1].behind);
    const std::string words = formulas[listed ? 1 : 0].behind + last_sentence(m.before);
    if (!speaks_of_a_distribution(words)) return std::nullopt;
    const bool exchanged = !listed && (named == "Φ" ? has_any(m.behind, {" density ", " pdf "}) : has_any(m.behind, {" cdf "}));
    const std::size_t next = listed ? 2 : 1;  // where the distribution may stand
    const bool standard = has_any(words, {" standard ", " normal ", " gaussian "}) ||
                          (next < formulas.size() && is_of_unit_normal(source, formulas[next]));
    if (standard && !exchanged && asserted) return of_unit_normal(named, m.span);
    return FunctionMeaning{.function = named,
                           .refused = fmt::format("what the text says of {} in words is not read: write its formula", named)};
}

}  // namespace gradproof::proof::latex
