// `gradproof train`: options, the run, what is written into its folder, and the exit status.
#include "tools/cli/train_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "core/io/npz.hpp"
#include "nn/checkpoint.hpp"
#include "tools/cli/charts.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kInterrupted = 130;  // as a shell reports SIGINT

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// While one lives, the first Ctrl-C asks for a stop between two steps and the second ends the program.
class InterruptScope {
  public:
    InterruptScope() {
        interrupted = false;
        struct sigaction action {};
        action.sa_handler = [](int) { interrupted = true; };
        action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
        sigaction(SIGINT, &action, &old_int_);
        sigaction(SIGTERM, &action, &old_term_);
    }
    ~InterruptScope() {
        sigaction(SIGINT, &old_int_, nullptr);
        sigaction(SIGTERM, &old_term_, nullptr);
    }
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

  private:
    struct sigaction old_int_ {}, old_term_ {};
};

template <class E, std::size_t N>
E one_of(std::string_view option, const std::string& name, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<E>(i);
    std::string known;
    for (const auto n : names) known += (known.empty() ? "" : ", ") + std::string(n);
    const std::string near = nearest(name, names);
    value_error("train: {} {} is not known: expected one of {}{}", option, printable(name), known, near.empty() ? "" : "; did you mean " + near);
}
constexpr std::array<std::string_view, 3> kOptimisers = {kOptimiserNames[0], kOptimiserNames[1], kOptimiserNames[2]};
constexpr std::array<std::string_view, 1> kTasks = {"expressions"};

/// Takes a typed option into the options of the run; with --resume it may only repeat what the checkpoint says.
class Merge {
  public:
    explicit Merge(const std::string& resume) : resume_(resume) {}
    template <class T>
    void operator()(std::string_view option, const std::optional<T>& typed, T& into) const {
        if (!typed) return;
        if (!resume_.empty() && !(*typed == into))
            value_error("train: {} differs from the checkpoint: {} is {}, {} was trained with {}; leave it out to resume", option, option,
                        text(*typed), resume_, text(into));
        into = *typed;
    }

  private:
    static std::string text(const auto& x) {
        using T = std::remove_cvref_t<decltype(x)>;
        if constexpr (std::is_same_v<T, ModelKind>) return std::string(kModelNames[static_cast<std::size_t>(x)]);
        else if constexpr (std::is_same_v<T, Precision>) return std::string(kPrecisionNames[static_cast<std::size_t>(x)]);
        else if constexpr (std::is_same_v<T, OptimiserKind>) return std::string(kOptimiserNames[static_cast<std::size_t>(x)]);
        else return fmt::format("{}", x);
    }
    const std::string& resume_;
};

template <class E, std::size_t N>
std::optional<E> parsed(std::string_view option, const std::optional<std::string>& name, const std::array<std::string_view, N>& names) {
    if (!name) return std::nullopt;
    return one_of<E>(option, *name, names);
}

TrainOptions options_of(const TrainCommand& c) {
    one_of<int>("--task", c.task, kTasks);
    const auto model = parsed<ModelKind>("--model", c.model, kModelNames);
    const auto precision = parsed<Precision>("--dtype", c.dtype, kPrecisionNames);
    const auto optimiser = parsed<OptimiserKind>("--optimiser", c.optimiser, kOptimisers);
    TrainOptions o = c.resume.empty() ? TrainOptions{} : read_config(c.resume);
    const Merge merge(c.resume);
    merge("--model", model, o.model);
    merge("--dtype", precision, o.precision);
    merge("--optimiser", optimiser, o.optimiser.kind);
    merge("--batch", c.batch, o.batch);
    merge("--lr", c.rate, o.rate);
    merge("--seed", c.seed, o.seed);
    merge("--clip", c.clip, o.clip);
    if (c.resume.empty() && o.optimiser.kind != OptimiserKind::adamw) o.optimiser.weight_decay = 0;  // the default suits adamw only
    merge("--weight-decay", c.weight_decay, o.optimiser.weight_decay);
    merge("--momentum", c.momentum, o.optimiser.momentum);
    merge("--warmup", c.warmup, o.warmup);
    merge("--decay-epochs", c.decay_epochs, o.decay_epochs);
    if (c.epochs) o.epochs = *c.epochs;
    check(o);
    return o;
}

