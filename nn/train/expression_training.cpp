// Training on the expressions: batches, evaluation, and what the model attends to and answers for a row.
#include "gradproof/nn/train/expression_training.hpp"

#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/config.hpp"
#include "gradproof/nn/train/typed_run.hpp"
#include "gradproof/ops/cross_entropy.hpp"
#include "gradproof/ops/softmax.hpp"

namespace gradproof {
namespace {

UpdateOptions update_of(const ExpressionTrainOptions& o, Index steps_per_epoch) {
    return {.optimiser = o.optimiser,
            .schedule = {.kind = o.decay_epochs > 0 ? Schedule::Kind::cosine : Schedule::Kind::constant,
                         .rate = o.rate,
                         .warmup = o.warmup,
                         .horizon = o.decay_epochs * steps_per_epoch},
            .clip = o.clip,
            .decay_until = suited(o).weight_decay_epochs * steps_per_epoch};
}

template <class T>
class TypedExpressionTraining final : public TypedRun<T, ExpressionTraining, Model<T>> {
    using Base = TypedRun<T, ExpressionTraining, Model<T>>;
    using Base::model_, Base::step_, Base::steps_done;

  public:
    TypedExpressionTraining(const ExpressionTrainOptions& options, Split split, EpochBatches batches)
        : Base(make_model<T>(options.model, {.embedding_spread = suited(options).embedding_spread}, options.seed),
               update_of(options, batches.per_epoch())),
          options_(options),
          data_(all_expressions()),
          split_(std::move(split)),
          batches_(std::move(batches)),
          validation_(data_.rows(split_.validation)) {}

    const ExpressionTrainOptions& options() const override { return options_; }
    Index steps_per_epoch() const override { return batches_.per_epoch(); }
    std::string config() const override { return config_text(options_); }

    Evaluation evaluate() override {
        const Tensor<T> scores = scores_of(validation_.ids);
        const auto right = static_cast<double>(count_right(scores, validation_.answers));
        return {.loss = static_cast<double>(cross_entropy(scores, {.ids = validation_.answers}).item()),
                .accuracy = right / static_cast<double>(validation_.count()),
                .attention = attention_stats(model_.attention_weights(step_, validation_.ids))};
    }

    Tensor<double> attention(Index row) override {
        step_.begin_evaluation();
        const Tensor<double> w = cast<double>(model_.attention_weights(step_, ids_of(row)));
        return w.reshape({w.dim(1), w.dim(2), w.dim(3)});
    }

    Tensor<double> probabilities(Index row) override { return softmax(cast<double>(scores_of(ids_of(row)))).reshape({-1}); }
    const std::vector<Index>& validation_rows() const override { return split_.validation; }

    std::vector<Index> batch_rows() override {
        const std::span<const Index> rows = batches_.of_step(steps_done());
        return {rows.begin(), rows.end()};
    }

  private:
    Var<T> batch_loss() override {
        const Examples batch = data_.rows(batches_.of_step(steps_done()));
        return cross_entropy(model_.forward(step_, batch.ids), {.ids = batch.answers});
    }
    Tensor<T> scores_of(const Tensor<Index>& ids) {
        step_.begin_evaluation();
        return model_.forward(step_, ids).value();
    }
    Tensor<Index> ids_of(Index row) const { return data_.rows({&row, 1}).ids; }

    ExpressionTrainOptions options_;
    Examples data_;
    Split split_;
    EpochBatches batches_;
    Examples validation_;
};

}  // namespace

std::unique_ptr<ExpressionTraining> make_expression_training(const ExpressionTrainOptions& options) {
    validate(options);
    Split split = split_rows(all_expressions().count(), options.validation_share, options.seed);
    const auto rows = static_cast<Index>(split.training.size());
    if (options.batch > rows) value_error("train: batch is {}, there are {} training rows", options.batch, rows);
    EpochBatches batches(split.training, options.batch, options.seed);
    if (options.precision == Precision::f64)
        return std::make_unique<TypedExpressionTraining<double>>(options, std::move(split), std::move(batches));
    return std::make_unique<TypedExpressionTraining<float>>(options, std::move(split), std::move(batches));
}

}  // namespace gradproof
