// Arrays between Python and the library, in memory and in files.
#include <algorithm>
#include <cstring>
#include <memory>

#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/io/read_arrays.hpp"
#include "gradproof/core/io/safetensors.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {
namespace {

struct Kind {
    DType dtype;
    nb::dlpack::dtype_code code;
    std::uint8_t bits;
};
using Code = nb::dlpack::dtype_code;
constexpr Kind kKinds[] = {{DType::f16, Code::Float, 16},  {DType::bf16, Code::Bfloat, 16}, {DType::f32, Code::Float, 32},
                           {DType::f64, Code::Float, 64},  {DType::i8, Code::Int, 8},       {DType::i16, Code::Int, 16},
                           {DType::i32, Code::Int, 32},    {DType::i64, Code::Int, 64},     {DType::u8, Code::UInt, 8},
                           {DType::u16, Code::UInt, 16},   {DType::u32, Code::UInt, 32},    {DType::u64, Code::UInt, 64},
                           {DType::boolean, Code::Bool, 8}};

const Kind& kind_of(nb::dlpack::dtype type) {
    for (const Kind& kind : kKinds)
        if (static_cast<std::uint8_t>(kind.code) == type.code && kind.bits == type.bits && type.lanes == 1) return kind;
    value_error("an array has elements of {} bits and DLPack's type {}, expected booleans, integers or floats of at most 64 bits",
                type.bits, type.code);
}

Shape shape_of(const AnyArray& a) {
    if (a.ndim() > kMaxRank) value_error("an array has {} axes, at most {} are possible", a.ndim(), kMaxRank);
    Shape out;
    for (std::size_t i = 0; i < a.ndim(); ++i) out.push_back(static_cast<Index>(a.shape(i)));
    return out;
}

/// An array of NumPy on memory that `owner` keeps alive.
template <class Owner>
nb::object numpy_on(const void* data, const Shape& shape, nb::dlpack::dtype type, Owner owner) {
    auto* kept = new Owner(std::move(owner));
    const nb::capsule free(kept, [](void* p) noexcept { delete static_cast<Owner*>(p); });
    std::vector<std::size_t> sizes(shape.begin(), shape.end());
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void*>(data), sizes.size(), sizes.data(), free, nullptr, type));
}

nb::dict as_dict(const std::vector<NamedArray>& arrays) {
    nb::dict out;
    for (const NamedArray& a : arrays) out[a.name.c_str()] = to_numpy(a.array);
    return out;
}

}  // namespace

Array to_array(const AnyArray& a) {
    const Kind& kind = kind_of(a.dtype());
    Array out{kind.dtype, shape_of(a), std::vector<std::byte>(a.nbytes())};
    if (a.nbytes() > 0) std::memcpy(out.data.data(), a.data(), a.nbytes());
    return out;
}

Tensor<double> to_tensor(const AnyArray& a) {
    if (kind_of(a.dtype()).dtype != DType::f64) return gradproof::to_tensor<double>(to_array(a), "array");
    return Tensor<double>::from(shape_of(a), std::span(static_cast<const double*>(a.data()), a.size()));
}

std::vector<NamedArray> to_named(const Named& arrays) {
    std::vector<NamedArray> out;
    for (const auto& [name, array] : arrays) out.push_back({name, to_array(array)});
    return out;
}

template <class T>
nb::object to_numpy(const Tensor<T>& t) {
    if (!t.defined()) return nb::none();
    return numpy_on(t.data(), t.shape(), nb::dtype<T>(), t);
}
template <class T>
nb::object view_on(const Tensor<T>& t) {
    nb::object out = to_numpy(t);
    out.attr("setflags")(nb::arg("write") = false);
    return out;
}
template nb::object view_on(const Tensor<float>&);
template nb::object view_on(const Tensor<double>&);
template nb::object to_numpy(const Tensor<float>&);
template nb::object to_numpy(const Tensor<double>&);
template nb::object to_numpy(const Tensor<Index>&);
template nb::object to_numpy(const Tensor<bool>&);

nb::object to_numpy(const Array& a) {
    if (!is_in_numpy(a.dtype)) return to_numpy(gradproof::to_tensor<float>(a, "array"));
    const auto kind = std::ranges::find(kKinds, a.dtype, &Kind::dtype);
    auto copy = std::make_shared<const Array>(a);
    return numpy_on(copy->data.data(), copy->shape, {static_cast<std::uint8_t>(kind->code), kind->bits, 1}, copy);
}

nb::list to_list(const Tensors& x) {
    nb::list out;
    for (const Tensor<double>& t : x) out.append(t.defined() ? to_numpy(t.clone()) : nb::none());
    return out;
}

void bind_arrays(nb::module_& m) {
    m.def("read_arrays", [](const std::string& path) {
        const std::vector<NamedArray> arrays = [&] {
            const nb::gil_scoped_release free;
            return gradproof::read_arrays(path);
        }();
        return as_dict(arrays);
    });
    m.def("write_npz", [](const std::string& path, const Named& arrays) {
        const std::vector<NamedArray> named = to_named(arrays);
        const nb::gil_scoped_release free;
        write_npz(path, named);
    });
    m.def("write_safetensors", [](const std::string& path, const Named& arrays) {
        const std::vector<NamedArray> named = to_named(arrays);
        const nb::gil_scoped_release free;
        write_safetensors(path, {.tensors = named});
    });
}

}  // namespace gradproof::python
