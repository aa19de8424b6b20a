// Elementwise fast paths and their backward maps.
#include "ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

template <class T> void exp_map(const T* x, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, v_exp(in(x))); }); }
template <class T> void tanh_map(const T* x, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, v_tanh(in(x))); }); }
template <class T> void sigmoid_map(const T* x, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, v_sigmoid(in(x))); }); }

template <class T>
void tanh_backward(const T* y, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> t = in(y);
        out(dx, in(dy) * (V<T>(T(1)) - t * t));
    });
}
template <class T>
void sigmoid_backward(const T* y, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> s = in(y);
        out(dx, in(dy) * s * (V<T>(T(1)) - s));
    });
}

// y = x s(x);  y' = s (1 + x (1 - s))
template <class T>
void silu_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x);
        out(y, v * v_sigmoid(v));
    });
}
template <class T>
void silu_backward(const T* x, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x), s = v_sigmoid(v), one(T(1));
        out(dx, in(dy) * s * fma(v, one - s, one));
    });
}

// y = x (1 + tanh u) / 2 with u = sqrt(2/pi) (x + 0.044715 x^3); (1 + tanh u) / 2 = s(2u) loses no digits for u < 0.
template <class T>
V<T> gelu_inner(V<T> x) {
    const V<T> two_root(T(1.59576912160573071176)), cubic(T(0.044715));
    return two_root * x * fma(cubic, x * x, V<T>(T(1)));
}
template <class T>
void gelu_tanh_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x);
        out(y, v * v_sigmoid(gelu_inner<T>(v)));
    });
}
// y' = s + x s (1 - s) 2 u'
template <class T>
void gelu_tanh_backward(const T* x, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x), s = v_sigmoid(gelu_inner<T>(v)), one(T(1));
        const V<T> slope = V<T>(T(1.59576912160573071176)) * fma(V<T>(T(3 * 0.044715)), v * v, one);
        out(dx, in(dy) * s * fma(v * (one - s), slope, one));
    });
}

// max(x, 0), NaN for NaN; slope 0 at 0.
template <class T>
void relu_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x), zero(T(0));
        out(y, select(v < zero, zero, v));
    });
}
template <class T>
void relu_backward(const T* x, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> zero(T(0));
        out(dx, select(in(x) > zero, in(dy), zero));
    });
}

template <class T> void add(const T* a, const T* b, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a) + in(b)); }); }
template <class T> void sub(const T* a, const T* b, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a) - in(b)); }); }
template <class T> void mul(const T* a, const T* b, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a) * in(b)); }); }
template <class T> void scale(const T* x, T factor, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, in(x) * V<T>(factor)); }); }
template <class T> void axpy(T factor, const T* x, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, fma(V<T>(factor), in(x), in(y))); }); }
template <class T> void accumulate(const T* x, T* y, Index n) { for_vectors<T>(n, [=](auto in, auto out) { out(y, in(y) + in(x)); }); }

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.exp = exp_map<T>;
    k.tanh = tanh_map<T>;
    k.sigmoid = sigmoid_map<T>;
    k.silu = silu_map<T>;
    k.gelu_tanh = gelu_tanh_map<T>;
    k.relu = relu_map<T>;
    k.tanh_backward = tanh_backward<T>;
    k.sigmoid_backward = sigmoid_backward<T>;
    k.silu_backward = silu_backward<T>;
    k.gelu_tanh_backward = gelu_tanh_backward<T>;
    k.relu_backward = relu_backward<T>;
    k.add = add<T>;
    k.sub = sub<T>;
    k.mul = mul<T>;
    k.scale = scale<T>;
    k.axpy = axpy<T>;
    k.accumulate = accumulate<T>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_maps(Kernels<float>& k) noexcept { fill(k); }
void fill_maps(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
