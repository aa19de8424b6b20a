// Draws a matrix as coloured cells: weights, gradients, similarities. Masked, missing and NaN cells look different from every
// number, and cells of at least 6 pixels show a ring for exact zeros.
//
//   draw(Heatmap{.title = "Attention of Max(1,6,2)", .values = w, .row_labels = tokens, .column_labels = tokens,
//                .row_axis = "query", .column_axis = "key", .unit = "weight"});
#pragma once

#include <vector>

#include "gradproof/core/tensor.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

/// What a cell holds: a number, nothing because of a mask, or nothing because there is no number.
enum class Cell : unsigned char { value, masked, missing };

enum class Scale {
    unit,       ///< 0 to 1: the sequential map
    symmetric,  ///< -limit to limit: the diverging map
};

struct Heatmap {
    std::string title{};                                     ///< the sizes are added
    Tensor<double> values{};                                 ///< [rows, columns]; NaN is shown as such
    std::vector<Cell> cells{};                               ///< row-major; empty: all are values
    std::vector<std::string> row_labels{}, column_labels{};  ///< empty: their indices
    std::string row_axis{}, column_axis{};                   ///< "query", "key"
    std::string unit{};                                      ///< of the values: "weight", "gradient (nats)"
    Scale scale = Scale::unit;
    double limit = 0;      ///< symmetric: the magnitude at the ends, 0 for the largest there is; larger values are an error
    double cell_size = 0;  ///< pixels; 0 suits the size
    bool bar = true;       ///< the colour bar; one is enough for maps of one scale beside each other
};

/// Errors: ShapeError unless values is [rows, columns] with as many labels and cells;
/// ValueError for a value outside its scale or infinite.
Figure draw(const Heatmap& map);

/// Of how many of `length` rows one is labelled in a map of cells of that size, 0 for what suits the length; 1: all.
Index label_step(Index length, double cell_size = 0);

/// One head of the weights [heads, rows, columns].
Tensor<double> head_of(const Tensor<double>& weights, Index head);

/// The cells of a matrix of [rows, columns]: masked where query i (of `rows`) may not see key j > i.
std::vector<Cell> causal_cells(Index rows, Index columns);

}  // namespace gradproof::figures
