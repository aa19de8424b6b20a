// Letters of gates.
#include "gradproof/core/proof/language/latex/gates.hpp"

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/reading.hpp"

namespace gradproof::proof::latex {

std::set<std::string, std::less<>> gates_in(const Source& source, const std::vector<std::pair<Tokens, Tokens>>& all) {
    std::set<std::string, std::less<>> defined, below, out;
    for (const auto& [left, right] : all) try {
            const NameParts name = left.empty() ? NameParts{} : parts_of(source, left, 0);
            const bool alone = name.end == left.size() && !name.has_below && !name.has_above && !name.primed;
            if (alone && left.size() == 1 && is_small_letter(left[0])) defined.insert(name.base);
            for (std::size_t i = 0; i < right.size(); ++i) {
                const NameParts p = parts_of(source, right, i);
                const bool weight = p.base.size() == 1 && p.base[0] >= 'A' && p.base[0] <= 'Z' && p.below.size() == 1;
                if (weight && is_small_letter(p.below[0])) below.emplace(p.below[0].text);
            }
        } catch (const ProofError&) {  // told where it is read
        }
    for (const std::string& letter : defined)
        if (below.contains(letter)) out.insert(letter);
    return out;
}

}  // namespace gradproof::proof::latex
