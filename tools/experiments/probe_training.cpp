// Training and evaluating a probe.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradproof/core/errors.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tools/experiments/probe.hpp"

namespace gradproof::experiments {
namespace {

std::vector<Index> all_rows(const Examples& examples) {
    std::vector<Index> out(static_cast<std::size_t>(examples.count()));
    std::iota(out.begin(), out.end(), Index{0});
    return out;
}

/// The rows [first, first + n) of x [N, ...].
template <class T>
Tensor<T> some_rows(const Tensor<T>& x, Index first, Index n) {
    Shape shape = x.shape();
    shape[0] = n;
    Tensor<T> out(shape);
    const Index size = x.size() / x.dim(0);
    std::copy_n(x.data() + first * size, out.size(), out.data());
    return out;
}

/// Calls body(first row, number of rows) for pieces of `count` rows, to limit the memory.
void in_pieces(Index count, auto&& body) {
    constexpr Index kRows = 500;
    for (Index first = 0; first < count; first += kRows) body(first, std::min(kRows, count - first));
}

/// The scores of rows [first, first + n) of ids, with a change; `weights` as in Probe::forward.
Tensor<Real> scores_of(const Probe& model, Step<Real>& step, const Tensor<Index>& ids, Index first, Index n, const Change& change,
                       std::vector<Tensor<Real>>* weights = nullptr) {
    Change part = change;
    for (Tensor<Real>* of_rows : {&part.value_order, &part.weights}) {
        if (!of_rows->defined()) continue;
        if (of_rows->dim(0) != ids.dim(0))
            shape_error("probe: the change is of {} rows, ids are {}", of_rows->dim(0), ids.shape());
        *of_rows = some_rows(*of_rows, first, n);
    }
    step.begin_evaluation();
    return model.forward(step, some_rows(ids, first, n), part, weights).value();
}

/// Sums of the loss, of right answers, and of rows without a wrong answer.
struct Tally {
    double loss = 0;
    Index right = 0, whole = 0;

    void add(const Tensor<Real>& scores, const Tensor<Index>& answers) {
        const Index rows = answers.dim(0), width = answers.size() / rows;
        loss += static_cast<double>(cross_entropy(scores, {.ids = answers}).item()) * static_cast<double>(rows);
        for (Index r = 0; r < rows; ++r) {
            const Index hits = count_right(some_rows(scores, r, 1), some_rows(answers, r, 1));
            right += hits;
            whole += hits == width;
        }
    }
    Score score(const Examples& examples) const {
        const auto n = static_cast<double>(examples.count());
        return {loss / n, static_cast<double>(right) / (n * static_cast<double>(examples.answers_per_row())),
                static_cast<double>(whole) / n};
    }
};

}  // namespace

Task expression_task(const Context& context) {
    const Examples all = all_expressions();
    Split split = split_rows(all.count(), 0.2, context.seed);
    if (context.effort == Effort::smoke) {
        split.training.resize(320);
        split.validation.resize(96);
    }
    return {all.rows(split.training), all.rows(split.validation)};
}

ProbeTraining::ProbeTraining(Learner& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed)
    : ProbeTraining(model, examples, settings, EpochBatches(all_rows(examples), settings.batch, seed)) {}

ProbeTraining::ProbeTraining(Learner& model, const Examples& examples, const ProbeSettings& s, EpochBatches batches)
    : TypedRun(model, {.optimiser = {.weight_decay = s.weight_decay},
                       .schedule = {.kind = Schedule::Kind::cosine,
                                    .rate = s.rate,
                                    .warmup = s.warmup,
                                    .horizon = (s.decay_epochs > 0 ? s.decay_epochs : s.epochs) * batches.per_epoch()},
                       .clip = s.clip}),
      examples_(examples),
      batches_(std::move(batches)),
      epochs_(s.epochs) {}

Var<Real> ProbeTraining::batch_loss() {
    const Examples batch = examples_.rows(batches_.of_step(steps_done()));
    return cross_entropy(model_.scores(step_, batch.ids), {.ids = batch.answers});
}

Evaluation ProbeTraining::evaluate() {
    const Score score = experiments::evaluate(model_, examples_);
    return {.loss = score.loss, .accuracy = score.accuracy};
}

void ProbeTraining::run_to(Index epoch) {
    const RunSummary run = TypedRun::train({.until = epoch * steps_per_epoch()});
    if (run.end == RunSummary::End::diverged)
        value_error("training: step {}: the loss is {}, expected a finite loss and finite gradients", steps_done() + 1,
                    run.last_loss);
}

void train(Learner& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed) {
    ProbeTraining(model, examples, settings, seed).run_to(settings.epochs);
}

Score evaluate(const Learner& model, const Examples& examples) {
    Step<Real> step(model.tree());
    Tally tally;
    in_pieces(examples.count(), [&](Index first, Index n) {
        step.begin_evaluation();
        tally.add(model.scores(step, some_rows(examples.ids, first, n)).value(), some_rows(examples.answers, first, n));
    });
    return tally.score(examples);
}

Score evaluate(const Probe& model, const Examples& examples, const Change& change) {
    Step<Real> step(model.tree());
    Tally tally;
    in_pieces(examples.count(), [&](Index first, Index n) {
        tally.add(scores_of(model, step, examples.ids, first, n, change), some_rows(examples.answers, first, n));
    });
    return tally.score(examples);
}

Tensor<double> attention_weights(const Probe& model, const Tensor<Index>& ids, Index layer) {
    Step<Real> step(model.tree());
    const Index heads = model.options().heads, length = ids.dim(1);
    Tensor<double> out({ids.dim(0), heads, length, length});
    in_pieces(ids.dim(0), [&](Index first, Index n) {
        std::vector<Tensor<Real>> weights;
        scores_of(model, step, ids, first, n, {}, &weights);
        const Tensor<double> w = cast<double>(weights[static_cast<std::size_t>(layer)]);
        std::copy_n(w.data(), w.size(), out.data() + first * heads * length * length);
    });
    return out;
}

Tensor<double> probabilities(const Probe& model, const Tensor<Index>& ids, const Change& change) {
    Step<Real> step(model.tree());
    const Index classes = model.options().answers;
    Tensor<double> out(model.options().every_position ? Shape{ids.dim(0), ids.dim(1), classes} : Shape{ids.dim(0), classes});
    in_pieces(ids.dim(0), [&](Index first, Index n) {
        const Tensor<double> p = softmax(cast<double>(scores_of(model, step, ids, first, n, change)));
        std::copy_n(p.data(), p.size(), out.data() + first * (out.size() / ids.dim(0)));
    });
    return out;
}

}  // namespace gradproof::experiments
