// Lists of entries.
#include "gradproof/core/proof/language/latex/listed.hpp"

#include <algorithm>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

/// The name that the first and the last entry of a list share, s of s_1, \dots, s_n; empty of others.
Tokens array_of(const Source& source, const Tokens& list) {
    const std::vector<Tokens> all = pieces_of(list, ",");
    const bool dots = std::ranges::any_of(all, [](const Tokens& t) { return t.size() == 1 && is_dots(t[0]); });
    if (all.size() < 3 || !dots) return {};
    const NameParts first = parts_of(source, all.front(), 0), last = parts_of(source, all.back(), 0);
    const bool entries = !first.base.empty() && first.base == last.base && first.end == all.front().size() &&
                         last.end == all.back().size() && first.has_below && last.has_below && !first.has_above &&
                         !last.has_above;
    if (!entries || first.below.size() != 1 || first.below[0].text != "1" || same_texts(first.below, last.below)) return {};
    return part_of(all.front(), 0, first.base_end);
}

}  // namespace

Tokens with_lists_as_arrays(const Source& source, const Tokens& tokens) {
    if (std::ranges::none_of(tokens, is_dots)) return tokens;
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        out.push_back(tokens[i]);
        if (!tokens[i].is_symbol("(") || i == 0) continue;
        const std::size_t end = end_of_brackets(tokens, i);
        std::string before;
        for (std::size_t k = i - std::min<std::size_t>(i, 6); k < i; ++k) before += tokens[k].text;
        if (before.find("diag") == before.npos || end <= i + 3) continue;
        try {
            const Tokens array = array_of(source, part_of(tokens, i + 1, end - 1));
            if (array.empty()) continue;
            out.insert(out.end(), array.begin(), array.end());
            i = end - 2;
        } catch (const ProofError&) {  // told where it is read
        }
    }
    return out;
}

}  // namespace gradproof::proof::latex
