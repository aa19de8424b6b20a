// Rotary positions: pairs of channels turned by angles that grow with the position, so that q·k sees the distance alone.
//
//   rotary(q);                                   // q [..., T, D], position t of the T rows
//   rotary(q, {.offset = 7, .heads = 4});        // a last axis of 4 heads side by side, positions 7, 8, ...
#pragma once

#include <array>
#include <string_view>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Which channels make a pair: interleaved (2p, 2p + 1), as in the paper; half (p, p + D/2), as in many models after it.
enum class RotaryPairs { interleaved, half };
inline constexpr std::array<std::string_view, 2> names(RotaryPairs) { return {"interleaved", "half"}; }

struct RotaryAttrs {
    double base = 10000;
    Index offset = 0;  ///< position of the first row
    RotaryPairs pairs = RotaryPairs::interleaved;
    Index heads = 1;  ///< side by side in the last axis, each turned alike
    static void fields(auto& a, auto&& f) {
        f("base", a.base);
        f("offset", a.offset);
        f("pairs", a.pairs);
        f("heads", a.heads);
    }
};

/// Rotary position embedding: pair p of the row at position m is turned by m base^(-2p/D).
/// Shapes  x [..., T, heads D] -> y as x, D even.
/// Units   angles in radians; y as x.
/// Errors  ShapeError for rank below 2 or a last axis that does not split into heads of an even size; ValueError for a base that
///         is not finite and above 0, fewer than 1 head, or an offset beyond 2^40.
template <Operand X>
X rotary(const X& x, const RotaryAttrs& attrs = {});

}  // namespace gradproof
