// Training on text: windows at random places, evaluation over what is held out, samples.
#include "gradproof/nn/train/text_training.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/nn/train/config.hpp"
#include "gradproof/nn/train/typed_run.hpp"
#include "gradproof/ops/cross_entropy.hpp"

namespace gradproof {
namespace {

constexpr Index kReportWindows = 32;        // at most so many are evaluated for a report
constexpr std::size_t kEntropyWindows = 2;  // ... and for so many the attention weights are looked at
constexpr Index kIgnored = -1;

UpdateOptions update_of(const TextTrainOptions& o) {
    return {.optimiser = o.optimiser,
            .schedule = {.kind = Schedule::Kind::cosine, .rate = o.rate, .warmup = o.warmup, .horizon = o.decay_steps},
            .clip = o.clip};
}

template <class T>
class TextRun final : public TypedRun<T, TextTraining, LanguageModel<T>> {
    using Base = TypedRun<T, TextTraining, LanguageModel<T>>;
    using Base::model_, Base::step_, Base::steps_done;

  public:
    TextRun(const TextTrainOptions& options, std::unique_ptr<TextData> data)
        : Base(std::make_unique<LanguageModel<T>>(options.model, options.seed), update_of(options)),
          options_(options),
          data_(std::move(data)),
          text_model_(text_model(model_, data_->vocabulary())) {}

    const TextTrainOptions& options() const override { return options_; }
    const TextData& data() const override { return *data_; }
    std::string config() const override {
        return config_text(options_, {data_->vocabulary(), data_->symbols(), data_->bytes(), data_->checksum()});
    }

    Tensor<Index> batch_ids() const override {
        Random places = Random(options_.seed, /*stream=*/0x7E37).stream(static_cast<std::uint64_t>(steps_done()));
        const Index length = context() + 1;
        Tensor<Index> out({options_.batch, length});
        for (Index r = 0; r < options_.batch; ++r)
            data_->read(places.below(data_->training().size() - context()),
                        {out.data() + r * length, static_cast<std::size_t>(length)});
        return out;
    }

    Evaluation evaluate() override {
        const SymbolRange out = data_->held_out();
        const Index first = std::min(out.end, out.begin + context()), count = std::min(kReportWindows, out.end - first + 1);
        std::vector<Window> windows;
        for (Index i = 0; i < count; ++i) {
            const Index end = first + (out.end - first) * i / std::max<Index>(1, count - 1);
            windows.push_back({end, std::min(context(), end - out.begin)});
        }
        Evaluation e;
        const Totals totals = score(windows);
        e.loss = totals.nats / static_cast<double>(totals.symbols);
        e.accuracy = static_cast<double>(totals.right) / static_cast<double>(totals.symbols);
        // One window at a time, so that no more is held than [heads, context, context] of a layer.
        for (std::size_t i = 0; i < std::min(kEntropyWindows, windows.size()); ++i)
            model_.attention_weights(step_, ids_of(std::span(windows).subspan(i, 1), {}), [&](const Tensor<T>& w) {
                e.attention = merged(e.attention, attention_stats(w, /*causal=*/true));
            });
        return e;
    }

    double held_out_bits() override {
        const SymbolRange out = data_->held_out();
        const Index half = std::max<Index>(1, context() / 2);
        std::vector<Window> windows;
        for (Index at = out.begin; at < out.end; at += half) {
            const Index end = std::min(at + half, out.end);
            windows.push_back({end, end - at});
        }
        return score(windows).nats / std::log(2.0) / static_cast<double>(data_->characters(out));
    }

    TextModel& model() override { return *text_model_; }

  private:
    /// The `context` positions before symbol `end`. Each predicts the symbol after it; the last `scored` predictions count.
    struct Window {
        Index end, scored;
    };
    struct Totals {
        double nats = 0;
        Index symbols = 0, right = 0;
    };

    Index context() const { return options_.model.context; }

    Var<T> batch_loss() override {
        const Tensor<Index> windows = batch_ids();
        Tensor<Index> ids({options_.batch, context()}), next({options_.batch, context()});
        for (Index r = 0; r < options_.batch; ++r) {
            const Index* row = windows.data() + r * (context() + 1);
            std::copy(row, row + context(), ids.data() + r * context());
            std::copy(row + 1, row + 1 + context(), next.data() + r * context());
        }
        return cross_entropy(model_.forward(step_, ids), {.ids = next});
    }

    /// The inputs of windows; `next`, where it is defined, takes the symbol that each position is to predict.
    Tensor<Index> ids_of(std::span<const Window> windows, Tensor<Index> next) const {
        const Index length = context();
        Tensor<Index> ids({static_cast<Index>(windows.size()), length});
        std::vector<Index> symbols(static_cast<std::size_t>(length + 1));
        for (std::size_t r = 0; r < windows.size(); ++r) {
            data_->read(windows[r].end - length - 1, symbols);
            const Index row = static_cast<Index>(r) * length;
            for (Index i = 0; i < length; ++i) {
                ids[row + i] = symbols[static_cast<std::size_t>(i)];
                if (next.defined())
                    next[row + i] = i < length - windows[r].scored ? kIgnored : symbols[static_cast<std::size_t>(i + 1)];
            }
        }
        return ids;
    }

    Totals score(std::span<const Window> windows) {
        Totals out;
        step_.begin_evaluation();
        for (std::size_t at = 0; at < windows.size(); at += static_cast<std::size_t>(options_.batch)) {
            const auto some = windows.subspan(at, std::min(static_cast<std::size_t>(options_.batch), windows.size() - at));
            Tensor<Index> next({static_cast<Index>(some.size()), context()});
            const Var<T> scores = model_.forward(step_, ids_of(some, next));
            out.nats += static_cast<double>(
                cross_entropy(scores, {.ids = next, .ignore_index = kIgnored, .reduction = Reduction::sum}).value().item());
            out.right += count_right(scores.value(), next, kIgnored);
            out.symbols += next.size() - std::count(next.begin(), next.end(), kIgnored);
        }
        return out;
    }

    TextTrainOptions options_;
    std::unique_ptr<TextData> data_;
    std::unique_ptr<TextModel> text_model_;
};

}  // namespace

std::unique_ptr<TextTraining> make_text_training(const TextTrainOptions& given) {
    validate(given);
    TextTrainOptions options = given;
    auto data = std::make_unique<TextData>(options.data, options.text);
    options.model.vocabulary = data->vocabulary().size();
    if (options.decay_steps == 0) options.decay_steps = options.steps;
    validate(options.model);
    const Index needed = options.model.context + 1;
    if (data->training().size() < needed)
        value_error("train: {} is too short for this context: {} symbols to train on, context is {}, which needs {} at least",
                    options.data, data->training().size(), options.model.context, needed);
    if (data->held_out().size() < 1)
        value_error("train: {} is too short: nothing is left to hold out of {} symbols", options.data, data->symbols());
    if (options.precision == Precision::f64) return std::make_unique<TextRun<double>>(options, std::move(data));
    return std::make_unique<TextRun<float>>(options, std::move(data));
}

}  // namespace gradproof
