// The output of a training run: header, progress bar, lines, JSON events, CSV rows, and the log.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/version.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/train_command.hpp"
#include "tools/figures/text_chart.hpp"

namespace gradproof::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kBarWidth = 28;
constexpr double kRedrawSeconds = 0.05;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool colour_allowed() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return !(no_color && *no_color) && term && std::string(term) != "dumb";
}

}  // namespace

std::string duration(double seconds) {
    if (!(seconds >= 1)) return "<1 s";
    const auto s = static_cast<long>(std::llround(seconds));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
    return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

TrainReport::TrainReport(Style style, LossUnit unit)
    : style_(style), unit_(std::move(unit)), bar_(isatty(STDERR_FILENO) != 0), colour_(bar_ && colour_allowed()) {}

void TrainReport::header(const TrainingRun& run, const RunHeader& h, const std::filesystem::path& folder) {
    if (json()) {
        Json event = train_event("start", {{"version", version()}, {"task", h.task}});
        event.update(h.json);
        event["steps"] = run.steps_total();
        event["steps_done"] = run.steps_done();
        event["parameter_count"] = run.parameter_count();
        Json parameters = Json::object();
        for (const auto& [name, shape] : run.parameter_shapes())
            parameters[name] = std::vector<Index>(shape.begin(), shape.end());
        event["parameters"] = parameters;
        event["out"] = folder.string();
        fmt::print("{}", check::json_line(event));
        std::fflush(stdout);
        return;
    }
    fmt::print("gradproof {}  train  task {}  {}\n", version(), h.task, h.words);
    for (const std::string& line : h.lines) fmt::print("  {}\n", printable(line, 1000));
    for (const auto& [name, shape] : run.parameter_shapes()) fmt::print("    {:<34} {}\n", name, shape.str());
    if (run.steps_done() > 0) fmt::print("  resumed after step {}\n", run.steps_done());
    fmt::print("\n");
    std::fflush(stdout);
}

void TrainReport::on_step(const StepReport& s, Index total) {
    if (!bar_ || (now() - last_drawn_ < kRedrawSeconds && s.step != total)) return;
    last_drawn_ = now();
    const int full = static_cast<int>(static_cast<double>(s.step) / static_cast<double>(total) * kBarWidth);
    fmt::print(stderr, "\r\x1b[K{}[{:#<{}}{:.<{}}]{} {}/{}  {} {:.4g}{}{}", colour_ ? "\x1b[36m" : "", "", full, "",
               kBarWidth - full, colour_ ? "\x1b[0m" : "", s.step, total, unit_.name, s.loss * unit_.per_nat,
               accuracy_ < 0 ? "" : fmt::format("  validation {:.2f} %", 100 * accuracy_),
               eta_seconds_ < 0 ? "" : "  eta " + duration(eta_seconds_));
    std::fflush(stderr);
}

void TrainReport::end_of_bar() {
    if (!bar_ || last_drawn_ < 0) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    last_drawn_ = -1;
}

void TrainReport::on_interval(const IntervalReport& r) {
    accuracy_ = r.validation.accuracy;
    eta_seconds_ = r.eta_seconds;
    if (json()) {
        fmt::print("{}", interval_json(r));
        std::fflush(stdout);
    } else if (!bar_) {
        if (!titled_)
            fmt::print("{:>6} {:>7} {:>10} {:>10} {:>10} {:>10} {:>8} {:>9} {:>8} {:>12}\n", "epoch", "step", unit_.name,
                       "val " + unit_.name, "val acc", "grad norm", "entropy", "lr", "ms/step", "eta");
        titled_ = true;
        const auto loss = [&](double nats) {
            return unit_.per_nat == 1 ? fmt::format("{:.3e}", nats) : fmt::format("{:.4f}", nats * unit_.per_nat);
        };
        fmt::print("{:>6} {:>7} {:>10} {:>10} {:>8.2f} % {:>10.3e} {:>8.3f} {:>9.2e} {:>8.3f} {:>12}\n", r.epoch, r.step,
                   loss(r.loss), loss(r.validation.loss), 100 * r.validation.accuracy, r.gradient_norm,
                   r.validation.attention.entropy, r.rate, r.ms_per_step, duration(r.eta_seconds));
        std::fflush(stdout);
    }
    warn(r.warnings);
}

void TrainReport::log_lost() {
    end_of_bar();
    fmt::print(stderr, "gradproof: train: warning: --log cannot be written any more; the run goes on\n");
}

/// Prints a warning when a symptom appears, not again while it lasts.
void TrainReport::warn(const std::vector<TrainingWarning>& warnings) {
    std::vector<Symptom> now_there;
    for (const TrainingWarning& d : warnings) {
        now_there.push_back(d.symptom);
        if (json() || std::find(warned_.begin(), warned_.end(), d.symptom) != warned_.end()) continue;
        end_of_bar();
        fmt::print(stderr, "gradproof: train: warning: {}; {}\n", d.text(), d.advice);
    }
    warned_ = std::move(now_there);
}

Json train_event(std::string_view event, const Json& fields) {
    Json out{{"schema", 1}, {"event", event}};
    out.update(fields);
    return out;
}

int report_divergence(const TrainingRun& run, const RunSummary& outcome, bool json) {
    const Index step = run.steps_done() + 1;
    if (json) fmt::print("{}", check::json_line(train_event("diverged", {{"step", step}, {"first_bad", outcome.first_bad}})));
    std::fflush(stdout);
    const double loss = std::isnan(outcome.last_loss) ? NAN : outcome.last_loss;  // NaN without its sign
    fmt::print(stderr, "gradproof: train: step {}: the loss is {}; first tensor that is not finite: {}\n", step, loss,
               outcome.first_bad);
    return kUsage;
}

void print_losses(const std::vector<IntervalReport>& history, const LossUnit& unit) {
    figures::Series training{"training " + unit.name, '*', {}}, validation{"validation " + unit.name, 'o', {}};
    for (const IntervalReport& r : history) {
        training.points.emplace_back(static_cast<double>(r.step), r.loss * unit.per_nat);
        validation.points.emplace_back(static_cast<double>(r.step), r.validation.loss * unit.per_nat);
    }
    fmt::print("\n{} ({}logarithmic)\n{}", unit.name, unit.per_nat == 1 ? "nats, " : "",
               figures::log_chart({training, validation}, "step"));
}

void write_intervals(const std::filesystem::path& folder, const std::vector<IntervalReport>& history) {
    std::string text = interval_csv_header();
    for (const IntervalReport& r : history) text += interval_csv(r);
    write_file_atomically(folder / "loss.csv", std::string_view(text));
}

std::string interval_csv_header() {
    return "epoch,step,loss,val_loss,val_accuracy,gradient_norm,attention_entropy,lr,ms_per_step\n";
}

std::string interval_csv(const IntervalReport& r) {
    return fmt::format("{},{},{},{},{},{},{},{},{:.4f}\n", r.epoch, r.step, r.loss, r.validation.loss, r.validation.accuracy,
                       r.gradient_norm, r.validation.attention.entropy, r.rate, r.ms_per_step);
}

std::string interval_json(const IntervalReport& r) {
    Json event = train_event("interval", {{"epoch", r.epoch},
                                          {"step", r.step},
                                          {"steps", r.steps},
                                          {"loss", r.loss},
                                          {"val_loss", r.validation.loss},
                                          {"val_accuracy", r.validation.accuracy},
                                          {"gradient_norm", r.gradient_norm},
                                          {"attention_entropy", r.validation.attention.entropy},
                                          {"lr", r.rate},
                                          {"ms_per_step", r.ms_per_step},
                                          {"eta_seconds", r.eta_seconds}});
    for (const TrainingWarning& d : r.warnings)
        event["warnings"].push_back({{"symptom", name(d.symptom)}, {"evidence", d.evidence}, {"advice", d.advice}});
    return check::json_line(event);
}

std::vector<IntervalReport> read_intervals(const std::filesystem::path& path, Index step) {
    std::vector<IntervalReport> out;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return out;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || line + "\n" != interval_csv_header()) return out;
    while (std::getline(file, line)) {
        double fields[9] = {};
        const char* at = line.data();
        const char* end = at + line.size();
        for (double& f : fields) {
            const auto [next, failed] = std::from_chars(at, end, f);
            if (failed != std::errc() || !std::isfinite(f)) return out;
            at = next < end ? next + 1 : end;
        }
        if (fields[1] < 1 || fields[1] > static_cast<double>(step)) return out;
        out.push_back({.epoch = static_cast<Index>(fields[0]),
                       .step = static_cast<Index>(fields[1]),
                       .steps = 0,
                       .loss = fields[2],
                       .validation = {fields[3], fields[4], {.entropy = fields[6]}},
                       .gradient_norm = fields[5],
                       .rate = fields[7],
                       .ms_per_step = fields[8]});
    }
    return out;
}

