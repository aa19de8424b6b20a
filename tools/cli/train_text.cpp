// `gradproof train --task text`: the run, its samples and checkpoints, and what it reaches beside gzip and an n-gram model.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/checkpoint.hpp"
#include "tools/cli/baselines.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/json_line.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/cli/train_command.hpp"
#include "tools/cli/train_options.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kLicences = "/usr/share/common-licenses";
constexpr Index kPromptSymbols = 32;

TextTrainOptions text_options(const TrainCommand& c) {
    TextTrainOptions o = c.resume.empty() ? TextTrainOptions{} : read_text_config(c.resume);
    const Merge merge(c.resume);
    merge_common(merge, c, o);
    merge("--symbols", c.symbols, o.text.symbols, kSymbolNames);
    merge("--held-out", c.held_out, o.text.held_out_share);
    merge("--context", c.context, o.model.context);
    merge("--layers", c.layers, o.model.layers);
    merge("--heads", c.heads, o.model.heads);
    merge("--width", c.width, o.model.channels);
    merge("--hidden", c.hidden, o.model.hidden);
    merge("--positions", c.positions, o.model.positions, kPositionNames);
    merge("--decay-steps", c.decay_steps, o.decay_steps);
    // These change neither the model nor what a step does. The text may have moved: its checksum must be the same.
    if (c.steps) o.steps = *c.steps;
    if (c.interval) o.interval = *c.interval;
    if (c.data) o.data = fs::absolute(*c.data).string();
    return o;
}

/// The licences that every Debian has, one after the other, as a file of the run's folder. One that was there before is never
/// changed; one that is new goes again unless it is kept.   Errors  ValueError where another text is there.
class LicenceText {
  public:
    explicit LicenceText(fs::path path) : path_(std::move(path)) {
        std::error_code error;
        std::set<fs::path> files;
        for (const auto& entry : fs::directory_iterator(kLicences, error))
            if (entry.is_regular_file() && !entry.is_symlink()) files.insert(entry.path());
        if (files.empty()) value_error("train: there are no licences in {} to train on: name a text with --data", kLicences);
        std::string text;
        for (const fs::path& file : files) text += read_text_file(file);
        kept_ = fs::exists(path_, error);
        if (!kept_)
            write_file_atomically(path_, std::string_view(text));
        else if (read_text_file(path_) != text)
            value_error(
                "train: {} is another text than the licences, which would take its place: name it with --data, or another folder "
                "with --out",
                path_.string());
    }
    ~LicenceText() {
        std::error_code error;
        if (!kept_) fs::remove(path_, error);
    }
    LicenceText(const LicenceText&) = delete;
    LicenceText& operator=(const LicenceText&) = delete;
    void keep() { kept_ = true; }
    std::string path() const { return fs::absolute(path_).string(); }

  private:
    fs::path path_;
    bool kept_ = false;
};

RunHeader header_of(const TextTraining& t, const std::string& folder) {
    const TextTrainOptions& o = t.options();
    const TextData& data = t.data();
    const std::string dtype = name_of(kPrecisionNames, o.precision);
    const std::string shape = fmt::format("{} layers  {} heads  width {}  context {}", o.model.layers, o.model.heads,
                                          o.model.channels, o.model.context);
    RunHeader h{.task = "text", .words = fmt::format("{}  seed {}  type {}", shape, o.seed, dtype), .folder = folder};
    h.lines = {
        fmt::format("{}: {} {}, {} of them different; {} to train on, {} held out", o.data, data.symbols(),
                    name_of(kSymbolNames, o.text.symbols), data.vocabulary().size(), data.training().size(),
                    data.held_out().size()),
        fmt::format("ids [{}, {}] -> scores [{}, {}, {}]   {} parameters, {} positions", o.batch, o.model.context, o.batch,
                    o.model.context, data.vocabulary().size(), t.parameter_count(), name_of(kPositionNames, o.model.positions)),
        fmt::format("{} steps of {} windows, {} lr {:g}, clip {:g}", o.steps, o.batch, name_of(kOptimiserNames, o.optimiser.kind),
                    o.rate, o.clip)};
    h.json = {{"data", o.data},
              {"symbols", name_of(kSymbolNames, o.text.symbols)},
              {"vocabulary", data.vocabulary().size()},
              {"training_symbols", data.training().size()},
              {"held_out_symbols", data.held_out().size()},
              {"layers", o.model.layers},
              {"heads", o.model.heads},
              {"width", o.model.channels},
              {"context", o.model.context},
              {"positions", name_of(kPositionNames, o.model.positions)},
              {"dtype", dtype},
              {"seed", o.seed},
              {"batch", o.batch},
              {"lr", o.rate}};
    return h;
}

