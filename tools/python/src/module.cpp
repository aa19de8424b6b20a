// The Python module gradproof._core: the library's functions on texts and arrays. The package around it is in ../gradproof.
#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/language/source.hpp"
#include "gradproof/core/version.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {
namespace {

/// The exceptions of the library as those that Python programs expect: ValueError (which nanobind does), OSError, and two own ones.
void translate_errors(nb::module_& m) {
    nb::exception<proof::ProofError>(m, "ProofError", PyExc_ValueError);
    nb::exception<TapeError>(m, "TapeError", PyExc_RuntimeError);
    nb::exception<Stopped>(m, "Stopped", PyExc_RuntimeError);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const IoError& e) {
            PyErr_SetString(PyExc_OSError, e.what());
        }
    });
}

}  // namespace

NB_MODULE(_core, m) {
    m.attr("version") = version();
    translate_errors(m);
    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", [](Stop& s) { s.flag = true; });
    // A kernel that never returns keeps what it was given: no leak of this module.
    m.def("forgive_leaks", [] { nb::set_leak_warnings(false); });
    bind_arrays(m);
    bind_derivations(m);
    bind_editor(m);
    bind_experiments(m);
    bind_kernels(m);
    bind_ops(m);
    bind_training(m);
    bind_generation(m);
}

}  // namespace gradproof::python
