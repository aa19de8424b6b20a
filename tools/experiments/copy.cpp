// Experiment 7: copying a sequence with attention, by constructed and by learned weights, compared with recurrent networks.
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/nn/mechanisms.hpp"
#include "gradproof/nn/positions.hpp"
#include "gradproof/ops/attention.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/chart.hpp"
#include "tools/figures/heatmap.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kSymbols = 10, kBlank = 10, kWidth = 64;

/// Rows of n random symbols and n blanks. The answer to a symbol is itself, the answer to a blank the symbol n positions before.
Examples copy_examples(Index rows, Index n, Random random) {
    Examples out{Tensor<Index>({rows, 2 * n}), Tensor<Index>({rows, 2 * n})};
    for (Index r = 0; r < rows; ++r)
        for (Index i = 0; i < n; ++i) {
            const Index at = r * 2 * n + i, symbol = random.below(kSymbols);
            out.ids[at] = out.answers[at] = out.answers[at + n] = symbol;
            out.ids[at + n] = kBlank;
        }
    return out;
}

/// Embedding, one recurrent layer, readout.
template <class Body>
class RecurrentModel final : public Learner {
  public:
    explicit RecurrentModel(std::uint64_t seed)
        : embedding_(kSymbols + 1, kWidth, init::normal(0.3)),
          body_(kWidth, kWidth),
          readout_(kWidth, kSymbols),
          tree_(*this, seed) {}
    Var<Real> scores(const Step<Real>& step, const Tensor<Index>& ids) const override {
        return readout_.forward(step, body_.forward(step, embedding_.forward(step, ids)));
    }
    void parameters(auto&& visit) { visit("embedding", embedding_), visit("body", body_), visit("readout", readout_); }
    ParameterTree<Real>& tree() override { return tree_; }
    const ParameterTree<Real>& tree() const override { return tree_; }

  private:
    Embedding<Real> embedding_;
    Body body_;
    Linear<Real> readout_;
    ParameterTree<Real> tree_;
};

/// The largest error of a copy by constructed attention: W_q and W_k pick out the positions, scaled by `sharpness`, W_v the
/// tokens.
double written_error(Index n, double sharpness, Random random) {
    const Tensor<double> positions = position_encoding<double>(n, kWidth), tokens = random.normal<double>({1, 1, n, kSymbols});
    Tensor<double> q({1, 1, n, kWidth});
    for (Index i = 0; i < q.size(); ++i) q[i] = positions[i];
    AttentionAttrs attrs;
    attrs.scale = sharpness;
    const Tensor<double> y = attention(q, q, tokens, attrs);
    double worst = 0;
    for (Index i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y[i] - tokens[i]));
    return worst;
}

/// The mean weight that blanks give to the position of the symbol they repeat.
double weight_on_source(const Tensor<double>& w, Index n) {
    const Index length = 2 * n;
    double sum = 0;
    for (Index r = 0; r < w.dim(0); ++r)
        for (Index i = 0; i < n; ++i) sum += w[(r * length + n + i) * length + i];
    return sum / static_cast<double>(w.dim(0) * n);
}

