// Experiment 20: the three students of the documents through layers 2 and 3, without and with a residual path.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kStudents = 3;
const std::vector<std::string> kStudentNames = {"A", "B", "C"};

/// The three matrices of a layer.
struct Glasses {
    Tensor<double> query, key, value;
};
/// The numbers of the documents.
Tensor<double> students() { return Tensor<double>::from({3, 4}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.4, 0.2, 0, 0.3, 0.2, 0.6}); }
Glasses first_glasses() {
    return {Tensor<double>::from({4, 2}, {1, 0, 0, 1, 1, 1, 0, 3}), Tensor<double>::from({4, 2}, {1, 2, 0, 1, 2, 0, 1, 1}),
            Tensor<double>::from({4, 2}, {1, 0, 0, 2, 1, 1, 2, 0})};
}
/// Layers 2 and 3 map two numbers to two, for which the documents have no matrices: whole numbers from 0 to 3, as theirs are.
Glasses more_glasses(Random& random) {
    const auto matrix = [&] {
        Tensor<double> m({2, 2});
        for (double& x : m) x = static_cast<double>(random.below(4));
        return m;
    };
    return {matrix(), matrix(), matrix()};
}

struct Layer {
    Tensor<double> weights;  ///< [3, 3]
    Tensor<double> output;   ///< [3, 2]
};
Layer attend(const Tensor<double>& x, const Glasses& g) {
    Tensor<double> scores = matmul(matmul(x, g.query), matmul(x, g.key), {.transpose_b = true});
    for (double& s : scores) s /= std::sqrt(2.0);
    const Tensor<double> weights = softmax(scores);
    return {weights, matmul(weights, matmul(x, g.value))};
}

/// How different the students are: the largest distance of two over the mean of their norms, so that growth changes nothing.
double difference(const Tensor<double>& x) {
    const Index width = x.dim(1);
    double largest = 0, norms = 0;
    for (Index i = 0; i < kStudents; ++i) {
        double norm = 0;
        for (Index c = 0; c < width; ++c) norm += std::pow(x[i * width + c], 2);
        norms += std::sqrt(norm) / kStudents;
        for (Index j = 0; j < i; ++j) {
            double square = 0;
            for (Index c = 0; c < width; ++c) square += std::pow(x[i * width + c] - x[j * width + c], 2);
            largest = std::max(largest, std::sqrt(square));
        }
    }
    return norms > 0 ? largest / norms : 0;
}

/// The differences after layers 0 to 3 and the weights of layers 1 to 3.
struct Story {
    std::array<double, 4> differences{};
    std::array<Tensor<double>, 3> weights{};
};

Story story(const Tensor<double>& x, std::array<Glasses, 2> more, double kept) {
    Story out;
    out.differences[0] = difference(x);
    Layer layer = attend(x, first_glasses());
    for (std::size_t n = 0;; ++n) {
        out.weights[n] = layer.weights;
        out.differences[n + 1] = difference(layer.output);
        if (n == 2) return out;
        const Tensor<double> before = layer.output;
        layer = attend(before, more[n]);
        for (Index i = 0; i < before.size(); ++i) layer.output[i] += kept * before[i];
    }
}

Index most_attended(const Tensor<double>& w, Index student) {
    const std::span<const double> row = row_of(w, student);
    return std::max_element(row.begin(), row.end()) - row.begin();
}

figures::Figure attention_maps(const Story& s) {
    std::vector<figures::Figure> maps;
    for (std::size_t n = 0; n < 3; ++n)
        maps.push_back(figures::draw(figures::Heatmap{.title = fmt::format("layer {}", n + 1),
                                                      .values = s.weights[n],
                                                      .row_labels = kStudentNames,
                                                      .column_labels = kStudentNames,
                                                      .row_axis = "who listens",
                                                      .column_axis = "to whom",
                                                      .unit = "weight",
                                                      .cell_size = 56}));
    return figures::grid("Whom the students listen to, first draw of layers 2 and 3", maps, 3);
}

