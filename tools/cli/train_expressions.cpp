// `gradproof train --task expressions`: the run, and what the model attends to in one expression.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/train_command.hpp"
#include "tools/cli/train_gradients.hpp"
#include "tools/figures/heatmap.hpp"
#include "tools/figures/text_chart.hpp"

namespace gradproof::cli {
namespace {

std::string title_of(const char* stage, Index head, Index heads) {
    return heads == 1 ? fmt::format("{} training", stage) : fmt::format("head {}, {} training", head, stage);
}

/// Every head before training, and below it after; a single head beside itself.
figures::Figure attention_figure(const std::string& expression, const std::vector<std::string>& tokens,
                                 const Tensor<double>& before, const Tensor<double>& after) {
    const Index heads = before.dim(0);
    std::vector<figures::Figure> maps;
    for (const auto& [stage, w] : {std::pair("before", &before), std::pair("after", &after)})
        for (Index h = 0; h < heads; ++h)
            maps.push_back(figures::draw(figures::Heatmap{.title = title_of(stage, h, heads),
                                                          .values = figures::head_of(*w, h),
                                                          .row_labels = tokens,
                                                          .column_labels = tokens,
                                                          .row_axis = "query",
                                                          .column_axis = "key",
                                                          .unit = "weight",
                                                          .bar = h + 1 == heads}));
    return figures::grid("Attention of " + expression, maps, heads == 1 ? 2 : static_cast<int>(heads));
}

std::string attention_csv(const std::vector<std::string>& tokens, const Tensor<double>& before, const Tensor<double>& after) {
    std::string out = "stage,head,query,query_token,key,key_token,weight\n";
    const auto n = static_cast<Index>(tokens.size());
    const auto quoted = [](const std::string& t) { return t == "," ? "\",\"" : t; };
    const auto rows = [&](const char* stage, const Tensor<double>& w) {
        for (Index i = 0; i < w.size(); ++i) {
            const Index q = i / n % n, k = i % n;
            out += fmt::format("{},{},{},{},{},{},{}\n", stage, i / (n * n), q, quoted(tokens[static_cast<std::size_t>(q)]), k,
                               quoted(tokens[static_cast<std::size_t>(k)]), w[i]);
        }
    };
    rows("before", before);
    rows("after", after);
    return out;
}

/// Training on the expressions, and what the model attends to in one of them before and after.
class ExpressionTask final : public TrainTask {
  public:
    ExpressionTask(const TrainCommand& c, const TypedOptions& typed) : c_(c) {
        if (!c.resume.empty()) options_ = read_expression_options(c.resume);
        typed.merge_into(options_, c.resume);
        validate(options_);
        files = {"model.safetensors", "config.json", "loss.csv", kGradientsCsv, kGradientsSvg, "attention.csv", "attention.svg"};
        default_folder = "runs/" + name_of(options_.model);
        length_option = "epochs";
        row_ = find_expression(c.expression.empty() ? "Max(1,6,2)" : c.expression);
    }
    TrainingRun& make_run(OutFolder& folder) override {
        folder_ = &folder;
        run_ = c_.resume.empty() ? make_expression_training(options_) : load_expression_checkpoint(c_.resume, options_);
        return *run_;
    }
    Index default_save_every() const override { return 0; }
    RunHeader header() const override;
    LossUnit unit() const override { return {}; }
    std::vector<Index> batch() override { return run_->batch_rows(); }
    Shape batch_shape() const override { return {options_.batch}; }
    std::vector<NamedArray> data() const override {
        return {{"tokens", from_tensor(data_.ids)}, {"answers", from_tensor(data_.answers)}};
    }
    void begin() override { before_ = make_expression_training(options_)->attention(row_); }
    void end() override { probabilities_ = run_->probabilities(row_); }
    void before_save() override {
        after_ = run_->attention(row_);
        write_file_atomically(folder_->path() / "attention.csv",
                              std::string_view(attention_csv(token_texts(data_.row(row_)), before_, after_)));
    }
    void after_save() override {
        const std::vector<std::string> tokens = token_texts(data_.row(row_));
        const figures::Figure picture = attention_figure(expression_text(data_.row(row_)), tokens, before_, after_);
        write_file_atomically(folder_->path() / "attention.svg", std::string_view(figures::svg_document(picture)));
    }
    void print_results() const override;
    std::string reached(const RunSummary& s) const override {
        return fmt::format("validation accuracy {:.2f} % ({}), validation loss {:.3e}", 100 * s.validation.accuracy,
                           duration(s.seconds), s.validation.loss);
    }
    std::string missed(const RunSummary& s) const override {
        if (!c_.require || s.validation.accuracy >= *c_.require) return "";
        return fmt::format("validation accuracy is {:.4f}, --require asks for {}", s.validation.accuracy, *c_.require);
    }

  private:
    const TrainCommand& c_;
    ExpressionTrainOptions options_;
    Index row_ = 0;
    OutFolder* folder_ = nullptr;
    std::unique_ptr<ExpressionTraining> run_;
    const Examples data_ = all_expressions();
    Tensor<double> before_, after_, probabilities_;
};

RunHeader ExpressionTask::header() const {
    const ExpressionTrainOptions& o = options_;
    const ModelOptions sizes;
    const std::string model = name_of(o.model), dtype = name_of(o.precision);
    return {
        .task = "expressions",
        .words = fmt::format("model {}  seed {}  type {}", model, o.seed, dtype),
        .lines = {fmt::format("ids [{}, {}] -> scores [{}, {}]   {} parameters", o.batch, sizes.length, o.batch, sizes.answers,
                              run_->parameter_count()),
                  fmt::format("{} epochs of {} steps, batch {}, {} lr {:g}, clip {:g}", o.epochs, run_->steps_per_epoch(),
                              o.batch, name_of(o.optimiser.kind), o.rate, o.clip)},
        .json = {{"model", model}, {"dtype", dtype}, {"seed", o.seed}, {"epochs", o.epochs}, {"batch", o.batch}, {"lr", o.rate}}};
}

void ExpressionTask::print_results() const {
    const std::vector<std::string> tokens = token_texts(data_.row(row_));
    const std::string expression = expression_text(data_.row(row_));
    fmt::print("\nattention of {} (each row: what that token attends to)\n", expression);
    for (const auto& [stage, w] : {std::pair("before", &before_), std::pair("after", &after_)})
        for (Index h = 0; h < w->dim(0); ++h)
            fmt::print("\n{}\n{}", title_of(stage, h, w->dim(0)), figures::heat_table(figures::head_of(*w, h), tokens, tokens));
    const auto answer = std::max_element(probabilities_.begin(), probabilities_.end()) - probabilities_.begin();
    fmt::print("\n{} is {}; the model says {} with probability {:.3f}\n", expression, data_.answers[row_], answer,
               probabilities_[answer]);
}

}  // namespace

std::unique_ptr<TrainTask> expression_task(const TrainCommand& c, const TypedOptions& typed) {
    return std::make_unique<ExpressionTask>(c, typed);
}

}  // namespace gradproof::cli
