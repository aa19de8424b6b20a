// The plan of one call of conv1d: its sizes, checked, and which rows of x and y each weight connects.
//
//   const Conv1dPlan p(attrs, x.shape(), w.shape());
//   part(x, p.rows_of_x(k));                            // go through w_k into p.rows_of_y(k)
#pragma once

#include <algorithm>

#include "gradproof/core/algebra.hpp"
#include "gradproof/ops/conv1d.hpp"

namespace gradproof {

/// y [B, N, O] of x [B, T, I] and w [K, I, O].
struct Conv1dPlan {
    Index B = 0, T = 0, I = 0, K = 0, O = 0, N = 0;
    Index dilation = 1, left = 0;

    /// Errors: ShapeError and ValueError as the docstring of `conv1d` says; b is nullptr where there is none.
    Conv1dPlan(const Conv1dAttrs& a, const Shape& x, const Shape& w, const Shape* b = nullptr);

    /// Row t of y takes row t + shift(k) of x through w_k.
    Index shift(Index k) const { return k * dilation - left; }
    /// The rows of y that take a row of x through w_k, and those rows of x: the others would take zeros.
    AxisRange rows_of_y(Index k) const { return {.axis = 1, .start = first(k), .count = count(k)}; }
    AxisRange rows_of_x(Index k) const { return {.axis = 1, .start = first(k) + shift(k), .count = count(k)}; }
    Index first(Index k) const { return std::clamp<Index>(-shift(k), 0, N); }
    Index count(Index k) const { return std::max<Index>(0, std::min(N, T - shift(k)) - first(k)); }
};

}  // namespace gradproof
