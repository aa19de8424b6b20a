// Convolution over time: each output is a weighted sum of a window of inputs, the same weights everywhere.
//
//   conv1d(x, w);                                                    // x [B, T, I], w [K, I, O] -> [B, T - K + 1, O]
//   conv1d(x, w, b, {.dilation = 2, .padding = Padding::causal});    // -> [B, T, O], nothing later is seen
#pragma once

#include <array>
#include <string_view>

#include "gradproof/core/registry.hpp"

namespace gradproof {

/// Zeros around the input. same: as many outputs as inputs, each in the middle of its window (of an even one, before the middle);
/// causal: as many outputs as inputs, each at the end of its window.
enum class Padding { given, same, causal };
inline constexpr std::array<std::string_view, 3> names(Padding) { return {"given", "same", "causal"}; }

struct Conv1dAttrs {
    Index dilation = 1;  ///< steps between the inputs of a window
    Padding padding = Padding::given;
    Index left = 0, right = 0;  ///< zeros before and after the input, where the padding is given
    static void fields(auto& a, auto&& f) {
        f("dilation", a.dilation);
        f("padding", a.padding);
        f("left", a.left);
        f("right", a.right);
    }
};

/// Convolution over time (without turning the weights around, as in all of deep learning).
/// Shapes  x [B, T, I], w [K, I, O], b [O] -> y [B, T + left + right - dilation (K - 1), O].
/// Cost    K products over shifted rows: no window is copied.
/// Errors  ShapeError if a rank or size does not fit or a window is longer than the padded input; ValueError for a dilation
///         below 1, a negative padding, or one beside same or causal.
template <Operand X>
X conv1d(const X& x, const X& w, const Conv1dAttrs& attrs = {});
template <Operand X>
X conv1d(const X& x, const X& w, const X& b, const Conv1dAttrs& attrs = {});

}  // namespace gradproof
