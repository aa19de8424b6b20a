// Attributes of ops from and to dictionaries of Python.
#include "tools/python/src/attributes.hpp"

namespace gradproof::python {
namespace {

nb::object to_python(const AttrValue& value) {
    return std::visit(
        [](const auto& v) -> nb::object {
            using V = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<V, std::string>)
                return v == "none" ? nb::none() : nb::cast(v);
            else if constexpr (requires { v.defined(); })
                return to_numpy(v);
            else
                return nb::cast(v);
        },
        value);
}

}  // namespace

AnyAttrs named_attributes() { return AnyAttrs::of<NamedOp>({}); }

AttrValue from_python(const std::string& name, const nb::handle& value) {
    if (value.is_none()) return std::string("none");
    if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
    if (nb::isinstance<nb::int_>(value)) return nb::cast<Index>(value);
    if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
    if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
    if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) return nb::cast<std::vector<double>>(value);
    AnyArray array;
    if (!nb::try_cast(value, array))
        value_error("attribute {} is a {}, expected a number, a text, a list of numbers or an array", name,
                    nb::str(value.type().attr("__name__")).c_str());
    const Array a = to_array(array);
    if (a.dtype == DType::boolean) return to_mask(a, name);
    return to_ids(a, name);
}

nb::dict to_dict(const AnyAttrs& attrs) {
    nb::dict out;
    for (const std::string& name : attrs.names()) out[name.c_str()] = to_python(attrs.get(name));
    return out;
}

void set_attributes(AnyAttrs& attrs, const nb::dict& values) {
    for (const auto& [key, value] : values) {
        const auto name = nb::cast<std::string>(key);
        attrs.set(name, from_python(name, value));
    }
}

}  // namespace gradproof::python
