// Transforms of a function written once for every element type: grad, vjp, jvp, hvp.
//
//   auto f = [](const auto& x) { return sum(tanh(matmul(x[0], x[1]))); };   // x: std::vector<Var<T>>
//   auto g = grad(f, Tensors{a, b});      // {df/da, df/db}
//   auto hv = hvp(f, {a, b}, {u, v});     // {gradient, Hessian times {u, v}}, exact: the hand-written backward run over duals
#pragma once

#include <utility>
#include <vector>

#include "gradproof/core/tape.hpp"

namespace gradproof {

using Tensors = std::vector<Tensor<double>>;

/// x + v eps, element by element. Errors: ShapeError if the shapes differ.
Tensor<Dual<double>> dual(const Tensor<double>& x, const Tensor<double>& v);
/// The value and the tangent part of a dual tensor.
Tensor<double> value_of(const Tensor<Dual<double>>& x);
Tensor<double> tangent_of(const Tensor<Dual<double>>& x);
/// <a, b>, summed in double with compensation. Errors: ShapeError.
double dot(const Tensor<double>& a, const Tensor<double>& b);
double norm(const Tensor<double>& a);

namespace detail {
template <class T>
std::vector<Var<T>> leaves(Tape<T>& tape, const std::vector<Tensor<T>>& x) {
    std::vector<Var<T>> out;
    for (const auto& t : x) out.push_back(tape.leaf(t));
    return out;
}
template <class T>
std::vector<Tensor<T>> grads(const Tape<T>& tape, const std::vector<Var<T>>& x) {
    std::vector<Tensor<T>> out;
    for (const auto& v : x) out.push_back(tape.grad(v));
    return out;
}
void check_tangents(std::string_view transform, const Tensors& x, const Tensors& v);
std::vector<Tensor<Dual<double>>> duals(const Tensors& x, const Tensors& v);
}  // namespace detail

/// {f(x), Jᵀ dy}, with J the Jacobian of f at x.
template <class F, class T>
std::pair<Tensor<T>, std::vector<Tensor<T>>> vjp(F&& f, const std::vector<Tensor<T>>& x, const Tensor<T>& dy) {
    Tape<T> tape;
    const auto vars = detail::leaves(tape, x);
    const Var<T> y = f(vars);
    tape.backward(y, dy);
    return {y.value(), detail::grads(tape, vars)};
}

/// The gradients, one for each input, of a function whose value has one element.
template <class F, class T>
std::vector<Tensor<T>> grad(F&& f, const std::vector<Tensor<T>>& x) {
    Tape<T> tape;
    const auto vars = detail::leaves(tape, x);
    tape.backward(f(vars));
    return detail::grads(tape, vars);
}

/// {f(x), J v}, exact, from the forward alone. Errors: ShapeError if v does not have the shapes of x.
template <class F>
std::pair<Tensor<double>, Tensor<double>> jvp(F&& f, const Tensors& x, const Tensors& v) {
    detail::check_tangents("jvp", x, v);
    std::vector<Var<Dual<double>>> vars;
    for (auto& d : detail::duals(x, v)) vars.emplace_back(std::move(d));
    const Tensor<Dual<double>> y = f(vars).value();
    return {value_of(y), tangent_of(y)};
}

/// {gradient, Hessian times v} of a function whose value has one element, exact. Errors: ShapeError if v does not have the shapes
/// of x, or the value has more than one element.
template <class F>
std::pair<Tensors, Tensors> hvp(F&& f, const Tensors& x, const Tensors& v) {
    detail::check_tangents("hvp", x, v);
    Tape<Dual<double>> tape;
    const auto vars = detail::leaves(tape, detail::duals(x, v));
    tape.backward(f(vars));
    Tensors g, h;
    for (const auto& d : detail::grads(tape, vars)) {
        g.push_back(value_of(d));
        h.push_back(tangent_of(d));
    }
    return {g, h};
}

}  // namespace gradproof