Result run_copy(const Context& context) {
    const Index longest = context.pick<Index>(24, 12, 6), rows = context.pick<Index>(4000, 2000, 64);
    const Random random(context.seed);
    const ProbeSettings settings{.epochs = context.pick<Index>(60, 15, 1), .weight_decay = 0.1};
    Result out;
    Table learned{"learned",
                  "Copying n symbols: 500 rows held out, equal steps for each model",
                  {"n", "model", "parameters", "accuracy", "rows without a mistake", "loss (nats)"},
                  {}};
    std::array<figures::Line, 3> lines;
    std::array<double, 3> exact{};
    Index n = 0;
    const auto learn = [&](std::size_t which, const std::string& name, Learner& model) {
        train(model, copy_examples(rows, n, random.stream(700)), settings, context.seed);
        const Score s = evaluate(model, copy_examples(500, n, random.stream(701)));
        learned.rows.push_back({n, name, model.tree().count(), s.accuracy, s.exact, s.loss});
        lines[which].name = name;
        lines[which].style = figures::Line::Style::marked;
        lines[which].points.emplace_back(static_cast<double>(n), s.exact);
        exact[which] = s.exact;
    };
    std::optional<Probe> attention;
    // There must be far more possible rows (10^n) than rows to train on, so that the held-out rows are new.
    for (n = std::max<Index>(longest / 4, 6); n <= longest; n *= 2) {
        attention.emplace(ProbeOptions{.vocabulary = kSymbols + 1,
                                       .length = 2 * n,
                                       .answers = kSymbols,
                                       .channels = kWidth,
                                       .head_size = kWidth,
                                       .every_position = true},
                          context.seed);
        learn(0, "attention, one head", *attention);
        RecurrentModel<Recurrent<Real>> rnn(context.seed);
        learn(1, "RNN", rnn);
        RecurrentModel<Lstm<Real>> lstm(context.seed);
        learn(2, "LSTM", lstm);
    }
    n = longest;
    const Examples held_out = copy_examples(500, n, random.stream(701));
    const Tensor<double> w = attention_weights(*attention, held_out.ids);

    Table written{"written", "Attention by position with scores multiplied by c: largest error of the copy", {"c", "error"}, {}};
    figures::Line error{.name = "", .points = {}, .style = figures::Line::Style::marked};
    double last = 0;
    for (double c = 0.25; c <= 64; c *= 2) {
        last = written_error(2 * n, c, random.stream(702));
        written.rows.push_back({c, last});
        error.points.emplace_back(c, last);
    }
    Tensor<double> first({2 * n, 2 * n});
    std::copy_n(w.data(), first.size(), first.data());
    std::vector<std::string> tokens;
    for (Index i = 0; i < 2 * n; ++i) tokens.push_back(held_out.ids[i] == kBlank ? "_" : std::to_string(held_out.ids[i]));
    out.figures.push_back({"attention", figures::draw(figures::Heatmap{.title = "Learned attention of one sequence",
                                                                       .values = first,
                                                                       .row_labels = tokens,
                                                                       .column_labels = tokens,
                                                                       .row_axis = "query",
                                                                       .column_axis = "key",
                                                                       .unit = "weight",
                                                                       .cell_size = 22})});
    out.figures.push_back({"learned", figures::draw(figures::Chart{.title = "Rows copied without a mistake",
                                                                   .x = {.label = "symbols to copy, n"},
                                                                   .y = {.label = "share of rows", .low = 0, .high = 1},
                                                                   .lines = {lines.begin(), lines.end()}})});
    out.figures.push_back(
        {"written", figures::draw(figures::Chart{.title = "A copy by weights written down",
                                                 .x = {.label = "c", .logarithmic = true, .ticks = {0.25, 1, 4, 16, 64}},
                                                 .y = {.label = "largest error", .logarithmic = true},
                                                 .lines = {error}})});
    out.findings = {
        at_most("Attention to positions can copy as exactly as wanted, by weights written down",
                "largest error at c = 64, float64", last, 1e-12),
        at_least("Attention learns to copy exactly", fmt::format("held-out rows without a mistake, n = {}", n), exact[0], 0.999),
        at_least("... by looking at the place it copies from", "mean weight of a blank on the place of its symbol",
                 weight_on_source(w, n), 0.9),
        at_least("... in steps in which a recurrent network does not",
                 fmt::format("held-out rows without a mistake, attention less the better of RNN and LSTM, n = {}", n),
                 exact[0] - std::max(exact[1], exact[2]), 0.05),
    };
    out.tables = {std::move(learned), std::move(written)};
    return out;
}

const NewExperiment kExperiment(
    {.number = 7,
     .name = "copy",
     .title = "Copying a sequence",
     .setting = "Symbols, then as many blanks, each of which must repeat its symbol: attention with weights written down, and "
                "one learned head beside an RNN and an LSTM of equal steps.",
     .run = run_copy});

}  // namespace

}  // namespace gradproof::experiments
