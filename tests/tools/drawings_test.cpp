// What figures show without colours and beside each other: marks, dashes, signs, numbers, aligned panels; planes, graphs, ranges.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support.hpp"
#include "tests/tools/xml.hpp"
#include "tools/figures/cell_numbers.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/graph.hpp"
#include "tools/figures/heatmap.hpp"
#include "tools/figures/marks.hpp"
#include "tools/figures/parameter_panels.hpp"
#include "tools/figures/plane.hpp"
#include "tools/figures/ranges.hpp"

namespace gradproof::figures {
namespace {

using gradproof::testing::count_of;
using gradproof::testing::error_of;
using gradproof::testing::xml_mistake;

/// A figure whose plot begins at `plot`.
Figure panel(double width, double height, Point plot) {
    Canvas canvas;
    canvas.rect(plot, 1, 1, "#000000");
    return std::move(canvas).finish(width, height, "panel", plot);
}

TEST(Grid, PlotsOfARowAndOfAColumnBeginTogether) {
    // One below the other: the first plot is 10 from the left of its figure, the second 30, so the first moves by 20.
    const Figure column = grid("", {panel(100, 50, {10, 20}), panel(120, 60, {30, 5})}, 1);
    EXPECT_EQ(count_of(column.body, "translate(20 0)"), 1) << column.body;
    EXPECT_EQ(count_of(column.body, "translate(0 62)"), 1) << "the height of the first and a gap of 12";
    EXPECT_EQ(column.width, 120);
    // Side by side: the second begins its plot 15 higher, so it moves down by that; the row is as high as both need.
    const Figure row = grid("", {panel(100, 50, {10, 20}), panel(120, 60, {30, 5})}, 2);
    EXPECT_EQ(count_of(row.body, "translate(112 15)"), 1) << row.body;
    EXPECT_EQ(row.height, 75);
    EXPECT_EQ(draw(Heatmap{.title = "w", .values = Tensor<double>({2, 2}, 0.5), .row_labels = {"a long label", "b"}}).plot.y,
              draw(Heatmap{.title = "w", .values = Tensor<double>({2, 2}, 0.5)}).plot.y);
}

TEST(Heatmap, NegativeCellsAreSeenWithoutColours) {
    Heatmap map{
        .title = "g", .values = Tensor<double>::from({2, 2}, {-0.5, 0.25, -1, 0}), .scale = Scale::symmetric, .cell_size = 10};
    const std::string strokes = svg_document(draw(map));
    EXPECT_EQ(xml_mistake(strokes), "");
    EXPECT_EQ(count_of(strokes, ">below 0<"), 1);
    EXPECT_EQ(count_of(strokes, "url(#negative)"), 0);
    map.cell_size = 4;
    const std::string hatched = svg_document(draw(map));
    EXPECT_EQ(count_of(hatched, "id=\"negative\""), 1);
    EXPECT_GE(count_of(hatched, "url(#negative)"), 2) << "over the cells, and in the key";
    map.cell_size = 34;
    const std::string written = svg_document(draw(map));
    for (const char* number : {">-0.50<", ">0.25<", ">-1.00<"}) EXPECT_EQ(count_of(written, number), 1) << number;
    EXPECT_EQ(count_of(written, "below 0"), 0) << "the numbers say it";
    map.values = Tensor<double>::from({2, 2}, {0.5, 0.25, 1, 0});
    map.cell_size = 4;
    EXPECT_EQ(count_of(svg_document(draw(map)), "negative"), 0);
}

TEST(Heatmap, SmallGradientsAreWrittenInAPowerOfTen) {
    const std::string text = svg_document(
        draw(Heatmap{.title = "g", .values = Tensor<double>::from({1, 3}, {-2.31e-3, 1e-6, -4e-6}), .scale = Scale::symmetric}));
    EXPECT_EQ(count_of(text, "numbers in the cells: \u00d7 10\u207b\u00b3<"), 1);
    for (const char* number : {">-2.31<", ">+0<", ">-0<"}) EXPECT_EQ(count_of(text, number), 1) << number;
    const std::vector<double> some = {12.5, -3};
    EXPECT_EQ(cell_numbers(some, 34, Scale::symmetric).text(-3), "-3.0");
    EXPECT_EQ(cell_numbers(some, 34, Scale::symmetric).power, 0);
    EXPECT_EQ(cell_numbers(some, 12, Scale::symmetric).size, 0) << "no room";
}

TEST(Heatmap, LabelsEveryRowItHasRoomForAndSaysWhichItDrops) {
    EXPECT_EQ(label_step(8), 1);
    EXPECT_EQ(label_step(46), 1);  // 420 / 46 = 9.1 pixels
    EXPECT_EQ(label_step(100), 3);
    EXPECT_EQ(label_step(100, 9), 1);
    const auto text = [](double cell) {
        return svg_document(draw(Heatmap{.title = "w", .values = Tensor<double>({100, 100}, 0.5), .cell_size = cell}));
    };
    EXPECT_EQ(count_of(text(0), "labelled: every 3. row and column, from the first<"), 1);
    EXPECT_EQ(count_of(text(0), ">98<"), 0);
    EXPECT_EQ(count_of(text(9), "labelled: every"), 0);
    EXPECT_EQ(count_of(text(9), ">98<"), 2) << "its row and its column";
}

Chart two_lines(Line::Style style) {
    Chart chart{.title = "c", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}};
    for (const char* name : {"one", "other"})
        chart.lines.push_back({.name = name, .points = {{0, 1}, {1, 2}, {2, 1}}, .style = style});
    return chart;
}

TEST(Chart, LinesDifferInDashesAndMarks) {
    std::set<std::string_view> patterns;
    for (int i = 0; i < 8; ++i) patterns.insert(dashes(i));
    EXPECT_EQ(patterns.size(), 8U);
    const std::string lines = svg_document(draw(two_lines(Line::Style::line)));
    EXPECT_EQ(xml_mistake(lines), "");
    EXPECT_EQ(count_of(lines, "stroke-dasharray=\"" + std::string(dashes(1)) + "\""), 2) << "the second line, and in the legend";
    EXPECT_EQ(count_of(lines, "<circle"), 4) << "marks of the first line at its three points and in the legend";
}

TEST(Chart, WhatWouldHideAnotherStandsAroundIt) {
    // The same points twice: three outlines of the second line around the marks of the first; its filled mark is in the legend.
    const std::string text = svg_document(draw(two_lines(Line::Style::marked)));
    EXPECT_EQ(count_of(text, "fill=\"none\" stroke=\"#d55e00\"/>"), 3);
    EXPECT_EQ(count_of(text, "fill=\"#d55e00\""), 1);
    EXPECT_EQ(count_of(svg_document(draw(two_lines(Line::Style::dashed))), "fill=\"#d55e00\""), 0) << "outlines only";
}

TEST(Plane, HasOneScaleArrowsAndLabels) {
    const Plane plane{.title = "p",
                      .x = {.label = "x", .low = 0, .high = 2},
                      .y = {.label = "y", .low = 0, .high = 1},
                      .kinds = {"word", "query"},
                      .points = {{.at = {1, 0.5}, .label = "bank & co"}},
                      .arrows = {{.from = {0, 0}, .to = {2, 1}, .label = "q", .kind = 1}},
                      .size = 200};
    const std::string text = svg_document(draw(plane));
    EXPECT_EQ(xml_mistake(text), "");
    EXPECT_EQ(count_of(text, "width=\"200\" height=\"100\""), 1) << "half as high as wide, as its ends are";
    for (const char* part : {">bank &amp; co<", ">q<", ">word<", ">query<"}) EXPECT_EQ(count_of(text, part), 1) << part;
    EXPECT_NE(error_of([&] {
                  Plane bad = plane;
                  bad.points[0].at.first = NAN;
                  draw(bad);
              }).find("expected finite coordinates"),
              std::string::npos);
}

TEST(Graph, DrawsAnEdgeForEachWeightThatIsNotSmall) {
    const Graph graph{.title = "g",
                      .nodes = {"a", "b", "c"},
                      .weights = Tensor<double>::from({3, 3}, {0.5, 0.48, 0.02, 0, 1, 0, 0.3, 0.3, 0.4}),
                      .focus = 0};
    const std::string text = svg_document(draw(graph));
    EXPECT_EQ(xml_mistake(text), "");
    EXPECT_EQ(count_of(text, ">3 of 9 edges below 0.05 are not drawn<"), 1);
    EXPECT_EQ(count_of(text, "<path"), 3) << "heads of b to a, a to c and b to c: loops are rings";
    EXPECT_EQ(count_of(text, "<polyline"), 3);
    for (const char* weight : {">0.50<", ">0.48<"}) EXPECT_EQ(count_of(text, weight), 1) << "into the focus: " << weight;
    EXPECT_EQ(count_of(text, ">0.30<"), 0);
    const auto wrong = [&](Tensor<double> weights, Index focus) {
        return error_of([&] { draw(Graph{.title = "g", .nodes = {"a", "b"}, .weights = weights, .focus = focus}); });
    };
    EXPECT_NE(wrong(Tensor<double>({2, 3}, 0.5), 0).find("weights are [2, 3]"), std::string::npos);
    EXPECT_NE(wrong(Tensor<double>({2, 2}, 0.5), 2).find("focus is 2"), std::string::npos);
    EXPECT_NE(wrong(Tensor<double>({2, 2}, 1.5), 0).find("a weight is 1.5"), std::string::npos);
}

TEST(Ranges, ShowWhatWasExpectedAndRefuseDisorder) {
    Ranges ranges{.title = "r",
                  .axis = {.label = "value"},
                  .ranges = {{.name = "scores", .low = -9, .from = -4, .middle = 0, .to = 4, .high = 9, .expected = {{-10, 10}}}},
                  .bar = "most",
                  .frame = "as written"};
    const std::string text = svg_document(draw(ranges));
    EXPECT_EQ(xml_mistake(text), "");
    EXPECT_EQ(count_of(text, "stroke-dasharray=\"3 2\""), 4) << "the four sides of the frame";
    EXPECT_EQ(count_of(text, ">bar: most; dashed frame: as written<"), 1);
    ranges.ranges[0].to = 10;
    EXPECT_NE(error_of([&] { draw(ranges); }).find("in order"), std::string::npos);
}

TEST(ParameterPanels, OnePanelForEachModule) {
    ParameterPanels panels{.title = "norms",
                           .label = "norm",
                           .names = {"embedding.weight", "block.attention.wq", "block.attention.wk", "readout.bias"},
                           .steps = {1, 2},
                           .values = {{1, 2}, {0.1, 0.2}, {0.3, 0}, {0.5, 0.5}}};
    const std::string text = svg_document(draw(panels));
    EXPECT_EQ(xml_mistake(text), "");
    for (const char* part : {">around it<", ">block.attention<", ">embedding.weight<", ">readout.bias<", ">wq<", ">wk<"})
        EXPECT_EQ(count_of(text, part), 1) << part;
    EXPECT_EQ(count_of(text, ">1 point not drawn: not positive on a logarithmic axis<"), 1);
    panels.values.pop_back();
    EXPECT_NE(error_of([&] { draw(panels); }).find("names are 4"), std::string::npos);
    EXPECT_NE(error_of([] { draw(ParameterPanels{.title = "none"}); }).find("none"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::figures
