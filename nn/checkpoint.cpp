// Checkpoints as config.json and model.safetensors.
#include "gradproof/nn/checkpoint.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/nn/config.hpp"

namespace gradproof {
namespace {

/// Of what a checkpoint holds: raised when an older program could not read it.
constexpr std::string_view kFormat = "gradproof 2";
constexpr Index kMostSteps = 999'999'999'999'999;

/// What a checkpoint's file holds.
struct Checkpoint {
    Safetensors file;
    std::string source, config;
    RunPosition position{};
};

/// The number that is all of a text.
template <class T>
std::optional<T> number_of(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "" for what the metadata does not hold.
std::string metadata_of(const Checkpoint& c, const char* name) {
    const auto at = c.file.metadata.find(name);
    return at == c.file.metadata.end() ? "" : at->second;
}

/// A number of the metadata that is at least 0; 0 where earlier versions left it out.
template <class T>
T number_in(const Checkpoint& c, const char* name) {
    const std::string text = metadata_of(c, name);
    if (text.empty()) return 0;
    const auto number = number_of<T>(text);
    if (!number || !(*number >= 0) || (std::is_integral_v<T> && *number > static_cast<T>(kMostSteps)))
        io_error("{}: {} is {}, expected a number", c.source, name, printable(text));
    return *number;
}

Checkpoint read_checkpoint(const std::filesystem::path& folder) {
    const std::filesystem::path path = model_file(folder);
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        io_error("{}: no checkpoint there: {} is missing", printable(folder.string(), 400), path.filename().string());
    Checkpoint out{read_safetensors(path), path.string(), {}, {}};
    const std::string format = metadata_of(out, "format");
    if (!format.starts_with("gradproof")) io_error("{}: not a checkpoint of gradproof", out.source);
    if (format != kFormat)
        io_error("{}: a checkpoint of another version: its format is {}, this program reads {}", out.source, printable(format),
                 kFormat);
    out.config = metadata_of(out, "config");
    if (out.config.empty()) io_error("{}: the metadata holds no config", out.source);
    const auto steps = number_of<Index>(metadata_of(out, "steps_done"));
    if (!steps || *steps < 0 || *steps > kMostSteps)
        io_error("{}: the metadata does not say how many steps were done", out.source);
    out.position = {.steps_done = *steps,
                    .first_loss = number_in<double>(out, "first_loss"),
                    .loss_sum = number_in<double>(out, "loss_sum"),
                    .loss_steps = number_in<Index>(out, "loss_steps")};
    return out;
}

void expect_task(const Checkpoint& c, Task expected) {
    const Task task = config_task(c.config, c.source);
    if (task != expected)
        io_error("{}: a checkpoint of the task {}, expected one of {}", c.source, name_of(kTaskNames, task),
                 name_of(kTaskNames, expected));
}
TrainOptions expressions_of(const Checkpoint& c) {
    expect_task(c, Task::expressions);
    return expressions_config(c.config, c.source);
}
TextConfig text_of(const Checkpoint& c) {
    expect_task(c, Task::text);
    return text_config(c.config, c.source);
}

template <class T>
std::unique_ptr<TextModel> model_of(const Checkpoint& c, const TextConfig& config) {
    auto model = std::make_unique<LanguageModel<T>>(config.options.model, config.options.seed);
    ParameterTree<T>& tree = model->tree();
    const auto is_parameter = [](const NamedArray& a) { return !a.name.starts_with("optimiser."); };
    const auto parameters = std::count_if(c.file.tensors.begin(), c.file.tensors.end(), is_parameter);
    if (parameters > tree.size())
        io_error("{}: {} parameters, the model of its config has {}", c.source, parameters, tree.size());
    for (int i = 0; i < tree.size(); ++i) {
        Parameter<T>& p = tree[i];
        const Array* a = find_array(c.file.tensors, p.name);
        if (!a) io_error("{}: the tensor {} is missing", c.source, p.name);
        if (!(a->shape == p.shape)) io_error("{}: {} is {}, the model has {}", c.source, p.name, a->shape, p.shape);
        const Tensor<T> from = to_tensor<T>(*a, p.name);
        std::copy(from.begin(), from.end(), p.value.begin());
    }
    return text_model(std::move(model), config.facts.vocabulary);
}

}  // namespace

std::filesystem::path config_file(const std::filesystem::path& folder) { return folder / "config.json"; }
std::filesystem::path model_file(const std::filesystem::path& folder) { return folder / "model.safetensors"; }

void save_checkpoint(const TrainingRun& run, const std::filesystem::path& folder) {
    const std::string config = run.config();
    const RunPosition& at = run.position();
    write_safetensors(model_file(folder), {.tensors = run.tensors(),
                                           .metadata = {{"format", std::string(kFormat)},
                                                        {"config", config},
                                                        {"steps_done", std::to_string(at.steps_done)},
                                                        {"first_loss", fmt::format("{}", at.first_loss)},
                                                        {"loss_sum", fmt::format("{}", at.loss_sum)},
                                                        {"loss_steps", std::to_string(at.loss_steps)}}});
    write_file_atomically(config_file(folder), std::string_view(config));
}

Task checkpoint_task(const std::filesystem::path& folder) {
    const Checkpoint c = read_checkpoint(folder);
    return config_task(c.config, c.source);
}

TrainOptions read_config(const std::filesystem::path& folder) { return expressions_of(read_checkpoint(folder)); }

std::unique_ptr<Training> load_checkpoint(const std::filesystem::path& folder, std::optional<Index> epochs) {
    const Checkpoint c = read_checkpoint(folder);
    TrainOptions options = expressions_of(c);
    if (epochs) options.epochs = *epochs;
    std::unique_ptr<Training> training;
    try {
        training = make_training(options);
    } catch (const ValueError& e) {
        io_error("{}: {}", c.source, e.what());
    }
    training->restore(c.file.tensors, c.position, c.source);
    return training;
}

TextTrainOptions read_text_config(const std::filesystem::path& folder) { return text_of(read_checkpoint(folder)).options; }

std::unique_ptr<TextTraining> load_text_checkpoint(const std::filesystem::path& folder, const TextTrainOptions& options) {
    const Checkpoint c = read_checkpoint(folder);
    const TextConfig config = text_of(c);
    std::unique_ptr<TextTraining> training = make_text_training(options);
    const TextData& data = training->data();
    if (data.bytes() != config.facts.bytes || data.checksum() != config.facts.checksum)
        io_error("{}: {} is not the text this run was started on: it has {} bytes, checksum {:016x}, expected {} bytes, {:016x}",
                 c.source, options.data, data.bytes(), data.checksum(), config.facts.bytes, config.facts.checksum);
    training->restore(c.file.tensors, c.position, c.source);
    return training;
}

std::unique_ptr<TextModel> load_text_model(const std::filesystem::path& folder) {
    const Checkpoint c = read_checkpoint(folder);
    const TextConfig config = text_of(c);
    return config.options.precision == Precision::f64 ? model_of<double>(c, config) : model_of<float>(c, config);
}

}  // namespace gradproof