figures::Figure differences_chart(const std::array<std::vector<double>, 4>& alone,
                                  const std::array<std::vector<double>, 4>& kept) {
    const auto line = [](const char* name, const std::array<std::vector<double>, 4>& all, int colour) {
        figures::Line out{.name = name, .points = {}, .style = figures::Line::Style::marked, .colour = colour};
        for (std::size_t n = 0; n < 4; ++n) out.points.emplace_back(static_cast<double>(n), median(all[n]));
        return out;
    };
    return figures::draw(figures::Chart{.title = "How different the students are",
                                        .x = {.label = "layers", .ticks = {0, 1, 2, 3}},
                                        .y = {.label = "largest distance over mean norm", .logarithmic = true},
                                        .lines = {line("attention alone", alone, 0), line("with a residual path", kept, 1)}});
}

Result run_students(const Context& context) {
    const Index draws = context.pick<Index>(2000, 500, 20);
    Random random = Random(context.seed).stream(2000);
    std::array<std::vector<double>, 4> alone, kept;
    std::vector<double> focus, moved, gained, saved;
    Story first;
    for (Index n = 0; n < draws; ++n) {
        const std::array<Glasses, 2> more = {more_glasses(random), more_glasses(random)};
        const Story plain = story(students(), more, 0), residual = story(students(), more, 1);
        if (n == 0) first = plain;
        double largest = 0;
        for (const double w : plain.weights[1]) largest = std::max(largest, w);
        focus.push_back(largest - 1.0 / kStudents);
        moved.push_back(most_attended(plain.weights[1], 0) != 1);
        gained.push_back(plain.differences[3] > plain.differences[1]);
        saved.push_back(residual.differences[3] > plain.differences[3]);
        for (std::size_t k = 0; k < 4; ++k) alone[k].push_back(plain.differences[k]), kept[k].push_back(residual.differences[k]);
    }
    Index to_b = 0;
    for (Index i = 0; i < kStudents; ++i) to_b += most_attended(first.weights[0], i) == 1;
    Result out;
    Table table{"layers",
                fmt::format("Three students through three layers, {} draws of layers 2 and 3", draws),
                {"after layer", "difference, attention alone (median)", "difference, with a residual path (median)"},
                {}};
    for (std::size_t k = 0; k < 4; ++k) table.rows.push_back({static_cast<Index>(k), median(alone[k]), median(kept[k])});
    out.findings = {
        at_least("In layer 1 all three listen most to B", "students of 3", static_cast<double>(to_b), 3),
        at_most("... and come out nearly the same", "largest distance over mean norm after layer 1", first.differences[1], 0.01),
        at_least("Layer 2 shifts the focus: A may listen most to another than B", "share of draws", estimate(moved), 0.2),
        at_least("... and listens selectively again", "largest weight of layer 2 less 1/3, mean over draws", estimate(focus),
                 0.05),
        at_least("Each layer makes the students richer, more themselves",
                 "share of draws in which they differ more after layer 3 than after layer 1", estimate(gained), 0.5),
        at_most("Attention alone makes them more alike with each layer",
                "difference after layer 3 over that after layer 1, ratio of medians", median(alone[3]) / median(alone[1]), 0.5),
        at_least("A residual path keeps more of what sets them apart", "share of draws", estimate(saved), 0.9),
    };
    out.figures = {{"attention", attention_maps(first)}, {"differences", differences_chart(alone, kept)}};
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 20,
     .name = "students",
     .title = "Three students through three layers",
     .setting =
         "The three students of the documents with their numbers in layer 1; layers 2 and 3, for which there are none, with "
         "matrices of whole numbers from 0 to 3, many times: whom they listen to, and how different they stay.",
     .run = run_students});

}  // namespace

}  // namespace gradproof::experiments