namespace {

/// The step of a row of a log; 0 for other lines.
double step_of_row(const std::string& line, bool csv) {
    if (!csv) {
        const Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        return row.is_object() && row.contains("step") && row["step"].is_number() ? row["step"].get<double>() : 0;
    }
    const std::size_t comma = line.find(',');
    double step = 0;
    if (comma != std::string::npos) std::from_chars(line.data() + comma + 1, line.data() + line.size(), step);
    return step;
}

}  // namespace

IntervalLog::IntervalLog(const std::string& path) : path_(path) {
    if (path.empty()) return;
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending != ".csv" && ending != ".jsonl")
        value_error("train: --log is {}, expected a name that ends in .jsonl or .csv", path);
    csv_ = ending == ".csv";
}

std::string IntervalLog::rows_up_to(Index step) const {
    std::error_code error;
    if (step == 0 || !std::filesystem::is_regular_file(path_, error) || std::filesystem::file_size(path_, error) == 0) return {};
    std::string text = read_text_file(path_);
    text.resize(text.rfind('\n') + 1);  // a row that was cut says nothing of its step
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);)
        if (step_of_row(line, csv_) <= static_cast<double>(step)) kept += line + "\n";
    return kept;
}

void IntervalLog::open(Index step) {
    if (path_.empty()) return;
    const std::string before = rows_up_to(step);
    if (!before.empty()) write_file_atomically(path_, std::string_view(before));
    // Where nobody reads from a pipe, opening it must not wait.
    const int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (before.empty() ? O_TRUNC : O_APPEND);
    const int fd = ::open(path_.c_str(), how, 0666);
    if (fd < 0 && errno == ENXIO) io_error("train: --log: {} cannot be written: it is a pipe that nobody reads from", path_);
    if (fd >= 0) ::fcntl(fd, F_SETFL, how & O_APPEND);
    file_.reset(fd >= 0 ? ::fdopen(fd, before.empty() ? "w" : "a") : nullptr);
    if (!file_) io_error("train: --log: {} cannot be written: {}", path_, std::generic_category().message(errno));
    whole_ = before.size();
    if (csv_ && before.empty() && !append(interval_csv_header())) drop_partial_row();
    expect_written();
}

