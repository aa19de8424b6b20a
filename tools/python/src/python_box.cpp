// Calls of a kernel in Python from the checker, which runs without the interpreter's lock.
#include "tools/python/src/python_box.hpp"

#include <algorithm>

namespace gradproof::python {
namespace {

using check::BoxPrecision;
using check::KernelCall;

/// Calls f with the lock held. Errors: std::runtime_error with the text of an Exception, Stopped for anything else or once the
/// call was ended.
template <class F>
auto locked(const Stop& stop, F f) {
    if (stop.flag) throw Stopped("the call was ended");
    const nb::gil_scoped_acquire gil;
    try {
        return f();
    } catch (nb::python_error& e) {
        if (!e.matches(PyExc_Exception)) throw Stopped("the kernel was interrupted");
        throw std::runtime_error(nb::str(e.value()).c_str());
    }
}

Tensor<double> tensor_of(const nb::handle& array) {
    return array.is_none() ? Tensor<double>() : to_tensor(nb::cast<AnyArray>(array));
}

check::Outcome outcome_of(const nb::object& result) {
    const auto [y, gradients] = nb::cast<std::pair<nb::object, nb::list>>(result);
    check::Outcome out{.y = tensor_of(y), .gradients = {}};
    for (const nb::handle g : gradients) out.gradients.push_back(tensor_of(g));
    return out;
}

}  // namespace

check::BlackBox black_box_of(const std::shared_ptr<PythonBox>& python, const Stop& stop) {
    const nb::gil_scoped_acquire gil;
    const nb::object& o = python->object;
    const auto types = nb::cast<std::vector<std::string>>(o.attr("types"));
    const auto names = nb::cast<std::vector<std::string>>(o.attr("input_names"));
    return {
        .name = nb::cast<std::string>(o.attr("name")),
        .file = nb::cast<std::string>(o.attr("file")),
        .kind = "the kernel",
        .types = types,
        .directions = nb::cast<std::vector<std::string>>(o.attr("directions")),
        .input_name = [names](std::size_t i) { return i < names.size() ? names[i] : "input " + std::to_string(i); },
        .takes =
            [types](const KernelCall&, BoxPrecision p) {
                return std::ranges::find(types, p == BoxPrecision::f64 ? "double" : "float") != types.end();
            },
        .run =
            [python, &stop](const KernelCall& call, BoxPrecision p) {
                return locked(stop, [&] {
                    return outcome_of(python->object.attr("run")(nb::cast(call), p == BoxPrecision::f64 ? "float64" : "float32"));
                });
            },
        .forward =
            [python, &stop](const KernelCall& call, const Tensors& x) {
                return locked(stop, [&] { return tensor_of(python->object.attr("forward")(nb::cast(call), to_list(x))); });
            }};
}

}  // namespace gradproof::python
