// The training loop, evaluation, and the search for the first tensor that went bad.
#include "nn/trainer.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "ops/cross_entropy.hpp"
#include "ops/softmax.hpp"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class T>
bool all_finite(const Tensor<T>& x) {
    for (const T v : x)
        if (!std::isfinite(v)) return false;
    return true;
}

/// The mean entropy of the rows of w [..., n] over log n, of the largest one possible.
template <class T>
double relative_entropy(const Tensor<T>& w) {
    const Index n = w.shape().last(0);
    if (n < 2 || w.size() == 0) return 0;
    double total = 0;
    for (const T p : w)
        if (p > T(0)) total -= static_cast<double>(p) * std::log(static_cast<double>(p));
    return total / (static_cast<double>(w.size() / n) * std::log(static_cast<double>(n)));
}

template <class T>
class TypedTraining final : public Training {
  public:
    explicit TypedTraining(const TrainOptions& options)
        : options_(options), data_(all_expressions()), split_(split_of(data_.count(), options.validation_share, options.seed)),
          model_(make_model<T>(options.model, options.sizes, options.seed)), step_(model_->tree()),
          optimiser_(model_->tree(), options.optimiser),
          schedule_{.kind = options.decay_epochs > 0 ? Schedule::Kind::cosine : Schedule::Kind::constant, .rate = options.rate,
                    .warmup = options.warmup, .horizon = 0} {
        const auto rows = static_cast<Index>(split_.training.size());
        if (options.batch > rows) value_error("train: batch is {}, there are {} training rows", options.batch, rows);
        schedule_.horizon = options.decay_epochs * steps_per_epoch();
        full_ = Batch(options.batch);
        if (rows % options.batch != 0) rest_ = Batch(rows % options.batch);
    }

    const TrainOptions& options() const override { return options_; }
    Index steps_done() const override { return steps_done_; }
    Index steps_per_epoch() const override {
        return (static_cast<Index>(split_.training.size()) + options_.batch - 1) / options_.batch;
    }
    Index parameter_count() const override { return model_->tree().count(); }
    std::vector<std::pair<std::string, Shape>> parameter_shapes() const override {
        std::vector<std::pair<std::string, Shape>> out;
        for (int i = 0; i < tree().size(); ++i) out.emplace_back(tree()[i].name, tree()[i].shape);
        return out;
    }

    StepReport step() override {
        const Batch& batch = load_batch();
        step_.begin();
        const Var<T> loss = loss_of(batch);
        StepReport report{.step = steps_done_ + 1, .loss = static_cast<double>(loss.value().item()), .rate = schedule_.at(steps_done_ + 1)};
        if (!std::isfinite(report.loss)) return report;
        step_.backward(loss);
        report.gradient_norm = gradient_norm(step_, model_->tree());
        if (!std::isfinite(report.gradient_norm)) return report;
        optimiser_.update(step_, model_->tree(), report.rate, clip_factor(report.gradient_norm, options_.clip));
        ++steps_done_;
        return report;
    }