bool IntervalLog::append(const std::string& row) {
    if (std::fwrite(row.data(), 1, row.size(), file_.get()) != row.size() || std::fflush(file_.get()) != 0) return false;
    whole_ += row.size();
    return true;
}

/// Called right after a write failed: keeps its error, and cuts the file back to the rows before.
void IntervalLog::drop_partial_row() {
    failure_ = std::generic_category().message(errno);
    file_.reset();
    std::error_code error;
    if (std::filesystem::is_regular_file(path_, error) && std::filesystem::file_size(path_, error) > whole_)
        std::filesystem::resize_file(path_, whole_, error);
    remove_without_rows();
}

void IntervalLog::remove_without_rows() {
    std::error_code error;
    const bool rows = whole_ > (csv_ ? interval_csv_header().size() : 0);
    if (!rows && std::filesystem::is_regular_file(path_, error)) std::filesystem::remove(path_, error);
}

IntervalLog::~IntervalLog() {
    if (file_) remove_without_rows();
}

bool IntervalLog::write(const IntervalReport& r) {
    if (!file_ || append(csv_ ? interval_csv(r) : interval_json(r))) return true;
    drop_partial_row();
    return false;
}

void IntervalLog::expect_written() const {
    if (!failure_.empty()) io_error("train: --log: {} cannot be written: {}", path_, failure_);
}

}  // namespace gradproof::cli
