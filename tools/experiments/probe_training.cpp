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

Var<Real> loss_of(const Var<Real>& scores, const Examples& examples) { return cross_entropy(scores, {.ids = examples.answers}); }

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

/// Goes through `count` rows in pieces, so that many need little memory: body(first row, how many).
void in_pieces(Index count, auto&& body) {
    constexpr Index kRows = 500;
    for (Index first = 0; first < count; first += kRows) body(first, std::min(kRows, count - first));
}

/// The scores of some rows of ids, with a change; `weights` as in Probe::forward.
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

/// The sums of loss, right answers and rows without a wrong one.
struct Tally {
    double loss = 0;
    Index right = 0, whole = 0;

    void add(const Tensor<Real>& scores, const Tensor<Index>& answers) {
        const Index classes = scores.shape().last(0), rows = answers.dim(0), width = answers.size() / rows;
        loss += static_cast<double>(cross_entropy(scores, {.ids = answers}).item()) * static_cast<double>(rows);
        for (Index r = 0; r < rows; ++r) {
            bool all = true;
            for (Index p = 0; p < width; ++p) {
                const Real* s = scores.data() + (r * width + p) * classes;
                const bool hit = std::max_element(s, s + classes) - s == answers[r * width + p];
                right += hit;
                all = all && hit;
            }
            whole += all;
        }
    }
    Score score(const Examples& examples) const {
        const auto n = static_cast<double>(examples.count());
        return {loss / n, static_cast<double>(right) / (n * static_cast<double>(examples.answers_per_row())),
                static_cast<double>(whole) / n};
    }
};

}  // namespace

Examples Examples::rows(std::span<const Index> which) const {
    const auto n = static_cast<Index>(which.size());
    const Index length = ids.dim(1), width = answers_per_row();
    Examples out{Tensor<Index>({n, length}), answers.rank() == 1 ? Tensor<Index>({n}) : Tensor<Index>({n, width})};
    for (Index i = 0; i < n; ++i) {
        std::copy_n(ids.data() + which[static_cast<std::size_t>(i)] * length, length, out.ids.data() + i * length);
        std::copy_n(answers.data() + which[static_cast<std::size_t>(i)] * width, width, out.answers.data() + i * width);
    }
    return out;
}

Task expression_task(const Context& context) {
    const Expressions data = all_expressions();
    Split split = split_of(data.count(), 0.2, context.seed);
    if (context.effort == Effort::smoke) {
        split.training.resize(320);
        split.validation.resize(96);
    }
    const Examples all{Tensor<Index>::from({data.count(), kExpressionLength}, std::span<const Index>(data.tokens)),
                       Tensor<Index>::from({data.count()}, std::span<const Index>(data.answers))};
    return {all.rows(split.training), all.rows(split.validation)};
}

ProbeTraining::ProbeTraining(Learner& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed)
    : model_(model),
      examples_(examples),
      settings_(settings),
      seed_(seed),
      step_(model.tree()),
      optimiser_(model.tree(), {.weight_decay = settings.weight_decay}),
      schedule_{.kind = Schedule::Kind::cosine, .rate = settings.rate, .warmup = settings.warmup, .horizon = 0},
      rows_(static_cast<std::size_t>(examples.count())) {
    std::iota(rows_.begin(), rows_.end(), Index{0});
    schedule_.horizon = (settings.decay_epochs > 0 ? settings.decay_epochs : settings.epochs) * steps_per_epoch();
}

Index ProbeTraining::steps_per_epoch() const { return (examples_.count() + settings_.batch - 1) / settings_.batch; }

double ProbeTraining::step() {
    const Index epoch = steps_ / steps_per_epoch(), first = steps_ % steps_per_epoch() * settings_.batch;
    if (epoch != order_epoch_) {
        epoch_order(rows_, seed_, epoch, order_);
        order_epoch_ = epoch;
    }
    const auto rows = static_cast<std::size_t>(std::min(settings_.batch, examples_.count() - first));
    const Examples batch = examples_.rows(std::span(order_).subspan(static_cast<std::size_t>(first), rows));
    step_.begin();
    const Var<Real> loss = loss_of(model_.scores(step_, batch.ids), batch);
    const auto value = static_cast<double>(loss.value().item());
    if (steps_ == 0) first_loss_ = value;
    gradients_.clear();
    if (!std::isfinite(value)) return value;
    step_.backward(loss);
    for (int i = 0; i < model_.tree().size(); ++i) {
        double square = 0;
        if (step_.grad(i).defined())
            for (const Real g : step_.grad(i)) square += static_cast<double>(g) * static_cast<double>(g);
        gradients_.push_back({model_.tree()[i].name, std::sqrt(square), model_.tree()[i].value.size()});
    }
    const double norm = gradient_norm(step_, model_.tree());
    if (!std::isfinite(norm)) return NAN;
    optimiser_.update(step_, model_.tree(), schedule_.at(steps_ + 1), clip_factor(norm, settings_.clip));
    ++steps_;
    return value;
}

void ProbeTraining::run_to(Index epoch) {
    while (steps_ < epoch * steps_per_epoch())
        if (const double loss = step(); !std::isfinite(loss))
            value_error("training: the loss of step {} is {}, expected a finite one", steps_ + 1, loss);
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
