// The order of equations.
#include "gradproof/core/proof/language/latex/order.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "gradproof/core/proof/language/latex/left_side.hpp"

namespace gradproof::proof::latex {
namespace {

struct Dependence {
    std::string defines;         ///< a name without its scripts; "" for nothing new
    std::set<std::string> uses;  ///< such names
    bool uses_of(const Dependence& other) const { return !other.defines.empty() && uses.contains(other.defines); }
};

Dependence dependence_of(const Equation& e, const Reading& reading) {
    Dependence out;
    const NameParts left = name_at(reading, *e.left, 0);
    if (left.end == e.left->size() && !names_a_value(reading, left) && !is_gradient(reading, left)) out.defines = left.base;
    for (std::size_t i = 0; i < e.right.size(); ++i) out.uses.insert(name_at(reading, e.right, i).base);
    return out;
}

/// The equation before which `later` has to stand; itself where it may stay.
std::size_t place_of(std::size_t later, const std::vector<Dependence>& all) {
    const Dependence& moved = all[later];
    if (moved.defines.empty() || moved.uses_of(moved)) return later;
    for (std::size_t i = 0; i < later; ++i) {
        if (all[i].defines == moved.defines) return later;  // it is there from here on: v_1, then v_2
        if (!all[i].uses_of(moved)) continue;
        const bool hindered =
            std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(later),
                        [&](const Dependence& between) { return moved.uses_of(between); });
        return hindered ? later : i;
    }
    return later;
}

template <class T>
void move_before(std::vector<T>& all, std::size_t to, std::size_t from) {
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(to), at(from), at(from + 1));
}

}  // namespace

void put_in_order(std::vector<Equation>& equations, const Reading& reading) {
    constexpr std::size_t kMost = 100;
    const auto plain = [](const Equation& e) { return e.left && !e.chained && e.note.kind != Token::Kind::note; };
    if (equations.size() > kMost || !std::all_of(equations.begin(), equations.end(), plain)) return;
    std::vector<Dependence> all;
    for (const Equation& e : equations) all.push_back(dependence_of(e, reading));
    for (std::size_t later = 1; later < all.size(); ++later) {
        const std::size_t to = place_of(later, all);
        move_before(equations, to, later);
        move_before(all, to, later);
    }
}

}  // namespace gradproof::proof::latex
