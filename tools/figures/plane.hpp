// Points, arrows and curves in a plane whose two axes have one scale.
//
//   draw(Plane{.title = "bank", .x = {.label = "first"}, .y = {.label = "second"}, .kinds = {"word", "query"},
//              .points = {{.at = {0.2, 1}, .label = "bank"}}, .arrows = {{.to = {1, 0}, .kind = 1}}});
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/figures/axis.hpp"
#include "tools/figures/svg.hpp"

namespace gradproof::figures {

using Place = std::pair<double, double>;

struct PlanePoint {
    Place at{};
    std::string label{};
    int kind = 0;
};
struct PlaneArrow {
    Place from{}, to{};
    std::string label{};  ///< at its tip
    int kind = 0;
};
struct PlaneCurve {
    std::vector<Place> points{};
    int kind = 0;
};
/// Kinds differ in colour, shape of mark and dashes. Labels keep clear of each other and of points where they can.
struct Plane {
    std::string title{};
    Axis x{}, y{};                     ///< linear; ends that are not given are those of what is drawn
    std::vector<std::string> kinds{};  ///< names for the legend; those that are empty or missing are not in it
    std::vector<PlanePoint> points{};
    std::vector<PlaneArrow> arrows{};
    std::vector<PlaneCurve> curves{};
    double size = 300;  ///< of the longer side of the plot
};
/// Errors: ValueError for a coordinate that is not finite.
Figure draw(const Plane& plane);

}  // namespace gradproof::figures
