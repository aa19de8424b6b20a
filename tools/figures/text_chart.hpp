// Text charts for a terminal or a log: a loss curve on a logarithmic axis, and a table of weights with shades.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof::figures {

/// A series of (x, y) points, drawn with one mark.
struct Series {
    std::string name;
    char mark = '*';
    std::vector<std::pair<double, double>> points{};
};

/// The series over a common x axis and a logarithmic y axis; where marks meet, the later series is drawn.
/// Points that are not positive and finite are left out; without any the chart says so.
std::string log_chart(const std::vector<Series>& series, const std::string& x_name, int width = 64, int height = 12);

/// Weights in [0, 1], rows and columns labelled: each cell a shade (blank, light, medium, dark, full) and two decimals.
/// Errors: ShapeError unless w is [rows, columns] with a label for each.
std::string heat_table(const Tensor<double>& w, const std::vector<std::string>& rows, const std::vector<std::string>& columns);

}  // namespace gradproof::figures
