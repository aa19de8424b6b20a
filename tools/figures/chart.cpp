// Draws charts: axes with a grid, lines with marks, a legend beside the plot.
#include "tools/figures/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tools/figures/colour.hpp"
#include "tools/figures/marks.hpp"

namespace gradproof::figures {
namespace {

constexpr double kFont = 11, kTitleFont = 13, kPad = 10;
constexpr std::string_view kGridColour = "#e2e2e2", kQuiet = "#555555", kWrong = "#b00020";

constexpr double kLegendLine = 34, kMarksAlong = 7;

Stroke stroke_of(const Line& line, int kind, std::string_view colour) {
    return {.colour = colour,
            .width = 1.8,
            .dash = line.style == Line::Style::dashed ? "6 4"
                    : line.style == Line::Style::line ? dashes(kind)
                                                      : ""};
}

class ChartDrawing {
  public:
    explicit ChartDrawing(const Chart& chart) : chart_(chart) {
        for (const Line& line : chart.lines)
            for (const auto& p : line.points)
                if (why_not(p).empty()) {
                    x_limits_.take(p.first);
                    y_limits_.take(p.second);
                }
    }

    Figure draw() {
        const double top = kPad + kTitleFont + 14;
        // The plot begins to the right of the widest number of the y axis.
        const AxisMap unplaced(chart_.y, y_limits_.low, y_limits_.high, 1, 0);
        double widest = 0;
        for (const Tick& t : unplaced.ticks()) widest = std::max(widest, text_width(t.text, kFont));
        const double left = kPad + 20 + widest + 6, bottom = top + chart_.height, right = left + chart_.width;
        const AxisMap x(chart_.x, x_limits_.low, x_limits_.high, left, right),
            y(chart_.y, y_limits_.low, y_limits_.high, bottom, top);
        canvas_.text({kPad, kPad + kTitleFont}, chart_.title, {.size = kTitleFont, .bold = true});
        axes(x, y, {left, top}, {right, bottom});
        for (std::size_t i = 0; i < chart_.lines.size(); ++i) curve(i, x, y);
        for (const auto& [at, i] : marks_) place_mark(at, i);
        double edge = std::max(legend(right + 16, top), kPad + text_width(chart_.title, kTitleFont) * 1.08), end = bottom + 40;
        for (const auto& [why, count] : unplaced_) {
            const std::string text = fmt::format("{} point{} not drawn: {}", count, count == 1 ? "" : "s", why);
            canvas_.text({left, end + 10}, text, {.size = kFont, .colour = kWrong});
            edge = std::max(edge, left + text_width(text, kFont));
            end += 18;
        }
        return std::move(canvas_).finish(edge + kPad, std::max(end, legend_bottom_) + kPad / 2, chart_.title, {left, top});
    }

  private:
    std::string_view why_not(const std::pair<double, double>& p) const {
        const std::string_view x = no_place(chart_.x, p.first);
        return x.empty() ? no_place(chart_.y, p.second) : x;
    }
    int kind(std::size_t i) const {
        const int wanted = chart_.lines[i].colour;
        return wanted < 0 ? static_cast<int>(i) : wanted;
    }
    std::string colour(std::size_t i) const { return hex(category(kind(i))); }

    void axes(const AxisMap& x, const AxisMap& y, Point corner, Point end) {
        double last = -INFINITY;
        for (const Tick& t : x.ticks()) {
            const double at = x.pixel(t.value), half = text_width(t.text, kFont) / 2;
            canvas_.line({at, corner.y}, {at, end.y}, {.colour = kGridColour});
            if (at - half < last + 6) continue;  // too close to the previous label
            canvas_.text({at, end.y + 15}, t.text, {.size = kFont, .anchor = Anchor::middle});
            last = at + half;
        }
        for (const Tick& t : y.ticks()) {
            const double at = y.pixel(t.value);
            canvas_.line({corner.x, at}, {end.x, at}, {.colour = kGridColour});
            canvas_.text({corner.x - 6, at + 4}, t.text, {.size = kFont, .anchor = Anchor::end});
        }
        canvas_.rect(corner, end.x - corner.x, end.y - corner.y, "none", "#888888");
        canvas_.text({(corner.x + end.x) / 2, end.y + 33}, axis_text(chart_.x), {.anchor = Anchor::middle, .colour = kQuiet});
        canvas_.text({kPad + 10, (corner.y + end.y) / 2}, axis_text(chart_.y),
                     {.anchor = Anchor::middle, .colour = kQuiet, .turn = -90});
    }

    void curve(std::size_t i, const AxisMap& x, const AxisMap& y) {
        const std::string shade = colour(i);
        std::vector<Point> run, all;
        const auto end_run = [&] {
            if (run.size() > 1) canvas_.polyline(run, stroke_of(chart_.lines[i], kind(i), shade));
            if (run.size() == 1) marks_.emplace_back(run.front(), i);  // a line of one point
            run.clear();
        };
        for (const auto& p : chart_.lines[i].points) {
            if (const std::string_view why = why_not(p); !why.empty()) {
                ++unplaced_[why];
                end_run();
                continue;
            }
            run.push_back({x.pixel(p.first), y.pixel(p.second)});
            all.push_back(run.back());
        }
        end_run();
        choose_marks(all, i);
    }

