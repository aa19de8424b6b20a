// Draws heatmaps: cells grouped by colour, labels without overlap, a colour bar and a key.
#include "tools/figures/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "tools/figures/cell_numbers.hpp"
#include "tools/figures/cell_scale.hpp"
#include "tools/figures/colour.hpp"

namespace gradproof::figures {
namespace {

constexpr double kFont = 11, kTitleFont = 13, kPad = 10, kBarWidth = 14;
constexpr const char* kNan = "#d81b60";
constexpr const char* kMasked = "url(#hatch)";
constexpr const char* kMissing = "url(#dots)";
constexpr const char* kNegative = "url(#negative)";

constexpr double kSmallest = 8;  // font size of a label that can be read

double suitable_cell(double longest, double wanted) { return wanted > 0 ? wanted : std::clamp(420 / longest, 2.0, 34.0); }
Index labelled_every(double cell) { return std::max<Index>(1, static_cast<Index>(std::ceil((kSmallest + 1) / cell))); }

/// The positions of the parts of a heatmap.
struct Layout {
    double cell, left, top, width, height;
};

class Drawing {
  public:
    explicit Drawing(const Heatmap& map)
        : map_(map), rows_(map.values.dim(0)), columns_(map.values.dim(1)), ends_(cell_scale(map)) {}

    Figure draw() {
        const std::string title = fmt::format("{} [{}, {}]", map_.title, rows_, columns_);
        const Layout at = layout();
        canvas_.text({kPad, kPad + kTitleFont}, title, {.size = kTitleFont, .bold = true});
        paint(at);
        if (!numbers(at)) signs(at);
        special(at);
        const std::string dropped = labels(at);
        double right = at.left + at.width;
        const double bottom = at.top + at.height + kPad;
        if (map_.bar) right = bar(at, right + 14);
        Point end = key(at, bottom);
        for (const std::string& note : {note_, dropped}) {
            if (note.empty()) continue;
            canvas_.text({at.left, end.y + 4}, note, {.size = kFont, .colour = "#555555"});
            end = {std::max(end.x, at.left + text_width(note, kFont)), end.y + 17};
        }
        return std::move(canvas_).finish(std::max({right, end.x, kPad + text_width(title, kTitleFont) * 1.08}) + kPad, end.y,
                                         title, {at.left, at.top});
    }

  private:
    Cell kind(Index i) const { return map_.cells.empty() ? Cell::value : map_.cells[static_cast<std::size_t>(i)]; }
    bool shown(Index i) const { return has_number(map_, i); }
    const std::vector<std::string>& names(bool rows) const { return rows ? map_.row_labels : map_.column_labels; }
    std::string label(bool rows, Index i) const {
        return names(rows).empty() ? std::to_string(i) : names(rows)[static_cast<std::size_t>(i)];
    }

    Colour colour(double v) const { return ends_.colour(v); }

    Layout layout() const {
        double widest = 0, tallest = 0;
        for (Index i = 0; i < rows_; ++i) widest = std::max(widest, text_width(label(true, i), kFont));
        for (Index j = 0; j < columns_; ++j) tallest = std::max(tallest, text_width(label(false, j), kFont));
        const auto longest = static_cast<double>(std::max(rows_, columns_));
        const double cell = suitable_cell(longest, map_.cell_size);
        const double axis = map_.row_axis.empty() ? 0 : 18;
        // Column labels are horizontal if the cells are wide enough, and vertical otherwise.
        const double above = tallest <= cell - 3 ? 16 : tallest + 8;
        return {cell, kPad + axis + widest + 6, kPad + kTitleFont + 10 + (map_.column_axis.empty() ? 0 : 16) + above,
                cell * static_cast<double>(columns_), cell * static_cast<double>(rows_)};
    }

