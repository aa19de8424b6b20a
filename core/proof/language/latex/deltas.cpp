// Gradients that a delta marks.
#include "gradproof/core/proof/language/latex/deltas.hpp"

#include <string_view>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

constexpr std::string_view kDelta = "\\delta";

bool begins_name(const Token& t) {
    if (t.kind == letter) return true;
    return t.kind == command && (!letter_of(t.text).empty() || !accent_of(t.text).empty() || is_font(t.text));
}
bool has(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace

bool deltas_mark_gradients(const Source& source) {
    const std::string_view text = source.text();
    constexpr std::string_view kBegin = "$\\delta ";
    for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) {
        const std::size_t end = text.find('$', at + 1);
        if (end == text.npos) return false;
        const std::string_view formula = text.substr(at, end - at);
        const std::size_t equals = formula.find('=');
        if (equals != formula.npos) {
            if (formula.substr(0, equals).find_first_not_of(' ', kBegin.size()) == formula.npos) continue;  // of \delta itself
            const std::size_t sign = formula.find_first_not_of(' ', equals + 1);
            const std::string_view right = sign == formula.npos ? "" : formula.substr(sign);
            if (right.starts_with("\\partial") || right.starts_with("\\frac{\\partial")) return true;
            continue;
        }
        constexpr std::size_t kNear = 50;
        std::string_view behind = text.substr(end + 1, kNear);
        behind = behind.substr(0, behind.find_first_of(".$;"));
        const bool says = has(behind, " be ") || has(behind, " denote") || has(behind, " for ") || has(behind, " is ");
        if (says && (has(behind, "gradient") || has(behind, "derivative"))) return true;
    }
    return false;
}

Tokens with_marked_gradients(const Tokens& tokens) {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (!t.is_command(kDelta) || i + 1 >= tokens.size() || !begins_name(tokens[i + 1])) {
            out.push_back(t);
            continue;
        }
        out.push_back({command, "\\mathrm", t.span, t.blank});
        out.push_back({opening, "{", t.span, false});
        out.push_back({letter, "d", t.span, false});
        out.push_back({closing, "}", t.span, false});
    }
    return out;
}

}  // namespace gradproof::proof::latex
