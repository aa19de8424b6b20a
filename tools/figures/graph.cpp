// Draws graphs: edges below nodes, those of the focus last.
#include "tools/figures/graph.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "tools/figures/labels.hpp"

namespace gradproof::figures {
namespace {

constexpr double kFont = 11, kTitleFont = 13, kPad = 10, kNode = 15, kWidest = 9;
constexpr std::string_view kDark = "#1f3b63", kPale = "#c4c8ce";

void expect_graph(const Graph& g) {
    const auto n = static_cast<Index>(g.nodes.size());
    if (!g.weights.defined() || !(g.weights.shape() == Shape{n, n}) || g.focus >= n)
        shape_error("graph: {}: weights are {}, nodes are {}, focus is {}", g.title,
                    g.weights.defined() ? g.weights.shape().str() : "undefined", n, g.focus);
    for (const double w : g.weights)
        if (!(w >= 0 && w <= 1 + 1e-6)) value_error("graph: {}: a weight is {}, expected one in [0, 1]", g.title, w);
}

class GraphDrawing {
  public:
    explicit GraphDrawing(const Graph& g)
        : g_(g), n_(static_cast<Index>(g.nodes.size())), centre_{kPad + g.size / 2, kPad + kTitleFont + 12 + g.size / 2} {}

    Figure draw() {
        canvas_.text({kPad, kPad + kTitleFont}, g_.title, {.size = kTitleFont, .bold = true});
        Index left_out = 0;
        for (Index pass = 0; pass < 2; ++pass)
            for (Index i = 0; i < n_; ++i)
                for (Index j = 0; j < n_; ++j) {
                    if ((i == g_.focus) != (pass == 1)) continue;
                    if (g_.weights[i * n_ + j] < g_.least) {
                        ++left_out;
                        continue;
                    }
                    i == j ? loop(i) : edge(j, i);
                }
        for (Index i = 0; i < n_; ++i) node(i);
        numbers();
        double bottom = kPad + kTitleFont + 12 + g_.size + 10, right = 2 * kPad + g_.size;
        const std::string note = fmt::format("{} of {} edges below {} are not drawn", left_out, n_ * n_, g_.least);
        if (left_out > 0) {
            canvas_.text({kPad, bottom + 6}, note, {.size = kFont, .colour = "#555555"});
            right = std::max(right, kPad + text_width(note, kFont));
            bottom += 12;
        }
        return std::move(canvas_).finish(std::max(right, kPad + text_width(g_.title, kTitleFont) * 1.08) + kPad, bottom, g_.title,
                                         {kPad, kPad + kTitleFont + 12});
    }

  private:
    double angle(Index i) const { return 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n_); }
    /// The place of node i, or a point further from the centre by `more` pixels; the first node is at the top.
    Point place(Index i, double more = 0) const {
        const double r = g_.size / 2 - kNode - 20 + more;
        return {centre_.x + r * std::sin(angle(i)), centre_.y - r * std::cos(angle(i))};
    }
    std::string_view ink(Index to) const { return to == g_.focus || g_.focus < 0 ? kDark : kPale; }
    double width(Index from, Index to) const { return std::max(0.8, kWidest * g_.weights[to * n_ + from]); }

    struct Ends {
        Point from, to;
        double ux, uy;
    };
    /// From rim to rim, a little to the right of the straight line, so that the two directions stand side by side.
    Ends ends(Index from, Index to) const {
        constexpr double kAside = 4;
        const Point a = place(from), b = place(to);
        const double length = std::hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
        const double x = -uy * kAside, y = ux * kAside;
        return {{a.x + kNode * ux + x, a.y + kNode * uy + y}, {b.x - kNode * ux + x, b.y - kNode * uy + y}, ux, uy};
    }

    void edge(Index from, Index to) {
        const auto [a, b, ux, uy] = ends(from, to);
        const double w = width(from, to), head = 5 + 0.8 * w, half = 2.5 + 0.65 * w;
        const Point neck{b.x - head * ux, b.y - head * uy};
        canvas_.line(a, neck, {.colour = ink(to), .width = w});
        canvas_.path(fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}z", b.x, b.y, neck.x - half * uy, neck.y + half * ux,
                                 neck.x + half * uy, neck.y - half * ux),
                     ink(to));
    }
    /// What a node takes from itself: a ring outside of it, whose stroke is as wide as the weight.
    void loop(Index i) {
        constexpr int kParts = 24;
        std::vector<Point> ring;
        const Point c = place(i, kNode + 4);
        for (int k = 0; k <= kParts; ++k) {
            const double t = 2 * std::numbers::pi * k / kParts;
            ring.push_back({c.x + 9 * std::cos(t), c.y + 9 * std::sin(t)});
        }
        canvas_.polyline(ring, {.colour = ink(i), .width = width(i, i)});
    }
    void node(Index i) {
        const Point at = place(i);
        canvas_.circle(at, kNode, "#ffffff", i == g_.focus ? kDark : "#666666");
        canvas_.text({at.x, at.y + 4}, g_.nodes[static_cast<std::size_t>(i)],
                     {.size = kFont, .anchor = Anchor::middle, .bold = i == g_.focus});
    }
    /// The weights of the edges into the focus, beside the middle of each.
    void numbers() {
        if (g_.focus < 0) return;
        Labels labels({kPad, 0, kPad + g_.size, centre_.y + g_.size}, kFont);
        for (Index i = 0; i < n_; ++i) labels.keep_clear(place(i));
        for (Index j = 0; j < n_; ++j) {
            const double w = g_.weights[g_.focus * n_ + j];
            if (w < g_.least) continue;
            const Ends e = j == g_.focus ? Ends{place(j, kNode + 14), place(j, kNode + 14), 0, 0} : ends(j, g_.focus);
            labels.place(canvas_, {e.from.x + 0.3 * (e.to.x - e.from.x), e.from.y + 0.3 * (e.to.y - e.from.y)},
                         fmt::format("{:.2f}", w));
        }
    }

    const Graph& g_;
    Index n_;
    Point centre_;
    Canvas canvas_;
};

}  // namespace

Figure draw(const Graph& graph) {
    expect_graph(graph);
    return GraphDrawing(graph).draw();
}

}  // namespace gradproof::figures
