// Loading, evaluating and comparing the documents.
#include "tools/replay/replay.hpp"

#include <cmath>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "gradproof/core/proof/judge/printed.hpp"
#include "gradproof/core/proof/library/embedded.hpp"
#include "gradproof/core/registry.hpp"
#include "gradproof/nn/positions.hpp"

namespace gradproof::replay {
namespace {

using Json = nlohmann::ordered_json;

const Json& field(const Json& object, const char* key) {
    if (!object.is_object()) value_error("expected an object with the field {}, got {}", key, object.type_name());
    const auto at = object.find(key);
    if (at == object.end()) value_error("the field {} is missing", key);
    return *at;
}
std::string text_field(const Json& object, const char* key) {
    const Json& v = field(object, key);
    if (!v.is_string()) value_error("the field {} is {}, expected a string", key, v.type_name());
    return v.get<std::string>();
}
const Json& list_field(const Json& object, const char* key) {
    const Json& v = field(object, key);
    if (!v.is_array()) value_error("the field {} is {}, expected a list", key, v.type_name());
    return v;
}

/// The shape of nested lists. Errors: ValueError where they are ragged or deeper than a tensor.
Shape nested_shape(const Json& v) {
    if (!v.is_array()) return {};
    if (v.empty()) return {0};
    const Shape inner = nested_shape(v[0]);
    for (std::size_t i = 1; i < v.size(); ++i) {
        const Shape row = nested_shape(v[i]);
        if (!(row == inner)) value_error("rows differ in shape: the first is {}, another is {}", inner, row);
    }
    if (inner.rank() == kMaxRank) value_error("lists are nested deeper than {}", kMaxRank);
    Shape shape{static_cast<Index>(v.size())};
    for (const Index n : inner) shape.push_back(n);
    return shape;
}
void each_leaf(const Json& v, const std::function<void(const Json&)>& visit) {
    if (!v.is_array()) return visit(v);
    for (const Json& row : v) each_leaf(row, visit);
}

Tensor<double> numbers(const Json& v) {
    Tensor<double> out(nested_shape(v));
    Index i = 0;
    each_leaf(v, [&](const Json& leaf) {
        if (!leaf.is_number()) value_error("expected a number, got {}", leaf.type_name());
        out[i++] = leaf.get<double>();
    });
    return out;
}

AttrValue attr_value(const std::string& key, const Json& v) {
    if (v.is_boolean()) return v.get<bool>();
    if (v.is_number_integer()) return v.get<Index>();
    if (v.is_number()) return v.get<double>();
    if (v.is_string()) return v.get<std::string>();
    if (!v.is_array()) value_error("attribute {} is {}", key, v.type_name());
    std::vector<double> list;
    for (const Json& e : v) {
        if (!e.is_number()) value_error("attribute {} is a list with {}, expected numbers", key, e.type_name());
        list.push_back(e.get<double>());
    }
    return list;
}

Index integer_attr(const Json& attrs, const char* key) {
    const Json& v = field(attrs, key);
    if (!v.is_number_integer()) value_error("attribute {} is {}, expected an integer", key, v.type_name());
    return v.get<Index>();
}

Tensor<double> evaluate(const std::string& op_name, const std::vector<Tensor<double>>& args, const Json& attrs) {
    if (!attrs.is_object()) value_error("attrs is {}, expected an object", attrs.type_name());
    if (op_name == "position_encoding") {
        if (!args.empty()) value_error("position_encoding: takes no arguments, got {}", args.size());
        const Index length = integer_attr(attrs, "length"), width = integer_attr(attrs, "width");
        constexpr Index kMost = 1 << 24;
        if (length > kMost || width > kMost || (length > 0 && width > kMost / length))
            value_error("position_encoding: too large: length is {}, width is {}", length, width);
        return position_encoding<double>(length, width);
    }
    if (op_name == "constant") {
        if (!args.empty()) value_error("constant: takes no arguments, got {}", args.size());
        return numbers(field(attrs, "value"));
    }
    const OpEntry& op = registry().find(op_name);
    AnyAttrs set = op.default_attrs();
    for (const auto& [key, v] : attrs.items()) set.set(key, attr_value(key, v));
    std::vector<Var<double>> values(args.begin(), args.end());
    std::vector<const Var<double>*> inputs;
    for (const auto& v : values) inputs.push_back(&v);
    return call<double>(op.f64, set.get(), inputs).value();
}

/// The numbers printed for a step, as a later step takes them.
Tensor<double> printed_numbers(const Json& printed, const std::string& step) {
    Tensor<double> out(nested_shape(printed));
    Index i = 0;
    each_leaf(printed, [&](const Json& leaf) {
        if (!leaf.is_string()) value_error("{}! is not printed in full", step);
        out[i++] = proof::parse_printed(leaf.get<std::string>()).value;
    });
    return out;
}

Shape index_of(Index flat, const Shape& shape) {
    Shape index = shape;
    for (int a = shape.rank() - 1; a >= 0; --a) {
        index[a] = flat % shape[a];
        flat /= shape[a];
    }
    return index;
}

void compare(const std::string& step, const Tensor<double>& value, const Json& printed, Example& out) {
    if (printed.is_null()) {
        out.computed_only += value.size();
        return;
    }
    if (!(nested_shape(printed) == value.shape()))
        value_error("what is printed has another shape than the value: printed is {}, value is {}", nested_shape(printed),
                    value.shape());
    Index i = 0;
    each_leaf(printed, [&](const Json& leaf) {
        const Index at = i++;
        if (leaf.is_null()) {
            ++out.computed_only;
            return;
        }
        if (!leaf.is_string()) value_error("a printed entry is {}, expected a string or null", leaf.type_name());
        const std::string claimed = leaf.get<std::string>();
        const proof::Printed p = proof::parse_printed(claimed);
        // Beyond half a unit by 1e-12: the engine's own rounding must not decide a tie.
        const double off = std::abs(value[at] - p.value);
        if (off <= p.half_unit + 1e-12) {
            ++out.agree;
            return;
        }
        const Verdict kind = off <= 5 * p.half_unit + 1e-12 ? Verdict::rounding : Verdict::wrong;
        ++(kind == Verdict::rounding ? out.rounding : out.wrong);
        out.found.push_back({step, index_of(at, value.shape()), claimed, value[at], kind});
    });
}

Disagreement erratum(const Json& e) {
    Disagreement out;
    out.step = text_field(e, "step");
    for (const Json& i : list_field(e, "index")) {
        if (!i.is_number_integer()) value_error("an index is {}, expected an integer", i.type_name());
        out.index.push_back(i.get<Index>());
    }
    out.claimed = text_field(e, "claimed");
    const Json& truth = field(e, "true");
    if (!truth.is_number()) value_error("the field true is {}, expected a number", truth.type_name());
    out.truth = truth.get<double>();
    const std::string kind = text_field(e, "kind");
    if (kind != "rounding" && kind != "wrong") value_error("kind is {}, expected rounding or wrong", kind);
    out.kind = kind == "wrong" ? Verdict::wrong : Verdict::rounding;
    return out;
}

bool same_place(const Disagreement& a, const Disagreement& b) { return a.step == b.step && a.index == b.index; }

void hold_to_errata(Example& e) {
    for (const Disagreement& f : e.found) {
        const auto p = std::find_if(e.pinned.begin(), e.pinned.end(), [&](const auto& x) { return same_place(x, f); });
        if (p == e.pinned.end())
            e.differences.push_back(fmt::format("{} is not pinned", f.text()));
        else if (p->claimed != f.claimed || p->kind != f.kind || !(std::abs(p->truth - f.truth) <= 1e-12 * std::abs(p->truth)))
            e.differences.push_back(fmt::format("{} ({}), but pinned is claimed {}, true {} ({})", f.text(), name(f.kind),
                                                p->claimed, p->truth, name(p->kind)));
    }
    for (const Disagreement& p : e.pinned)
        if (std::none_of(e.found.begin(), e.found.end(), [&](const auto& x) { return same_place(x, p); }))
            e.differences.push_back(fmt::format("{} is pinned, but the engine finds no such disagreement", p.text()));
}

/// Runs body; an error gets `place` before its text.
template <class Body>
auto at(const std::string& place, const Body& body) {
    try {
        return body();
    } catch (const std::exception& e) {
        value_error("{}: {}", place, e.what());
    }
}

void run_step(const Json& s, const std::string& step, std::map<std::string, Tensor<double>>& values, Example& out) {
    if (values.count(step)) value_error("the name is taken");
    std::vector<Tensor<double>> args;
    for (const Json& a : list_field(s, "args")) {
        if (!a.is_string()) value_error("an argument is {}, expected a name", a.type_name());
        const std::string arg = a.get<std::string>();
        const auto found = values.find(arg);
        if (found == values.end()) {
            std::vector<std::string> known;
            for (const auto& [k, v] : values) known.push_back(k);
            const std::string near = nearest(arg, known);
            value_error("no input or earlier step named {}{}", arg, near.empty() ? "" : "; did you mean " + near);
        }
        if (!found->second.defined()) value_error("{} is not printed in full", arg);
        args.push_back(found->second);
    }
    const Json none = Json::object();
    const Tensor<double> value = evaluate(text_field(s, "op"), args, s.contains("attrs") ? s["attrs"] : none);
    const Json& printed = field(s, "printed");
    compare(step, value, printed, out);
    values[step] = value;
    bool full = !printed.is_null();
    each_leaf(printed, [&](const Json& leaf) { full = full && leaf.is_string(); });
    values[step + "!"] = full ? printed_numbers(printed, step) : Tensor<double>();
}

Example run_example(const Json& e, const std::string& id) {
    Example out;
    out.id = id;
    out.title = text_field(e, "title");
    if (e.contains("note")) out.note = text_field(e, "note");
    std::map<std::string, Tensor<double>> values;
    const Json& inputs = field(e, "inputs");
    if (!inputs.is_object()) value_error("the field inputs is {}, expected an object", inputs.type_name());
    for (const auto& [key, v] : inputs.items()) {
        const Json& literal = v;
        values[key] = at("input " + key, [&] { return numbers(literal); });
    }
    for (const Json& s : list_field(e, "steps")) {
        const std::string step = text_field(s, "name");
        at("step " + step, [&] { run_step(s, step, values, out); });
    }
    for (const Json& p : list_field(e, "errata")) out.pinned.push_back(at("errata", [&] { return erratum(p); }));
    hold_to_errata(out);
    return out;
}

}  // namespace

std::string_view name(Verdict v) {
    constexpr std::string_view names[] = {"agree", "rounding", "wrong"};
    return names[static_cast<std::size_t>(v)];
}

std::string Disagreement::text() const {
    return fmt::format("{}{}: claimed {}, true {:.6g}", step, index.empty() ? "" : index.str(), claimed, truth);
}

std::vector<std::string> document_names() {
    std::vector<std::string> out;
    for (const EmbeddedFile& f : embedded_files()) out.emplace_back(f.name);
    return out;
}

std::string document_text(const std::string& name) {
    for (const EmbeddedFile& f : embedded_files())
        if (f.name == name) return f.text();
    const std::string near = nearest(name, document_names());
    value_error("replay: no document named {}{}", name, near.empty() ? "" : "; did you mean " + near);
}

Document replay_document(const std::string& name, std::string_view json) {
    return at("replay: " + name, [&] {
        const Json d = Json::parse(json);
        const Json& schema = field(d, "schema");
        if (schema != 1) value_error("schema is {}, expected 1", schema.dump());
        Document out{text_field(d, "document"), text_field(d, "title"), {}};
        for (const Json& e : list_field(d, "examples")) {
            const std::string id = text_field(e, "id");
            out.examples.push_back(at(id, [&] { return run_example(e, id); }));
        }
        return out;
    });
}

}  // namespace gradproof::replay
