// The words of two tensors: + - * /, maximum, minimum, and a division that gives 0 for 0.
#include "gradproof/core/algebra/elementwise.hpp"

namespace gradproof {

template <Scalar T>
Tensor<T> operator+(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("+", std::move(a), b, [](const T& p, const T& q) { return T(p + q); });
}
template <Scalar T>
Tensor<T> operator-(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("-", std::move(a), b, [](const T& p, const T& q) { return T(p - q); });
}
template <Scalar T>
Tensor<T> operator*(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("*", std::move(a), b, [](const T& p, const T& q) { return T(p * q); });
}
template <Scalar T>
Tensor<T> operator/(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("/", std::move(a), b, [](const T& p, const T& q) { return T(p / q); });
}
template <Scalar T>
Tensor<T> maximum(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("maximum", std::move(a), b, [](const T& p, const T& q) { return max(p, q); });
}
template <Scalar T>
Tensor<T> minimum(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("minimum", std::move(a), b, [](const T& p, const T& q) { return min(p, q); });
}
template <Scalar T>
Tensor<T> divide_or_zero(Tensor<T> a, const Tensor<T>& b) {
    return detail::zip("divide_or_zero", std::move(a), b,
                       [](const T& p, const T& q) { return primal(q) == 0 ? T(0) : T(p / q); });
}

#define GRADPROOF_ALGEBRA(T)                                   \
    template Tensor<T> operator+(Tensor<T>, const Tensor<T>&); \
    template Tensor<T> operator-(Tensor<T>, const Tensor<T>&); \
    template Tensor<T> operator*(Tensor<T>, const Tensor<T>&); \
    template Tensor<T> operator/(Tensor<T>, const Tensor<T>&); \
    template Tensor<T> maximum(Tensor<T>, const Tensor<T>&);   \
    template Tensor<T> minimum(Tensor<T>, const Tensor<T>&);   \
    template Tensor<T> divide_or_zero(Tensor<T>, const Tensor<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_ALGEBRA)
#undef GRADPROOF_ALGEBRA

}  // namespace gradproof
