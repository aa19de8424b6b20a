// Checkpoints as config.json and model.safetensors.
#include "gradproof/nn/train/checkpoint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/platform/from_chars.hpp"
#include "gradproof/nn/train/config.hpp"
#include "gradproof/nn/train/typed_run.hpp"

namespace gradproof {
namespace {

/// The version of the format: raised when an older program could not read what is written.
constexpr std::string_view kFormat = "gradproof 2";
constexpr Index kMostSteps = 999'999'999'999'999;

/// The content of model.safetensors.
struct Checkpoint {
    Safetensors file;
    std::string source, config;
    RunPosition position{};
};

/// The number that a text consists of; none if there is anything else in it.
template <class T>
std::optional<T> number_of(const std::string& text) {
    T value{};
    const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// An entry of the metadata; "" if it is missing.
std::string metadata_of(const Checkpoint& c, const char* name) {
    const auto at = c.file.metadata.find(name);
    return at == c.file.metadata.end() ? "" : at->second;
}

/// A number of the metadata, 0 or more; 0 if it is missing, as in files of earlier versions.
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
        io_error("{}: a checkpoint of the task {}, expected one of {}", c.source, name_of(task), name_of(expected));
}
ExpressionTrainOptions expression_options_of(const Checkpoint& c) {
    expect_task(c, Task::expressions);
    return expression_config(c.config, c.source);
}
TextConfig text_config_of(const Checkpoint& c) {
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
    for (int i = 0; i < tree.size(); ++i)
        copy_values(expect_tensor(c.file.tensors, tree[i].name, tree[i].shape, c.source), tree[i].name, tree[i].value);
    return text_model(std::move(model), config.facts.vocabulary);
}

/// make() with errors that name the checkpoint, since the options are its own.
auto from_checkpoint(const Checkpoint& c, auto&& make) {
    try {
        return make();
    } catch (const ValueError& e) {
        io_error("{}: {}", c.source, e.what());
    }
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

ExpressionTrainOptions read_expression_options(const std::filesystem::path& folder) {
    return expression_options_of(read_checkpoint(folder));
}

std::unique_ptr<ExpressionTraining> load_expression_checkpoint(const std::filesystem::path& folder,
                                                               std::optional<ExpressionTrainOptions> options) {
    const Checkpoint c = read_checkpoint(folder);
    const ExpressionTrainOptions own = expression_options_of(c);
    auto training =
        options ? make_expression_training(*options) : from_checkpoint(c, [&] { return make_expression_training(own); });
    training->restore(c.file.tensors, c.position, c.source);
    return training;
}

TextTrainOptions read_text_options(const std::filesystem::path& folder) {
    return text_config_of(read_checkpoint(folder)).options;
}

std::unique_ptr<TextTraining> load_text_checkpoint(const std::filesystem::path& folder, std::optional<TextTrainOptions> options) {
    const Checkpoint c = read_checkpoint(folder);
    const TextConfig config = text_config_of(c);
    auto training =
        options ? make_text_training(*options) : from_checkpoint(c, [&] { return make_text_training(config.options); });
    const TextData& data = training->data();
    if (data.bytes() != config.facts.bytes || data.checksum() != config.facts.checksum)
        io_error("{}: {} is not the text this run was started on: it has {} bytes, checksum {:016x}, expected {} bytes, {:016x}",
                 c.source, training->options().data, data.bytes(), data.checksum(), config.facts.bytes, config.facts.checksum);
    training->restore(c.file.tensors, c.position, c.source);
    return training;
}

std::unique_ptr<TextModel> load_text_model(const std::filesystem::path& folder) {
    const Checkpoint c = read_checkpoint(folder);
    const TextConfig config = text_config_of(c);
    return config.options.precision == Precision::f64 ? model_of<double>(c, config) : model_of<float>(c, config);
}

}  // namespace gradproof