/// The folder of the run. Made on demand, and removed again if nothing was put into it.
class RunFolder {
  public:
    /// Errors: ValueError or IoError where it could not become a folder that takes files; nothing is made yet.
    explicit RunFolder(fs::path path) : path_(std::move(path)) {
        std::error_code error;
        fs::path at = path_;
        while (!at.empty() && !fs::exists(at, error)) at = at.parent_path();
        if (at.empty()) at = ".";
        if (!fs::is_directory(at, error)) value_error("train: --out: {} is a file, expected a folder", at.string());
        if (access(at.c_str(), W_OK | X_OK) != 0) io_error("train: --out: {} cannot be written: {}", at.string(), std::generic_category().message(errno));
        for (const char* name : {"model.safetensors", "config.json", "loss.csv", "attention.csv"})
            if (fs::is_directory(path_ / name, error)) value_error("train: --out: {} is a folder, expected a file or nothing", (path_ / name).string());
    }
    ~RunFolder() {
        std::error_code error;
        for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, error);  // only where still empty
    }
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    void make() {
        std::vector<fs::path> missing;
        for (fs::path at = path_; !at.empty() && !fs::exists(at); at = at.parent_path()) missing.push_back(at);
        std::reverse(missing.begin(), missing.end());
        for (const fs::path& p : missing) {
            std::error_code error;
            fs::create_directory(p, error);
            if (error && !fs::is_directory(p)) io_error("train: --out: {} cannot be made: {}", p.string(), error.message());
            made_.push_back(p);
        }
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
    std::vector<fs::path> made_;
};

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

/// What another framework needs to repeat the run: first values, data, order of the batches, rates and losses.
class Trace {
  public:
    Trace(const std::string& path, const Training& training) : path_(path) {
        if (path.empty()) return;
        if (fs::path(path).extension() != ".npz") value_error("train: --trace is {}, expected a name that ends in .npz", path);
        expect_writable(path);
        for (NamedArray& a : training.tensors())
            if (a.name.rfind("optimiser.", 0) != 0) arrays_.push_back({"initial/" + a.name, std::move(a.array)});
        batch_ = training.options().batch;
    }
    bool on() const { return !path_.empty(); }
    void before_step(const Training& training) { rows_.push_back(training.batch_rows()); }
    void after_step(const StepReport& s) {
        losses_.push_back(s.loss);
        rates_.push_back(s.rate);
    }
    void write(const Expressions& data) {
        const auto steps = static_cast<Index>(losses_.size());
        Tensor<Index> batches({steps, batch_}, -1);
        for (Index i = 0; i < steps; ++i)
            std::copy(rows_[static_cast<std::size_t>(i)].begin(), rows_[static_cast<std::size_t>(i)].end(), batches.data() + i * batch_);
        arrays_.push_back({"tokens", from_tensor(Tensor<Index>::from({data.count(), kExpressionLength}, std::span<const Index>(data.tokens)))});
        arrays_.push_back({"answers", from_tensor(Tensor<Index>::from({data.count()}, std::span<const Index>(data.answers)))});
        arrays_.push_back({"batches", from_tensor(batches)});
        arrays_.push_back({"rates", from_tensor(Tensor<double>::from({steps}, std::span<const double>(rates_)))});
        arrays_.push_back({"losses", from_tensor(Tensor<double>::from({steps}, std::span<const double>(losses_)))});
        write_npz(path_, arrays_);
    }

  private:
    std::string path_;
    Index batch_ = 0;
    std::vector<NamedArray> arrays_;
    std::vector<std::vector<Index>> rows_;
    std::vector<double> losses_, rates_;
};

