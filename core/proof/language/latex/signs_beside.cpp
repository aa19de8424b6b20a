// Signs in the text around formulas.
#include "gradproof/core/proof/language/latex/signs_beside.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::string_view kOperators =
    " = + - * / < > ^ _ ' | := <= >= != == − – × · ÷ ≠ ≤ ≥ ≈ ⊙ ∘ ⊤ ² ½ ( ) )( ! ~ \\textasciicircum \\textasciitilde "
    "\\textminus \\textperiodcentered \\texttimes \\textbar \\textless \\textgreater \\_ ";

/// All that stands between two formulas: "=" and, of two that touch, a bracket. "the input $x$ ($n$ entries)" has a word's.
bool is_operator(std::string_view gap) {
    std::string_view sign = trimmed(gap);
    if (sign.ends_with("{}")) sign.remove_suffix(2);
    const bool bracket = sign == "(" || sign == ")";
    const bool known = !sign.empty() && kOperators.find(fmt::format(" {} ", sign)) != kOperators.npos;
    return known && !(bracket && sign.size() < gap.size());
}

/// $W$' and $x$\textsuperscript{2}; $W$'s is a word.
std::string_view script_behind(std::string_view text) {
    if (text.starts_with('\'') && (text.size() == 1 || small_letter(text[1]) == '\0')) return "'";
    for (const std::string_view one : {"^", "!", "\\textsuperscript", "\\textsubscript", "<sup>", "<sub>", "²", "³"})
        if (text.starts_with(one)) return one;
    return "";
}

/// -$x$ and =$x$, but for what begins a line: - is a bullet of Markdown there.
std::string_view sign_before(std::string_view text) {
    const std::size_t line = text.find_last_of('\n') + 1;
    for (const std::string_view one : {"-", "=", "+", "−", "½", "√"}) {
        if (!text.ends_with(one)) continue;
        const std::string_view before = text.substr(line, text.size() - line - one.size());
        const bool dash = before.ends_with('-') || (!before.empty() && small_letter(before.back()) != '\0');  // --, self-$x$
        if (!trimmed(before).empty() && !dash) return one;
    }
    return "";
}

}  // namespace

std::string sign_beside(const Source& source, const Sentence& s) {
    for (std::size_t i = 0; i < s.formulas.size(); ++i) {
        const Mention& m = s.formulas[i];
        const std::size_t begin = i == 0 ? std::min(s.span.begin, m.span.begin) : s.formulas[i - 1].span.end;
        const std::size_t end = i + 1 == s.formulas.size() ? std::max(s.span.end, m.span.end) : s.formulas[i + 1].span.begin;
        if (begin > m.span.begin || end < m.span.end) continue;  // one that a macro holds
        const std::string_view before = source.slice({begin, m.span.begin}), behind = source.slice({m.span.end, end});
        if (i > 0 && is_operator(before)) return fmt::format("\"{}\" stands between formulas", trimmed(before));
        const bool apart = i == 0 || m.displayed || s.formulas[i - 1].displayed;
        if (!apart && trimmed(before).empty()) return "two formulas stand side by side";
        if (m.displayed) continue;
        if (const std::string_view sign = sign_before(before); !sign.empty())
            return fmt::format("\"{}\" stands before a formula", sign);
        if (const std::string_view sign = script_behind(behind); !sign.empty())
            return fmt::format("\"{}\" stands behind a formula", sign);
    }
    return "";
}

}  // namespace gradproof::proof::latex
