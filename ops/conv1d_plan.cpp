// Sizes of one call of conv1d, checked.
#include "gradproof/ops/conv1d_plan.hpp"

namespace gradproof {

Conv1dPlan::Conv1dPlan(const Conv1dAttrs& a, const Shape& x, const Shape& w, const Shape* b) {
    if (x.rank() != 3) shape_error("conv1d: x must be [B, T, I]: x is {}", x);
    if (w.rank() != 3 || w[0] < 1 || w[1] != x[2])
        shape_error("conv1d: w must be [K, {}, O] with K >= 1: w is {}, x is {}", x[2], w, x);
    if (b && !(*b == Shape{w[2]})) shape_error("conv1d: b must be [{}]: b is {}, w is {}", w[2], *b, w);
    constexpr Index kMost = Index{1} << 30;
    if (a.dilation < 1 || a.dilation > kMost) value_error("conv1d: dilation must be from 1 to 2^30: dilation is {}", a.dilation);
    if (a.left < 0 || a.right < 0 || a.left > kMost || a.right > kMost)
        value_error("conv1d: padding must be from 0 to 2^30: left is {}, right is {}", a.left, a.right);
    if (a.padding != Padding::given && (a.left != 0 || a.right != 0))
        value_error("conv1d: left and right are for padding given: padding is {}, left is {}, right is {}",
                    names(a.padding)[static_cast<std::size_t>(a.padding)], a.left, a.right);
    B = x[0], T = x[1], I = x[2], K = w[0], O = w[2], dilation = a.dilation, left = a.left;
    const Index span = dilation * (K - 1);
    if (a.padding == Padding::causal)
        left = span;
    else if (a.padding == Padding::same)
        left = span / 2;
    N = a.padding == Padding::given ? T + a.left + a.right - span : T;
    if (a.padding == Padding::given && N < 1)
        shape_error("conv1d: the window is longer than the padded input: it takes {} steps, x is {}, left is {}, right is {}",
                    span + 1, x, a.left, a.right);
}

}  // namespace gradproof
