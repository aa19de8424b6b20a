// Configs as JSON: each field named once for writing and once, with what it must be, for reading.
#include "gradproof/nn/config.hpp"

#include <nlohmann/json.hpp>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/version.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::ordered_json;

/// The fields of a config; what is wrong with one is said in one line.
class Fields {
  public:
    Fields(const std::string& text, std::string source)
        : json_(Json::parse(text, nullptr, /*allow_exceptions=*/false)), source_(std::move(source)) {
        if (!json_.is_object()) io_error("{}: not a JSON object", source_);
    }
    template <class T>
    T get(const char* name, bool fits, const char* expected) const {
        if (!fits)
            io_error("{}: {} is {}, expected {}", source_, name,
                     json_.contains(name) ? printable(json_[name].dump(-1, ' ', true)) : "missing", expected);
        return json_[name].get<T>();
    }
    double number(const char* name) const {
        return get<double>(name, json_.contains(name) && json_[name].is_number(), "a number");
    }
    Index integer(const char* name) const {
        return get<Index>(name, json_.contains(name) && json_[name].is_number_integer(), "an integer");
    }
    std::uint64_t natural(const char* name) const {
        return get<std::uint64_t>(name, json_.contains(name) && json_[name].is_number_unsigned(), "a non-negative integer");
    }
    std::string text(const char* name) const {
        return get<std::string>(name, json_.contains(name) && json_[name].is_string(), "a text");
    }
    std::vector<std::uint32_t> codes(const char* name) const {
        std::vector<std::uint32_t> out;
        for (const Json& code : get<Json>(name, json_.contains(name) && json_[name].is_array(), "a list")) {
            if (!code.is_number_unsigned() || code.get<std::uint64_t>() > 0x10FFFF)
                io_error("{}: {} holds {}, expected codes of characters", source_, name, printable(code.dump()));
            out.push_back(code.get<std::uint32_t>());
        }
        return out;
    }
    template <class E, std::size_t N>
    E one_of(const char* name, const std::array<std::string_view, N>& names) const {
        const std::string value = get<std::string>(name, json_.contains(name) && json_[name].is_string(), "a name");
        for (std::size_t i = 0; i < N; ++i)
            if (names[i] == value) return static_cast<E>(i);
        const std::string near = nearest(value, names);
        io_error("{}: {} is {}, which is not known{}", source_, name, printable(value),
                 near.empty() ? "" : "; did you mean " + near);
    }
    /// Runs checks that throw ValueError.
    void checked(auto&& checks) const {
        try {
            checks();
        } catch (const ValueError& e) {
            io_error("{}: {}", source_, e.what());
        }
    }

  private:
    Json json_;
    std::string source_;
};

void put_optimiser(Json& j, const OptimiserOptions& o) {
    j["optimiser"] = name_of(kOptimiserNames, o.kind);
    j["momentum"] = o.momentum;
    j["beta1"] = o.beta1;
    j["beta2"] = o.beta2;
    j["epsilon"] = o.epsilon;
    j["weight_decay"] = o.weight_decay;
}
OptimiserOptions optimiser_of(const Fields& f) {
    return {.kind = f.one_of<OptimiserKind>("optimiser", kOptimiserNames),
            .momentum = f.number("momentum"),
            .beta1 = f.number("beta1"),
            .beta2 = f.number("beta2"),
            .epsilon = f.number("epsilon"),
            .weight_decay = f.number("weight_decay")};
}

/// What every task's options have.
template <class Options>
void put_common(Json& j, const Options& o) {
    j["dtype"] = name_of(kPrecisionNames, o.precision);
    j["batch"] = o.batch;
    j["lr"] = o.rate;
    j["seed"] = o.seed;
    put_optimiser(j, o.optimiser);
    j["clip"] = o.clip;
    j["warmup"] = o.warmup;
}
template <class Options>
void take_common(const Fields& f, Options& o) {
    o.precision = f.one_of<Precision>("dtype", kPrecisionNames);
    o.batch = f.integer("batch");
    o.rate = f.number("lr");
    o.seed = f.natural("seed");
    o.optimiser = optimiser_of(f);
    o.clip = f.number("clip");
    o.warmup = f.integer("warmup");
}

Json head(Task task) { return {{"gradproof", version()}, {"task", name_of(kTaskNames, task)}}; }

}  // namespace

Task config_task(const std::string& text, const std::string& source) {
    return Fields(text, source).one_of<Task>("task", kTaskNames);
}

std::string config_text(const TrainOptions& o) {
    Json j = head(Task::expressions);
    j["model"] = name_of(kModelNames, o.model);
    j["epochs"] = o.epochs;
    put_common(j, o);
    j["decay_epochs"] = o.decay_epochs;
    j["validation_share"] = o.validation_share;
    return j.dump(2) + "\n";
}

TrainOptions expressions_config(const std::string& text, const std::string& source) {
    const Fields f(text, source);
    TrainOptions o;
    o.model = f.one_of<ModelKind>("model", kModelNames);
    o.epochs = f.integer("epochs");
    take_common(f, o);
    o.decay_epochs = f.integer("decay_epochs");
    o.validation_share = f.number("validation_share");
    f.checked([&] { validate(o); });
    return o;
}

std::string config_text(const TextTrainOptions& o, const TextFacts& facts) {
    Json j = head(Task::text);
    j["data"] = o.data;
    j["symbols"] = name_of(kSymbolNames, o.text.symbols);
    j["held_out_share"] = o.text.held_out_share;
    j["held_out_most"] = o.text.held_out_most;
    j["context"] = o.model.context;
    j["layers"] = o.model.layers;
    j["heads"] = o.model.heads;
    j["width"] = o.model.channels;
    j["hidden"] = o.model.hidden;
    j["positions"] = name_of(kPositionNames, o.model.positions);
    j["steps"] = o.steps;
    put_common(j, o);
    j["decay_steps"] = o.decay_steps;
    j["interval"] = o.interval;
    j["text_symbols"] = facts.symbols;
    j["text_bytes"] = facts.bytes;
    j["text_checksum"] = facts.checksum;
    Json codes = Json::array();
    for (const std::uint32_t code : facts.vocabulary.codes()) codes.push_back(code);
    std::string out = j.dump(2);
    out.resize(out.size() - 2);  // before the last line: the vocabulary goes on one
    return out + ",\n  \"vocabulary\": " + codes.dump() + "\n}\n";
}

TextConfig text_config(const std::string& text, const std::string& source) {
    const Fields f(text, source);
    TextConfig c;
    TextTrainOptions& o = c.options;
    o.data = f.text("data");
    o.text = {.symbols = f.one_of<TextSymbols>("symbols", kSymbolNames),
              .held_out_share = f.number("held_out_share"),
              .held_out_most = f.integer("held_out_most")};
    o.model.context = f.integer("context");
    o.model.layers = f.integer("layers");
    o.model.heads = f.integer("heads");
    o.model.channels = f.integer("width");
    o.model.hidden = f.integer("hidden");
    o.model.positions = f.one_of<PositionKind>("positions", kPositionNames);
    o.steps = f.integer("steps");
    take_common(f, o);
    o.decay_steps = f.integer("decay_steps");
    o.interval = f.integer("interval");
    c.facts.symbols = f.integer("text_symbols");
    c.facts.bytes = f.integer("text_bytes");
    c.facts.checksum = f.natural("text_checksum");
    f.checked([&] {
        c.facts.vocabulary = Vocabulary(o.text.symbols, f.codes("vocabulary"));
        o.model.vocabulary = c.facts.vocabulary.size();
        validate(o);
        validate(o.model);
    });
    return c;
}

}  // namespace gradproof
