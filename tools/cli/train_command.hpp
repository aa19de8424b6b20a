// What the train command's files share: its options as typed, Ctrl-C, the lines it prints, and the files it writes.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gradproof/nn/run.hpp"

namespace gradproof::cli {

/// Options as the user typed them: what is absent comes from the defaults or, with --resume, from the checkpoint.
struct TrainCommand {
    std::optional<std::string> task{}, model{}, dtype{}, optimiser{};
    std::optional<Index> epochs{}, batch{}, warmup{}, decay_epochs{}, save_every{};
    std::optional<double> rate{}, clip{}, weight_decay{}, momentum{};
    std::optional<std::uint64_t> seed{};
    std::string out{}, resume{}, log{}, trace{};
    std::optional<std::string> expression{};
    std::optional<double> require{};
    bool json = false;
    // Of the task text.
    std::optional<std::string> data{}, symbols{}, positions{}, prompt{};
    std::optional<Index> context{}, layers{}, heads{}, width{}, hidden{}, steps{}, decay_steps{}, interval{}, sample_tokens{};
    std::optional<double> held_out{}, temperature{}, require_bits{};
};

int train_expressions(const TrainCommand& command);
int train_text(const TrainCommand& command);

constexpr int kInterrupted = 130;  // as a shell reports SIGINT

/// While one lives, the first Ctrl-C asks for a stop between two steps and the second ends the program.
class InterruptScope {
  public:
    InterruptScope();
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;
    const std::atomic<bool>* stop() const;

  private:
    struct sigaction old_int_ {
    }, old_term_{};
};

/// `text` as one word of a shell.
std::string shell_word(const std::string& text);
/// What goes on with the run in a folder as it was asked for: options that a checkpoint does not keep are repeated.
std::string resume_command(const TrainCommand& command, const std::filesystem::path& folder);

/// How losses are told: in nats a symbol, or in bits a character.
struct LossUnit {
    std::string name = "loss";
    double per_nat = 1;
};

/// What a run says of itself before it begins.
struct RunHeader {
    std::string task, words, folder;   ///< words: "model block"
    std::vector<std::string> lines{};  ///< sizes and options
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
};

/// The progress of a run on a terminal (a bar on stderr) or as lines, and as JSON events on stdout.
class TrainReport {
  public:
    enum class Style { text, json };
    explicit TrainReport(Style style, LossUnit unit = {});
    void header(const TrainingRun& run, const RunHeader& header);
    void on_step(const StepReport& step, Index total);
    void on_interval(const IntervalReport& interval);
    /// The log cannot be written any more.
    void log_lost();
    /// Clears the bar. Call before printing anything else.
    void end_of_bar();
    bool json() const { return style_ == Style::json; }

  private:
    void warn(const std::vector<Diagnosis>& diagnoses);
    Style style_;
    LossUnit unit_;
    bool bar_;
    bool colour_;
    bool titled_ = false;
    double accuracy_ = -1;
    double eta_seconds_ = -1;
    double last_drawn_ = -1;
    std::vector<Symptom> warned_;
};

/// Prints what went bad, as an event too with JSON. Returns the exit status.
int report_divergence(const TrainingRun& run, const RunSummary& outcome, bool json);
/// The loss over the steps as a chart on stdout.
void print_losses(const std::vector<IntervalReport>& history, const LossUnit& unit);

/// Rows of a run as they are written to loss.csv and to --log, each with its newline.
std::string interval_csv_header();
std::string interval_csv(const IntervalReport& interval);
std::string interval_json(const IntervalReport& interval);
/// The rows of a loss.csv that this program wrote, up to `step`; none if it cannot be read.
std::vector<IntervalReport> read_intervals(const std::filesystem::path& path, Index step);
/// Replaces the loss.csv of a folder.
void write_intervals(const std::filesystem::path& folder, const std::vector<IntervalReport>& history);

/// Appends each interval to a .jsonl or .csv file as it happens. A disk that is full does not end the run: the rows before stay,
/// whole, and the error comes once the run is saved.   Errors: ValueError for another ending, IoError.
class IntervalLog {
  public:
    /// Only checks the name; an empty one logs nothing.
    explicit IntervalLog(const std::string& path);
    ~IntervalLog();  ///< removes the file if it holds no rows
    IntervalLog(const IntervalLog&) = delete;
    IntervalLog& operator=(const IntervalLog&) = delete;
    /// Goes on after the rows up to `step` that are there already; from 0 on the file is new.
    void open(Index step);
    /// False where it cannot be written any more.
    bool write(const IntervalReport& interval);
    /// Errors: IoError where a row could not be written.
    void expect_written() const;

  private:
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::string rows_up_to(Index step) const;
    bool append(const std::string& row);
    void drop_partial_row();
    void remove_without_rows();
    std::string path_, failure_;
    std::uintmax_t whole_ = 0;  ///< bytes of what is there, without a row that was cut
    bool csv_ = false;
    std::unique_ptr<std::FILE, Close> file_;
};

/// What another framework needs to repeat a run: first values, the data of each step, rates and losses, as an .npz.
class Trace {
  public:
    /// An empty path traces nothing. Errors: ValueError for another ending, IoError.
    Trace(const std::string& path, const TrainingRun& run);
    bool on() const { return !path_.empty(); }
    /// Each step's ids, or the rows of the data it takes; short ones are filled with -1.
    void before_step(std::vector<Index> batch);
    void after_step(const StepReport& step);
    /// `batch_shape` is that of one step's batch.
    void write(const Shape& batch_shape, std::vector<NamedArray> more);

  private:
    std::string path_;
    std::vector<NamedArray> arrays_;
    std::vector<std::vector<Index>> batches_;
    std::vector<double> losses_, rates_;
};

/// A run with all that watches it: Ctrl-C, the report, the log, the history, the trace, and what the task does of its own.
struct RunWatch {
    TrainReport& report;
    IntervalLog& log;
    Trace& trace;
    std::vector<IntervalReport>& history;
    std::function<std::vector<Index>()> batch;  ///< of the current step, for the trace
    std::function<void()> after_interval{};
    std::function<void(const StepReport&)> after_step{};  ///< after all of these
};
RunSummary watch(TrainingRun& run, const RunWatch& watch);

/// "<1 s", "42 s", "3 min 05 s"
std::string duration(double seconds);

}  // namespace gradproof::cli
