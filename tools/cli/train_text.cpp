// `gradproof train --task text`: the text, the samples, and the bits reached beside those of gzip and of an n-gram model.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/baselines.hpp"
#include "tools/cli/train_command.hpp"
#include "tools/cli/train_gradients.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kLicenceFolder = "/usr/share/common-licenses";
constexpr Index kPromptSymbols = 32;

/// The licences that every Debian has, concatenated into a file of the run's folder. An existing file is never changed; a new one
/// is removed again unless keep() was called.   Errors  ValueError if the file exists and holds another text.
class LicenceText {
  public:
    explicit LicenceText(fs::path path) : path_(std::move(path)) {
        std::error_code error;
        std::set<fs::path> files;
        for (const auto& entry : fs::directory_iterator(kLicenceFolder, error))
            if (entry.is_regular_file() && !entry.is_symlink()) files.insert(entry.path());
        if (files.empty()) value_error("train: there are no licences in {} to train on: name a text with --data", kLicenceFolder);
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
    std::string path() const { return absolute_path(path_).string(); }

  private:
    fs::path path_;
    bool kept_ = false;
};

RunHeader header_of(const TextTraining& t) {
    const TextTrainOptions& o = t.options();
    const TextData& data = t.data();
    const std::string dtype = name_of(o.precision);
    const std::string shape = fmt::format("layers {}  heads {}  width {}  context {}", o.model.layers, o.model.heads,
                                          o.model.channels, o.model.context);
    RunHeader h{.task = "text", .words = fmt::format("{}  seed {}  type {}", shape, o.seed, dtype)};
    h.lines = {fmt::format("{}: {} {}, {} of them different; {} to train on, {} held out", o.data, data.symbols(),
                           name_of(o.text.symbols), data.vocabulary().size(), data.training().size(), data.held_out().size()),
               fmt::format("ids [{}, {}] -> scores [{}, {}, {}]   {} parameters, {} positions", o.batch, o.model.context, o.batch,
                           o.model.context, data.vocabulary().size(), t.parameter_count(), name_of(o.model.positions)),
               fmt::format("{} steps of {} windows, {} lr {:g}, clip {:g}", o.steps, o.batch, name_of(o.optimiser.kind), o.rate,
                           o.clip)};
    h.json = {{"data", o.data},
              {"symbols", name_of(o.text.symbols)},
              {"vocabulary", data.vocabulary().size()},
              {"training_symbols", data.training().size()},
              {"held_out_symbols", data.held_out().size()},
              {"layers", o.model.layers},
              {"heads", o.model.heads},
              {"width", o.model.channels},
              {"context", o.model.context},
              {"positions", name_of(o.model.positions)},
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

/// Samples that continue one prompt, taken during the run: each printed on one line, and whole in samples.txt.
class Samples {
  public:
    Samples(const TrainCommand& c, TextTraining& training, fs::path file)
        : training_(training), file_(std::move(file)), json_(c.json) {
        how_ = {
            .count = c.sample_tokens.value_or(120), .temperature = c.temperature.value_or(0.8), .seed = training.options().seed};
        const SymbolRange out = training.data().held_out();
        prompt_ = !c.prompt.empty() ? c.prompt : training.data().text({out.begin, std::min(out.end, out.begin + kPromptSymbols)});
        // A prompt or an option that cannot be used is an error now, before the run begins.
        const Sampler sampler(how_);
        static_cast<void>(training.data().vocabulary().encode(prompt_, "train: --prompt"));
    }
    /// None where Ctrl-C came first: the sample is then drawn as the run goes on.
    std::optional<std::string> take(const std::atomic<bool>* stop = nullptr) {
        std::string drawn;
        try {
            const ControlScope control({.stop = stop}, "sample");
            training_.model().sample(prompt_, how_, [&](std::string_view symbol) { drawn += symbol; });
        } catch (const Stopped&) {
            return std::nullopt;
        }
        text_ += fmt::format("--- step {}\n{}{}\n", training_.steps_done(), prompt_, drawn);
        write_file_atomically(file_, std::string_view(text_));
        return drawn;
    }
    void at_interval(TrainReport& report, const std::atomic<bool>* stop) {
        if (how_.count == 0) return;
        const std::optional<std::string> drawn = take(stop);
        if (!drawn) return;
        report.end_of_bar();
        if (json_)
            fmt::print("{}", check::json_line(train_event(
                                 "sample", {{"step", training_.steps_done()}, {"prompt", prompt_}, {"text", *drawn}})));
        else
            fmt::print("        {} | {}\n", on_one_line(prompt_), on_one_line(*drawn));
        std::fflush(stdout);
    }
    /// Keeps the samples in the file up to the step from which the run continues: a run that was killed may have drawn more,
    /// and one that was interrupted one less.
    void resume() {
        std::error_code error;
        const bool some = fs::file_size(file_, error) > 0 && !error;
        const std::string all = some ? read_text_file(file_) : "";
        std::istringstream lines(all);
        Index last = 0;
        for (std::string line; std::getline(lines, line); text_ += line + "\n") {
            Index step = 0;
            if (std::sscanf(line.c_str(), "--- step %td", &step) != 1) continue;
            if (step > training_.steps_done()) break;
            last = step;
        }
        if (how_.count > 0 && last < training_.steps_done() && training_.steps_done() % training_.interval() == 0)
            take();
        else if (text_.empty())
            start();
        else if (text_.size() < all.size())
            write_file_atomically(file_, std::string_view(text_));
    }
    /// Removes the samples of an earlier run.
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

/// Training on a text, with samples after each interval, and the bits it reaches beside those of gzip and of an n-gram model.
class TextTask final : public TrainTask {
  public:
    TextTask(const TrainCommand& c, const TypedOptions& typed) : c_(c) {
        if (!c.resume.empty()) options_ = read_text_options(c.resume);
        typed.merge_into(options_, c.resume);
        files = {"model.safetensors", "config.json", "loss.csv", kGradientsCsv, kGradientsSvg, "samples.txt", kLicences};
        default_folder = "runs/text";
        length_option = "steps";
        if (!options_.data.empty()) options_.data = absolute_path(options_.data).string();
    }
    TrainingRun& make_run(OutFolder& folder) override {
        folder_ = folder.path();
        if (options_.data.empty()) {
            folder.make();
            licences_ = std::make_unique<LicenceText>(folder_ / kLicences);
            options_.data = licences_->path();
        }
        run_ = c_.resume.empty() ? make_text_training(options_) : load_text_checkpoint(c_.resume, options_);
        samples_.emplace(c_, *run_, folder_ / "samples.txt");
        return *run_;
    }
    Index default_save_every() const override { return run_->interval(); }
    RunHeader header() const override { return header_of(*run_); }
    LossUnit unit() const override {
        const TextData& data = run_->data();
        const double per_character =
            static_cast<double>(data.held_out().size()) / static_cast<double>(data.characters(data.held_out()));
        return {.name = "bits", .per_nat = per_character / std::log(2.0)};
    }
    std::vector<Index> batch() override {
        const Tensor<Index> ids = run_->batch_ids();
        return {ids.begin(), ids.end()};
    }
    Shape batch_shape() const override { return {options_.batch, options_.model.context + 1}; }
    void begin() override {
        std::error_code error;
        if (!c_.resume.empty() && fs::equivalent(c_.resume, folder_, error))
            samples_->resume();
        else
            samples_->start();
    }
    void after_interval(TrainReport& report, const std::atomic<bool>* stop) override { samples_->at_interval(report, stop); }
    void after_save() override {
        if (licences_) licences_->keep();
    }
    void end() override {
        bits_ = run_->held_out_bits();
        baselines_ = baselines(run_->data());
    }
    void add_results(Json& event, const RunSummary& s) const override {
        event.update({{"bits_per_character", bits_},
                      {"gzip_bits_per_character", baselines_.gzip},
                      {"ngram_bits_per_character", baselines_.ngram},
                      {"symbols_per_second", symbols_per_second(s)}});
    }
    void print_results() const override {
        fmt::print("\nbits a character over the {} held-out characters (lower is better)\n",
                   run_->data().characters(run_->data().held_out()));
        fmt::print("  this model        {:.4f}\n", bits_);
        fmt::print("  order-{} n-gram    {:.4f}   (Witten-Bell, counted on {} symbols)\n", kNgramOrder, baselines_.ngram,
                   baselines_.counted);
        fmt::print("  gzip -9           {:.4f}\n\n", baselines_.gzip);
    }
    std::string reached(const RunSummary& s) const override {
        return fmt::format("{}, {:.0f} symbols/s", duration(s.seconds), symbols_per_second(s));
    }
    std::string next_commands() const override {
        const std::string checkpoint = "--checkpoint " + shell_word(folder_.string());
        return fmt::format("next    gradproof generate {} --prompt '...'\n        gradproof heads {} --text '...' --out DIR\n",
                           checkpoint, checkpoint);
    }
    std::string missed(const RunSummary&) const override {
        if (!c_.require_bits || bits_ <= *c_.require_bits) return "";
        return fmt::format("held-out bits a character are {:.4f}, --require-bits asks for at most {}", bits_, *c_.require_bits);
    }

  private:
    double symbols_per_second(const RunSummary& s) const {
        const auto symbols = static_cast<double>(s.steps * options_.batch * options_.model.context);
        return s.seconds > 0 ? symbols / s.seconds : 0;
    }

    const TrainCommand& c_;
    TextTrainOptions options_;
    fs::path folder_;
    std::unique_ptr<LicenceText> licences_;
    std::unique_ptr<TextTraining> run_;
    std::optional<Samples> samples_;
    double bits_ = 0;
    Baselines baselines_;
};

}  // namespace

std::unique_ptr<TrainTask> text_task(const TrainCommand& c, const TypedOptions& typed) {
    return std::make_unique<TextTask>(c, typed);
}

}  // namespace gradproof::cli
