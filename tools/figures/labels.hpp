// Places labels beside points so that they keep clear of each other, of points and of the frame.
//
//   Labels labels({0, 0, 300, 200}, 11);
//   labels.keep_clear({40, 50});
//   labels.place(canvas, {40, 50}, "bank");
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tools/figures/svg.hpp"

namespace gradproof::figures {

class Labels {
  public:
    /// `frame` is the left, upper, right and lower edge that labels stay within.
    Labels(const std::array<double, 4>& frame, double font) : frame_(frame), font_(font) {}
    /// A point that labels should not cover.
    void keep_clear(Point at) { points_.push_back(at); }
    /// Draws `text` where it covers least, of eight places around the point. An empty text draws nothing.
    void place(Canvas& canvas, Point at, std::string_view text);

  private:
    struct Box {
        double left, top, right, bottom;
    };
    double cost(const Box& box) const;
    std::array<double, 4> frame_;
    double font_;
    std::vector<Point> points_;
    std::vector<Box> boxes_;
};

}  // namespace gradproof::figures