std::string on_one_line(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "⏎";
        else
            out += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
    }
    return out;
}

/// Samples from one prompt through the run: a line each, and whole in samples.txt.
class Samples {
  public:
    Samples(const TrainCommand& c, TextTraining& training, fs::path file)
        : training_(training), file_(std::move(file)), json_(c.json) {
        how_ = {
            .count = c.sample_tokens.value_or(120), .temperature = c.temperature.value_or(0.8), .seed = training.options().seed};
        const TextSpan out = training.data().held_out();
        prompt_ = c.prompt.value_or(training.data().text({out.begin, std::min(out.end, out.begin + kPromptSymbols)}));
        // A prompt or an option that cannot be used is told now.
        const Sampler sampler(how_);
        static_cast<void>(training.data().vocabulary().encode(prompt_, "train: --prompt"));
    }
    std::string take() {
        std::string drawn;
        training_.model().sample(prompt_, how_, [&](std::string_view symbol) { drawn += symbol; });
        text_ += fmt::format("--- step {}\n{}{}\n", training_.steps_done(), prompt_, drawn);
        write_file_atomically(file_, std::string_view(text_));
        return drawn;
    }
    void at_interval(TrainReport& report) {
        if (how_.count == 0) return;
        const std::string drawn = take();
        report.end_of_bar();
        if (json_)
            fmt::print("{}",
                       json_line({{"event", "sample"}, {"step", training_.steps_done()}, {"prompt", prompt_}, {"text", drawn}}));
        else
            fmt::print("        {} | {}\n", on_one_line(prompt_), on_one_line(drawn));
        std::fflush(stdout);
    }
    /// Takes up the samples that are there, up to the step from which the run goes on: a run that was killed may have drawn more.
    void go_on() {
        std::error_code error;
        if (fs::file_size(file_, error) == 0 || error) return;
        const std::string all = read_text_file(file_);
        std::istringstream lines(all);
        for (std::string line; std::getline(lines, line); text_ += line + "\n") {
            Index step = 0;
            if (std::sscanf(line.c_str(), "--- step %td", &step) == 1 && step > training_.steps_done()) break;
        }
        if (text_.empty()) return start();
        if (text_.size() < all.size()) write_file_atomically(file_, std::string_view(text_));
    }
    /// What an earlier run left there is not of this one.
    void start() {
        std::error_code ignored;
        fs::remove(file_, ignored);
    }

  private:
    TextTraining& training_;
    fs::path file_;
    SampleOptions how_;
    std::string prompt_, text_;
    bool json_;
};

/// What can be wrong with the request, found before anything is made.
void check_command(const TrainCommand& c) {
    if (c.require_bits && !(*c.require_bits > 0))
        value_error("train: --require-bits is {}, expected a positive number of bits a character", *c.require_bits);
}

void report_end(const TrainCommand& c, TextTraining& t, const RunSummary& outcome, double bits, const fs::path& folder) {
    const Baselines base = baselines(t.data());
    const double rate = outcome.seconds > 0 ? static_cast<double>(outcome.steps) / outcome.seconds : 0;
    const double symbols = rate * static_cast<double>(t.options().batch * t.options().model.context);
    const bool stopped = outcome.end == RunSummary::End::stopped;
    const std::string resume = resume_command(c, folder);
    if (c.json) {
        Json event{{"event", stopped ? "stopped" : "done"},
                   {"bits_per_character", bits},
                   {"gzip_bits_per_character", base.gzip},
                   {"ngram_bits_per_character", base.ngram},
                   {"val_accuracy", outcome.validation.accuracy},
                   {"loss", outcome.last_loss},
                   {"val_loss", outcome.validation.loss},
                   {"steps", outcome.steps},
                   {"steps_done", t.steps_done()},
                   {"seconds", outcome.seconds},
                   {"steps_per_second", rate},
                   {"symbols_per_second", symbols},
                   {"out", folder.string()}};
        if (stopped) event["resume"] = resume;
        fmt::print("{}", json_line(event));
        return;
    }
    fmt::print(
        "\nbits a character over the {} characters held out (lower is better)\n  this model        {:.4f}\n  order-{} n-gram    "
        "{:.4f}   (Witten-Bell, counted on {} symbols)\n  gzip -9           {:.4f}\n",
        t.data().characters(t.data().held_out()), bits, kNgramOrder, base.ngram, base.counted, base.gzip);
    fmt::print("\n{} after step {} of {}: {}, {:.1f} steps/s, {:.0f} symbols/s\n", stopped ? "stopped" : "done", t.steps_done(),
               t.steps_total(), duration(outcome.seconds), rate, symbols);
    fmt::print("files   {}   (parameters, optimiser state)\n", model_file(folder).string());
    for (const char* name : {"config.json", "loss.csv", "samples.txt"})
        if (fs::exists(folder / name)) fmt::print("        {}\n", (folder / name).string());
    if (stopped)
        fmt::print("resume  {}\n", resume);
    else
        fmt::print(
            "go on   gradproof generate --checkpoint {} --prompt '...'\n        gradproof heads --checkpoint {} --text '...' "
            "--out DIR\n",
            shell_word(folder.string()), shell_word(folder.string()));
}

}  // namespace

