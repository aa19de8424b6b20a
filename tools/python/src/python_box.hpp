// A Python object that runs a kernel, as the black box that the checker takes.
//
//   const BlackBox box = black_box_of(std::make_shared<PythonBox>(object), stop);
//
// The object has the fields name, file, types ("double", "float"), directions and input_names, and the methods
//   run(call, "float64" or "float32") -> (y, [a gradient or None for each input]), all as float64
//   forward(call, [x]) -> y
#pragma once

#include <memory>

#include "gradproof/core/check/black_box.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// Holds the object. It is copied and freed only with the interpreter's lock held, whichever thread does it.
struct PythonBox {
    explicit PythonBox(nb::object o) : object(std::move(o)) {}
    ~PythonBox() {
        const nb::gil_scoped_acquire gil;
        object.reset();
    }
    PythonBox(const PythonBox&) = delete;
    PythonBox& operator=(const PythonBox&) = delete;
    nb::object object;
};

/// What the object raises becomes the text of an error; what is no Exception (KeyboardInterrupt) ends the whole call.
check::BlackBox black_box_of(const std::shared_ptr<PythonBox>& python, const Stop& stop);

}  // namespace gradproof::python