    /// All cells of one colour form one path, and neighbours in a row one rectangle of it, to keep the files of large maps small.
    void paint(const Layout& at) {
        const int steps = map_.values.size() > 4096 ? 64 : 256;
        std::map<std::string, std::string> paths;
        const auto fill = [&](Index i) -> std::string {
            if (kind(i) == Cell::masked) return kMasked;
            if (kind(i) == Cell::missing) return kMissing;
            if (std::isnan(map_.values[i])) return "#ffffff";
            const double t = std::round((map_.values[i] - ends_.low) / (ends_.high - ends_.low) * steps) / steps;
            return hex(colour(ends_.low + t * (ends_.high - ends_.low)));
        };
        const auto pixels = [&](double cells) { return number(cells * at.cell, 7); };
        for (Index r = 0; r < rows_; ++r)
            for (Index c = 0; c < columns_;) {
                const std::string f = fill(r * columns_ + c);
                Index end = c + 1;
                while (end < columns_ && fill(r * columns_ + end) == f) ++end;
                // Patterns are measured in pixels and must not be scaled with the cells.
                if (f == kMasked || f == kMissing)
                    paths[f] +=
                        fmt::format("M{} {}h{}v{}h-{}z", number(at.left + static_cast<double>(c) * at.cell, 7),
                                    number(at.top + static_cast<double>(r) * at.cell, 7), pixels(static_cast<double>(end - c)),
                                    pixels(1), pixels(static_cast<double>(end - c)));
                else
                    paths[f] += fmt::format("M{} {}h{}v1h-{}z", c, r, end - c, end - c);
                c = end;
            }
        for (const char* pattern : {kMasked, kMissing})
            if (const auto cells = paths.extract(pattern)) canvas_.path(cells.mapped(), pattern);
        canvas_.open_cells({at.left, at.top}, at.cell, at.cell);
        for (const auto& [f, data] : paths) canvas_.path(data, f);
        canvas_.close();
        canvas_.rect({at.left, at.top}, at.width, at.height, "none", "#888888");
    }

    void mark_nan(Point centre, double cell) {
        const double r = std::max(1.0, cell * 0.32);
        const Stroke stroke{.colour = kNan, .width = std::max(1.0, cell / 12)};
        canvas_.line({centre.x - r, centre.y - r}, {centre.x + r, centre.y + r}, stroke);
        canvas_.line({centre.x - r, centre.y + r}, {centre.x + r, centre.y - r}, stroke);
    }
    /// Marks an exact zero with a ring, to distinguish it from small numbers.
    void mark_zero(Point centre, double cell, const Colour& ground) {
        canvas_.circle(centre, std::clamp(cell * 0.14, 1.0, 3.0), "none", hex(ink_on(ground)));
    }

    /// Writes the values into their cells, grouped by the colour of the text; false where they do not fit.
    bool numbers(const Layout& at) {
        if (rows_ * columns_ > 400) return false;
        std::vector<double> all;
        for (Index i = 0; i < map_.values.size(); ++i)
            if (shown(i)) all.push_back(map_.values[i]);
        const CellNumbers written = cell_numbers(all, at.cell, map_.scale);
        if (written.size == 0) return false;
        if (!written.unit().empty()) note_ = "numbers in the cells: " + written.unit();
        for (const std::string& ink : {hex(ink_on({1, 1, 1})), hex(ink_on({0, 0, 0}))}) {
            canvas_.open_texts({.size = written.size, .anchor = Anchor::middle, .colour = ink});
            for (Index i = 0; i < map_.values.size(); ++i)
                if (shown(i) && map_.values[i] != 0 && hex(ink_on(colour(map_.values[i]))) == ink)
                    canvas_.plain_text({centre(at, i).x, centre(at, i).y + written.size * 0.36}, written.text(map_.values[i]));
            canvas_.close();
        }
        return true;
    }

