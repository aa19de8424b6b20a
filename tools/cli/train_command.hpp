// What the files of the train command share: Ctrl-C, the lines it prints, the files it writes, and what a task adds to it.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "gradproof/nn/train/trainer.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/cli/train_options.hpp"

namespace gradproof::cli {

constexpr int kInterrupted = 130;                  // as a shell reports SIGINT
constexpr const char* kLicences = "licences.txt";  ///< the text of a run that was given none

/// While it exists, the first Ctrl-C asks for a stop between two steps and the second ends the program.
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

/// `text` quoted as one word for a shell.
std::string shell_word(const std::string& text);

/// The unit in which losses are printed: nats a symbol, or bits a character.
struct LossUnit {
    std::string name = "loss";
    double per_nat = 1;
};

/// What is printed before a run begins.
struct RunHeader {
    std::string task, words;           ///< words: "model block"
    std::vector<std::string> lines{};  ///< sizes and options
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
};

/// The progress of a run on a terminal (a bar on stderr) or as lines, and as JSON events on stdout.
class TrainReport {
  public:
    enum class Style { text, json };
    explicit TrainReport(Style style, LossUnit unit = {});
    void header(const TrainingRun& run, const RunHeader& header, const std::filesystem::path& folder);
    void on_step(const StepReport& step, Index total);
    void on_interval(const IntervalReport& interval);
    /// Warns that the log cannot be written any more.
    void log_lost();
    /// Clears the progress bar. Call before printing anything else.
    void end_of_bar();
    bool json() const { return style_ == Style::json; }

  private:
    void warn(const std::vector<TrainingWarning>& warnings);
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

/// A line of --json: its schema, which event it is, and the fields.
nlohmann::ordered_json train_event(std::string_view event,
                                   const nlohmann::ordered_json& fields = nlohmann::ordered_json::object());
/// Prints at which step and in which tensor the run diverged, with JSON as an event too. Returns the exit status.
int report_divergence(const TrainingRun& run, const RunSummary& outcome, bool json);
/// Prints a chart of the loss over the steps.
void print_losses(const std::vector<IntervalReport>& history, const LossUnit& unit);

/// The rows of loss.csv and of --log, each with its newline.
std::string interval_csv_header();
std::string interval_csv(const IntervalReport& interval);
std::string interval_json(const IntervalReport& interval);
/// The rows of a loss.csv of this program up to `step`; none if it cannot be read.
std::vector<IntervalReport> read_intervals(const std::filesystem::path& path, Index step);
/// Replaces the loss.csv of a folder.
void write_intervals(const std::filesystem::path& folder, const std::vector<IntervalReport>& history);

/// Appends each interval to a .jsonl or .csv file as it happens. A full disk does not end the run: the rows written so far stay
/// whole, and the error is raised once the run is saved.   Errors: ValueError for another file extension, IoError.
class IntervalLog {
  public:
    /// Only checks the path; an empty one logs nothing.
    explicit IntervalLog(const std::string& path);
    ~IntervalLog();  ///< removes the file if it holds no rows
    IntervalLog(const IntervalLog&) = delete;
    IntervalLog& operator=(const IntervalLog&) = delete;
    /// Keeps the rows up to `step` that are already there and continues after them; step 0 starts a new file.
    void open(Index step);
    /// False if it cannot be written any more.
    bool write(const IntervalReport& interval);
    /// Errors: IoError if a row could not be written.
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
    std::uintmax_t whole_ = 0;  ///< bytes of the file without a row that was cut
    bool csv_ = false;
    std::unique_ptr<std::FILE, Close> file_;
};

/// Records what another framework needs to repeat a run, as an .npz: initial parameters, the data of each step, rates and losses.
class Trace {
  public:
    /// An empty path records nothing. Errors: ValueError for another file extension, IoError.
    Trace(const std::string& path, const TrainingRun& run);
    bool on() const { return !path_.empty(); }
    /// The ids of the step, or the rows of the data that it uses; a shorter batch is filled up with -1.
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

/// What a task adds to the command; what all tasks share is in train_command.cpp.
class TrainTask {
  public:
    virtual ~TrainTask() = default;
    std::vector<std::string> files{};  ///< those that it may write into its folder, the model's first
    std::string default_folder{};      ///< where none is named
    std::string_view length_option{};  ///< the option that says how long a run is
    /// Makes or loads the run that writes into `folder`.   Errors  those of the options and of the checkpoint.
    virtual TrainingRun& make_run(OutFolder& folder) = 0;
    /// Steps from one save to the next where no option says so; 0: only at the end.
    virtual Index default_save_every() const = 0;
    virtual RunHeader header() const = 0;
    virtual LossUnit unit() const = 0;
    /// For a trace: the batch of the current step, its shape, and the data that it refers to.
    virtual std::vector<Index> batch() = 0;
    virtual Shape batch_shape() const = 0;
    virtual std::vector<NamedArray> data() const { return {}; }
    /// Called before the first step, after each interval, before and after each save, and after the last step.
    virtual void begin() {}
    virtual void after_interval(TrainReport&, const std::atomic<bool>* /*stop*/) {}
    virtual void before_save() {}
    virtual void after_save() {}
    virtual void end() {}
    /// The results: in the last JSON event, as text, in the line that says what was reached, and as commands to run next.
    virtual void add_results(nlohmann::ordered_json&, const RunSummary&) const {}
    virtual void print_results() const = 0;
    virtual std::string reached(const RunSummary& summary) const = 0;
    virtual std::string next_commands() const { return ""; }
    /// What was required and not reached, for stderr; "" if all was.
    virtual std::string missed(const RunSummary& summary) const = 0;
};
std::unique_ptr<TrainTask> expression_task(const TrainCommand& command, const TypedOptions& typed);
std::unique_ptr<TrainTask> text_task(const TrainCommand& command, const TypedOptions& typed);

/// "<1 s", "42 s", "3 min 05 s"
std::string duration(double seconds);

}  // namespace gradproof::cli
