// Checkpoints as config.json and model.safetensors.
#include "gradproof/nn/train/checkpoint.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/platform/from_chars.hpp"
#include "gradproof/nn/train/config.hpp"
#include "gradproof/nn/train/typed_run.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

/// The version of the format: raised when an older program could not read what is written.
constexpr std::string_view kFormat = "gradproof 2";
constexpr Index kMostSteps = 999'999'999'999'999;
constexpr const char* kChecksum = "checksum";

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

/// Of everything in the file but the sum itself, so that parts of different checkpoints are told apart. FNV-1a, eight bytes at
/// once.
std::string checksum(const Safetensors& file) {
    std::uint64_t sum = 14695981039346656037ULL;
    const auto add = [&](const void* data, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, static_cast<const char*>(data) + at, std::min<std::size_t>(8, bytes - at));
            sum = (sum ^ word) * 1099511628211ULL;
            sum ^= sum >> 29;
        }
        sum = (sum ^ bytes) * 1099511628211ULL;
    };
    for (const auto& [name, text] : file.metadata) {
        if (name == kChecksum) continue;
        add(name.data(), name.size());
        add(text.data(), text.size());
    }
    for (const NamedArray& a : file.tensors) {
        add(a.name.data(), a.name.size());
        add(a.array.data.data(), a.array.data.size());
    }
    return fmt::format("{:016x}", sum);
}

/// Errors: IoError where the tensors, the position, the config and config.json were not written by one save.
void expect_whole(const Checkpoint& c, const std::filesystem::path& folder) {
    const std::string is = metadata_of(c, kChecksum);
    if (!is.empty() && is != checksum(c.file))
        io_error("{}: its tensors, steps and config are not of one checkpoint: the checksum is {}, expected {}", c.source,
                 printable(is, 40), checksum(c.file));
    std::error_code error;
    if (std::filesystem::exists(config_file(folder), error) && !file_holds(config_file(folder), c.config))
        io_error("{}: not the config of the checkpoint beside it, which keeps its own; remove it to go on with that",
                 printable(config_file(folder).string(), 400));
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
                    .loss_steps = number_in<Index>(out, "loss_steps"),
                    .kernels = metadata_of(out, "kernels")};
    if (out.position.loss_steps > *steps)
        io_error("{}: loss_steps is {}, steps_done is {}: no more than were done", out.source, out.position.loss_steps, *steps);
    return out;
}

bool is_parameter(const NamedArray& a) { return !a.name.starts_with("optimiser."); }

void expect_task(const Checkpoint& c, Task expected) {
    const Task task = config_task(c.config, c.source);
    if (task != expected)
        io_error("{}: a checkpoint of the task {}, expected one of {}", c.source, name_of(task), name_of(expected));
}
ExpressionTrainOptions expression_options_of(const Checkpoint& c) {
    expect_task(c, Task::expressions);
    return expression_config(c.config, c.source);
}
/// Errors: also IoError for a model larger than the file, before anything is made of its size.
TextConfig text_config_of(const Checkpoint& c) {
    expect_task(c, Task::text);
    TextConfig config = text_config(c.config, c.source);
    const LanguageModelOptions& m = config.options.model;
    const auto number = [](Index n) { return static_cast<double>(n); };
    const double width = number(m.channels), inside = m.hidden == 0 ? 4 * width : number(m.hidden);
    const double least = number(m.vocabulary) * width + number(m.layers) * width * (4 * width + 2 * inside);
    double held = 0;
    for (const NamedArray& a : c.file.tensors)
        if (is_parameter(a)) held += number(a.array.shape.size());
    if (least > held)
        io_error("{}: the model of its config has {:.0f} parameters at least, the file holds {:.0f}", c.source, least, held);
    return config;
}

template <class T>
std::unique_ptr<TextModel> model_of(const Checkpoint& c, const TextConfig& config) {
    auto model = std::make_unique<LanguageModel<T>>(config.options.model, config.options.seed);
    ParameterTree<T>& tree = model->tree();
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
    Safetensors file{.tensors = run.tensors(),
                     .metadata = {{"format", std::string(kFormat)},
                                  {"config", config},
                                  {"kernels", kernels_in_use()},
                                  {"steps_done", std::to_string(at.steps_done)},
                                  {"first_loss", fmt::format("{}", at.first_loss)},
                                  {"loss_sum", fmt::format("{}", at.loss_sum)},
                                  {"loss_steps", std::to_string(at.loss_steps)}}};
    file.metadata[kChecksum] = checksum(file);
    // At no moment does a config stand beside a model that it is not of, and a model that is there stands beside its own.
    std::error_code error;
    const bool fresh = !std::filesystem::exists(model_file(folder), error);
    const bool same = file_holds(config_file(folder), config);
    const std::filesystem::path aside = folder / ".config.json.0.0.tmp";  // as what a write that was killed leaves
    if (fresh && !same) write_file_atomically(config_file(folder), std::string_view(config));
    if (!fresh && !same) std::filesystem::rename(config_file(folder), aside, error);
    try {
        write_safetensors(model_file(folder), file);
    } catch (...) {
        if (!fresh && !same) std::filesystem::rename(aside, config_file(folder), error);
        throw;
    }
    if (fresh || same) return;
    std::filesystem::remove(aside, error);
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
    expect_whole(c, folder);
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
    expect_whole(c, folder);
    return training;
}

std::unique_ptr<TextModel> load_text_model(const std::filesystem::path& folder) {
    const Checkpoint c = read_checkpoint(folder);
    const TextConfig config = text_config_of(c);
    return config.options.precision == Precision::f64 ? model_of<double>(c, config) : model_of<float>(c, config);
}

}  // namespace gradproof
