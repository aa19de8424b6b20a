// Training runs: made, loaded, trained, asked, saved.
#include "tools/python/src/training.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <exception>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/python/src/train_options.hpp"

namespace gradproof::python {

Run::Run(std::unique_ptr<ExpressionTraining> run) : run_(std::move(run)) {
    expressions_ = static_cast<ExpressionTraining*>(run_.get());
}
Run::Run(std::unique_ptr<TextTraining> run) : run_(std::move(run)) { text_ = static_cast<TextTraining*>(run_.get()); }

ExpressionTraining& Run::expressions(std::string_view wanted) const {
    if (!expressions_) value_error("{}: the run is of the task text, expected one of the task expressions", wanted);
    return *expressions_;
}
TextTraining& Run::text(std::string_view wanted) const {
    if (!text_) value_error("{}: the run is of the task expressions, expected one of the task text", wanted);
    return *text_;
}

std::vector<IntervalReport> Run::history() {
    return alone([&](const TrainingRun&) { return history_; });
}

RunSummary Run::train(const Callbacks& callbacks, std::optional<Index> until, const Stop& stop) {
    const std::lock_guard lock(mutex_);
    if (training_) value_error("train: the run trains already");
    struct Training {
        bool& on;
        explicit Training(bool& flag) : on(flag) { on = true; }
        ~Training() { on = false; }
    } const training(training_);
    // What a callback raises ends the run between two steps, and its position stays whole.
    std::exception_ptr raised;
    std::atomic<bool> end{false};
    const auto calls = [&](const std::optional<nb::callable>& callback, const auto& report) {
        if (stop.flag) end = true;
        if (!callback || raised) return;
        const nb::gil_scoped_acquire gil;
        try {
            (*callback)(to_dict(report));
        } catch (...) {
            raised = std::current_exception();
            end = true;
        }
    };
    TrainingHooks hooks{.on_interval =
                            [&](const IntervalReport& r) {
                                history_.push_back(r);
                                calls(callbacks.on_interval, r);
                            },
                        .after_step = [&](const StepReport& s) { calls(callbacks.on_step, s); },
                        .stop = &end};
    end = stop.flag.load();
    if (until) hooks.until = *until;
    const RunSummary summary = run_->train(hooks);
    if (raised) std::rethrow_exception(raised);
    return summary;
}

nb::dict to_dict(const StepReport& r) {
    nb::dict out;
    out["step"] = r.step;
    out["loss"] = r.loss;
    out["gradient_norm"] = r.gradient_norm;
    out["lr"] = r.rate;
    return out;
}

nb::dict to_dict(const IntervalReport& r) {
    nb::dict out, gradients;
    nb::list warnings;
    for (const GradientStats& g : r.gradients) gradients[g.name.c_str()] = g.norm;
    for (const TrainingWarning& w : r.warnings) warnings.append(w.text() + "; " + std::string(w.advice));
    out["epoch"] = r.epoch;
    out["step"] = r.step;
    out["steps"] = r.steps;
    out["loss"] = r.loss;
    out["val_loss"] = r.validation.loss;
    out["val_accuracy"] = r.validation.accuracy;
    out["gradient_norm"] = r.gradient_norm;
    out["attention_entropy"] = r.validation.attention.entropy;
    out["lr"] = r.rate;
    out["ms_per_step"] = r.ms_per_step;
    out["eta_seconds"] = r.eta_seconds;
    out["warnings"] = warnings;
    out["gradients"] = gradients;
    return out;
}

nb::dict to_dict(const RunSummary& s) {
    nb::dict out;
    out["end"] = s.end == RunSummary::End::finished ? "finished" : s.end == RunSummary::End::stopped ? "stopped" : "diverged";
    out["first_bad"] = s.first_bad;
    out["steps"] = s.steps;
    out["seconds"] = s.seconds;
    out["loss"] = s.last_loss;
    out["val_loss"] = s.validation.loss;
    out["val_accuracy"] = s.validation.accuracy;
    return out;
}

namespace {

template <class Options>
auto options_with(Options options, const nb::dict& given, const std::string& resumed) {
    set_options(options, given, resumed);
    if constexpr (std::is_same_v<Options, TextTrainOptions>)
        if (!options.data.empty()) options.data = absolute_path(options.data).string();
    return options;
}

std::unique_ptr<Run> make_run(Task task, const nb::dict& given) {
    if (task == Task::expressions) {
        const auto options = options_with(ExpressionTrainOptions{}, given, "");
        const nb::gil_scoped_release free;
        return std::make_unique<Run>(make_expression_training(options));
    }
    const auto options = options_with(TextTrainOptions{}, given, "");
    const nb::gil_scoped_release free;
    return std::make_unique<Run>(make_text_training(options));
}

std::unique_ptr<Run> load_run(const std::string& folder, const nb::dict& given) {
    if (checkpoint_task(folder) == Task::expressions) {
        const auto options = options_with(read_expression_options(folder), given, folder);
        validate(options);
        const nb::gil_scoped_release free;
        return std::make_unique<Run>(load_expression_checkpoint(folder, options));
    }
    const auto options = options_with(read_text_options(folder), given, folder);
    validate(options);
    const nb::gil_scoped_release free;
    return std::make_unique<Run>(load_text_checkpoint(folder, options));
}

std::vector<Tensor<double>> attention(Run& r, const std::string& text) {
    return r.alone([&](TrainingRun&) {
        return r.is_text() ? r.text("attention").model().attention(text)
                           : std::vector{r.expressions("attention").attention(find_expression(text))};
    });
}

template <class F>
auto freely(Run& r, F&& f) {
    const nb::gil_scoped_release free;
    return r.alone(std::forward<F>(f));
}

nb::dict gradients(Run& r) {
    nb::dict out;
    for (const GradientStats& g : freely(r, [](TrainingRun& run) { return run.gradients(); })) out[g.name.c_str()] = g.norm;
    return out;
}

/// The parameters alone: the tensors of a run that begin its tree.
nb::dict parameters(Run& r) {
    nb::dict out;
    for (const NamedArray& a : freely(r, [](TrainingRun& run) {
             std::vector<NamedArray> all = run.tensors();
             all.resize(run.parameter_shapes().size());
             return all;
         }))
        out[a.name.c_str()] = to_numpy(a.array);
    return out;
}

nb::dict options_of(Run& r) { return r.is_text() ? to_dict(r.text("").options()) : to_dict(r.expressions("").options()); }

nb::list history_of(Run& r) {
    nb::list out;
    std::vector<IntervalReport> all = freely(r, [&](TrainingRun&) { return r.history(); });
    for (const IntervalReport& i : all) out.append(to_dict(i));
    return out;
}

nb::dict train(Run& r, const std::optional<nb::callable>& on_step, const std::optional<nb::callable>& on_interval,
               std::optional<Index> until, const Stop& stop) {
    RunSummary summary;
    {
        const nb::gil_scoped_release free;
        summary = r.train({on_step, on_interval}, until, stop);
    }
    return to_dict(summary);
}

}  // namespace

void bind_training(nb::module_& m) {
    nb::class_<Run>(m, "Run")
        .def("train", train, nb::arg("on_step").none(), nb::arg("on_interval").none(), nb::arg("until").none(), nb::arg("stop"))
        .def("step", [](Run& r) { return to_dict(freely(r, [](TrainingRun& run) { return run.step(); })); })
        .def("first_bad", [](Run& r) { return freely(r, [](TrainingRun& run) { return run.first_bad_tensor(); }); })
        .def("gradients", gradients)
        .def("parameters", parameters)
        .def("options", options_of)
        .def("history", history_of)
        .def("save", [](Run& r, const std::string& to) { freely(r, [&](TrainingRun& run) { save_checkpoint(run, to); }); })
        .def("attention",
             [](Run& r, const std::string& text, const Stop&) {
                 std::vector<Tensor<double>> layers;
                 {
                     const nb::gil_scoped_release free;
                     layers = attention(r, text);
                 }
                 return to_list(layers);
             })
        .def("probabilities",
             [](Run& r, const std::string& expression) {
                 return to_numpy(freely(
                     r, [&](TrainingRun&) { return r.expressions("probabilities").probabilities(find_expression(expression)); }));
             })
        .def("evaluate",
             [](Run& r) {
                 const Evaluation e = freely(r, [](TrainingRun& run) { return run.evaluate(); });
                 return std::pair(e.loss, e.accuracy);
             })
        .def("held_out_bits",
             [](Run& r, const Stop& stop) {
                 const nb::gil_scoped_release free;
                 const ControlScope control(stop.control(), "held_out_bits");
                 return r.alone([&](TrainingRun&) { return r.text("held_out_bits").held_out_bits(); });
             })
        .def_prop_ro("task", [](Run& r) { return name_of(r.is_text() ? Task::text : Task::expressions); })
        .def_prop_ro("steps_done", [](Run& r) { return r.run().steps_done(); })
        .def_prop_ro("steps_total", [](Run& r) { return r.run().steps_total(); })
        .def_prop_ro("interval", [](Run& r) { return r.run().interval(); })
        .def_prop_ro("epochs_done", [](Run& r) { return r.run().epochs_done(); })
        .def_prop_ro("parameter_count", [](Run& r) { return r.run().parameter_count(); });
    m.def("make_run", [](const std::string& task, const nb::dict& given) {
        const std::optional<Task> kind = value_named<Task>(task);
        if (!kind) value_error("train: task is {}, expected expressions or text", printable(task));
        return make_run(*kind, given);
    });
    m.def("load_run", load_run);
    m.def("has_checkpoint", [](const std::string& folder) {
        std::error_code error;
        return std::filesystem::exists(model_file(folder), error);
    });
    m.def("token_texts", [](const std::string& expression) {
        static const Examples all = all_expressions();
        return token_texts(all.row(find_expression(expression)));
    });
}

}  // namespace gradproof::python