    /// Marks the cells below 0, so that their sign is seen without colours: a stroke, or in small cells a hatch over them.
    void signs(const Layout& at) {
        std::map<std::string, std::string> paths;
        const double wide = 0.5 * at.cell, thick = std::clamp(at.cell / 9, 1.0, 2.0);
        for (Index i = 0; i < map_.values.size(); ++i) {
            if (!shown(i) || map_.values[i] >= 0) continue;
            any_negative_ = true;
            const Point p = centre(at, i);
            if (strokes(at.cell))
                paths[hex(ink_on(colour(map_.values[i])))] +=
                    fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h-{:.2f}z", p.x - wide / 2, p.y - thick / 2, wide, thick, wide);
            else
                paths[kNegative] += fmt::format("M{:.2f} {:.2f}h{}v{}h-{}z", p.x - at.cell / 2, p.y - at.cell / 2,
                                                number(at.cell, 7), number(at.cell, 7), number(at.cell, 7));
        }
        for (const auto& [fill, data] : paths) canvas_.path(data, fill);
    }
    static bool strokes(double cell) { return cell >= 7; }

    Point centre(const Layout& at, Index i) const {
        return {at.left + (static_cast<double>(i % columns_) + 0.5) * at.cell,
                at.top + (static_cast<double>(i / columns_) + 0.5) * at.cell};
    }

    void special(const Layout& at) {
        const bool rings = at.cell >= 6;
        for (Index i = 0; i < map_.values.size(); ++i) {
            any_masked_ |= kind(i) == Cell::masked;
            any_missing_ |= kind(i) == Cell::missing;
            if (kind(i) != Cell::value) continue;
            const double v = map_.values[i];
            if (std::isnan(v)) {
                any_nan_ = true;
                mark_nan(centre(at, i), at.cell);
            } else if (v == 0 && rings) {
                any_zero_ = true;
                mark_zero(centre(at, i), at.cell, colour(0));
            }
        }
    }

    /// Draws the labels. Returns which are left out where there is no room for all; "" for none.
    std::string labels(const Layout& at) {
        const Index every = labelled_every(at.cell);
        const double size = std::clamp(at.cell - 1, kSmallest, kFont);
        for (Index i = 0; i < rows_; i += every)
            canvas_.text({at.left - 5, at.top + (static_cast<double>(i) + 0.5) * at.cell + size * 0.36}, label(true, i),
                         {.size = size, .anchor = Anchor::end});
        bool flat = true;
        for (Index j = 0; j < columns_; ++j)
            flat = flat && text_width(label(false, j), size) <= at.cell * static_cast<double>(every) - 3;
        for (Index j = 0; j < columns_; j += every) {
            const double x = at.left + (static_cast<double>(j) + 0.5) * at.cell;
            if (flat)
                canvas_.text({x, at.top - 5}, label(false, j), {.size = size, .anchor = Anchor::middle});
            else
                canvas_.text({x + size * 0.36, at.top - 5}, label(false, j), {.size = size, .turn = -90});
        }
        if (!map_.column_axis.empty())
            canvas_.text({at.left + at.width / 2, kPad + kTitleFont + 18}, map_.column_axis,
                         {.anchor = Anchor::middle, .colour = "#555555"});
        if (!map_.row_axis.empty())
            canvas_.text({kPad + 10, at.top + at.height / 2}, map_.row_axis,
                         {.anchor = Anchor::middle, .colour = "#555555", .turn = -90});
        return every == 1 ? "" : fmt::format("labelled: every {}. row and column, from the first", every);
    }

    /// Draws the colour bar; returns its right edge.
    double bar(const Layout& at, double x) {
        const double height = std::max(at.height, 60.0);
        canvas_.rect({x, at.top}, kBarWidth, height, map_.scale == Scale::symmetric ? "url(#diverging)" : "url(#sequential)",
                     "#888888");
        double widest = 0;
        for (const double t : {0.0, 0.5, 1.0}) {
            const double v = ends_.low + (ends_.high - ends_.low) * t;
            const std::string text = number(v, 3);
            canvas_.text({x + kBarWidth + 4, at.top + height * (1 - t) + (t == 0 ? -1 : t == 1 ? 9 : 4)}, text, {.size = kFont});
            widest = std::max(widest, text_width(text, kFont));
        }
        double right = x + kBarWidth + 4 + widest;
        if (!map_.unit.empty()) {
            canvas_.text({right + 14, at.top + height / 2}, map_.unit,
                         {.size = kFont, .anchor = Anchor::middle, .colour = "#555555", .turn = -90});
            right += 18;
        }
        return right;
    }

