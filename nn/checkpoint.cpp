// Checkpoints as config.json and model.safetensors.
#include "nn/checkpoint.hpp"

#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "core/io/safetensors.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::ordered_json;

template <std::size_t N, class E>
std::string name_of(const std::array<std::string_view, N>& names, E value) {
    return std::string(names[static_cast<std::size_t>(value)]);
}
inline constexpr std::array<std::string_view, 3> kOptimisers = {kOptimiserNames[0], kOptimiserNames[1], kOptimiserNames[2]};

/// A field of the file; what is wrong with it is said in one line.
class Fields {
  public:
    Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}
    template <class T>
    T get(const char* name, bool fits, const char* expected) const {
        if (!fits) io_error("{}: {} is {}, expected {}", path_, name, json_.contains(name) ? printable(json_[name].dump(-1, ' ', true)) : "missing", expected);
        return json_[name].get<T>();
    }
    double number(const char* name) const { return get<double>(name, json_.contains(name) && json_[name].is_number(), "a number"); }
    Index integer(const char* name) const { return get<Index>(name, json_.contains(name) && json_[name].is_number_integer(), "an integer"); }
    std::uint64_t natural(const char* name) const {
        return get<std::uint64_t>(name, json_.contains(name) && json_[name].is_number_unsigned(), "a non-negative integer");
    }
    template <class E, std::size_t N>
    E one_of(const char* name, const std::array<std::string_view, N>& names) const {
        const std::string text = get<std::string>(name, json_.contains(name) && json_[name].is_string(), "a name");
        for (std::size_t i = 0; i < N; ++i)
            if (names[i] == text) return static_cast<E>(i);
        const std::string near = nearest(text, names);
        io_error("{}: {} is {}, which is not known{}", path_, name, printable(text), near.empty() ? "" : "; did you mean " + near);
    }

  private:
    const Json& json_;
    std::string path_;
};

Json to_json(const TrainOptions& o) {
    Json j;
    j["gradproof"] = GRADPROOF_VERSION;
    j["task"] = "expressions";
    j["model"] = name_of(kModelNames, o.model);
    j["dtype"] = name_of(kPrecisionNames, o.precision);
    j["epochs"] = o.epochs;
    j["batch"] = o.batch;
    j["lr"] = o.rate;
    j["seed"] = o.seed;
    j["optimiser"] = name_of(kOptimisers, o.optimiser.kind);
    j["momentum"] = o.optimiser.momentum;
    j["beta1"] = o.optimiser.beta1;
    j["beta2"] = o.optimiser.beta2;
    j["epsilon"] = o.optimiser.epsilon;
    j["weight_decay"] = o.optimiser.weight_decay;
    j["clip"] = o.clip;
    j["warmup"] = o.warmup;
    j["decay_epochs"] = o.decay_epochs;
    j["validation_share"] = o.validation_share;
    return j;
}

}  // namespace

std::filesystem::path config_file(const std::filesystem::path& folder) { return folder / "config.json"; }
std::filesystem::path model_file(const std::filesystem::path& folder) { return folder / "model.safetensors"; }

void save_checkpoint(const Training& training, const std::filesystem::path& folder) {
    const std::map<std::string, std::string> metadata{{"format", "gradproof"}, {"steps_done", std::to_string(training.steps_done())}};
    write_file_atomically(config_file(folder), to_json(training.options()).dump(2) + "\n");
    write_safetensors(model_file(folder), {.tensors = training.tensors(), .metadata = metadata});
}

TrainOptions read_config(const std::filesystem::path& folder) {
    const std::filesystem::path path = config_file(folder);
    if (!std::filesystem::exists(path)) io_error("{}: no checkpoint there: {} is missing", folder.string(), path.filename().string());
    const std::vector<std::byte> bytes = read_file(path);
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const Json j = Json::parse(text, text + bytes.size(), nullptr, /*allow_exceptions=*/false);
    if (!j.is_object()) io_error("{}: not a JSON object", path.string());
    const Fields f(j, path.string());
    TrainOptions o;
    o.model = f.one_of<ModelKind>("model", kModelNames);
    o.precision = f.one_of<Precision>("dtype", kPrecisionNames);
    o.epochs = f.integer("epochs");
    o.batch = f.integer("batch");
    o.rate = f.number("lr");
    o.seed = f.natural("seed");
    o.optimiser.kind = f.one_of<OptimiserKind>("optimiser", kOptimisers);
    o.optimiser.momentum = f.number("momentum");
    o.optimiser.beta1 = f.number("beta1");
    o.optimiser.beta2 = f.number("beta2");
    o.optimiser.epsilon = f.number("epsilon");
    o.optimiser.weight_decay = f.number("weight_decay");
    o.clip = f.number("clip");
    o.warmup = f.integer("warmup");
    o.decay_epochs = f.integer("decay_epochs");
    o.validation_share = f.number("validation_share");
    try {
        check(o);
    } catch (const ValueError& e) {
        io_error("{}: {}", path.string(), e.what());
    }
    return o;
}

std::unique_ptr<Training> load_checkpoint(const std::filesystem::path& folder, std::optional<Index> epochs) {
    TrainOptions options = read_config(folder);
    if (epochs) options.epochs = *epochs;
    const std::filesystem::path path = model_file(folder);
    const Safetensors file = read_safetensors(path);
    const auto at = file.metadata.find("steps_done");
    Index steps = -1;
    if (at != file.metadata.end() && !at->second.empty() && at->second.size() < 16 &&
        at->second.find_first_not_of("0123456789") == std::string::npos)
        steps = std::stoll(at->second);
    if (steps < 0) io_error("{}: the metadata does not say how many steps were done", path.string());
    std::unique_ptr<Training> training;
    try {
        training = make_training(options);
    } catch (const ValueError& e) {
        io_error("{}: {}", config_file(folder).string(), e.what());
    }
    training->restore(file.tensors, steps, path.string());
    return training;
}

}  // namespace gradproof
