// Configs as JSON, written and read by the fields of the options.
#include "gradproof/nn/train/config.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/version.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::ordered_json;

/// The values of a config by name. Errors name the config, the field, what it is and what was expected.
class ConfigReader {
  public:
    ConfigReader(const std::string& text, std::string source)
        : json_(Json::parse(text, nullptr, /*allow_exceptions=*/false)), source_(std::move(source)) {
        if (!json_.is_object()) io_error("{}: not a JSON object", source_);
    }
    void read(const std::string& key, double& out) const { take(key, out, &Json::is_number, "a number"); }
    void read(const std::string& key, Index& out) const { take(key, out, &Json::is_number_integer, "an integer"); }
    void read(const std::string& key, std::uint64_t& out) const {
        take(key, out, &Json::is_number_unsigned, "a non-negative integer");
    }
    void read(const std::string& key, std::string& out) const { take(key, out, &Json::is_string, "a text"); }
    template <NamedEnum E>
    void read(const std::string& key, E& out) const {
        std::string name;
        take(key, name, &Json::is_string, "a name");
        const std::optional<E> value = value_named<E>(name);
        if (!value) io_error("{}: {} is {}, which is not known{}", source_, key, printable(name), did_you_mean(name, names(out)));
        out = *value;
    }
    std::vector<std::uint32_t> codes(const std::string& key) const {
        Json list;
        take(key, list, &Json::is_array, "a list");
        std::vector<std::uint32_t> out;
        for (const Json& code : list) {
            if (!code.is_number_unsigned() || code.get<std::uint64_t>() > 0x10FFFF)
                io_error("{}: {} holds {}, expected codes of characters", source_, key, printable(code.dump()));
            out.push_back(code.get<std::uint32_t>());
        }
        return out;
    }
    /// Those of a task, of which it must have all and, beside `more`, no others. A config of an older version may lack some:
    /// they have their defaults, with which a run is what it was before there was such an option.
    template <class Options>
    Options options(std::vector<std::string> more = {}) const {
        Options out;
        more.insert(more.end(), {"gradproof", "task"});
        Options::fields(out, [&](const OptionField& field, const auto&) {
            more.push_back(field.config_key());
            if (!json_.contains(more.back()) && !is_older()) other_version("lacks", more.back());
        });
        for (const auto& [key, value] : json_.items())
            if (std::find(more.begin(), more.end(), key) == more.end()) other_version("has", key);
        Options::fields(out, [&](const OptionField& field, auto& value) {
            if (json_.contains(field.config_key())) read(field.config_key(), value);
        });
        return out;
    }
    /// Runs checks that throw ValueError.
    void check(auto&& checks) const {
        try {
            checks();
        } catch (const ValueError& e) {
            io_error("{}: {}", source_, e.what());
        }
    }

  private:
    /// Whether a version before this one wrote it.
    bool is_older() const {
        const Json by = json_.value("gradproof", Json());
        std::array<int, 3> v{};
        return by.is_string() && std::sscanf(by.get<std::string>().c_str(), "%d.%d.%d", &v[0], &v[1], &v[2]) == 3 &&
               v < std::array{kVersionMajor, kVersionMinor, kVersionPatch};
    }
    [[noreturn]] void other_version(std::string_view lacks_or_has, const std::string& key) const {
        const Json by = json_.value("gradproof", Json("an unknown version"));
        io_error("{}: its config {} the option {}: it was written by gradproof {}, whose options are not those of this one, {}",
                 source_, lacks_or_has, printable(key, 60), by.is_string() ? printable(by.get<std::string>(), 60) : "?",
                 version());
    }
    template <class T>
    void take(const std::string& key, T& out, bool (Json::*fits)() const noexcept, const char* expected) const {
        const auto at = json_.find(key);
        if (at == json_.end() || !((*at).*fits)())
            io_error("{}: {} is {}, expected {}", source_, key,
                     at == json_.end() ? "missing" : printable(at->dump(-1, ' ', true)), expected);
        out = at->get<T>();
    }
    Json json_;
    std::string source_;
};

template <class T>
Json json_of(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return name_of(value);
    else
        return value;
}

template <class Options>
Json config_of(Task task, const Options& options) {
    Json out{{"gradproof", version()}, {"task", name_of(task)}};
    Options::fields(options, [&](const OptionField& field, const auto& value) { out[field.config_key()] = json_of(value); });
    return out;
}

}  // namespace

Task config_task(const std::string& text, const std::string& source) {
    Task task{};
    ConfigReader(text, source).read("task", task);
    return task;
}

std::string config_text(const ExpressionTrainOptions& o) { return config_of(Task::expressions, o).dump(2) + "\n"; }

ExpressionTrainOptions expression_config(const std::string& text, const std::string& source) {
    const ConfigReader reader(text, source);
    const auto options = reader.options<ExpressionTrainOptions>();
    reader.check([&] { validate(options); });
    return options;
}

std::string config_text(const TextTrainOptions& o, const TextFacts& facts) {
    Json j = config_of(Task::text, o);
    j["text_symbols"] = facts.symbols;
    j["text_bytes"] = facts.bytes;
    j["text_checksum"] = facts.checksum;
    std::string out = j.dump(2);
    out.resize(out.size() - 2);  // without the closing line: the vocabulary follows, on a single line
    return out + ",\n  \"vocabulary\": " + Json(facts.vocabulary.codes()).dump() + "\n}\n";
}

TextConfig text_config(const std::string& text, const std::string& source) {
    const ConfigReader reader(text, source);
    TextConfig c{reader.options<TextTrainOptions>({"text_symbols", "text_bytes", "text_checksum", "vocabulary"}), {}};
    reader.read("text_symbols", c.facts.symbols);
    reader.read("text_bytes", c.facts.bytes);
    reader.read("text_checksum", c.facts.checksum);
    reader.check([&] {
        c.facts.vocabulary = Vocabulary(c.options.text.symbols, reader.codes("vocabulary"));
        c.options.model.vocabulary = c.facts.vocabulary.size();
        validate(c.options);
        validate(c.options.model);
    });
    return c;
}

}  // namespace gradproof