int train_text(const TrainCommand& c) {
    check_command(c);
    TextTrainOptions options = text_options(c);
    IntervalLog log(c.log);
    OutFolder folder("train",
                     !c.out.empty()      ? c.out
                     : !c.resume.empty() ? c.resume
                                         : "runs/text",
                     {"model.safetensors", "config.json", "loss.csv", "samples.txt", "licences.txt"});
    std::unique_ptr<LicenceText> licences;
    if (options.data.empty()) {
        folder.make();
        licences = std::make_unique<LicenceText>(folder.path() / "licences.txt");
        options.data = licences->path();
    }
    const std::unique_ptr<TextTraining> training =
        c.resume.empty() ? make_text_training(options) : load_text_checkpoint(c.resume, options);
    if (training->steps_done() >= training->steps_total())
        value_error("train: nothing left to do: {} has {} of {} steps; --steps counts from the start, ask for more", c.resume,
                    training->steps_done(), options.steps);
    Trace trace(c.trace, *training);
    Samples samples(c, *training, folder.path() / "samples.txt");
    const Index save_every = c.save_every.value_or(training->interval());

    folder.make();
    log.open(training->steps_done());
    std::vector<IntervalReport> history;
    if (!c.resume.empty()) history = read_intervals(fs::path(c.resume) / "loss.csv", training->steps_done());
    if (!c.resume.empty() && fs::equivalent(c.resume, folder.path()))
        samples.go_on();
    else
        samples.start();
    const double per_character = static_cast<double>(training->data().held_out().size()) /
                                 static_cast<double>(training->data().characters(training->data().held_out()));
    const LossUnit unit{.name = "bits", .per_nat = per_character / std::log(2.0)};
    TrainReport report(c.json ? TrainReport::Style::json : TrainReport::Style::text, unit);
    report.header(*training, header_of(*training, folder.path().string()));
    const auto save = [&] {
        write_intervals(folder.path(), history);
        save_checkpoint(*training, folder.path());
        if (licences) licences->keep();
    };
    const auto batch = [&] {
        const Tensor<Index> ids = training->batch_ids();
        return std::vector<Index>(ids.begin(), ids.end());
    };
    const RunSummary outcome = watch(*training, {.report = report,
                                                 .log = log,
                                                 .trace = trace,
                                                 .history = history,
                                                 .batch = batch,
                                                 .after_interval = [&] { samples.at_interval(report); },
                                                 .after_step =
                                                     [&](const StepReport& s) {
                                                         if (s.step % save_every == 0) save();
                                                     }});
    if (outcome.end == RunSummary::End::diverged) return report_divergence(*training, outcome, c.json);
    save();
    if (trace.on()) trace.write({options.batch, options.model.context + 1}, {});

    const double bits = training->held_out_bits();
    if (!c.json) print_losses(history, unit);
    report_end(c, *training, outcome, bits, folder.path());
    std::fflush(stdout);
    log.expect_written();
    if (outcome.end == RunSummary::End::stopped) return kInterrupted;
    if (c.require_bits && !(bits <= *c.require_bits)) {
        fmt::print(stderr, "gradproof: train: held-out bits a character are {:.4f}, --require-bits asks for at most {}\n", bits,
                   *c.require_bits);
        return kWrong;
    }
    return kOk;
}

}  // namespace gradproof::cli
