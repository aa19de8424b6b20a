// The engine: tensors on a tape, every registered op by its name, attention's mistakes.
#include <memory>

#include "gradproof/core/registry.hpp"
#include "gradproof/ops/attention_mistakes.hpp"
#include "tools/python/src/attributes.hpp"

namespace gradproof::python {
namespace {

/// A value, and the tape it is on; a constant has none. Holding the tape keeps it alive.
template <class T>
struct Value {
    Var<T> var;
    std::shared_ptr<Tape<T>> tape;
};

template <class T>
Tensor<T> tensor_as(const AnyArray& a) {
    if constexpr (std::is_same_v<T, double>)
        return to_tensor(a);
    else
        return gradproof::to_tensor<T>(to_array(a), "array");
}

template <class T>
Value<T> run_op(const std::string& name, const std::vector<std::optional<Value<T>>>& inputs, const nb::dict& attributes) {
    const OpEntry& op = registry().find(name);
    AnyAttrs attrs = op.default_attrs();
    set_attributes(attrs, attributes);
    Value<T> out;
    std::vector<Var<T>> vars;
    for (const auto& v : inputs) {
        vars.push_back(v ? v->var : Var<T>());
        if (v && v->tape && !out.tape) out.tape = v->tape;
    }
    std::vector<const Var<T>*> pointers;
    for (const Var<T>& v : vars) pointers.push_back(&v);
    const nb::gil_scoped_release free;
    out.var = call(op.table<T>(), attrs.get(), std::span<const Var<T>* const>(pointers));
    return out;
}

template <class T>
void bind_values(nb::module_& m, const std::string& suffix) {
    using V = Value<T>;
    using TapeOf = std::shared_ptr<Tape<T>>;
    struct Handle {
        TapeOf tape = std::make_shared<Tape<T>>();
    };
    nb::class_<V>(m, ("Value" + suffix).c_str())
        .def(nb::new_([](const AnyArray& a) {
            return V{Var<T>(tensor_as<T>(a)), nullptr};
        }))
        .def("numpy", [](const V& v) { return to_numpy(v.var.value().clone()); })
        .def_prop_ro(
            "shape",
            [](const V& v) { return nb::tuple(nb::cast(std::vector<Index>(v.var.shape().begin(), v.var.shape().end()))); })
        .def_prop_ro("on_tape", [](const V& v) { return v.var.on_tape(); });
    nb::class_<Handle>(m, ("Tape" + suffix).c_str())
        .def(nb::init<>())
        .def("leaf",
             [](const Handle& h, const AnyArray& a, const std::string& name) {
                 return V{h.tape->leaf(tensor_as<T>(a), name), h.tape};
             })
        .def(
            "backward",
            [](const Handle& h, const V& y, const std::optional<AnyArray>& dy) {
                const Tensor<T> cotangent = dy ? tensor_as<T>(*dy) : Tensor<T>();
                const nb::gil_scoped_release free;
                dy ? h.tape->backward(y.var, cotangent) : h.tape->backward(y.var);
            },
            nb::arg(), nb::arg().none())
        .def("grad", [](const Handle& h, const V& x) { return to_numpy(h.tape->grad(x.var).clone()); })
        .def("reset", [](const Handle& h) { h.tape->reset(); })
        .def_prop_ro("nodes", [](const Handle& h) { return h.tape->nodes(); });
    m.def(("run_op" + suffix).c_str(), run_op<T>);
}

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
    bind_values<double>(m, "64");
    bind_values<float>(m, "32");
    m.def("ops", [] {
        nb::list out;
        for (const auto& op : registry().all()) out.append(describe(*op));
        return out;
    });
    m.def("attention_mistakes", mistakes);
}

}  // namespace gradproof::python
