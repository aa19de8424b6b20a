// Tensors of the engine and tapes for Python, and products with Jacobians and Hessians.
#include "tools/python/src/values.hpp"

#include <fmt/format.h>

namespace gradproof::python {
namespace {

/// The Python class that values are instances of. It is set once, by the package; the module keeps it.
PyTypeObject* tensor_type = nullptr;

const char* name_of(const Value& v) {
    constexpr const char* kNames[] = {"float64", "float32", "dual"};
    return kNames[v.of.index()];
}

nb::tuple shape_of(const Value& v) {
    return std::visit(
        [](const auto& t) {
            const Shape& shape = t.var.shape();
            return nb::tuple(nb::cast(std::vector<Index>(shape.begin(), shape.end())));
        },
        v.of);
}

/// A NumPy array on the tensor's own memory, which nobody may write to; of a dual tensor a copy of its values.
nb::object view_of(const Value& v) {
    return std::visit(
        []<class T>(const Typed<T>& t) {
            if constexpr (is_dual<T>)
                return to_numpy(value_of(t.var.value()));
            else
                return view_on(t.var.value());
        },
        v.of);
}

template <class T>
const Typed<T>& typed(const Value& v) {
    const auto* found = std::get_if<Typed<T>>(&v.of);
    if (found == nullptr) value_error("a tensor is {}, which is not the type of the tape", name_of(v));
    return *found;
}

Value constant(const AnyArray& a, const std::string& dtype) {
    if (dtype == "float64") return {Typed<double>{tensor_as<double>(a), nullptr}};
    if (dtype == "float32") return {Typed<float>{tensor_as<float>(a), nullptr}};
    return {Typed<TwoNumbers>{tensor_as<TwoNumbers>(a), nullptr}};
}

/// Its tensors hold the tape too, and may outlive this.
template <class T>
struct Handle {
    std::shared_ptr<Tape<T>> tape = std::make_shared<Tape<T>>();
};

template <class T>
void backward(const Handle<T>& h, const Value& y, const std::optional<AnyArray>& dy) {
    const Var<T>& of = typed<T>(y).var;
    const Tensor<T> cotangent = dy ? tensor_as<T>(*dy) : Tensor<T>();
    const nb::gil_scoped_release free;
    dy ? h.tape->backward(of, cotangent) : h.tape->backward(of);
}

template <class T>
nb::class_<Handle<T>> bind_tape(nb::module_& m, const char* name) {
    using H = Handle<T>;
    return nb::class_<H>(m, name)
        .def(nb::init<>())
        .def("leaf",
             [](const H& h, const AnyArray& a, const std::string& leaf) {
                 return wrap({Typed<T>{h.tape->leaf(tensor_as<T>(a), leaf), h.tape}});
             })
        .def("backward", backward<T>, nb::arg(), nb::arg().none())
        .def("reset", [](const H& h) { h.tape->reset(); })
        .def_prop_ro("nodes", [](const H& h) { return h.tape->nodes(); });
}

nb::tuple parts(const Tensor<TwoNumbers>& t) { return nb::make_tuple(to_numpy(value_of(t).clone()), to_numpy(tangent_of(t))); }

/// The library's jvp of a function of Python.
nb::tuple jvp_of(const nb::callable& f, const std::vector<AnyArray>& x, const std::vector<AnyArray>& v) {
    Tensors at, along;
    for (const AnyArray& a : x) at.push_back(to_tensor(a));
    for (const AnyArray& a : v) along.push_back(to_tensor(a));
    const auto [y, dy] = jvp(
        [&](const std::vector<Var<TwoNumbers>>& vars) {
            nb::list tensors;
            for (const auto& var : vars) tensors.append(wrap({Typed<TwoNumbers>{var, nullptr}}));
            const nb::object result = f(*tensors);
            const Value* value = value_in(result);
            if (value == nullptr)
                throw nb::type_error(
                    fmt::format("the function returns a {}, expected a tensor", nb::type_name(result.type()).c_str()).c_str());
            return typed<TwoNumbers>(*value).var;
        },
        at, along);
    return nb::make_tuple(to_numpy(y.clone()), to_numpy(dy.clone()));
}

}  // namespace

nb::object wrap(Value value) {
    nb::object out = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(tensor_type)));
    new (nb::inst_ptr<Value>(out)) Value(std::move(value));
    nb::inst_mark_ready(out);
    return out;
}

const Value* value_in(const nb::handle& object) {
    return reinterpret_cast<PyTypeObject*>(object.type().ptr()) == tensor_type ? nb::inst_ptr<Value>(object) : nullptr;
}

void bind_values(nb::module_& m) {
    nb::class_<Value>(m, "Value")
        .def_prop_ro("dtype", name_of)
        .def_prop_ro("shape", shape_of)
        .def_prop_ro("on_tape", [](const Value& v) { return std::visit([](const auto& t) { return t.var.on_tape(); }, v.of); })
        .def("_view", view_of);
    m.def("set_tensor_type", [](const nb::type_object& type) {
        tensor_type = reinterpret_cast<PyTypeObject*>(type.ptr());
        nb::module_::import_("gradproof._core").attr("_tensor_type") = type;
    });
    m.def("constant", [](const AnyArray& a, const std::string& dtype) { return wrap(constant(a, dtype)); });
    bind_tape<double>(m, "Tape64").def("grad", [](const Handle<double>& h, const Value& x) {
        return to_numpy(h.tape->grad(typed<double>(x).var).clone());
    });
    bind_tape<float>(m, "Tape32").def("grad", [](const Handle<float>& h, const Value& x) {
        return to_numpy(h.tape->grad(typed<float>(x).var).clone());
    });
    bind_tape<TwoNumbers>(m, "TapeDual")
        .def("leaf_along",
             [](const Handle<TwoNumbers>& h, const AnyArray& x, const AnyArray& v) {
                 return wrap({Typed<TwoNumbers>{h.tape->leaf(dual(to_tensor(x), to_tensor(v))), h.tape}});
             })
        .def("grads", [](const Handle<TwoNumbers>& h, const Value& x) { return parts(h.tape->grad(typed<TwoNumbers>(x).var)); });
    m.def("jvp", jvp_of);
}

}  // namespace gradproof::python
