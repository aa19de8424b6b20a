// Sorts parameters into panels by their names, and draws these with common ends.
#include "tools/figures/parameter_panels.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/core/errors.hpp"
#include "tools/figures/chart.hpp"

namespace gradproof::figures {
namespace {

/// What the panel of a parameter is named by: "block.attention" of "block.attention.wq"; "" for names of one or two parts.
std::string module_of(const std::string& name) {
    const std::size_t first = name.find('.'), second = first == std::string::npos ? first : name.find('.', first + 1);
    return second == std::string::npos ? "" : name.substr(0, second);
}

void expect_full(const ParameterPanels& p) {
    if (p.names.empty() || p.steps.empty()) value_error("panels: {}: names and steps are none", p.title);
    bool fits = p.values.size() == p.names.size();
    for (const auto& row : p.values) fits = fits && row.size() == p.steps.size();
    if (!fits)
        shape_error("panels: {}: names are {}, steps are {}, values are {}", p.title, p.names.size(), p.steps.size(),
                    p.values.size());
}

/// The limits of what can be drawn, a little beyond it; none where nothing can.
void set_ends(Axis& axis, const std::vector<std::vector<double>>& values) {
    double low = INFINITY, high = 0;
    for (const auto& row : values)
        for (const double v : row)
            if (std::isfinite(v) && v > 0) low = std::min(low, v), high = std::max(high, v);
    if (low <= high) axis.low = low / 1.3, axis.high = high * 1.3;
}

}  // namespace

Figure draw(const ParameterPanels& p) {
    expect_full(p);
    std::vector<Chart> charts;
    Axis y{.label = p.label, .logarithmic = true};
    set_ends(y, p.values);
    for (std::size_t i = 0; i < p.names.size(); ++i) {
        const std::string module = module_of(p.names[i]), title = module.empty() ? "around it" : module;
        auto at = std::find_if(charts.begin(), charts.end(), [&](const Chart& c) { return c.title == title; });
        if (at == charts.end())
            at = charts.insert(charts.end(),
                               Chart{.title = title, .x = {.label = "step"}, .y = y, .lines = {}, .width = 210, .height = 170});
        Line line{.name = module.empty() ? p.names[i] : p.names[i].substr(module.size() + 1)};
        for (std::size_t k = 0; k < p.steps.size(); ++k) line.points.emplace_back(p.steps[k], p.values[i][k]);
        at->lines.push_back(std::move(line));
    }
    if (charts.size() == 1) {
        charts[0].title = p.title;
        charts[0].width = 460, charts[0].height = 270;
        return draw(charts[0]);
    }
    std::vector<Figure> panels;
    for (const Chart& c : charts) panels.push_back(draw(c));
    return grid(p.title, panels, charts.size() == 2 || charts.size() == 4 ? 2 : 3);
}

}  // namespace gradproof::figures
