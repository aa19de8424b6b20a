// `gradproof train`: its options, the run, what it prints and the files it leaves; a task adds its own part.
#include "tools/cli/train_command.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/train_gradients.hpp"
#include "tools/cli/train_seeds.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Task task_of(const TrainCommand& c) {
    std::optional<Task> task;
    if (!c.task.empty()) task = value_typed<Task>("task", c.task);
    if (c.resume.empty()) return task.value_or(Task::expressions);
    const Task was = checkpoint_task(c.resume);
    if (task && *task != was)
        value_error("train: --task is {}, {} was trained on the task {}; leave it out to resume", c.task, c.resume, name_of(was));
    return was;
}

/// A run of the command: the task's part, and what watches it.
class Session {
  public:
    Session(const TrainCommand& c, std::unique_ptr<TrainTask> task)
        : c_(c),
          log_(c.log),
          folder_("train",
                  !c.out.empty()      ? c.out
                  : !c.resume.empty() ? c.resume
                                      : task->default_folder,
                  task->files),
          task_(expect_free(c, folder_, std::move(task))),
          run_(task_->make_run(folder_)) {
        if (!c.resume.empty() && run_.steps_done() >= run_.steps_total())
            value_error("train: nothing left to do: {} already has {} steps, and {} are asked for; {} counts from the start",
                        c.resume, run_.steps_done(), run_.steps_total(), flag(task_->length_option));
        trace_.emplace(c.trace, run_);
    }

    ~Session() {
        std::error_code error;
        if (begun_ && !fs::exists(model_file(folder_.path()), error))  // it failed before there was anything to go on with
            for (const std::string& name : task_->files)
                if (name != kLicences) fs::remove(folder_.path() / name, error);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    int run() {
        folder_.make();
        begun_ = true;
        log_.open(run_.steps_done());
        warn_of_other_kernels();
        if (!c_.resume.empty()) history_ = read_intervals(fs::path(c_.resume) / "loss.csv", run_.steps_done());
        norms_.emplace(run_, c_.resume);
        task_->begin();
        const RunSummary summary = train();
        if (summary.end == RunSummary::End::diverged) return report_divergence(run_, summary, c_.json);
        if (saved_ != run_.steps_done()) save();
        task_->end();
        if (trace_->on()) trace_->write(task_->batch_shape(), task_->data());
        c_.json ? print_event(summary) : print_text(summary);
        std::fflush(stdout);
        log_.expect_written();
        if (summary.end == RunSummary::End::stopped) return kInterrupted;
        const std::string missed = task_->missed(summary);
        if (missed.empty()) return kOk;
        fmt::print(stderr, "gradproof: train: {}\n", missed);
        return kWrong;
    }

  private:
    /// Errors: ValueError where the folder holds a run that is neither continued nor to be replaced.
    static std::unique_ptr<TrainTask> expect_free(const TrainCommand& c, const OutFolder& folder,
                                                  std::unique_ptr<TrainTask> task) {
        std::error_code error;
        const bool continued = !c.resume.empty() && fs::equivalent(c.resume, folder.path(), error);
        if (!continued && !c.overwrite && fs::exists(model_file(folder.path()), error))
            value_error("train: {0} holds another run; --resume {0} continues it, --overwrite replaces it",
                        printable(folder.path().string(), 400));
        return task;
    }

    void warn_of_other_kernels() const {
        const std::string& before = run_.position().kernels;
        if (before.empty() || before == kernels_in_use()) return;
        fmt::print(
            stderr,
            "gradproof: train: warning: {} was trained with the kernels {}, and goes on with {}: not to the bits of a run that "
            "was never stopped\n",
            printable(c_.resume, 400), printable(before), kernels_in_use());
    }

    RunSummary train() {
        TrainReport report(c_.json ? TrainReport::Style::json : TrainReport::Style::text, task_->unit());
        report.header(run_, task_->header(), folder_.path());
        const Index save_every = c_.save_every.value_or(task_->default_save_every());
        if (trace_->on()) trace_->before_step(task_->batch());
        const InterruptScope interrupt;
        const RunSummary summary = run_.train({
            .on_step =
                [&](const StepReport& s) {
                    if (s.step == 1) norms_->take(s.step, run_.gradients());
                    if (trace_->on()) {
                        trace_->after_step(s);
                        trace_->before_step(task_->batch());
                    }
                    report.on_step(s, run_.steps_total());
                },
            .on_interval =
                [&](const IntervalReport& r) {
                    history_.push_back(r);
                    norms_->take(r.step, r.gradients);
                    if (!log_.write(r)) report.log_lost();
                    report.on_interval(r);
                    task_->after_interval(report, interrupt.stop());
                },
            .after_step =
                [&](const StepReport& s) {
                    if (save_every > 0 && s.step % save_every == 0) save();
                },
            .stop = interrupt.stop(),
        });
        report.end_of_bar();
        return summary;
    }

    void save() {
        write_intervals(folder_.path(), history_);
        norms_->write(folder_.path());
        task_->before_save();
        save_checkpoint(run_, folder_.path());
        saved_ = run_.steps_done();
        task_->after_save();
        norms_->draw(folder_.path());  // what can be drawn again from the rest comes last
    }

    double steps_per_second(const RunSummary& s) const { return s.seconds > 0 ? static_cast<double>(s.steps) / s.seconds : 0; }

    void print_event(const RunSummary& s) const {
        const bool stopped = s.end == RunSummary::End::stopped;
        Json event = train_event(stopped ? "stopped" : "done");
        task_->add_results(event, s);
        event.update({{"val_accuracy", s.validation.accuracy},
                      {"loss", s.last_loss},
                      {"val_loss", s.validation.loss},
                      {"steps", s.steps},
                      {"steps_done", run_.steps_done()},
                      {"seconds", s.seconds},
                      {"steps_per_second", steps_per_second(s)},
                      {"out", folder_.path().string()}});
        if (stopped) event["resume"] = resume_command(c_, folder_.path().string());
        if (c_.require) event["required"] = *c_.require;
        fmt::print("{}", check::json_line(event));
    }

    void print_text(const RunSummary& s) const {
        const bool stopped = s.end == RunSummary::End::stopped;
        print_losses(history_, task_->unit());
        task_->print_results();
        fmt::print("{} after step {} of {}: {}, {:.1f} steps/s\n", stopped ? "stopped" : "done", run_.steps_done(),
                   run_.steps_total(), task_->reached(s), steps_per_second(s));
        std::vector<std::string> files;
        for (const std::string& name : task_->files)
            if (std::error_code error; fs::exists(folder_.path() / name, error))
                files.push_back((folder_.path() / name).string());
        files.front() += "   (parameters, optimiser state)";
        if (!c_.log.empty()) files.push_back(c_.log);
        if (trace_->on()) files.push_back(c_.trace);
        for (const std::string& file : files)
            fmt::print("{}{}\n", &file == files.data() ? "files   " : "        ", printable(file, 400));
        if (stopped)
            fmt::print("resume  {}\n", printable(resume_command(c_, folder_.path().string()), 1000));
        else
            fmt::print("{}", task_->next_commands());
    }

    const TrainCommand& c_;
    IntervalLog log_;
    OutFolder folder_;
    std::unique_ptr<TrainTask> task_;  // after the folder: what it leaves there on failure is removed before the folder is
    TrainingRun& run_;
    std::optional<Trace> trace_;
    std::vector<IntervalReport> history_;
    std::optional<GradientNorms> norms_;
    Index saved_ = -1;  ///< the last step that was saved
    bool begun_ = false;
};

int run_train(const TrainCommand& c, const TypedOptions& typed) {
    if (c.seeds) expect_no_single_run(c);
    const Task kind = task_of(c);
    check_command_options(c, kind);
    typed.expect_only_of(kind);
    if (c.seeds) return train_seeds(c, typed);
    return Session(c, kind == Task::text ? text_task(c, typed) : expression_task(c, typed)).run();
}

void set_up_train(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Trains a small attention model on expressions of three digits, such as Max(1,6,2) or First(…), and reports its accuracy;
or a causal language model on a text file, which is read from the disk as needed, and reports bits per character.
--resume continues a run bit for bit, also one that was killed, from its last checkpoint; --save-every says how often
checkpoints are written.
--seeds N trains the model with each of the seeds 1 to N in turn and prints a table over them; nothing else is written.)page",
         .exit_status = R"page(0 done
1 what was required was not reached
2 bad usage or bad files, or a loss that is not finite: what was saved before is kept
130 interrupted; the run was saved)page",
         .examples = R"page(gradproof train --model single-head --out run
