// Diagnosis: sums and terms that are missing, too much or wrong, cotangents that are not used, and gradients of something else.
#include <algorithm>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
void GradientDiagnoser::cotangent() {
    if (!has_jacobian()) return;
    const auto with = [&](double (*f)(double)) {
        Tensor<double> v(e_.u.shape());
        for (Index k = 0; k < v.size(); ++k) v[k] = f(e_.u[k]);
        return claims(pulled(v));
    };
    if (with([](double) { return 1.0; }))
        say("cotangent_ignored", "dy is not used: it is the gradient for a cotangent of ones",
            "multiply by dy before the sum over the output");
    if (with([](double v) { return v * v; })) say("missing_chain_factor", "dy enters twice: it is the gradient for dy^2");
    if (with([](double v) { return std::abs(v); })) say("sign", "the sign of dy is lost");
    for (int a = 0; a < e_.u.rank(); ++a)
        for (int b = a + 1; b < e_.u.rank(); ++b) {
            Shape order = e_.u.shape();
            for (int i = 0; i < order.rank(); ++i) order[i] = i;
            std::swap(order[a], order[b]);
            if (claims(pulled(permuted(e_.u, order))))
                say("transpose", fmt::format("axes {} and {} of dy are swapped", a, b), "transpose dy");
        }
}

/// A sum or a mean over an axis that is too much, and a broadcast whose sum lacks all but its first term.
void GradientDiagnoser::sums() {
    if (e_.x.empty()) return;
    for (int a = 0; a < t_.rank(); ++a) {
        const Index n = t_.dim(a);
        if (n < 2) continue;
        const Tensor<double> s = summed(t_, a);
        if (claims(s))
            say("extra_sum", fmt::format("axis {} is summed, and each entry holds the sum", a),
                fmt::format("leave axis {} of {} as it is", a, here()));
        if (claims([&](Index k) { return s[k] / static_cast<double>(n); }))
            say("extra_sum", fmt::format("each entry is the mean over axis {}", a),
                fmt::format("leave axis {} of {} as it is", a, here()));
    }
}

void GradientDiagnoser::parts_of_output() {
    if (!has_jacobian()) return;
    const Shape& shape = e_.y.shape();
    const auto part = [&](auto keep) {
        Tensor<double> v = e_.u.clone();
        for (Index k = 0; k < v.size(); ++k)
            if (!keep(unravel(k, shape))) v[k] = 0;
        return claims(pulled(v));
    };
    const Shape& own = e_.x[static_cast<std::size_t>(input_)].shape();
    if (broadcasts_to(own, shape) && !(own == shape)) {
        const Shape strides = broadcast_strides(own, shape);
        const auto is_at = [&](const Shape& index, bool last) {
            for (int a = 0; a < shape.rank(); ++a)
                if (strides[a] == 0 && index[a] != (last ? shape[a] - 1 : 0)) return false;
            return true;
        };
        for (const bool last : {false, true})
            if (part([&](const Shape& index) { return is_at(index, last); }))
                say("missing_sum",
                    fmt::format("of the sum over the broadcast axes only the {} term is there", last ? "last" : "first"),
                    fmt::format("sum {} over the axes along which {} is broadcast", here(),
                                e_.names[static_cast<std::size_t>(input_)]));
    }
    for (int a = 0; a < shape.rank(); ++a) {
        const Index n = shape[a];
        if (n < 2) continue;
        const std::string repair = fmt::format("add what comes from every index of axis {} of dy", a);
        for (const Index at : {Index{0}, n - 1}) {
            const char* which = at == 0 ? "first" : "last";
            if (part([&](const Shape& index) { return index[a] == at; }))
                say("missing_sum", fmt::format("only the {} index of axis {} of dy is used", which, a), repair);
            if (part([&](const Shape& index) { return index[a] != at; }))
                say("missing_sum", fmt::format("the {} index of axis {} of dy is left out", which, a), repair);
        }
    }
}

Tensor<double> GradientDiagnoser::contributions() const {
    if (!has_jacobian()) return {};
    const Shape &own = t_.shape(), &shape = e_.y.shape();
    if (!broadcasts_to(own, shape) || own == shape) return {};
    const Shape strides = broadcast_strides(own, shape);
    Tensor<double> out(shape);
    for (Index k = 0; k < out.size(); ++k) {
        const Shape at = unravel(k, shape);
        Index entry = 0;
        for (int a = 0; a < shape.rank(); ++a) entry += at[a] * strides[a];
        out[k] = e_.u[k] * e_.jacobian[static_cast<std::size_t>(input_)][k * t_.size() + entry];
    }
    const Tensor<double> sum = unbroadcast(out, own);
    for (Index k = 0; k < sum.size(); ++k)
        if (!near(sum[k], t_[k])) return {};
    return out;
}

void GradientDiagnoser::slips_before_the_sum() {
    const Tensor<double> c = contributions();
    if (!c.defined()) return;
    const auto is = [&](const Tensor<double>& other) {
        return claims(
            unbroadcast(other.shape() == c.shape() ? other : Tensor<double>::from(c.shape(), other.values()), t_.shape()));
    };
    Tensor<double> magnitude = c.clone();
    for (double& v : magnitude) v = std::abs(v);
    if (is(magnitude)) say("sign", "the sign is lost in each term of the sum over the broadcast axes");
    const Index row = c.shape().last(), all = c.size();
    Tensor<double> rolled(c.shape());
    for (Index k = 0; k < all; ++k) rolled[k] = c[(k + row) % all];
    if (is(rolled)) say("shifted", "it is off by one row before the sum over the broadcast axes");
    for (int a = 0; a < c.rank(); ++a) {
        const Index n = c.dim(a);
        if (n < 2) continue;
        if (is(taken_along(c, a, [&](Index i) { return n - 1 - i; })))
            say("shifted", fmt::format("axis {} is reversed before the sum over the broadcast axes", a));
        if (is(taken_along(c, a, [&](Index i) { return (i + 1) % n; })))
            say("shifted", fmt::format("axis {} is shifted by -1 before the sum over the broadcast axes", a));
        for (int b = a + 1; b < c.rank(); ++b) {
            Shape order = c.shape();
            for (int i = 0; i < order.rank(); ++i) order[i] = i;
            std::swap(order[a], order[b]);
            if (is(permuted(c, order)))
                say("transpose", fmt::format("axes {} and {} are swapped before the sum over the broadcast axes", a, b),
                    "transpose before the sum");
        }
        Tensor<double> mean = summed(c, a);
        for (const double sign : {-1.0, 1.0}) {
            Tensor<double> other = c.clone();
            for (Index k = 0; k < other.size(); ++k) other[k] += sign * mean[k] / static_cast<double>(n);
            if (is(other))
                say("wrong_row_term", fmt::format("the mean along axis {} is {} before the sum over the broadcast axes", a,
                                                  sign < 0 ? "subtracted" : "added"));
        }
    }
}

void GradientDiagnoser::diagonal() {
    if (!has_jacobian() || !(e_.y.shape() == t_.shape()) || t_.size() < 2) return;
    const Tensor<double>& j = e_.jacobian[static_cast<std::size_t>(input_)];
    if (claims([&](Index k) { return e_.u[k] * j[k * t_.size() + k]; }))
        say("diagonal_only", "only the diagonal of the Jacobian is used", "add what the other entries of dy contribute");
}

void GradientDiagnoser::alternatives() {
    for (const Alternative& a : e_.alternatives)
        if (const Tensor<double>& g = a.gradients[static_cast<std::size_t>(input_)]; g.defined() && claims(g))
            say(a.kind, a.text, a.repair);
}

}  // namespace gradproof::check
