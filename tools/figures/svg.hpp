// Pictures as self-contained SVG: a canvas on which elements are drawn, and the finished figure, for a file or inside another
// figure.
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

/// A position in pixels from the upper left corner.
struct Point {
    double x = 0, y = 0;
};

enum class Anchor { start, middle, end };
struct TextStyle {
    double size = 12;  ///< font size in pixels
    Anchor anchor = Anchor::start;
    bool bold = false;
    std::string_view colour = "#222222";
    double turn = 0;    ///< degrees clockwise about the point
    bool halo = false;  ///< a white edge, to be read over lines
};
struct Stroke {
    std::string_view colour = "#222222";
    double width = 1;
    std::string_view dash = "";  ///< value of stroke-dasharray; empty: solid
};

/// A self-contained drawing of a known size.
struct Figure {
    double width = 0, height = 0;
    std::string title{};  ///< for screen readers
    std::string body{};
    Point plot{};  ///< the upper left corner of what its axes enclose, at which a grid aligns it
};

/// `text` escaped for XML and HTML, between tags or in an attribute. Bytes that are not UTF-8 are written as \x...
std::string escape(std::string_view text);

/// The estimated width of `text` in pixels in a sans-serif font, slightly too large for the fonts of common systems.
double text_width(std::string_view text, double size);

/// `value` in the shortest form with at most `digits` significant digits.
std::string number(double value, int digits = 4);

/// Draws elements. A colour is "#rrggbb", one of the patterns "url(#hatch)", "url(#dots)" and "url(#negative)", of which the last
/// lets through what is below it, or one of the maps "url(#sequential)" and "url(#diverging)", which run from bottom to top.
class Canvas {
  public:
    void rect(Point corner, double width, double height, std::string_view fill, std::string_view stroke = "none");
    void line(Point from, Point to, const Stroke& stroke = {});
    void polyline(const std::vector<Point>& points, const Stroke& stroke);
    /// `data` is in the path notation of SVG.
    void path(std::string_view data, std::string_view fill, std::string_view stroke = "none");
    void circle(Point centre, double radius, std::string_view fill, std::string_view stroke = "none");
    void text(Point at, std::string_view text, const TextStyle& style = {});
    /// Another figure, with its upper left corner at `at`.
    void place(const Figure& figure, Point at);
    /// Until close(), coordinates are scaled by (sx, sy) and moved to `at`, and edges are not smoothed, as adjacent cells need
    /// it.
    void open_cells(Point at, double sx, double sy);
    /// Until close(), plain_text() has this style; saves space for many short texts.
    void open_texts(const TextStyle& style);
    void plain_text(Point at, std::string_view text);
    void close();
    Figure finish(double width, double height, std::string title, Point plot = {}) &&;

  private:
    std::string body_;
};

/// The figure as an SVG file: white background, no scripts, no external files.
std::string svg_document(const Figure& figure);
/// The figure as an element of a page.
std::string svg_element(const Figure& figure);

/// Several figures in rows of `columns`, under a common title; the plots of a row begin at one height, those of a column at one
/// place from the left.
/// Errors: ValueError for no figures or columns < 1.
Figure grid(const std::string& title, const std::vector<Figure>& figures, int columns);

}  // namespace gradproof::figures
