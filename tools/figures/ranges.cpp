// Draws ranges.
#include "tools/figures/ranges.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"
#include "tools/figures/colour.hpp"

namespace gradproof::figures {
namespace {

constexpr double kFont = 11, kTitleFont = 13, kPad = 10, kRow = 26;

void expect_in_order(const Ranges& all) {
    for (const Range& r : all.ranges)
        if (!std::isfinite(r.low) || !std::isfinite(r.high) ||
            !(r.low <= r.from && r.from <= r.middle && r.middle <= r.to && r.to <= r.high))
            value_error("ranges: {}: {} is {} {} {} {} {}, expected finite numbers in order", all.title, r.name, r.low, r.from,
                        r.middle, r.to, r.high);
}

void draw_range(Canvas& canvas, const Range& r, const AxisMap& x, double y) {
    if (r.expected) {
        const double left = x.pixel(r.expected->first), right = x.pixel(r.expected->second);
        for (const double edge : {y + 2, y + kRow - 2})
            canvas.line({left, edge}, {right, edge}, {.colour = "#777777", .dash = "3 2"});
        for (const double end : {left, right})
            canvas.line({end, y + 2}, {end, y + kRow - 2}, {.colour = "#777777", .dash = "3 2"});
    }
    const double middle = y + kRow / 2;
    const std::string shade = hex(category(r.kind));
    canvas.line({x.pixel(r.low), middle}, {x.pixel(r.high), middle}, {.colour = shade, .width = 1.6});
    for (const double end : {r.low, r.high})
        canvas.line({x.pixel(end), middle - 4}, {x.pixel(end), middle + 4}, {.colour = shade, .width = 1.6});
    canvas.rect({x.pixel(r.from), middle - 5}, std::max(x.pixel(r.to) - x.pixel(r.from), 1.0), 10, shade);
    canvas.line({x.pixel(r.middle), middle - 5}, {x.pixel(r.middle), middle + 5}, {.colour = "#ffffff", .width = 2});
}

}  // namespace

Figure draw(const Ranges& all) {
    expect_in_order(all);
    double names = 0, low = INFINITY, high = -INFINITY;
    for (const Range& r : all.ranges) {
        names = std::max(names, text_width(r.name, kFont));
        low = std::min({low, r.low, r.expected ? r.expected->first : r.low});
        high = std::max({high, r.high, r.expected ? r.expected->second : r.high});
    }
    const double left = kPad + names + 8, top = kPad + kTitleFont + 14, right = left + all.width,
                 bottom = top + kRow * static_cast<double>(all.ranges.size());
    const AxisMap x(all.axis, low, high, left, right);
    Canvas canvas;
    canvas.text({kPad, kPad + kTitleFont}, all.title, {.size = kTitleFont, .bold = true});
    for (const Tick& t : x.ticks()) {
        canvas.line({x.pixel(t.value), top}, {x.pixel(t.value), bottom}, {.colour = t.value == 0 ? "#aaaaaa" : "#e2e2e2"});
        canvas.text({x.pixel(t.value), bottom + 15}, t.text, {.size = kFont, .anchor = Anchor::middle});
    }
    double y = top;
    for (const Range& r : all.ranges) {
        canvas.text({left - 8, y + kRow / 2 + 4}, r.name, {.size = kFont, .anchor = Anchor::end});
        draw_range(canvas, r, x, y);
        y += kRow;
    }
    canvas.text({(left + right) / 2, bottom + 33}, axis_text(all.axis), {.anchor = Anchor::middle, .colour = "#555555"});
    double edge = std::max(right + 8, kPad + text_width(all.title, kTitleFont) * 1.08), end = bottom + 42;
    std::string note = all.bar.empty() ? "" : "bar: " + all.bar;
    if (!all.frame.empty()) note += (note.empty() ? "dashed frame: " : "; dashed frame: ") + all.frame;
    if (!note.empty()) {
        canvas.text({kPad, end + 10}, note, {.size = kFont, .colour = "#555555"});
        edge = std::max(edge, kPad + text_width(note, kFont));
        end += 18;
    }
    return std::move(canvas).finish(edge + kPad, end, all.title, {left, top});
}

}  // namespace gradproof::figures
