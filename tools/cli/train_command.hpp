// What the train command's files share: its options as typed, the lines and charts it prints, and the files it writes.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nn/trainer.hpp"

namespace gradproof::cli {

/// Options as the user typed them: what is absent comes from the defaults or, with --resume, from the checkpoint.
struct TrainCommand {
    std::string task = "expressions";
    std::optional<std::string> model{}, dtype{}, optimiser{};
    std::optional<Index> epochs{}, batch{}, warmup{}, decay_epochs{};
    std::optional<double> rate{}, clip{}, weight_decay{}, momentum{};
    std::optional<std::uint64_t> seed{};
    std::string out{}, resume{}, log{}, trace{};
    std::string expression = "Max(1,6,2)";
    std::optional<double> require{};
    bool json = false;
};

int run_train(const TrainCommand& command);

/// The progress of a run on a terminal (a bar on stderr) or as lines, and as JSON events on stdout.
class TrainReport {
  public:
    enum class Style { text, json };
    explicit TrainReport(Style style);
    void header(const Training& training, const std::string& folder);
    void on_step(const StepReport& step, Index total);
    void on_interval(const IntervalReport& interval);
    /// Clears the bar. Call before printing anything else.
    void end_of_bar();
    bool json() const { return style_ == Style::json; }

  private:
    Style style_;
    bool bar_;
    bool colour_;
    bool titled_ = false;
    double accuracy_ = -1;
    double eta_seconds_ = -1;
    double last_drawn_ = -1;
};

/// Rows of a run as they are written to loss.csv and to --log.
std::string interval_csv_header();
std::string interval_csv(const IntervalReport& interval);
std::string interval_json(const IntervalReport& interval);
/// The rows of a loss.csv that this program wrote, up to `step`; none if it cannot be read.
std::vector<IntervalReport> read_intervals(const std::filesystem::path& path, Index step);

/// Appends each interval to a .jsonl or .csv file as it happens. Errors: ValueError for another ending, IoError.
class IntervalLog {
  public:
    enum class Mode { fresh, append };
    /// Only checks the name; an empty one logs nothing.
    explicit IntervalLog(const std::string& path);
    void open(Mode mode);
    void write(const IntervalReport& interval);

  private:
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::string path_;
    bool csv_ = false;
    std::unique_ptr<std::FILE, Close> file_;
};

/// "<1 s", "42 s", "3 min 05 s"
std::string duration(double seconds);

}  // namespace gradproof::cli
