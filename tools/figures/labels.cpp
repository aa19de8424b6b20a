// The place of a label is the one of eight that covers least.
#include "tools/figures/labels.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::figures {

double Labels::cost(const Box& box) const {
    constexpr double kPoint = 40, kMark = 5;
    double out = 0;
    for (const Box& b : boxes_) {
        const double across = std::min(box.right, b.right) - std::max(box.left, b.left),
                     down = std::min(box.bottom, b.bottom) - std::max(box.top, b.top);
        if (across > 0 && down > 0) out += across * down + kPoint;
    }
    for (const Point& p : points_)
        if (p.x > box.left - kMark && p.x < box.right + kMark && p.y > box.top - kMark && p.y < box.bottom + kMark) out += kPoint;
    const double beyond =
        std::max({frame_[0] - box.left, frame_[1] - box.top, box.right - frame_[2], box.bottom - frame_[3], 0.0});
    return out + 100 * beyond;
}

void Labels::place(Canvas& canvas, Point at, std::string_view text) {
    if (text.empty()) return;
    constexpr double kGap = 7;
    const double width = text_width(text, font_), height = font_;
    double least = INFINITY;
    Box best{};
    for (const auto& [across, down] : {std::pair(1.0, 0.0), std::pair(-1.0, 0.0), std::pair(0.0, -1.0), std::pair(0.0, 1.0),
                                       std::pair(1.0, -1.0), std::pair(1.0, 1.0), std::pair(-1.0, -1.0), std::pair(-1.0, 1.0)}) {
        const double left = at.x + across * kGap +
                            (across > 0   ? 0
                             : across < 0 ? -width
                                          : -width / 2),
                     top = at.y + down * kGap +
                           (down > 0   ? 0
                            : down < 0 ? -height
                                       : -height / 2);
        const Box box{left, top, left + width, top + height};
        if (const double c = cost(box); c < least) least = c, best = box;
    }
    boxes_.push_back(best);
    canvas.text({best.left, best.bottom - 0.14 * height}, text, {.size = font_, .halo = true});
}

}  // namespace gradproof::figures
