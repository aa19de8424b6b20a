// Labels of LaTeX.
#include "gradproof/core/proof/language/latex/labels.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

bool is_index(const Token& t, const std::set<std::string>& indices) {
    return is_small_letter(t) && indices.contains(std::string(t.text));
}

}  // namespace

bool is_letter_of_label(std::string_view letter) {
    constexpr std::string_view kLabels[] = {"y", "c", "o", "a"};  // i and j lack a sum
    return is_one(kLabels, letter);
}

bool may_be_label_below(const NameParts& p, const std::set<std::string>& indices) {
    return p.below.size() == 1 && is_letter_of_label(p.below[0].text) && !is_index(p.below[0], indices);
}

NameParts labels_below(const Source& source, const NameParts& p, const std::set<std::string>& indices) {
    for (std::size_t k = 0; k < p.below.size(); ++k) {
        const Token& t = p.below[k];
        if (t.is_symbol(",")) continue;
        if (!is_small_letter(t)) return {};
        NameParts y;
        try {
            y = parts_of(source, p.below, k);
        } catch (const ProofError&) {  // told where it is read
        }
        const bool by_index = y.has_below && y.below.size() == 1 && is_index(y.below[0], indices);
        if (by_index && y.end == p.below.size() && !y.has_above && !indices.contains(y.base)) return y;
        if (!is_index(t, indices)) return {};
    }
    return {};
}

bool is_compared_with_index(const Tokens& tokens, const NameParts& p, const std::set<std::string>& indices) {
    constexpr std::string_view kLabels[] = {"y", "c", "o", "a", "t", "g", "ℓ", "r"};
    if (p.begin < 2 || !is_one(kLabels, p.base) || indices.contains(p.base) || p.has_above || p.primed) return false;
    const std::string_view sign = relation(tokens[p.begin - 1]);
    const bool ends = p.end == tokens.size() || bracket(tokens[p.end]) < 0 || tokens[p.end].is_symbol(",");
    const bool alone = p.begin == 2 || !tokens[p.begin - 3].is_symbol("_");
    const bool entry = !p.has_below || (p.below.size() == 1 && is_index(p.below[0], indices));
    return (sign == "=" || sign == "≠") && ends && alone && entry && is_index(tokens[p.begin - 2], indices);
}

}  // namespace gradproof::proof::latex
