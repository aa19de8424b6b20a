// Attributes of ops from and to dictionaries of Python.
#pragma once

#include "gradproof/core/attrs.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// Those of a kernel without an op: none.
AnyAttrs named_attributes();
/// A number, a text, a list of numbers, or an array of integers or booleans; None for an optional one that is not set. Errors:
/// ValueError for anything else.
AttrValue from_python(const std::string& name, const nb::handle& value);
/// An optional attribute that is not set is None.
nb::dict to_dict(const AnyAttrs& attrs);
/// Errors: ValueError for a name that the op does not have, or a value of the wrong kind.
void set_attributes(AnyAttrs& attrs, const nb::dict& values);

}  // namespace gradproof::python
