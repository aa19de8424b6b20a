// How the lines and points of a picture differ beside their colour: a shape of mark and a pattern of dashes for each of eight.
//
//   mark(canvas, {10, 20}, 3, hex(category(3)));
//   canvas.polyline(points, {.colour = colour, .dash = dashes(3)});
#pragma once

#include "tools/figures/svg.hpp"

namespace gradproof::figures {

/// Draws a mark; its shape repeats after eight, like the colours. `radius` is about half its width.
void mark(Canvas& canvas, Point at, int kind, std::string_view colour, double radius = 3.4);
/// Only its outline, wide enough to stand around a mark that is already there.
void outline(Canvas& canvas, Point at, int kind, std::string_view colour, double radius);
/// The value of stroke-dasharray of the i-th line: empty for the first, repeats after eight.
std::string_view dashes(int i);

}  // namespace gradproof::figures
