// Duals of tensors, inner products, and the argument checks of the transforms.
#include "gradproof/core/transforms.hpp"

namespace gradproof {

Tensor<Dual<double>> dual(const Tensor<double>& x, const Tensor<double>& v) {
    if (!(x.shape() == v.shape())) shape_error("dual: value is {}, tangent is {}", x.shape(), v.shape());
    Tensor<Dual<double>> out(x.shape());
    for (Index i = 0; i < x.size(); ++i) out[i] = {x[i], v[i]};
    return out;
}

Tensor<double> value_of(const Tensor<Dual<double>>& x) { return cast<double>(x); }

Tensor<double> tangent_of(const Tensor<Dual<double>>& x) {
    Tensor<double> out(x.shape());
    for (Index i = 0; i < x.size(); ++i) out[i] = x[i].tangent;
    return out;
}

double dot(const Tensor<double>& a, const Tensor<double>& b) {
    if (!(a.shape() == b.shape())) shape_error("dot: a is {}, b is {}", a.shape(), b.shape());
    double sum = 0, lost = 0;  // Neumaier's compensated sum
    for (Index i = 0; i < a.size(); ++i) {
        const double term = a[i] * b[i];
        const double next = sum + term;
        lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    return sum + lost;
}

double norm(const Tensor<double>& a) { return std::sqrt(dot(a, a)); }

namespace detail {

void check_tangents(std::string_view transform, const Tensors& x, const Tensors& v) {
    if (x.size() != v.size()) shape_error("{}: {} inputs, {} tangents", transform, x.size(), v.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(x[i].shape() == v[i].shape()))
            shape_error("{}: tangent {} is {}, its input is {}", transform, i, v[i].shape(), x[i].shape());
}

std::vector<Tensor<Dual<double>>> duals(const Tensors& x, const Tensors& v) {
    std::vector<Tensor<Dual<double>>> out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(dual(x[i], v[i]));
    return out;
}

}  // namespace detail
}  // namespace gradproof
