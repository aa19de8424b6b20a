// What a report shows of a contract where one, and only one, is broken.
#pragma once

#include <algorithm>
#include <array>

#include "gradproof/core/check/report.hpp"

namespace gradproof::check {

/// Those that come first, in their order: where one is broken, nothing that comes later is judged.
inline constexpr std::array kFirst{Contract::in_bounds, Contract::unchanged, Contract::deterministic, Contract::independent};

inline char expected_mark(Contract c, Contract broken) {
    const auto place = [](Contract x) { return std::find(kFirst.begin(), kFirst.end(), x) - kFirst.begin(); };
    if (c == broken) return c == Contract::difference ? '?' : 'X';  // on differences alone nothing is wrong
    return place(broken) < place(c) ? '-' : '+';
}

}  // namespace gradproof::check
