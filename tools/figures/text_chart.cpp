// Text charts.
#include "tools/figures/text_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gradproof::figures {
namespace {

constexpr int kAxisWidth = 9;

struct Range {
    double low = INFINITY, high = -INFINITY;
    void take(double x) {
        low = std::min(low, x);
        high = std::max(high, x);
    }
    /// The cell of x among n, 0 at low.
    int cell(double x, int n) const {
        if (!(high > low)) return 0;
        return std::clamp(static_cast<int>(std::lround((x - low) / (high - low) * (n - 1))), 0, n - 1);
    }
};

bool drawable(const std::pair<double, double>& p) { return std::isfinite(p.first) && std::isfinite(p.second) && p.second > 0; }

}  // namespace

std::string log_chart(const std::vector<Series>& series, const std::string& x_name, int width, int height) {
    Range x, y;
    for (const Series& s : series)
        for (const auto& p : s.points)
            if (drawable(p)) {
                x.take(p.first);
                y.take(std::log10(p.second));
            }
    if (!(y.high >= y.low)) return "  (nothing to draw)\n";
    std::vector<std::string> grid(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), ' '));
    for (const Series& s : series) {
        std::pair<double, double> last{NAN, NAN};
        for (const auto& p : s.points) {
            if (!drawable(p)) continue;
            const std::pair<double, double> at{p.first, std::log10(p.second)};
            // Columns between two points are drawn too: the curve has no gaps.
            const int to = x.cell(at.first, width),
                      from = std::isnan(last.first) ? to : std::min(x.cell(last.first, width) + 1, to);
            for (int column = from; column <= to; ++column) {
                const double along =
                    column == to ? 1 : static_cast<double>(column - from + 1) / static_cast<double>(to - from + 1);
                const double value = std::isnan(last.first) ? at.second : last.second + along * (at.second - last.second);
                grid[static_cast<std::size_t>(height - 1 - y.cell(value, height))][static_cast<std::size_t>(column)] = s.mark;
            }
            last = at;
        }
    }
    std::string out;
    for (int r = 0; r < height; ++r) {
        const double value = std::pow(10.0, y.high - (y.high - y.low) * r / std::max(1, height - 1));
        const bool labelled = r % 3 == 0 || r == height - 1;
        std::string& cells = grid[static_cast<std::size_t>(r)];
        cells.erase(cells.find_last_not_of(' ') + 1);
        out += fmt::format("{:>{}} |{}{}\n", labelled ? fmt::format("{:.2g}", value) : "", kAxisWidth, cells.empty() ? "" : " ",
                           cells);
    }
    out += fmt::format("{:>{}} +{:-<{}}\n", "", kAxisWidth, "", width + 1);
    const std::string left = fmt::format("{:g}", x.low), right = fmt::format("{:g}", x.high);
    out += fmt::format("{:>{}}   {}{:>{}}  {}\n", "", kAxisWidth, left, right, width - static_cast<int>(left.size()), x_name);
    std::string key;
    for (const Series& s : series) key += fmt::format("{}{} {}", key.empty() ? "" : "   ", s.mark, s.name);
    return out + fmt::format("{:>{}}   {}\n", "", kAxisWidth, key);
}

std::string heat_table(const Tensor<double>& w, const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
    if (w.rank() != 2 || w.dim(0) != static_cast<Index>(rows.size()) || w.dim(1) != static_cast<Index>(columns.size()))
        shape_error("heat table: weights are {}, labels are {} x {}", w.shape(), rows.size(), columns.size());
    static constexpr const char* kShades[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
    std::size_t label = 0, cell = 6;
    for (const std::string& r : rows) label = std::max(label, r.size());
    for (const std::string& c : columns) cell = std::max(cell, c.size() + 1);
    std::string out = fmt::format("  {:<{}} ", "", label);
    for (const std::string& c : columns) out += fmt::format("{:>{}}", c, cell + 1);
    out += "\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += fmt::format("  {:<{}} ", rows[i], label);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double v = w[static_cast<Index>(i * columns.size() + j)];
            const auto shade = v > 0 ? static_cast<std::size_t>(std::min(v * 5, 4.0)) : 0;  // NaN is blank
            out += fmt::format("{:>{}}{} {:.2f}", "", cell - 5, kShades[shade], v);
        }
        out += "\n";
    }
    return out;
}

}  // namespace gradproof::figures
