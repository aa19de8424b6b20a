// Pictures as self-contained SVG: elements drawn on a canvas, finished into a figure that stands alone or inside another.
//
//   Canvas canvas;
//   canvas.text({10, 20}, "loss < 1 & falling");      // escaped
//   const Figure figure = std::move(canvas).finish(200, 40, "loss");
//   write_file_atomically("loss.svg", svg_document(figure));
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradproof::figures {

/// Pixels from the upper left corner.
struct Point {
    double x = 0, y = 0;
};

enum class Anchor { start, middle, end };
struct TextStyle {
    double size = 12;  ///< of the font, in pixels
    Anchor anchor = Anchor::start;
    bool bold = false;
    std::string_view colour = "#222222";
    double turn = 0;  ///< degrees clockwise about the point
};
struct Stroke {
    std::string_view colour = "#222222";
    double width = 1;
    std::string_view dash = "";  ///< as stroke-dasharray takes it; empty is solid
};

/// A drawing of a known size that needs nothing from outside.
struct Figure {
    double width = 0, height = 0;
    std::string title{};  ///< what a reader that cannot see is told
    std::string body{};
};

/// `text` as it may stand in XML and HTML, between tags or in an attribute; bytes that are not UTF-8 are spelled out.
std::string escape(std::string_view text);

/// The width of `text` in the sans-serif fonts of common systems, in pixels: an estimate that is rather too large.
double text_width(std::string_view text, double size);

/// `value` as briefly as `digits` significant digits allow.
std::string number(double value, int digits = 4);

/// Colours are "#rrggbb", or "url(#hatch)", "url(#dots)", "url(#sequential)", "url(#diverging)":
/// hatching, dots, and the colour maps from bottom to top.
class Canvas {
  public:
    void rect(Point corner, double width, double height, std::string_view fill, std::string_view stroke = "none");
    void line(Point from, Point to, const Stroke& stroke = {});
    void polyline(const std::vector<Point>& points, const Stroke& stroke);
    /// A filled path in the notation of SVG.
    void path(std::string_view data, std::string_view fill);
    void circle(Point centre, double radius, std::string_view fill, std::string_view stroke = "none");
    void text(Point at, std::string_view text, const TextStyle& style = {});
    /// Another figure, its upper left corner at `at`.
    void place(const Figure& figure, Point at);
    /// Until close(), coordinates are scaled by (sx, sy) and moved to `at`, and edges are not smoothed: for cells side by side.
    void open_cells(Point at, double sx, double sy);
    /// Until close(), plain_text() is in this style: for many short texts.
    void open_texts(const TextStyle& style);
    void plain_text(Point at, std::string_view text);
    void close();
    Figure finish(double width, double height, std::string title) &&;

  private:
    std::string body_;
};

/// The figure as a file: white ground, no scripts, nothing loaded.
std::string svg_document(const Figure& figure);
/// The figure as an element of a page.
std::string svg_element(const Figure& figure);

/// Figures side by side in rows of `columns`, under a common title: small multiples.
/// Errors: ValueError for no figures or columns < 1.
Figure grid(const std::string& title, const std::vector<Figure>& figures, int columns);

}  // namespace gradproof::figures
