// What the source files of the Python module share: arrays in and out, a flag that ends a long call, and the parts of the module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/io/array.hpp"
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/transforms.hpp"

namespace gradproof::python {

namespace nb = nanobind;

/// Ends the calls that it is given to, soon after set().
struct Stop {
    std::atomic<bool> flag{false};
    Control control() const { return {.stop = &flag}; }
};

/// Any array of numbers in row-major order in this machine's memory.
using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Named = std::vector<std::pair<std::string, AnyArray>>;
using Strings = std::map<std::string, std::string>;

/// A copy. Errors: ValueError for an element type that files cannot hold either.
Array to_array(const AnyArray& a);
Tensor<double> to_tensor(const AnyArray& a);
std::vector<NamedArray> to_named(const Named& arrays);
/// A NumPy array on the tensor's own memory. An undefined tensor is None.
template <class T>
nb::object to_numpy(const Tensor<T>& t);
nb::object to_numpy(const Array& a);
/// The same, which nobody may write to.
template <class T>
nb::object view_on(const Tensor<T>& t);
/// Copies. An undefined tensor is None.
nb::list to_list(const Tensors& x);

/// A report as {"verdict", "text", "json"}.
template <class Report>
Strings strings_of(const Report& r) {
    return {{"verdict", std::string(check::name(r.verdict()))}, {"text", to_text(r)}, {"json", to_json(r)}};
}

// The parts of the module.
void bind_derivations(nb::module_& m);
void bind_editor(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_experiments(nb::module_& m);
void bind_generation(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_page_calls(nb::module_& m);
void bind_ops(nb::module_& m);
void bind_training(nb::module_& m);

}  // namespace gradproof::python
