// JSON between the checker and the Python that runs a program.
#include "gradproof/core/proof/judge/run_exchange.hpp"

#include <limits>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"

namespace gradproof::proof {
namespace {

using check::Json;

Json run_json(const RunArray& array) {
    return {{"shape", check::json_shape(array.value.shape())},
            {"values", array.value.values()},
            {"whole", array.whole},
            {"differentiable", array.differentiable}};
}
Json run_json(const RunCase::Arrays& arrays) {
    Json out = Json::object();
    for (const auto& [name, array] : arrays) out[name] = run_json(array);
    return out;
}
Json run_json(const RunCase& c) {
    Json sizes = Json::object();
    for (const auto& [name, size] : c.sizes) sizes[name] = size;
    return {{"inputs", run_json(c.inputs)},
            {"fallbacks", run_json(c.fallbacks)},
            {"incoming", run_json(c.incoming)},
            {"gradients", run_json(c.gradients)},
            {"cotangent", c.cotangent.defined() ? run_json(RunArray{c.cotangent}) : Json()},
            {"sizes", sizes},
            {"lines", c.lines},
            {"gradient_lines", c.gradient_lines}};
}

/// JSON has no NaN and no infinity: they come in words.
double number_of(const Json& x) {
    if (!x.is_string()) return x.get<double>();
    const double infinity = std::numeric_limits<double>::infinity();
    return x == "inf" ? infinity : x == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}
RunValue value_of(const Json& json) {
    const auto sizes = json.at("shape").get<std::vector<Index>>();
    std::vector<double> values;
    for (const Json& x : json.at("values")) values.push_back(number_of(x));
    const Shape shape{std::span<const Index>(sizes)};
    if (checked_size(shape) != static_cast<Index>(values.size())) value_error("another size");
    return {Tensor<double>::from(shape, values), json.at("narrow").get<bool>()};
}
RunResult result_of(const Json& json) {
    RunResult out;
    out.python = printable(json.at("python").get<std::string>(), 20);
    for (const auto& [offset, line] : json.at("values").items()) {
        RunResult::Line& to = out.values[std::stoul(offset)];
        to.name = line.at("name").get<std::string>();
        for (const Json& value : line.at("times")) to.times.push_back(value_of(value));
        if (to.times.empty()) value_error("a line that never ran");
    }
    for (const auto& [offset, at] : json.at("changed").items()) out.changed[std::stoul(offset)] = at.get<std::size_t>();
    out.again = json.at("again").get<std::set<std::size_t>>();
    for (const auto& [name, value] : json.at("gradients").items()) out.gradients[name] = value_of(value);
    for (const Json& h : json.at("handed")) {
        out.handed.push_back({printable(h.at("by").get<std::string>(), 100), printable(h.at("name").get<std::string>(), 100)});
        if (!h.at("at").is_null()) out.handed.back().at = h.at("at").get<std::size_t>();
        if (!h.at("array").is_null()) out.handed.back().value = value_of(h.at("array"));
    }
    for (const Json& f : json.at("not_run")) {
        out.not_run.push_back({printable(f.at("name").get<std::string>(), 100), f.at("lines").get<std::vector<std::size_t>>(),
                               printable(f.at("why").get<std::string>(), 300)});
        if (!f.at("at").is_null()) out.not_run.back().at = f.at("at").get<std::size_t>();
    }
    return out;
}

}  // namespace

std::string run_request(const std::string& path, const std::string& text, std::span<const RunCase> cases) {
    Json out{{"path", path}, {"text", text}, {"cases", Json::array()}};
    for (const RunCase& c : cases) out["cases"].push_back(run_json(c));
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<RunResult> run_answer(const std::string& path, const std::string& json, std::size_t cases) {
    std::vector<RunResult> out;
    try {
        for (const Json& result : Json::parse(json)) out.push_back(result_of(result));
    } catch (const std::exception&) {
        out.clear();
    }
    if (out.size() != cases) io_error("{}: the program that is run gave no answer that can be read", printable(path, 400));
    return out;
}

}  // namespace gradproof::proof
