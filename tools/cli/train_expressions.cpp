// `gradproof train --task expressions`: the run, what is written into its folder, and the exit status.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/checkpoint.hpp"
#include "tools/cli/charts.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/json_line.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/cli/train_command.hpp"
#include "tools/cli/train_options.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

TrainOptions expression_options(const TrainCommand& c) {
    TrainOptions o = c.resume.empty() ? TrainOptions{} : read_config(c.resume);
    const Merge merge(c.resume);
    merge("--model", c.model, o.model, kModelNames);
    merge_common(merge, c, o);
    merge("--decay-epochs", c.decay_epochs, o.decay_epochs);
    if (c.epochs) o.epochs = *c.epochs;
    validate(o);
    return o;
}

std::vector<std::string> token_labels(const Expressions& data, Index row) {
    std::vector<std::string> out;
    for (const Index id : data.row(row)) out.emplace_back(kTokens[static_cast<std::size_t>(id)]);
    return out;
}

/// The mean over heads of w [heads, L, L].
Tensor<double> head_mean(const Tensor<double>& w) {
    Tensor<double> out({w.dim(1), w.dim(2)}, 0.0);
    for (Index i = 0; i < w.size(); ++i) out[i % out.size()] += w[i] / static_cast<double>(w.dim(0));
    return out;
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

RunHeader header_of(const Training& t, const std::string& folder) {
    const TrainOptions& o = t.options();
    const ModelOptions sizes;
    const std::string model = name_of(kModelNames, o.model), dtype = name_of(kPrecisionNames, o.precision);
    return {
        .task = "expressions",
        .words = fmt::format("model {}  seed {}  type {}", model, o.seed, dtype),
        .folder = folder,
        .lines = {fmt::format("ids [{}, {}] -> scores [{}, {}]   {} parameters", o.batch, sizes.length, o.batch, sizes.answers,
                              t.parameter_count()),
                  fmt::format("{} epochs of {} steps, batch {}, {} lr {:g}, clip {:g}", o.epochs, t.steps_per_epoch(), o.batch,
                              name_of(kOptimiserNames, o.optimiser.kind), o.rate, o.clip)},
        .json = {{"model", model}, {"dtype", dtype}, {"seed", o.seed}, {"epochs", o.epochs}, {"batch", o.batch}, {"lr", o.rate}}};
}

void print_patterns(const std::vector<std::string>& tokens, const std::string& expression, const Tensor<double>& before,
                    const Tensor<double>& after) {
    const std::string heads = before.dim(0) == 1 ? "" : fmt::format(", mean of {} heads", before.dim(0));
    for (const auto& [stage, w] : {std::pair("before", &before), std::pair("after", &after)})
        fmt::print("\nattention of {} {} training (each row: what that token attends to{})\n{}", expression, stage, heads,
                   heat_table(head_mean(*w), tokens, tokens));
}

}  // namespace

