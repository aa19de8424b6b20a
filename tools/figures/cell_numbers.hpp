// The numbers in the cells of a heatmap: all with the same decimals, in units of one power of ten, as long as they fit.
//
//   const CellNumbers n = cell_numbers(values, 34, Scale::symmetric);     // gradients about 1e-3
//   if (n.size > 0) canvas.text(at, n.text(-2.31e-3));                    // "-2.31", with n.unit() "× 10⁻³"
#pragma once

#include <span>
#include <string>

#include "tools/figures/heatmap.hpp"

namespace gradproof::figures {

struct CellNumbers {
    int power = 0;
    int decimals = 2;
    double size = 0;     ///< of the font; 0 where they do not fit at a readable size
    bool signs = false;  ///< what rounds to 0 keeps its sign: "+0", "-0"
    std::string text(double value) const;
    /// "× 10⁻³"; empty for a power of 0.
    std::string unit() const;
};

/// For the values of the cells, which are squares of `cell` pixels.
CellNumbers cell_numbers(std::span<const double> values, double cell, Scale scale);

}  // namespace gradproof::figures