gradproof train --model block --out run --require 0.999
gradproof train --model block --seeds 20
gradproof train --task text --data book.txt --steps 3000 --out runs/book
gradproof train --resume runs/book --steps 6000)page",
         .json = R"page(An object a line, schema 1, told apart by its event; each has schema and event; losses are in nats:
  start: version task model? data? symbols? vocabulary? training_symbols? held_out_symbols? layers? heads? width? context?
    positions? dtype seed epochs? batch lr steps steps_done parameter_count parameters{NAME} out
  interval: epoch step steps loss val_loss val_accuracy gradient_norm attention_entropy lr ms_per_step eta_seconds
    warnings[{symptom evidence advice}]?
  sample: step prompt text
  diverged: step first_bad
  done, or stopped: bits_per_character? gzip_bits_per_character? ngram_bits_per_character? val_accuracy loss val_loss
    steps steps_done seconds steps_per_second symbols_per_second? out required? resume?
  with --seeds: seed, one each: seed val_accuracy epochs_to_100 stays_from loss val_loss seconds; then
  seeds, at the end: seeds at_100 val_accuracy_mean val_accuracy_least seconds required?)page"});
    auto c = std::make_shared<TrainCommand>();
    auto typed = std::make_shared<TypedOptions>();
    add_command_options(command, *c);
    typed->add_to(command);
    command.runs_with_kernels([c, typed] { return run_train(*c, *typed); });
}
const NewCommand kTrain("train", "Train an attention model on expressions such as Max(1,6,2), or a language model on any text",
                        set_up_train);

}  // namespace

}  // namespace gradproof::cli
