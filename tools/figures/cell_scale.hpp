// The ends of a heatmap's scale, and the colour of a value on it.
#pragma once

#include "tools/figures/colour.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::figures {

struct CellScale {
    double low = 0, high = 1;
    Scale kind = Scale::unit;
    Colour colour(double value) const;
};
/// Errors: ValueError for a value beyond the scale, or not finite.
CellScale cell_scale(const Heatmap& map);

/// Whether cell i holds a value that is not NaN.
bool has_number(const Heatmap& map, Index i);

}  // namespace gradproof::figures
