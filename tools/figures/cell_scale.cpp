// Scales from the values of a heatmap.
#include "tools/figures/cell_scale.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"

namespace gradproof::figures {

bool has_number(const Heatmap& map, Index i) {
    const bool value = map.cells.empty() || map.cells[static_cast<std::size_t>(i)] == Cell::value;
    return value && !std::isnan(map.values[i]);
}

Colour CellScale::colour(double v) const {
    const double t = (v - low) / (high - low);
    return kind == Scale::symmetric ? diverging(2 * t - 1) : sequential(t);
}

CellScale cell_scale(const Heatmap& map) {
    constexpr double kRounding = 1e-6;
    double low = INFINITY, high = -INFINITY, largest = 0;
    for (Index i = 0; i < map.values.size(); ++i) {
        if (!has_number(map, i)) continue;
        low = std::min(low, map.values[i]);
        high = std::max(high, map.values[i]);
        largest = std::max(largest, std::abs(map.values[i]));
    }
    if (!(low <= high)) low = high = 0;
    if (!std::isfinite(largest)) value_error("heatmap: {}: values are in [{}, {}], expected finite ones", map.title, low, high);
    if (map.scale == Scale::unit) {
        if (low < -kRounding || high > 1 + kRounding)
            value_error("heatmap: {}: values are in [{}, {}], expected [0, 1]", map.title, low, high);
        return {};
    }
    const double limit = map.limit > 0 ? map.limit : largest > 0 ? largest : 1;
    if (!(largest <= limit * (1 + kRounding)))
        value_error("heatmap: {}: a value of magnitude {} is beyond the limit {}", map.title, largest, limit);
    return {-limit, limit, map.scale};
}

}  // namespace gradproof::figures