int train_expressions(const TrainCommand& c) {
    // Everything that can be wrong with the request is found before anything is made.
    if (c.require && !(*c.require >= 0 && *c.require <= 1))
        value_error("train: --require is {}, expected a number in [0, 1]", *c.require);
    const TrainOptions options = expression_options(c);
    const Index row = find_expression(c.expression.value_or("Max(1,6,2)"));
    IntervalLog log(c.log);
    const std::unique_ptr<Training> training =
        c.resume.empty() ? make_training(options) : load_checkpoint(c.resume, options.epochs);
    if (training->steps_done() > 0 && training->steps_done() >= training->steps_total())
        value_error("train: nothing left to do: {} has {} of {} steps; --epochs counts from the start, ask for more than {}",
                    c.resume, training->steps_done(), training->steps_total(), options.epochs);
    std::string default_out = "runs/" + std::string(kModelNames[static_cast<std::size_t>(options.model)]);
    if (!c.resume.empty()) default_out = c.resume;
    OutFolder folder("train", c.out.empty() ? default_out : c.out,
                     {"model.safetensors", "config.json", "loss.csv", "attention.csv"});
    Trace trace(c.trace, *training);

    const Expressions data = all_expressions();
    const Tensor<double> before = make_training(options)->attention(row);
    folder.make();
    log.open(training->steps_done());
    std::vector<IntervalReport> history;
    if (!c.resume.empty()) history = read_intervals(fs::path(c.resume) / "loss.csv", training->steps_done());

    TrainReport report(c.json ? TrainReport::Style::json : TrainReport::Style::text);
    report.header(*training, header_of(*training, folder.path().string()));
    const auto save = [&] {
        write_intervals(folder.path(), history);
        save_checkpoint(*training, folder.path());
    };
    const RunSummary outcome = watch(*training, {.report = report,
                                                 .log = log,
                                                 .trace = trace,
                                                 .history = history,
                                                 .batch = [&] { return training->batch_rows(); },
                                                 .after_step =
                                                     [&](const StepReport& s) {
                                                         if (c.save_every && s.step % *c.save_every == 0) save();
                                                     }});
    if (outcome.end == RunSummary::End::diverged) return report_divergence(*training, outcome, c.json);

    const Tensor<double> after = training->attention(row);
    const std::vector<std::string> tokens = token_labels(data, row);
    save();
    write_file_atomically(folder.path() / "attention.csv", std::string_view(attention_csv(tokens, before, after)));
    if (trace.on())
        trace.write(
            {options.batch},
            {{"tokens", from_tensor(Tensor<Index>::from({data.count(), kExpressionLength}, std::span<const Index>(data.tokens)))},
             {"answers", from_tensor(Tensor<Index>::from({data.count()}, std::span<const Index>(data.answers)))}});

    const bool stopped = outcome.end == RunSummary::End::stopped;
    const bool reached = !c.require || outcome.validation.accuracy >= *c.require;
    const double rate = outcome.seconds > 0 ? static_cast<double>(outcome.steps) / outcome.seconds : 0;
    const std::string resume = resume_command(c, folder.path());
    const Tensor<double> p = training->probabilities(row);
    const auto said = static_cast<Index>(std::max_element(p.begin(), p.end()) - p.begin());
    if (c.json) {
        Json event{{"event", stopped ? "stopped" : "done"},
                   {"val_accuracy", outcome.validation.accuracy},
                   {"loss", outcome.last_loss},
                   {"val_loss", outcome.validation.loss},
                   {"steps", outcome.steps},
                   {"steps_done", training->steps_done()},
                   {"seconds", outcome.seconds},
                   {"steps_per_second", rate},
                   {"out", folder.path().string()}};
        if (stopped) event["resume"] = resume;
        if (c.require) event["required"] = *c.require;
        fmt::print("{}", json_line(event));
    } else {
        print_losses(history, {});
        print_patterns(tokens, expression_text(data, row), before, after);
        fmt::print("\n{} is {}; the model says {} with probability {:.3f}\n", expression_text(data, row),
                   data.answers[static_cast<std::size_t>(row)], said, p[said]);
        fmt::print("{} after step {} of {}: validation accuracy {:.2f} % ({}), validation loss {:.3e}, {:.0f} steps/s\n",
                   stopped ? "stopped" : "done", training->steps_done(), training->steps_total(),
                   100 * outcome.validation.accuracy, duration(outcome.seconds), outcome.validation.loss, rate);
        fmt::print("files   {}   (parameters, optimiser state)\n        {}\n        {}\n        {}\n",
                   model_file(folder.path()).string(), config_file(folder.path()).string(), (folder.path() / "loss.csv").string(),
                   (folder.path() / "attention.csv").string());
        if (!c.log.empty()) fmt::print("        {}\n", c.log);
        if (trace.on()) fmt::print("        {}\n", c.trace);
        if (stopped) fmt::print("resume  {}\n", resume);
    }
    std::fflush(stdout);
    log.expect_written();
    if (stopped) return kInterrupted;
    if (!reached) {
        fmt::print(stderr, "gradproof: train: validation accuracy is {:.4f}, --require asks for {}\n",
                   outcome.validation.accuracy, *c.require);
        return kWrong;
    }
    return kOk;
}

}  // namespace gradproof::cli
