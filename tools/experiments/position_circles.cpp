// Experiment 19: the circles on which the pairs of a position encoding turn, their periods, and whether positions are told apart.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "gradproof/nn/positions.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/plane.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kModel = 512;

/// Positions in a full turn of pair i of an encoding [2, C], from the turn between positions 0 and 1.
double period(const Tensor<double>& encoding, Index i) {
    const Index width = encoding.dim(1);
    return 2 * std::numbers::pi / std::atan2(encoding[width + 2 * i], encoding[width + 2 * i + 1]);
}

/// The largest error of taking a position `shift` further with one rotation of each pair, the same for all positions.
double rotation_error(const Tensor<double>& encoding, Index shift) {
    const Index width = encoding.dim(1);
    double worst = 0;
    for (Index i = 0; i < width; i += 2) {
        const double s = encoding[shift * width + i], c = encoding[shift * width + i + 1];
        for (Index p = 0; p + shift < encoding.dim(0); ++p) {
            const double sine = encoding[p * width + i], cosine = encoding[p * width + i + 1];
            worst = std::max({worst, std::abs(sine * c + cosine * s - encoding[(p + shift) * width + i]),
                              std::abs(cosine * c - sine * s - encoding[(p + shift) * width + i + 1])});
        }
    }
    return worst;
}

/// The distance of the encodings of two positions, using the first `pairs` pairs.
double distance(const Tensor<double>& encoding, Index p, Index q, Index pairs) {
    const Index width = encoding.dim(1);
    double square = 0;
    for (Index i = 0; i < 2 * pairs; ++i) square += std::pow(encoding[p * width + i] - encoding[q * width + i], 2);
    return std::sqrt(square);
}

/// The positions 0 to `last` on the circle of a pair.
figures::Figure circle(const Tensor<double>& encoding, Index pair, Index last) {
    const Index width = encoding.dim(1);
    figures::Plane plane{
        .title = fmt::format("dimensions {} and {}: a turn in {:.4g} positions", 2 * pair, 2 * pair + 1, period(encoding, pair)),
        .x = {.label = "sine", .low = -1.25, .high = 1.25, .ticks = {-1, 0, 1}},
        .y = {.label = "cosine", .low = -1.25, .high = 1.25, .ticks = {-1, 0, 1}},
        .size = 190};
    figures::PlaneCurve round{.kind = 6};
    for (int k = 0; k <= 72; ++k) {
        const double angle = 2 * std::numbers::pi * k / 72;
        round.points.emplace_back(std::sin(angle), std::cos(angle));
    }
    plane.curves.push_back(round);
    // Where points lie on each other only the ends are named.
    const bool crowded = period(encoding, pair) > 20 * static_cast<double>(last);
    for (Index p = 0; p <= last; ++p) {
        const std::string label = !crowded || p == last ? std::to_string(p) : p == 0 ? "0 …" : "";
        plane.points.push_back({.at = {encoding[p * width + 2 * pair], encoding[p * width + 2 * pair + 1]}, .label = label});
    }
    return figures::draw(plane);
}

struct Separation {
    double all = INFINITY, fastest = INFINITY;  ///< the least distance of two positions, with all pairs and with the first
};

/// The distance depends on the difference of positions only, as a rotation keeps distances.
Separation separation(const Tensor<double>& encoding, figures::Chart& chart) {
    Separation out;
    figures::Line all{.name = "all 256 pairs"}, fastest{.name = "the first pair alone"};
    const Index last = encoding.dim(0) - 1;
    for (Index k = 1; k <= last; ++k) {
        const double d = distance(encoding, 0, k, encoding.dim(1) / 2), f = distance(encoding, 0, k, 1);
        out.all = std::min(out.all, d);
        out.fastest = std::min(out.fastest, f);
        if (k <= 50) all.points.emplace_back(static_cast<double>(k), d), fastest.points.emplace_back(static_cast<double>(k), f);
    }
    chart.lines = {all, fastest};
    return out;
}

Result run_position_circles(const Context& context) {
    const Index length = context.pick<Index>(10000, 10000, 200);
    const Tensor<double> model = position_encoding<double>(length, kModel), small = position_encoding<double>(13, 8);
    Result out;
    Table periods{"periods",
                  fmt::format("Turns of the pairs of an encoding of {} channels", kModel),
                  {"dimensions", "positions a turn", "10000^(2i / d)"},
                  {}};
    for (const Index i : {Index{0}, Index{1}, Index{127}, Index{128}, Index{255}})
        periods.rows.push_back({fmt::format("{} and {}", 2 * i, 2 * i + 1), period(model, i),
                                std::pow(10000.0, static_cast<double>(2 * i) / static_cast<double>(kModel))});
    figures::Chart chart{.title = "How far apart are positions?",
                         .x = {.label = "difference of two positions"},
                         .y = {.label = "distance of their encodings", .low = 0},
                         .lines = {},
                         .width = 330};
    const Separation apart = separation(model, chart);
    std::vector<double> differences, distances;
    for (Index k = 1; k <= 20; ++k) {
        differences.push_back(static_cast<double>(k));
        distances.push_back(distance(model, 0, k, kModel / 2));
    }
    const auto turn = [&](Index i, double written, const char* claim) {
        return between(claim, fmt::format("positions a turn of dimensions {} and {}, d = {}", 2 * i, 2 * i + 1, kModel),
                       period(model, i), 0.98 * written, 1.02 * written);
    };
    out.findings = {
        turn(0, 2 * std::numbers::pi, "The first two dimensions turn once in about 6.28 positions"),
        turn(1, 6.5, "The next two once in 6.5"),
        turn(127, 2000, "Dimensions 254 and 255 once in about 2000"),
        turn(255, 62500, "The last two once in about 62,500"),
        at_most("A position k further is the same rotation for every position",
                "largest error of an entry, k = 1, 5 and 50, float64",
                std::max({rotation_error(model, 1), rotation_error(model, 5), rotation_error(model, 50)}), 1e-11),
        at_least(fmt::format("With all frequencies the positions up to {} differ", length),
                 "least distance of two of their encodings", apart.all, 0.1),
        at_most("... with a single one they do not", "least distance of two on the first circle", apart.fastest,
                context.effort == Effort::smoke ? 1 : 0.01),
        at_least("Near positions are more alike", "rank correlation of nearness and likeness over differences 1 to 20",
                 rank_correlation(differences, distances), 0.9),
    };
    std::vector<figures::Figure> circles;
    for (Index pair = 0; pair < 4; ++pair) circles.push_back(circle(small, pair, 12));
    out.figures = {{"circles", figures::grid("Positions 0 to 12 in an encoding of 8 channels", circles, 2)},
                   {"distance", figures::draw(chart)}};
    out.tables.push_back(std::move(periods));
    return out;
}

const NewExperiment kExperiment(
    {.number = 19,
     .name = "position-circles",
     .title = "Circles of position encoding",
     .setting =
         "The encoding of Vaswani et al. 2017: each pair of dimensions is a point on a circle that turns with the position. "
         "The periods, the rotation between positions, and the distance of any two.",
     .run = run_position_circles});

}  // namespace

}  // namespace gradproof::experiments