/// `text` as one word of a shell.
std::string shell_word(const std::string& text) {
    if (!text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%") == std::string::npos) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

void print_charts(const std::vector<IntervalReport>& history, const std::vector<std::string>& tokens, const std::string& expression,
                  const Tensor<double>& before, const Tensor<double>& after) {
    Series training{"training loss", '*', {}}, validation{"validation loss", 'o', {}};
    for (const IntervalReport& r : history) {
        training.points.emplace_back(static_cast<double>(r.step), r.loss);
        validation.points.emplace_back(static_cast<double>(r.step), r.validation.loss);
    }
    fmt::print("\nloss (nats, logarithmic)\n{}", log_chart({training, validation}, "step"));
    const std::string heads = before.dim(0) == 1 ? "" : fmt::format(", mean of {} heads", before.dim(0));
    for (const auto& [stage, w] : {std::pair("before", &before), std::pair("after", &after)})
        fmt::print("\nattention of {} {} training (each row: what that token attends to{})\n{}", expression, stage, heads,
                   heat_table(head_mean(*w), tokens, tokens));
}

}  // namespace

int run_train(const TrainCommand& c) {
    // Everything that can be wrong with the request is found before anything is made.
    if (c.require && !(*c.require >= 0 && *c.require <= 1)) value_error("train: --require is {}, expected a number in [0, 1]", *c.require);
    const TrainOptions options = options_of(c);
    const Index row = find_expression(c.expression);
    IntervalLog log(c.log);
    const std::unique_ptr<Training> training = c.resume.empty() ? make_training(options) : load_checkpoint(c.resume, options.epochs);
    if (training->steps_done() > 0 && training->steps_done() >= training->steps_total())
        value_error("train: nothing left to do: {} has {} of {} steps; --epochs counts from the start, ask for more than {}", c.resume,
                    training->steps_done(), training->steps_total(), options.epochs);
    std::string default_out = "runs/" + std::string(kModelNames[static_cast<std::size_t>(options.model)]);
    if (!c.resume.empty()) default_out = c.resume;
    RunFolder folder(c.out.empty() ? default_out : c.out);
    Trace trace(c.trace, *training);

    const Expressions data = all_expressions();
    const Tensor<double> before = make_training(options)->attention(row);
    folder.make();
    log.open(c.resume.empty() ? IntervalLog::Mode::fresh : IntervalLog::Mode::append);
    std::vector<IntervalReport> history;
    if (!c.resume.empty()) history = read_intervals(fs::path(c.resume) / "loss.csv", training->steps_done());

    TrainReport report(c.json ? TrainReport::Style::json : TrainReport::Style::text);
    report.header(*training, folder.path().string());
    if (trace.on()) trace.before_step(*training);
    Outcome outcome;
    {
        const InterruptScope scope;
        outcome = training->run({
            .on_step = [&](const StepReport& s) {
                if (trace.on()) {
                    trace.after_step(s);
                    trace.before_step(*training);
                }
                report.on_step(s, training->steps_total());
            },
            .on_interval = [&](const IntervalReport& r) {
                history.push_back(r);
                log.write(r);
                report.on_interval(r);
            },
            .stop = &interrupted,
        });
    }
    report.end_of_bar();

    if (outcome.end == Outcome::End::diverged) {
        const std::string what = fmt::format("step {}: the loss is {}; first tensor that is not finite: {}", training->steps_done() + 1,
                                             outcome.last_loss, outcome.first_bad);
        if (c.json) fmt::print("{}\n", Json{{"event", "diverged"}, {"step", training->steps_done() + 1}, {"first_bad", outcome.first_bad}}.dump());
        fmt::print(stderr, "gradproof: train: {}\n", what);
        return kWrong;
    }

    std::string loss_csv = interval_csv_header();
    for (const IntervalReport& r : history) loss_csv += interval_csv(r);
    const Tensor<double> after = training->attention(row);
    const std::vector<std::string> tokens = token_labels(data, row);
    save_checkpoint(*training, folder.path());
    write_file_atomically(folder.path() / "loss.csv", std::string_view(loss_csv));
    write_file_atomically(folder.path() / "attention.csv", std::string_view(attention_csv(tokens, before, after)));
    if (trace.on()) trace.write(data);

    const bool stopped = outcome.end == Outcome::End::stopped;
    const bool reached = !c.require || outcome.validation.accuracy >= *c.require;
    const double rate = outcome.seconds > 0 ? static_cast<double>(outcome.steps) / outcome.seconds : 0;
    const std::string resume = fmt::format("gradproof train --resume {}", shell_word(folder.path().string()));
    const Tensor<double> p = training->probabilities(row);
    const auto said = static_cast<Index>(std::max_element(p.begin(), p.end()) - p.begin());
    if (c.json) {
        Json event{{"event", stopped ? "stopped" : "done"}, {"val_accuracy", outcome.validation.accuracy}, {"loss", outcome.last_loss},
                   {"val_loss", outcome.validation.loss}, {"steps", outcome.steps}, {"steps_done", training->steps_done()},
                   {"seconds", outcome.seconds}, {"steps_per_second", rate}, {"out", folder.path().string()}};
        if (stopped) event["resume"] = resume;
        if (c.require) event["required"] = *c.require;
        fmt::print("{}\n", event.dump());
    } else {
        print_charts(history, tokens, expression_text(data, row), before, after);
        fmt::print("\n{} is {}; the model says {} with probability {:.3f}\n", expression_text(data, row),
                   data.answers[static_cast<std::size_t>(row)], said, p[said]);
        fmt::print("{} after step {} of {}: validation accuracy {:.2f} % ({}), loss {:.3e}, {:.0f} steps/s\n", stopped ? "stopped" : "done",
                   training->steps_done(), training->steps_total(), 100 * outcome.validation.accuracy, duration(outcome.seconds),
                   outcome.validation.loss, rate);
        fmt::print("files   {}   (parameters, optimiser state)\n        {}\n        {}\n        {}\n", model_file(folder.path()).string(),
                   config_file(folder.path()).string(), (folder.path() / "loss.csv").string(), (folder.path() / "attention.csv").string());
        if (!c.log.empty()) fmt::print("        {}\n", c.log);
        if (trace.on()) fmt::print("        {}\n", c.trace);
        if (stopped) fmt::print("resume  {}\n", resume);
    }
    std::fflush(stdout);
    if (stopped) return kInterrupted;
    if (!reached) {
        fmt::print(stderr, "gradproof: train: validation accuracy is {:.4f}, --require asks for {}\n", outcome.validation.accuracy, *c.require);
        return kWrong;
    }
    return kOk;
}

void add_train_command(const Command& program) {
    const Command command = program.command("train", "Train an attention model on the expressions Max(1,6,2), Min(...), First(...)");
    describe(command, {.description = "Trains a small attention model on expressions as Max(1,6,2), First(…) and reports its accuracy. A run is resumed to the same bits.",
                       .exit_status = "0 done\n1 the required accuracy was not reached\n2 bad usage or bad files",
                       .examples = "gradproof train --model single-head --out run\ngradproof train --model block --out run --require 0.999",
                       .json = "An object a line, told apart by its event:\n"
                               "  start: version task model dtype seed epochs batch lr steps steps_done parameter_count parameters{NAME} out\n"
                               "  interval: epoch step steps loss val_loss val_accuracy gradient_norm attention_entropy lr ms_per_step eta_seconds\n"
                               "  diverged: step first_bad\n"
                               "  done, or stopped: val_accuracy loss val_loss steps steps_done seconds steps_per_second out required? resume?"});
    auto c = std::make_shared<TrainCommand>();
    const TrainOptions defaults;
    const auto with = [](std::string_view text, const auto& value) { return fmt::format("{} [{}]", text, value); };
    command.option("--task", c->task, "The task [expressions]");
    command.option("--model", c->model, "single-head, multi-head or block [single-head]");
    command.option("--epochs", c->epochs, with("Epochs, counted from the start of the run", defaults.epochs));
    command.option("--batch", c->batch, with("Expressions a step", defaults.batch));
    command.option("--lr", c->rate, with("Learning rate", defaults.rate));
    command.option("--seed", c->seed, with("Seed of the first values, the split and the order", defaults.seed));
    command.option("--out", c->out, "Folder for the model, config, loss and attention [runs/MODEL]");
    command.flag("--json", c->json, "One JSON object a line on stdout; the last is the event \"done\"");
    command.option("--log", c->log, "Also append each report to a .jsonl or .csv file");
    command.option("--resume", c->resume, "Go on from the checkpoint in this folder, bit for bit");
    command.option("--require", c->require, "Exit with status 1 below this validation accuracy, as 0.999");
    command.option("--dtype", c->dtype, "f32 or f64 [f32]");
    command.option("--optimiser,--optimizer", c->optimiser, "adamw, adam or sgd [adamw]");
    command.option("--weight-decay", c->weight_decay, with("Decoupled with adamw; 0 by default with the others", defaults.optimiser.weight_decay));
    command.option("--momentum", c->momentum, with("Of sgd", defaults.optimiser.momentum));
    command.option("--clip", c->clip, with("Largest norm of all gradients together, 0 for none", defaults.clip));
    command.option("--warmup", c->warmup, with("Steps over which the rate rises", defaults.warmup));
    command.option("--decay-epochs", c->decay_epochs, with("Epochs over which the rate falls along a cosine, 0 for never", defaults.decay_epochs));
    command.option("--expression", c->expression, "The expression whose attention is shown [Max(1,6,2)]");
    command.option("--trace", c->trace, "Also write an .npz with which another framework can repeat the run");
    command.runs([=] { return run_train(*c); });
}

}  // namespace gradproof::cli