    /// Every point of a short or a marked line; of others those nearest to a few even places, which differ from line to line.
    void choose_marks(const std::vector<Point>& points, std::size_t i) {
        if (points.empty()) return;
        const double first = points.front().x, span = points.back().x - first,
                     part = (static_cast<double>(i) + 0.5) / static_cast<double>(chart_.lines.size());
        if (chart_.lines[i].style == Line::Style::marked || points.size() <= static_cast<std::size_t>(kMarksAlong)) {
            for (const Point& p : points) marks_.emplace_back(p, i);
            return;
        }
        for (double k = 0; k < kMarksAlong; ++k) {
            const double wanted = first + span * (k + part) / kMarksAlong;
            const auto nearer = [&](const Point& a, const Point& b) { return std::abs(a.x - wanted) < std::abs(b.x - wanted); };
            marks_.emplace_back(*std::min_element(points.begin(), points.end(), nearer), i);
        }
    }

    /// Around those that are there already.
    void place_mark(Point at, std::size_t i) {
        constexpr double kNear = 3, kRing = 2.4, kRadius = 3.4;
        constexpr std::size_t kMostRings = 3;  // more would cover what is around
        std::set<std::size_t> others;
        for (const auto& [where, line] : placed_)
            if (line != i && std::hypot(where.x - at.x, where.y - at.y) < kNear) others.insert(line);
        const std::size_t below = std::min(others.size(), kMostRings);
        placed_.emplace_back(at, i);
        if (below > 0 || chart_.lines[i].style == Line::Style::dashed)
            outline(canvas_, at, kind(i), colour(i), kRadius + kRing * static_cast<double>(below));
        else
            mark(canvas_, at, kind(i), colour(i), kRadius);
    }

    /// Draws the names of the lines from the top down; returns the right edge.
    double legend(double x, double top) {
        double right = x - 16, y = top + 8;
        for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
            const Line& line = chart_.lines[i];
            if (line.name.empty()) continue;
            const std::string shade = colour(i);
            canvas_.line({x, y}, {x + kLegendLine, y}, stroke_of(line, kind(i), shade));
            const auto shown = line.style == Line::Style::dashed ? outline : mark;
            shown(canvas_, {x + kLegendLine / 2, y}, kind(i), shade, 3.4);
            canvas_.text({x + kLegendLine + 6, y + 4}, line.name, {.size = kFont});
            right = std::max(right, x + kLegendLine + 6 + text_width(line.name, kFont));
            y += 17;
        }
        legend_bottom_ = y;
        return right;
    }

    const Chart& chart_;
    Limits x_limits_, y_limits_;
    std::map<std::string_view, int> unplaced_;                   // number of points that cannot be drawn, by reason
    std::vector<std::pair<Point, std::size_t>> marks_, placed_;  // with the index of the line
    double legend_bottom_ = 0;
    Canvas canvas_;
};

}  // namespace

Figure draw(const Chart& chart) { return ChartDrawing(chart).draw(); }

Figure draw(const Bars& bars) {
    constexpr double kRow = 22;
    double names = 0;
    Limits limits;
    limits.take(0);
    for (const Bar& b : bars.bars) {
        names = std::max(names, text_width(b.name, kFont));
        if (no_place(bars.axis, b.value).empty()) limits.take(b.value);
    }
    const double left = kPad + names + 8, top = kPad + kTitleFont + 14, right = left + bars.width,
                 bottom = top + kRow * static_cast<double>(bars.bars.size());
    const AxisMap x(bars.axis, limits.low, limits.high, left, right);
    Canvas canvas;
    canvas.text({kPad, kPad + kTitleFont}, bars.title, {.size = kTitleFont, .bold = true});
    for (const Tick& t : x.ticks()) {
        canvas.line({x.pixel(t.value), top}, {x.pixel(t.value), bottom}, {.colour = kGridColour});
        canvas.text({x.pixel(t.value), bottom + 15}, t.text, {.size = kFont, .anchor = Anchor::middle});
    }
    const double zero = x.pixel(0);
    double y = top, edge = right;
    for (const Bar& b : bars.bars) {
        canvas.text({left - 8, y + kRow / 2 + 4}, b.name, {.size = kFont, .anchor = Anchor::end});
        const bool placed = no_place(bars.axis, b.value).empty();
        const double to = placed ? x.pixel(b.value) : zero;
        if (placed)
            canvas.rect({std::min(zero, to), y + 4}, std::max(std::abs(to - zero), 1.0), kRow - 8, hex(category(b.colour)));
        const std::string text = number(b.value, 4);
        canvas.text({std::max(to, zero) + 5, y + kRow / 2 + 4}, text, {.size = kFont, .colour = placed ? "#222222" : kWrong});
        edge = std::max(edge, std::max(to, zero) + 5 + text_width(text, kFont));
        y += kRow;
    }
    canvas.line({zero, top}, {zero, bottom}, {.colour = "#888888"});
    canvas.text({(left + right) / 2, bottom + 33}, axis_text(bars.axis), {.anchor = Anchor::middle, .colour = kQuiet});
    return std::move(canvas).finish(std::max(edge, kPad + text_width(bars.title, kTitleFont) * 1.08) + kPad, bottom + 42,
                                    bars.title, {left, top});
}

}  // namespace gradproof::figures
