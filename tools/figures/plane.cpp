// Draws planes: axes of one scale, arrows with heads, labels where there is room.
#include "tools/figures/plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "tools/figures/colour.hpp"
#include "tools/figures/labels.hpp"
#include "tools/figures/marks.hpp"

namespace gradproof::figures {
namespace {

constexpr double kFont = 11, kTitleFont = 13, kPad = 10;
constexpr std::string_view kGridColour = "#e2e2e2", kQuiet = "#555555";

class PlaneDrawing {
  public:
    explicit PlaneDrawing(const Plane& plane) : plane_(plane) {
        for (const PlanePoint& p : plane.points) take(p.at);
        for (const PlaneArrow& a : plane.arrows) take(a.from), take(a.to);
        for (const PlaneCurve& c : plane.curves)
            for (const Place& p : c.points) take(p);
        for (Limits* span : {&across_, &up_})
            if (!(span->low <= span->high)) *span = {0, 1};
        const double margin = 0.09 * std::max({across_.size(), up_.size(), 1e-9});
        for (auto [span, axis] : {std::pair(&across_, &plane.x), std::pair(&up_, &plane.y)}) {
            span->low = axis->low.value_or(span->low - margin);
            span->high = axis->high.value_or(span->high + margin);
            if (!(span->size() > 0)) *span = {span->low - 0.5, span->high + 0.5};
        }
    }

    Figure draw() {
        const double scale = plane_.size / std::max(across_.size(), up_.size()), width = scale * across_.size(),
                     height = scale * up_.size();
        const auto fixed = [](Axis axis, const Limits& span) {
            axis.low = span.low, axis.high = span.high;
            return axis;
        };
        const double top = kPad + kTitleFont + 14;
        double widest = 0;
        const AxisMap unplaced(fixed(plane_.y, up_), 0, 1, 1, 0);
        for (const Tick& t : unplaced.ticks()) widest = std::max(widest, text_width(t.text, kFont));
        const double left = kPad + 20 + widest + 6;
        x_.emplace(fixed(plane_.x, across_), 0, 1, left, left + width);
        y_.emplace(fixed(plane_.y, up_), 0, 1, top + height, top);
        canvas_.text({kPad, kPad + kTitleFont}, plane_.title, {.size = kTitleFont, .bold = true});
        axes({left, top}, {left + width, top + height});
        const std::array<double, 4> frame = {left, top, left + width, top + height};
        contents(frame);
        const double right = legend(left + width + 16, top);
        return std::move(canvas_).finish(std::max(right, kPad + text_width(plane_.title, kTitleFont) * 1.08) + kPad,
                                         std::max(top + height + 42, legend_bottom_ + kPad), plane_.title, {left, top});
    }

  private:
    void take(const Place& p) {
        if (!std::isfinite(p.first) || !std::isfinite(p.second))
            value_error("plane: {}: a place is ({}, {}), expected finite coordinates", plane_.title, p.first, p.second);
        across_.take(p.first);
        up_.take(p.second);
    }
    Point pixel(const Place& p) const { return {x_->pixel(p.first), y_->pixel(p.second)}; }

    void axes(Point corner, Point end) {
        for (const Tick& t : x_->ticks()) {
            const double at = x_->pixel(t.value);
            canvas_.line({at, corner.y}, {at, end.y}, {.colour = t.value == 0 ? "#aaaaaa" : kGridColour});
            canvas_.text({at, end.y + 15}, t.text, {.size = kFont, .anchor = Anchor::middle});
        }
        for (const Tick& t : y_->ticks()) {
            const double at = y_->pixel(t.value);
            canvas_.line({corner.x, at}, {end.x, at}, {.colour = t.value == 0 ? "#aaaaaa" : kGridColour});
            canvas_.text({corner.x - 6, at + 4}, t.text, {.size = kFont, .anchor = Anchor::end});
        }
        canvas_.rect(corner, end.x - corner.x, end.y - corner.y, "none", "#888888");
        canvas_.text({(corner.x + end.x) / 2, end.y + 33}, axis_text(plane_.x), {.anchor = Anchor::middle, .colour = kQuiet});
        canvas_.text({kPad + 10, (corner.y + end.y) / 2}, axis_text(plane_.y),
                     {.anchor = Anchor::middle, .colour = kQuiet, .turn = -90});
    }

    void contents(const std::array<double, 4>& frame) {
        for (const PlaneCurve& c : plane_.curves) {
            std::vector<Point> points;
            for (const Place& p : c.points) points.push_back(pixel(p));
            canvas_.polyline(points, {.colour = hex(category(c.kind)), .width = 1.4, .dash = dashes(c.kind)});
        }
        for (const PlaneArrow& a : plane_.arrows) arrow(pixel(a.from), pixel(a.to), a.kind);
        for (const PlanePoint& p : plane_.points) mark(canvas_, pixel(p.at), p.kind, hex(category(p.kind)), 4.4);
        Labels labels(frame, kFont);
        for (const PlanePoint& p : plane_.points) labels.keep_clear(pixel(p.at));
        for (const PlaneArrow& a : plane_.arrows) labels.keep_clear(pixel(a.to));
        for (const PlanePoint& p : plane_.points) labels.place(canvas_, pixel(p.at), p.label);
        for (const PlaneArrow& a : plane_.arrows) labels.place(canvas_, pixel(a.to), a.label);
    }

    void arrow(Point from, Point to, int kind) {
        constexpr double kHead = 9, kHalf = 3.6;
        const double dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
        const std::string shade = hex(category(kind));
        if (length < 1) return mark(canvas_, to, kind, shade, 2);
        const double ux = dx / length, uy = dy / length, head = std::min(kHead, length);
        const Point neck{to.x - head * ux, to.y - head * uy};
        canvas_.line(from, neck, {.colour = shade, .width = 2, .dash = dashes(kind)});
        canvas_.path(fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}z", to.x, to.y, neck.x - kHalf * uy,
                                 neck.y + kHalf * ux, neck.x + kHalf * uy, neck.y - kHalf * ux),
                     shade);
    }

    /// Draws the names of the kinds; returns the right edge.
    double legend(double x, double top) {
        double right = x - 16, y = top + 8;
        for (std::size_t k = 0; k < plane_.kinds.size(); ++k) {
            if (plane_.kinds[k].empty()) continue;
            const int kind = static_cast<int>(k);
            const auto is = [&](const auto& all) {
                return std::any_of(all.begin(), all.end(), [&](const auto& e) { return e.kind == kind; });
            };
            if (is(plane_.arrows)) arrow({x, y}, {x + 30, y}, kind);
            if (is(plane_.curves))
                canvas_.line({x, y}, {x + 30, y}, {.colour = hex(category(kind)), .width = 1.4, .dash = dashes(kind)});
            if (is(plane_.points)) mark(canvas_, {x + 15, y}, kind, hex(category(kind)), 4.4);
            canvas_.text({x + 36, y + 4}, plane_.kinds[k], {.size = kFont});
            right = std::max(right, x + 36 + text_width(plane_.kinds[k], kFont));
            y += 17;
        }
        legend_bottom_ = y;
        return right;
    }

    const Plane& plane_;
    Limits across_, up_;
    std::optional<AxisMap> x_, y_;
    double legend_bottom_ = 0;
    Canvas canvas_;
};

}  // namespace

Figure draw(const Plane& plane) { return PlaneDrawing(plane).draw(); }

}  // namespace gradproof::figures
