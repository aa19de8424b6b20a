// Letters that are sizes and indices.
#include "gradproof/core/proof/language/latex/own_indices.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "gradproof/core/proof/language/latex/names.hpp"

namespace gradproof::proof::latex {
namespace {

using enum Token::Kind;

/// Calls f with what stands below each name, and where it begins and ends.
void each_below(const Source& source, const Tokens& t, const std::function<void(std::size_t, std::size_t)>& f) {
    for (std::size_t i = 0; i + 1 < t.size(); ++i)
        if (t[i].is_symbol("_")) f(i + 1, end_of_group(source, t, i + 1));
}
bool has(const Tokens& t, std::string_view a) {
    return std::ranges::any_of(t, [&](const Token& one) { return one.is(letter, a); });
}
/// Whether it stands below names only.
bool stands_below_only(const Source& source, const Tokens& t, std::string_view a) {
    std::size_t below = 0;
    each_below(source, t, [&](std::size_t begin, std::size_t end) {
        below += static_cast<std::size_t>(std::count_if(t.begin() + static_cast<std::ptrdiff_t>(begin),
                                                        t.begin() + static_cast<std::ptrdiff_t>(end),
                                                        [&](const Token& one) { return one.is(letter, a); }));
    });
    return std::cmp_equal(below, std::ranges::count_if(t, [&](const Token& one) { return one.is(letter, a); }));
}
/// Whether another letter that is no size stands with it below a name.
bool has_company(const Source& source, const Reading& reading, const Tokens& t, std::string_view a) {
    bool out = false;
    each_below(source, t, [&](std::size_t begin, std::size_t end) {
        const Tokens group(t.begin() + static_cast<std::ptrdiff_t>(begin), t.begin() + static_cast<std::ptrdiff_t>(end));
        out = out || (has(group, a) && std::ranges::any_of(group, [&](const Token& one) {
                          return is_small_letter(one) && one.text != a && !reading.names.dims.contains(std::string(one.text));
                      }));
    });
    return out;
}

}  // namespace

void own_indices(const Source& source, const Reading& reading, std::vector<Equation>& chain) {
    constexpr auto kIndices = std::to_array<std::string_view>({"i", "j", "k", "l"});
    constexpr auto kFree = std::to_array<std::string_view>({"r", "s", "u", "v", "p", "q", "a", "b", "c"});
    for (const std::string_view a : kIndices) {
        if (!reading.names.dims.contains(std::string(a)) || !has_company(source, reading, *chain.front().left, a)) continue;
        const bool below = std::ranges::all_of(chain, [&](const Equation& e) {
            return stands_below_only(source, *e.left, a) && stands_below_only(source, e.right, a) && !has(e.range, a);
        });
        const auto free = std::ranges::find_if(kFree, [&](std::string_view b) {
            return !reading.names.defined(std::string(b)) &&
                   std::ranges::none_of(chain, [&](const Equation& e) { return has(*e.left, b) || has(e.right, b); });
        });
        if (!below || free == kFree.end()) continue;
        const auto renamed = [&](Tokens t) {
            for (Token& one : t)
                if (one.is(letter, a)) one.text = *free;
            return t;
        };
        for (Equation& e : chain) {
            e.left = std::make_shared<const Tokens>(renamed(*e.left));
            e.right = renamed(std::move(e.right));
        }
    }
}

}  // namespace gradproof::proof::latex
