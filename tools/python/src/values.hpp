// A tensor of the engine as Python holds it: a value of one of three element types, and the tape it is on.
//
//   nb::object t = wrap(Value{Typed<double>{Var<double>(x), nullptr}});     // a gradproof.Tensor
#pragma once

#include <memory>
#include <variant>

#include "gradproof/core/registry.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

using TwoNumbers = Dual<double>;

/// A constant has no tape. Holding the tape keeps it alive.
template <class T>
struct Typed {
    Var<T> var;
    std::shared_ptr<Tape<T>> tape;
};

struct Value {
    std::variant<Typed<double>, Typed<float>, Typed<TwoNumbers>> of;
};

/// A new gradproof.Tensor.
nb::object wrap(Value value);
/// Null where the object is no gradproof.Tensor.
const Value* value_in(const nb::handle& object);

template <class T>
Tensor<T> tensor_as(const AnyArray& a) {
    if constexpr (std::is_same_v<T, double>)
        return to_tensor(a);
    else if constexpr (is_dual<T>)
        return cast<T>(to_tensor(a));
    else
        return gradproof::to_tensor<T>(to_array(a), "array");
}

void bind_values(nb::module_& m);

}  // namespace gradproof::python
