// Tensor: strided copies, reshape and printing.
#include "gradproof/core/tensor.hpp"

#include <fmt/format.h>

#include "gradproof/core/residue.hpp"
#include "gradproof/core/strided_copy.hpp"

namespace gradproof {

template <class T>
Tensor<T> Tensor<T>::from(const Shape& shape, std::span<const T> values) {
    Tensor t(shape);
    if (t.size() != static_cast<Index>(values.size()))
        shape_error("tensor: shape {} holds {} elements, {} were given", shape, t.size(), values.size());
    std::copy(values.begin(), values.end(), t.data());
    return t;
}

template <class T>
Tensor<T> Tensor<T>::from_strided(const T* data, const Shape& shape, const Shape& strides) {
    if (shape.rank() != strides.rank()) shape_error("tensor: shape is {}, strides are {}: their ranks differ", shape, strides);
    Tensor t(shape);
    copy_strided(data, shape, strides, t.data());
    return t;
}

template <class T>
T Tensor<T>::item() const {
    if (!defined() || size() != 1)
        shape_error("tensor: item() needs exactly one element: shape is {}", defined() ? shape().str() : "undefined");
    return data()[0];
}

template <class T>
Tensor<T> Tensor<T>::reshape(const Shape& wanted) const {
    Shape target = wanted;
    int inferred = -1;
    Index known = 1;
    for (int i = 0; i < target.rank(); ++i) {
        if (target[i] == -1 && inferred < 0)
            inferred = i;
        else
            known *= target[i];
    }
    if (inferred >= 0) target[inferred] = known > 0 ? size() / known : 0;
    if (checked_size(target) != size())
        shape_error("reshape: sizes differ: x is {} ({} elements), shape is {}", shape(), size(), wanted);
    return Tensor(detail::new_view(storage_, target));
}

template <class T>
Index Tensor<T>::offset(const Shape& index) const {
    if (index.rank() != rank()) value_error("tensor: index {} has {} axes, shape is {}", index, index.rank(), shape());
    Index offset = 0;
    for (int a = 0; a < rank(); ++a) {
        if (index[a] < 0 || index[a] >= dim(a)) value_error("tensor: index {} is out of range, shape is {}", index, shape());
        offset = offset * dim(a) + index[a];
    }
    return offset;
}

namespace {

template <class T>
std::string element_text(const T& x, int digits) {
    if constexpr (is_dual<T>) {
        const auto part = [&](const auto& p) {
            const std::string text = element_text(p, digits);
            return is_dual<std::remove_cvref_t<decltype(p)>> ? "(" + text + ")" : text;
        };
        const std::string tangent = part(x.tangent);
        return part(x.value) + (tangent[0] == '-' ? "" : "+") + tangent + "e";
    } else if constexpr (std::is_floating_point_v<T>)
        return fmt::format("{:.{}g}", x, digits);
    else
        return fmt::format("{}", x);
}

template <class T>
void print(std::string& out, const Tensor<T>& x, int digits, int axis, Index offset) {
    constexpr Index kEdge = 3;  // elements shown at either end of a long axis
    if (axis == x.rank()) {
        out += element_text(x[offset], digits);
        return;
    }
    Index step = 1;
    for (int a = axis + 1; a < x.rank(); ++a) step *= x.dim(a);
    const bool shorten = x.size() > 1000 && x.dim(axis) > 2 * kEdge + 1;
    out += "[";
    for (Index i = 0; i < x.dim(axis); ++i) {
        if (i > 0) out += axis + 1 < x.rank() ? ",\n" + std::string(static_cast<std::size_t>(axis) + 1, ' ') : ", ";
        if (shorten && i == kEdge) {
            out += "...";
            i = x.dim(axis) - kEdge - 1;
            continue;
        }
        print(out, x, digits, axis + 1, offset + i * step);
    }
    out += "]";
}

}  // namespace

template <class T>
std::string to_string(const Tensor<T>& x, int digits) {
    if (!x.defined()) return "undefined";
    std::string out;
    print(out, x, digits, 0, 0);
    return out;
}

#define GRADPROOF_TENSOR(T)   \
    template class Tensor<T>; \
    template std::string to_string(const Tensor<T>&, int);
GRADPROOF_FOR_SCALARS(GRADPROOF_TENSOR)
GRADPROOF_TENSOR(Index)
GRADPROOF_TENSOR(bool)
#undef GRADPROOF_TENSOR

// Numbers of proofs are not copied by strides.
template Tensor<Dual<Residue>> Tensor<Dual<Residue>>::from(const Shape&, std::span<const Dual<Residue>>);
template Tensor<Dual<Residue>> Tensor<Dual<Residue>>::reshape(const Shape&) const;

}  // namespace gradproof