    /// Draws the key of the special cells that occur; returns its lower right corner.
    Point key(const Layout& at, double y) {
        constexpr double kBox = 13;
        double x = at.left, right = x;
        const auto entry = [&](bool any, const char* text, const char* fill, auto&& mark) {
            if (!any) return;
            canvas_.rect({x, y}, kBox, kBox, fill, "#888888");
            mark(Point{x + kBox / 2, y + kBox / 2});
            canvas_.text({x + kBox + 4, y + kBox - 3}, text, {.size = kFont});
            right = x + kBox + 4 + text_width(text, kFont);
            x = right + 14;
        };
        const auto nothing = [](Point) {};
        entry(any_negative_, "below 0", hex(colour(ends_.low)).c_str(), [&](Point p) {
            if (strokes(at.cell))
                canvas_.rect({p.x - 3.5, p.y - 0.75}, 7, 1.5, hex(ink_on(colour(ends_.low))));
            else
                canvas_.rect({x, y}, kBox, kBox, kNegative);
        });
        entry(any_zero_, "exactly 0", hex(colour(std::max(ends_.low, 0.0))).c_str(),
              [&](Point p) { mark_zero(p, 18, colour(0)); });
        entry(any_masked_, "masked", kMasked, nothing);
        entry(any_missing_, "missing", kMissing, nothing);
        entry(any_nan_, "NaN", "#ffffff", [&](Point p) { mark_nan(p, 14); });
        return {right, x > at.left ? y + kBox + kPad : std::max(y, at.top + 60 + kPad)};
    }

    const Heatmap& map_;
    Index rows_, columns_;
    CellScale ends_;
    std::string note_;  // what is to be said below the map
    bool any_negative_ = false, any_zero_ = false, any_masked_ = false, any_missing_ = false, any_nan_ = false;
    Canvas canvas_;
};

}  // namespace

Figure draw(const Heatmap& map) {
    if (!map.values.defined() || map.values.rank() != 2 || map.values.size() == 0)
        shape_error("heatmap: {}: values are {}, expected [rows, columns]", map.title,
                    map.values.defined() ? map.values.shape().str() : "undefined");
    const auto fits = [](const auto& list, Index n) { return list.empty() || static_cast<Index>(list.size()) == n; };
    if (!fits(map.row_labels, map.values.dim(0)) || !fits(map.column_labels, map.values.dim(1)) ||
        !fits(map.cells, map.values.size()))
        shape_error("heatmap: {}: values are {}, labels are {} and {}, cells are {}", map.title, map.values.shape(),
                    map.row_labels.size(), map.column_labels.size(), map.cells.size());
    return Drawing(map).draw();
}

Index label_step(Index length, double cell_size) { return labelled_every(suitable_cell(static_cast<double>(length), cell_size)); }

Tensor<double> head_of(const Tensor<double>& weights, Index head) {
    const Index size = weights.dim(1) * weights.dim(2);
    return Tensor<double>::from({weights.dim(1), weights.dim(2)},
                                std::span<const double>(weights.data() + head * size, static_cast<std::size_t>(size)));
}

std::vector<Cell> causal_cells(Index rows, Index columns) {
    std::vector<Cell> out(static_cast<std::size_t>(rows * columns), Cell::value);
    for (Index i = 0; i < rows; ++i)
        for (Index j = i + 1; j < columns; ++j) out[static_cast<std::size_t>(i * columns + j)] = Cell::masked;
    return out;
}

}  // namespace gradproof::figures
