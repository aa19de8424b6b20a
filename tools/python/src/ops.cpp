// The engine: tensors on a tape, every registered op by its name, attention's mistakes.
#include <memory>

#include "gradproof/ops/attention_mistakes.hpp"
#include "tools/python/src/attributes.hpp"
#include "tools/python/src/values.hpp"

namespace gradproof::python {
namespace {

constexpr Index kSmall = 4096;  // elements; to let other threads run costs more than computing as many

template <class T>
nb::object run(const OpEntry& op, const AnyAttrs& attrs, std::span<const Value* const> inputs) {
    static const Var<T> absent;
    std::vector<const Var<T>*> vars;
    Typed<T> out;
    Index elements = 0;
    for (const Value* v : inputs) {
        if (v == nullptr) {
            vars.push_back(&absent);
            continue;
        }
        const Typed<T>& of = std::get<Typed<T>>(v->of);
        vars.push_back(&of.var);
        elements += of.var.value().size();
        if (of.tape && !out.tape) out.tape = of.tape;
    }
    const auto call = [&] { out.var = gradproof::call(op.table<T>(), attrs.get(), std::span<const Var<T>* const>(vars)); };
    if (elements > kSmall) {
        const nb::gil_scoped_release free;
        call();
    } else {
        call();
    }
    return wrap({std::move(out)});
}

nb::object run_at(const OpEntry& op, const AnyAttrs& attrs, std::span<const Value* const> inputs, std::size_t type) {
    if (type == 0) return run<double>(op, attrs, inputs);
    if (type == 1) return run<float>(op, attrs, inputs);
    return run<TwoNumbers>(op, attrs, inputs);
}

/// An op with its default attributes.
struct Op {
    explicit Op(const std::string& name) : entry(registry().find(name)), attrs(entry.default_attrs()) {}
    const OpEntry& entry;
    const AnyAttrs attrs;

    /// The short way, for tensors of one type alone; None where the call is another one.
    nb::object fast(const nb::args& args) const {
        constexpr std::size_t kMost = 4;
        const std::size_t n = args.size();
        if (n == 0 || n > kMost) return nb::none();
        const Value* inputs[kMost];
        for (std::size_t i = 0; i < n; ++i) {
            inputs[i] = value_in(args[i]);
            if (inputs[i] == nullptr || inputs[i]->of.index() != inputs[0]->of.index()) return nb::none();
        }
        return run_at(entry, attrs, std::span<const Value* const>(inputs, n), inputs[0]->of.index());
    }
    /// Any call whose inputs are tensors of one type, or None.
    nb::object call(const nb::list& given, const nb::dict& attributes) const {
        AnyAttrs own = entry.default_attrs();
        set_attributes(own, attributes);
        std::vector<const Value*> inputs;
        std::size_t type = 0;
        for (const nb::handle object : given) {
            inputs.push_back(value_in(object));
            if (inputs.back() != nullptr) type = inputs.back()->of.index();
        }
        return run_at(entry, own, inputs, type);
    }
};

nb::dict describe(const OpEntry& op) {
    nb::dict out;
    const auto text = [&](const char* key, std::string_view value) { out[key] = std::string(value); };
    text("name", op.info.name);
    text("inputs", op.info.inputs);
    text("forward", op.info.forward);
    text("backward", op.info.backward);
    text("saves", op.info.saves);
    text("source", op.info.source);
    out["attrs"] = to_dict(op.default_attrs());
    out["defaults"] = op.default_attrs().text();
    return out;
}

Strings mistakes(const Named& inputs, const nb::dict& attributes, const Named& theirs, bool is_float, const Stop& stop) {
    AttentionCall<double> x;
    for (const auto& [name, array] : inputs) {
        Tensor<double>* to = name == "q"            ? &x.q
                             : name == "k"          ? &x.k
                             : name == "v"          ? &x.v
                             : name == "dy"         ? &x.dy
                             : name == "mask"       ? &x.with.mask
                             : name == "past_key"   ? &x.with.past_key
                             : name == "past_value" ? &x.with.past_value
                                                    : nullptr;
        if (to == nullptr) value_error("attention_mistakes: there is no input {}", printable(name, 40));
        *to = to_tensor(array);
    }
    for (const auto& [key, value] : attributes) {
        const auto name = nb::cast<std::string>(key);
        set_attr("attention", x.attrs, name, from_python(name, value));
    }
    const std::vector<NamedArray> results = to_named(theirs);
    const nb::gil_scoped_release free;
    const auto truth = attention_results(x, find_array(results, "weights") != nullptr);
    return strings_of(attention_mistakes(x, truth, results, is_float ? DType::f32 : DType::f64, stop.control()));
}

}  // namespace

void bind_ops(nb::module_& m) {
    bind_values(m);
    nb::class_<Op>(m, "Op").def(nb::init<const std::string&>()).def("__call__", &Op::fast).def("call", &Op::call);
    m.def("ops", [] {
        nb::list out;
        for (const auto& op : registry().all()) out.append(describe(*op));
        return out;
    });
    m.def("attention_mistakes", mistakes);
}

}  // namespace gradproof::python
