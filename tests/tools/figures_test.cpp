// Figures: well-formed whatever the text, colour maps of even steps, special cells that differ, labels that keep apart.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"
#include "tests/tools/xml.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/colour.hpp"
#include "tools/figures/heatmap.hpp"
#include "tools/figures/page.hpp"

namespace gradproof::figures {
namespace {

using gradproof::testing::count_of;
using gradproof::testing::error_of;
using gradproof::testing::xml_mistake;

double distance(const Colour& p, const Colour& q) {
    const Oklab a = oklab(p), b = oklab(q);
    return std::hypot(a.lightness - b.lightness, a.a - b.a, a.b - b.b);
}

TEST(Colour, EqualStepsOfTheSequentialMapLookEqual) {
    constexpr int kSteps = 64;
    double least = 1, most = 0;
    for (int i = 0; i < kSteps; ++i) {
        const double d = distance(sequential(static_cast<double>(i) / kSteps), sequential(static_cast<double>(i + 1) / kSteps));
        least = std::min(least, d);
        most = std::max(most, d);
        EXPECT_GT(oklab(sequential(static_cast<double>(i + 1) / kSteps)).lightness,
                  oklab(sequential(static_cast<double>(i) / kSteps)).lightness)
            << i;
    }
    EXPECT_LT(most / least, 1.1) << least << " to " << most;  // a straight chord is a little shorter than its arc
    EXPECT_GT(distance(sequential(0), sequential(1)), 0.6);
}

TEST(Colour, TheDivergingMapIsOfEqualStrengthOnBothSides) {
    for (const double t : {0.1, 0.3, 0.5, 0.8, 1.0}) {
        EXPECT_NEAR(oklab(diverging(t)).lightness, oklab(diverging(-t)).lightness, 0.02) << t;
        EXPECT_NEAR(distance(diverging(t), diverging(0)), distance(diverging(-t), diverging(0)), 0.03) << t;
        // With the two common colour blindnesses blue against yellow remains: the b of Oklab.
        EXPECT_GT(oklab(diverging(t)).b - oklab(diverging(-t)).b, 0.02) << t;
    }
    EXPECT_GT(oklab(diverging(0)).lightness, 0.95);
}

TEST(Figures, TextIsEscaped) {
    EXPECT_EQ(escape("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
    EXPECT_EQ(escape("\xff\n"), "\\xff\\x0a");
    Heatmap map{.title = "</svg><script>\"&",
                .values = Tensor<double>::from({1, 2}, {0.5, 0.25}),
                .row_labels = {"<"},
                .column_labels = {"&", "\""}};
    const std::string text = svg_document(draw(map));
    EXPECT_EQ(xml_mistake(text), "");
    EXPECT_EQ(count_of(text, "<script"), 0);
    EXPECT_NE(xml_mistake("<svg><text>a & b</text></svg>"), "") << "the check itself sees a mistake";
    EXPECT_NE(xml_mistake("<svg><text></svg>"), "");
}

Heatmap special() {
    Heatmap map{.title = "special",
                .values = Tensor<double>::from({2, 3}, {0, 1e-9, NAN, 0.5, 0.5, 1}),
                .cells = std::vector<Cell>(6, Cell::value)};
    map.cells[3] = Cell::masked;
    map.cells[4] = Cell::missing;
    return map;
}

TEST(Heatmap, MaskedZeroMissingAndNanDifferAndAreNamed) {
    const std::string text = svg_document(draw(special()));
    EXPECT_EQ(xml_mistake(text), "");
    for (const char* name : {">exactly 0<", ">masked<", ">missing<", ">NaN<"}) EXPECT_EQ(count_of(text, name), 1) << name;
    EXPECT_EQ(count_of(text, "<circle"), 2) << "one cell and its key";
    EXPECT_EQ(count_of(text, "url(#hatch)"), 2);
    EXPECT_EQ(count_of(text, "url(#dots)"), 2);
    EXPECT_EQ(count_of(text, "id=\"hatch\""), 1);
    EXPECT_EQ(count_of(text, "#d81b60"), 4) << "two strokes of a cross, twice";
    const std::string plain = svg_document(draw(Heatmap{.title = "plain", .values = Tensor<double>({2, 2}, 0.5)}));
    for (const char* name : {"exactly 0", "masked", "missing", "NaN", "hatch", "dots"})
        EXPECT_EQ(count_of(plain, name), 0) << name;
}

TEST(Heatmap, TitleHasTheSizesAndTheScaleIsFixed) {
    const std::string text = svg_document(draw(Heatmap{.title = "w", .values = Tensor<double>({2, 3}, 0.25)}));
    EXPECT_EQ(count_of(text, ">w [2, 3]<"), 2) << "drawn, and told to readers";
    EXPECT_EQ(count_of(text, ">1<"), 3) << "the bar's end and two labels, although no value is 1";
    EXPECT_EQ(count_of(text, "fill=\"" + hex(sequential(0.25)) + "\""), 1) << "all cells are one path";
}

TEST(Heatmap, SignedValuesAreSymmetricAboutZero) {
    const std::string text =
        svg_document(draw(Heatmap{.title = "g", .values = Tensor<double>::from({1, 2}, {-0.5, 2}), .scale = Scale::symmetric}));
    EXPECT_EQ(count_of(text, ">-2<"), 1);
    EXPECT_GE(count_of(text, hex(diverging(-0.25))), 1);
    EXPECT_GE(count_of(text, hex(diverging(1))), 1);
}

TEST(Heatmap, AValueBeyondItsScaleIsAnError) {
    EXPECT_NE(error_of([] {
                  draw(Heatmap{.title = "w", .values = Tensor<double>({1, 1}, 1.5)});
              }).find("expected [0, 1]"),
              std::string::npos);
    EXPECT_NE(error_of([] {
                  draw(Heatmap{.title = "w", .values = Tensor<double>({2, 2}, 0.5), .row_labels = {"a"}});
              }).find("labels are 1 and 0"),
              std::string::npos);
    for (const double limit : {0.0, 1.0})
        EXPECT_NE(error_of([=] {
                      draw(Heatmap{
                          .title = "g", .values = Tensor<double>({1, 1}, INFINITY), .scale = Scale::symmetric, .limit = limit});
                  }).find("inf"),
                  std::string::npos);
    EXPECT_NE(error_of([] { draw(Heatmap{.title = "w"}); }).find("undefined"), std::string::npos);
}

TEST(Heatmap, ALargeMapIsASmallFile) {
    Tensor<double> values({256, 256});
    for (Index i = 0; i < values.size(); ++i) values[i] = 0.5 + 0.5 * std::sin(0.01 * static_cast<double>(i));
    EXPECT_LT(svg_document(draw(Heatmap{.title = "large", .values = values})).size(), 600'000U);
}

/// The value of an attribute in a tag; "" for none.
std::string attribute(const std::string& tag, const std::string& name) {
    const auto at = tag.find(" " + name + "=\"");
    if (at == std::string::npos) return "";
    const auto from = at + name.size() + 3;
    return tag.substr(from, tag.find('"', from) - from);
}

/// A text that lies flat and not within a cell, by its estimated width.
struct TextSpan {
    double low, high, y;
    std::string text;
};
std::vector<TextSpan> spans_of(const std::string& svg) {
    std::vector<TextSpan> spans;
    for (auto at = svg.find("<text x="); at != std::string::npos; at = svg.find("<text x=", at + 1)) {
        const auto end = svg.find('>', at);
        const std::string tag = svg.substr(at, end - at), text = svg.substr(end + 1, svg.find('<', end) - end - 1),
                          size = attribute(tag, "font-size");
        if (size.empty() || !attribute(tag, "transform").empty()) continue;
        const double x = std::stod(attribute(tag, "x")), w = text_width(text, std::stod(size));
        const std::string anchor = attribute(tag, "text-anchor");
        const double low = anchor == "middle" ? x - w / 2 : anchor == "end" ? x - w : x;
        spans.push_back({low, low + w, std::stod(attribute(tag, "y")), text});
    }
    return spans;
}

/// No two texts at one height share a stretch of it, and none leaves the picture.
void expect_apart_and_within(const std::string& svg) {
    const std::vector<TextSpan> spans = spans_of(svg);
    EXPECT_GT(spans.size(), 4U);
    const double width = std::stod(attribute(svg, "width")), height = std::stod(attribute(svg, "height"));
    for (std::size_t i = 0; i < spans.size(); ++i) {
        EXPECT_TRUE(spans[i].low >= 0 && spans[i].high <= width && spans[i].y <= height)
            << spans[i].text << " ends at " << spans[i].high << ", " << spans[i].y << " of " << width << ", " << height;
        for (std::size_t j = 0; j < i; ++j)
            if (std::abs(spans[i].y - spans[j].y) < 9) {
                EXPECT_TRUE(spans[i].low >= spans[j].high - 0.5 || spans[j].low >= spans[i].high - 0.5)
                    << spans[i].text << " and " << spans[j].text;
            }
    }
}

TEST(Figures, LabelsDoNotOverlapAndStayWithin) {
    Heatmap words{.title = "words",
                  .values = Tensor<double>({4, 4}, 0.5),
                  .column_labels = {"First", "an uncommonly long one", "c", "d"},
                  .row_axis = "query",
                  .column_axis = "key"};
    expect_apart_and_within(svg_document(draw(words)));
    expect_apart_and_within(svg_document(draw(special())));  // its key is wider than its cells
    expect_apart_and_within(svg_document(draw(Heatmap{.title = "many", .values = Tensor<double>({100, 100}, 0.5)})));
    Chart chart{.title = "sizes",
                .x = {.label = "n", .logarithmic = true},
                .y = {.label = "t", .unit = "s", .logarithmic = true},
                .lines = {},
                .width = 200};
    chart.lines.push_back({.name = "a", .points = {{64, 1e-9}, {4096, 12}}});
    chart.lines.push_back({.name = "a longer name", .points = {{64, 1e-8}, {4096, 2}}, .style = Line::Style::marked});
    expect_apart_and_within(svg_document(draw(chart)));
    chart.width = 60;
    for (Line& line : chart.lines) {
        line.name = "";
        line.points.emplace_back(NAN, 1);
        line.points.emplace_back(100, 0);
    }
    expect_apart_and_within(svg_document(draw(chart)));  // what is not drawn is told in lines wider than the plot
    expect_apart_and_within(svg_document(
        draw(Bars{.title = "bars", .axis = {.label = "accuracy"}, .bars = {{"one", 0.5}, {"two", -0.25}, {"three", 1}}})));
}

TEST(Chart, PointsWithoutAPlaceBreakTheLineAndAreCounted) {
    Chart chart{.title = "c", .x = {.label = "x"}, .y = {.label = "y", .logarithmic = true}, .lines = {}};
    chart.lines.push_back({.name = "", .points = {{0, 1}, {1, 2}, {2, NAN}, {3, 0}, {4, 5}, {5, 6}}});
    const std::string text = svg_document(draw(chart));
    EXPECT_EQ(xml_mistake(text), "");
    EXPECT_EQ(count_of(text, "<polyline"), 2);
    EXPECT_EQ(count_of(text, "1 point not drawn: not finite<"), 1);
    EXPECT_EQ(count_of(text, "1 point not drawn: not positive on a logarithmic axis<"), 1);
    chart.y.high = 5;
    EXPECT_EQ(count_of(svg_document(draw(chart)), "1 point not drawn: beyond the axis<"), 1);
    chart.y.low = 7;
    EXPECT_NE(error_of([&] { draw(chart); }).find("in order"), std::string::npos);
    chart.y = {.label = "y"};
    chart.lines[0].points = {{NAN, NAN}};
    EXPECT_EQ(xml_mistake(svg_document(draw(chart))), "") << "nothing to draw is no error";
}

TEST(Axis, TicksAreRoundAndWithinTheEnds) {
    const auto texts = [](const std::vector<Tick>& ticks) {
        std::string out;
        for (const Tick& t : ticks) out += t.text + " ";
        return out;
    };
    EXPECT_EQ(texts(linear_ticks(0, 1)), "0 0.2 0.4 0.6 0.8 1 ");
    EXPECT_EQ(texts(linear_ticks(-0.3, 0.3)), "-0.2 0 0.2 ");
    EXPECT_EQ(texts(log_ticks(64, 4096)), "100 200 500 1000 2000 ");
    EXPECT_EQ(texts(log_ticks(1e-8, 1)), "10⁻⁸ 10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 0.001 0.01 0.1 1 ");
    EXPECT_EQ(texts(log_ticks(2.2, 4.8)), "3 4 ") << "1, 2 and 5 times a power of ten are outside";
    EXPECT_NE(error_of([] { log_ticks(0, 1); }).find("positive"), std::string::npos);
}

TEST(Page, StandsAlone) {
    Page page("A & B");
    page.heading("Tables <1>");
    page.paragraph("x < y");
    page.table({"a", "b"}, {{"1", "<2>"}}, "caption");
    page.table({"a"}, {{"1"}}, "folded & long", Page::Shown::on_demand);
    page.figure(grid("two", {draw(special()), draw(special())}, 2));
    page.links({{"copy/index.html", "copy"}});
    const std::string html = page.html();
    EXPECT_EQ(xml_mistake(html), "");
    for (const char* loads : {"<script", "<link", "<img", "src=", "url(http", "@import"})
        EXPECT_EQ(count_of(html, loads), 0) << loads;
}

TEST(Gallery, EveryFigureOfTheReadmeIsThereSmallAndWhole) {
    namespace fs = std::filesystem;
    const fs::path root = GRADPROOF_SOURCE_DIR;
    const std::string readme = gradproof::testing::read(root / "tools/experiments/README.md");
    int figures = 0;
    for (const auto& entry : fs::directory_iterator(root / "tools/figures/gallery")) {
        const std::string name = entry.path().filename().string(), text = gradproof::testing::read(entry.path());
        EXPECT_EQ(xml_mistake(text), "") << name;
        EXPECT_LT(text.size(), 60'000U) << name;
        EXPECT_EQ(count_of(readme, "](../figures/gallery/" + name + ")"), 1) << name;
        ++figures;
    }
    EXPECT_EQ(count_of(readme, "](../figures/gallery/"), figures) << "the README shows one that is not there";
    EXPECT_GE(figures, 10);
}

}  // namespace
}  // namespace gradproof::figures
