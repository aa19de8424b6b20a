// Training and evaluating a probe.
#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "nn/tasks/expressions.hpp"
#include "ops/cross_entropy.hpp"
#include "ops/softmax.hpp"
#include "tools/experiments/probe.hpp"

namespace gradproof::experiments {
namespace {

Var<Real> loss_of(const Var<Real>& scores, const Examples& examples) { return cross_entropy(scores, {.ids = examples.answers}); }

/// Evaluates in pieces, so that a large set needs little memory: body(first row, its scores).
void in_pieces(const Probe& model, const Tensor<Index>& ids, const Change& change, auto&& body) {
    constexpr Index kRows = 500;
    if (change.value_order.defined() && !(change.value_order.shape() == Shape{ids.dim(0), ids.dim(1), ids.dim(1)}))
        shape_error("probe: value_order is {}, ids are {}", change.value_order.shape(), ids.shape());
    Step<Real> step(model.tree());
    std::vector<Index> which;
    for (Index first = 0; first < ids.dim(0); first += kRows) {
        const Index n = std::min(kRows, ids.dim(0) - first);
        Tensor<Index> piece({n, ids.dim(1)});
        std::copy_n(ids.data() + first * ids.dim(1), piece.size(), piece.data());
        Change part = change;
        if (change.value_order.defined()) {
            part.value_order = Tensor<Real>({n, ids.dim(1), ids.dim(1)});
            std::copy_n(change.value_order.data() + first * ids.dim(1) * ids.dim(1), part.value_order.size(), part.value_order.data());
        }
        step.begin_evaluation();
        std::vector<Tensor<Real>> weights;
        const Var<Real> scores = model.forward(step, piece, part, &weights);
        body(first, scores.value(), weights);
    }
}

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

Task expression_task(std::uint64_t seed) {
    const Expressions data = all_expressions();
    const Split split = split_of(data.count(), 0.2, seed);
    const Examples all{Tensor<Index>::from({data.count(), kExpressionLength}, std::span<const Index>(data.tokens)),
                       Tensor<Index>::from({data.count()}, std::span<const Index>(data.answers))};
    return {all.rows(split.training), all.rows(split.validation)};
}

ProbeTraining::ProbeTraining(Probe& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed)
    : model_(model), examples_(examples), settings_(settings), seed_(seed), step_(model.tree()), optimiser_(model.tree(), {.weight_decay = settings.weight_decay}),
      schedule_{.kind = Schedule::Kind::cosine, .rate = settings.rate, .warmup = settings.warmup, .horizon = 0}, order_(static_cast<std::size_t>(examples.count())) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<Index>(i);
    schedule_.horizon = (settings.decay_epochs > 0 ? settings.decay_epochs : settings.epochs) * steps_per_epoch();
    for (int i = 0; i < model.tree().size(); ++i) gradients_.push_back({model.tree()[i].name, 0, model.tree()[i].value.size()});
}

Index ProbeTraining::steps_per_epoch() const { return (examples_.count() + settings_.batch - 1) / settings_.batch; }

double ProbeTraining::step() {
    const Index epoch = steps_ / steps_per_epoch(), first = steps_ % steps_per_epoch() * settings_.batch;
    if (epoch != order_epoch_) {
        std::sort(order_.begin(), order_.end());
        order_ = epoch_order(order_, seed_, epoch);
        order_epoch_ = epoch;
    }
    const auto rows = static_cast<std::size_t>(std::min(settings_.batch, examples_.count() - first));
    const Examples batch = examples_.rows(std::span(order_).subspan(static_cast<std::size_t>(first), rows));
    step_.begin();
    const Var<Real> loss = loss_of(model_.forward(step_, batch.ids), batch);
    loss_ = static_cast<double>(loss.value().item());
    if (steps_ == 0) first_loss_ = loss_;
    if (!std::isfinite(loss_)) return loss_;
    step_.backward(loss);
    for (int i = 0; i < model_.tree().size(); ++i) {
        double square = 0;
        if (step_.grad(i).defined())
            for (const Real g : step_.grad(i)) square += static_cast<double>(g) * static_cast<double>(g);
        gradients_[static_cast<std::size_t>(i)].norm = std::sqrt(square);
    }
    const double norm = gradient_norm(step_, model_.tree());
    if (!std::isfinite(norm)) return loss_ = NAN;
    optimiser_.update(step_, model_.tree(), schedule_.at(steps_ + 1), clip_factor(norm, settings_.clip));
    ++steps_;
    return loss_;
}

void ProbeTraining::run_to(Index epoch) {
    while (steps_ < epoch * steps_per_epoch() && std::isfinite(step())) {
    }
}

void train(Probe& model, const Examples& examples, const ProbeSettings& settings, std::uint64_t seed) {
    ProbeTraining(model, examples, settings, seed).run_to(settings.epochs);
}

Score evaluate(const Probe& model, const Examples& examples, const Change& change) {
    Score out;
    const Index classes = model.options().answers, width = examples.answers_per_row();
    Index right = 0, whole = 0;
    double loss = 0;
    in_pieces(model, examples.ids, change, [&](Index first, const Tensor<Real>& scores, const std::vector<Tensor<Real>>&) {
        const Index rows = scores.size() / (classes * width);
        Tensor<Index> answers(rows * width == rows && examples.answers.rank() == 1 ? Shape{rows} : Shape{rows, width});
        std::copy_n(examples.answers.data() + first * width, answers.size(), answers.data());
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
    });
    const auto n = static_cast<double>(examples.count());
    out.loss = loss / n;
    out.accuracy = static_cast<double>(right) / (n * static_cast<double>(width));
    out.exact = static_cast<double>(whole) / n;
    return out;
}

Tensor<double> attention_weights(const Probe& model, const Tensor<Index>& ids, Index layer) {
    const Index n = ids.dim(0), heads = model.options().heads, length = ids.dim(1), size = heads * length * length;
    Tensor<double> out({n, heads, length, length});
    in_pieces(model, ids, {}, [&](Index first, const Tensor<Real>&, const std::vector<Tensor<Real>>& weights) {
        const Tensor<Real>& w = weights[static_cast<std::size_t>(layer)];
        for (Index i = 0; i < w.size(); ++i) out[first * size + i] = static_cast<double>(w[i]);
    });
    return out;
}

Tensor<double> probabilities(const Probe& model, const Tensor<Index>& ids, const Change& change) {
    const Index classes = model.options().answers;
    Tensor<double> out(model.options().every_position ? Shape{ids.dim(0), ids.dim(1), classes} : Shape{ids.dim(0), classes});
    in_pieces(model, ids, change, [&](Index first, const Tensor<Real>& scores, const std::vector<Tensor<Real>>&) {
        const Tensor<double> p = softmax(cast<double>(scores));
        std::copy_n(p.data(), p.size(), out.data() + first * (out.size() / ids.dim(0)));
    });
    return out;
}

}  // namespace gradproof::experiments