    Outcome run(const Callbacks& callbacks) override {
        Outcome out;
        double loss_sum = 0;
        Index in_interval = 0;
        bool evaluated = false;
        const auto start_of_run = Clock::now();
        while (steps_done_ < steps_total()) {
            if (callbacks.stop && callbacks.stop->load()) {
                out.end = Outcome::End::stopped;
                break;
            }
            const auto start = Clock::now();
            const StepReport report = step();
            out.seconds += seconds_since(start);
            out.last_loss = report.loss;
            if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
                out.end = Outcome::End::diverged;
                out.first_bad = first_bad_tensor();
                return out;
            }
            ++out.steps;
            ++in_interval;
            loss_sum += report.loss;
            if (callbacks.on_step) callbacks.on_step(report);
            if (steps_done_ % steps_per_epoch() != 0) continue;
            out.validation = evaluate();
            evaluated = true;
            const auto left = static_cast<double>(steps_total() - steps_done_);
            if (callbacks.on_interval)
                callbacks.on_interval({.epoch = steps_done_ / steps_per_epoch(), .step = steps_done_, .steps = steps_total(),
                                       .loss = loss_sum / static_cast<double>(in_interval), .validation = out.validation,
                                       .gradient_norm = report.gradient_norm, .rate = report.rate,
                                       .ms_per_step = 1e3 * out.seconds / static_cast<double>(out.steps),
                                       .eta_seconds = left * seconds_since(start_of_run) / static_cast<double>(out.steps)});
            loss_sum = 0;
            in_interval = 0;
        }
        if (!evaluated || steps_done_ % steps_per_epoch() != 0) out.validation = evaluate();
        return out;
    }

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
        out.attention_entropy = relative_entropy(model_->attention_weights(step_, all_validation_.ids));
        return out;
    }

    std::string first_bad_tensor() override {
        const Batch& batch = load_batch();
        Tape<T>& tape = step_.tape();
        tape.keep_values(true);
        tape.keep_cotangents(true);
        step_.begin();
        const Var<T> loss = loss_of(batch);
        std::string found;
        for (int id = 0; id < tape.nodes() && found.empty(); ++id)
            if (!all_finite(tape.value(id))) found = describe_node(id);
        if (found.empty()) {
            step_.backward(loss);
            for (int id = tape.nodes() - 1; id >= 0 && found.empty(); --id)
                if (tape.cotangent(id).defined() && !all_finite(tape.cotangent(id))) found = "the gradient of " + describe_node(id);
        }
        tape.keep_values(false);
        tape.keep_cotangents(false);
        return found;
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
        const Index first = steps_done_ % steps_per_epoch() * options_.batch;
        const std::vector<Index> order = epoch_order(split_.training, options_.seed, steps_done_ / steps_per_epoch());
        const Index last = std::min(first + options_.batch, static_cast<Index>(order.size()));
        return {order.begin() + first, order.begin() + last};
    }

    std::vector<NamedArray> tensors() const override {
        std::vector<NamedArray> out;
        each_tensor([&](const std::string& name, const Tensor<T>& t) { out.push_back({name, from_tensor(t)}); });
        return out;
    }

    void restore(const std::vector<NamedArray>& tensors, Index steps_done, std::string_view source) override {
        const DType expected = std::is_same_v<T, float> ? DType::f32 : DType::f64;
        std::size_t used = 0;
        // Everything is checked before anything is taken.
        each_tensor([&](const std::string& name, const Tensor<T>& t) {
            const Array* a = find_array(tensors, name);
            if (!a) io_error("{}: the tensor {} is missing", source, name);
            if (!(a->shape == t.shape())) io_error("{}: {} is {}, the model has {}", source, name, a->shape, t.shape());
            if (a->dtype != expected) io_error("{}: {} is {}, the run is {}", source, name, dtype_name(a->dtype), dtype_name(expected));
            ++used;
        });
        if (used != tensors.size()) io_error("{}: {} tensors, the run has {}", source, tensors.size(), used);
        if (steps_done < 0) io_error("{}: the number of steps done is {}", source, steps_done);
        each_tensor([&](const std::string& name, const Tensor<T>& t) {
            const Tensor<T> from = to_tensor<T>(*find_array(tensors, name), name);
            Tensor<T> to = t;  // the same buffer: leaves and state keep theirs
            std::copy(from.begin(), from.end(), to.begin());
        });
        steps_done_ = steps_done;
        optimiser_.set_updates(steps_done);
        order_epoch_ = -1;
    }

  private:
    struct Batch {
        Batch() = default;
        explicit Batch(Index rows) : ids(Shape{rows, kExpressionLength}), answers(Shape{rows}) {}
        Tensor<Index> ids, answers;
    };

    ParameterTree<T>& tree() const { return model_->tree(); }
    Var<T> loss_of(const Batch& batch) const { return cross_entropy(model_->forward(step_, batch.ids), {.ids = batch.answers}); }

    void fill(Batch& batch, const Index* rows) const {
        for (Index i = 0; i < batch.answers.size(); ++i) {
            const auto tokens = data_.row(rows[i]);
            std::copy(tokens.begin(), tokens.end(), batch.ids.data() + i * kExpressionLength);
            batch.answers[i] = data_.answers[static_cast<std::size_t>(rows[i])];
        }
    }
    const Batch& load_batch() {
        const Index epoch = steps_done_ / steps_per_epoch(), first = steps_done_ % steps_per_epoch() * options_.batch;
        if (epoch != order_epoch_) {
            order_ = epoch_order(split_.training, options_.seed, epoch);
            order_epoch_ = epoch;
        }
        Batch& batch = first + options_.batch <= static_cast<Index>(order_.size()) ? full_ : rest_;
        fill(batch, order_.data() + first);
        return batch;
    }
    void each_tensor(auto&& visit) const {
        for (int i = 0; i < tree().size(); ++i) visit(tree()[i].name, tree()[i].value);
        auto& optimiser = const_cast<Optimiser<T>&>(optimiser_);  // handles on the same buffers
        for (int s = 0; s < optimiser.states(); ++s)
            for (int i = 0; i < tree().size(); ++i)
                visit(fmt::format("optimiser.{}.{}", optimiser.state_name(s), tree()[i].name), optimiser.state(s, i));
    }
    std::string describe_node(int id) const {
        const TapeLine line = step_.tape().line(id);
        if (line.op == "leaf") return fmt::format("parameter {} {}", line.name, line.shape);
        std::string inputs;
        for (const int i : line.inputs)
            if (i >= 0 && step_.tape().line(i).op == "leaf") inputs += (inputs.empty() ? " of " : ", ") + step_.tape().line(i).name;
        return fmt::format("output of {}{} (node %{}, {})", line.op, inputs, id, line.shape);
    }

    TrainOptions options_;
    Expressions data_;
    Split split_;
    std::unique_ptr<Model<T>> model_;
    Step<T> step_;
    Optimiser<T> optimiser_;
    Schedule schedule_;
    Batch full_, rest_, all_validation_;
    std::vector<Index> order_;
    Index order_epoch_ = -1;
    Index steps_done_ = 0;
};

void positive(std::string_view name, double value) {
    if (!(value > 0) || !std::isfinite(value)) value_error("train: {} is {}, expected a positive finite number", name, value);
}
void at_least(std::string_view name, Index value, Index low) {
    if (value < low) value_error("train: {} is {}, expected at least {}", name, value, low);
}

}  // namespace

void check(const TrainOptions& o) {
    at_least("epochs", o.epochs, 1);
    if (o.epochs > 1'000'000) value_error("train: epochs is {}, expected at most 1000000", o.epochs);
    at_least("batch", o.batch, 1);
    positive("lr", o.rate);
    if (!(o.clip >= 0) || !std::isfinite(o.clip)) value_error("train: clip is {}, expected a finite number, 0 for none", o.clip);
    at_least("warmup", o.warmup, 0);
    at_least("decay-epochs", o.decay_epochs, 0);
    if (o.warmup > 1'000'000'000) value_error("train: warmup is {}, expected at most 1000000000", o.warmup);
    if (o.decay_epochs > 1'000'000) value_error("train: decay-epochs is {}, expected at most 1000000", o.decay_epochs);
}

std::unique_ptr<Training> make_training(const TrainOptions& options) {
    check(options);
    if (options.precision == Precision::f64) return std::make_unique<TypedTraining<double>>(options);
    return std::make_unique<TypedTraining<float>>(options);
}

}  // namespace gradproof
