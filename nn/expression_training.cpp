// Training on the expressions: batches, evaluation, attention of a row.
#include "gradproof/nn/expression_training.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/nn/config.hpp"
#include "gradproof/nn/typed_run.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/softmax.hpp"

namespace gradproof {
namespace {

Index steps_in(const Split& split, Index batch) { return (static_cast<Index>(split.training.size()) + batch - 1) / batch; }

Schedule schedule_of(const TrainOptions& o, const Split& split) {
    return {.kind = o.decay_epochs > 0 ? Schedule::Kind::cosine : Schedule::Kind::constant,
            .rate = o.rate,
            .warmup = o.warmup,
            .horizon = o.decay_epochs * steps_in(split, o.batch)};
}

template <class T>
class TypedTraining final : public TypedRun<T, Training, Model<T>> {
    using Base = TypedRun<T, Training, Model<T>>;
    using Base::model_, Base::step_, Base::steps_done;

  public:
    TypedTraining(const TrainOptions& options, Split split)
        : Base(make_model<T>(options.model, {}, options.seed), options.optimiser, schedule_of(options, split), options.clip),
          options_(options),
          data_(all_expressions()),
          split_(std::move(split)) {
        const auto rows = static_cast<Index>(split_.training.size());
        if (options.batch > rows) value_error("train: batch is {}, there are {} training rows", options.batch, rows);
        full_ = Batch(options.batch);
        if (rows % options.batch != 0) rest_ = Batch(rows % options.batch);
    }

    const TrainOptions& options() const override { return options_; }
    Index steps_per_epoch() const override { return steps_in(split_, options_.batch); }
    std::string config() const override { return config_text(options_); }

    Evaluation evaluate() override {
        const auto n = static_cast<Index>(split_.validation.size());
        if (!all_validation_.ids.defined()) {
            all_validation_ = Batch(n);
            fill(all_validation_, split_.validation.data());
        }
        step_.begin_evaluation();
        const Var<T> scores = model_->forward(step_, all_validation_.ids);
        Evaluation out;
        out.loss = static_cast<double>(cross_entropy(scores, {.ids = all_validation_.answers}).value().item());
        Index right = 0;
        const Index classes = scores.shape().last(0);
        for (Index i = 0; i < n; ++i) {
            const T* row = scores.value().data() + i * classes;
            right += std::max_element(row, row + classes) - row == all_validation_.answers[i];
        }
        out.accuracy = static_cast<double>(right) / static_cast<double>(n);
        out.attention = attention_signs(model_->attention_weights(step_, all_validation_.ids));
        return out;
    }

    Tensor<double> attention(Index row) override {
        Batch one(1);
        fill(one, &row);
        step_.begin_evaluation();
        const Tensor<double> w = cast<double>(model_->attention_weights(step_, one.ids));
        return w.reshape({w.dim(1), w.dim(2), w.dim(3)});
    }

    Tensor<double> probabilities(Index row) override {
        Batch one(1);
        fill(one, &row);
        step_.begin_evaluation();
        return softmax(cast<double>(model_->forward(step_, one.ids).value())).reshape({-1});
    }
    const std::vector<Index>& validation_rows() const override { return split_.validation; }

    std::vector<Index> batch_rows() const override {
        const Index first = steps_done() % steps_per_epoch() * options_.batch;
        std::vector<Index> order;
        epoch_order(split_.training, options_.seed, steps_done() / steps_per_epoch(), order);
        const Index last = std::min(first + options_.batch, static_cast<Index>(order.size()));
        return {order.begin() + first, order.begin() + last};
    }

  private:
    struct Batch {
        Batch() = default;
        explicit Batch(Index rows) : ids(Shape{rows, kExpressionLength}), answers(Shape{rows}) {}
        Tensor<Index> ids, answers;
    };

    Var<T> batch_loss() override {
        const Batch& batch = load_batch();
        return cross_entropy(model_->forward(step_, batch.ids), {.ids = batch.answers});
    }

    void fill(Batch& batch, const Index* rows) const {
        for (Index i = 0; i < batch.answers.size(); ++i) {
            const auto tokens = data_.row(rows[i]);
            std::copy(tokens.begin(), tokens.end(), batch.ids.data() + i * kExpressionLength);
            batch.answers[i] = data_.answers[static_cast<std::size_t>(rows[i])];
        }
    }
    const Batch& load_batch() {
        const Index epoch = steps_done() / steps_per_epoch(), first = steps_done() % steps_per_epoch() * options_.batch;
        if (epoch != order_epoch_) {
            epoch_order(split_.training, options_.seed, epoch, order_);
            order_epoch_ = epoch;
        }
        Batch& batch = first + options_.batch <= static_cast<Index>(order_.size()) ? full_ : rest_;
        fill(batch, order_.data() + first);
        return batch;
    }

    TrainOptions options_;
    Expressions data_;
    Split split_;
    Batch full_, rest_, all_validation_;
    std::vector<Index> order_;
    Index order_epoch_ = -1;
};

void at_least(std::string_view name, Index value, Index low) {
    if (value < low) value_error("train: {} is {}, expected at least {}", name, value, low);
}

}  // namespace

void validate(const TrainOptions& o) {
    at_least("epochs", o.epochs, 1);
    if (o.epochs > 1'000'000) value_error("train: epochs is {}, expected at most 1000000", o.epochs);
    at_least("batch", o.batch, 1);
    validate_rate_and_clip(o.rate, o.clip);
    at_least("warmup", o.warmup, 0);
    at_least("decay-epochs", o.decay_epochs, 0);
    if (o.warmup > 1'000'000'000) value_error("train: warmup is {}, expected at most 1000000000", o.warmup);
    if (o.decay_epochs > 1'000'000) value_error("train: decay-epochs is {}, expected at most 1000000", o.decay_epochs);
}

std::unique_ptr<Training> make_training(const TrainOptions& options) {
    validate(options);
    Split split = split_of(all_expressions().count(), options.validation_share, options.seed);
    if (options.precision == Precision::f64) return std::make_unique<TypedTraining<double>>(options, std::move(split));
    return std::make_unique<TypedTraining<float>>(options, std::move(split));
}

}  // namespace gradproof
