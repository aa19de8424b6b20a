// Elementwise fast paths and their backward maps.
#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

template <class T>
void exp_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, v_exp(in(x))); });
}
template <class T>
void tanh_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, v_tanh(in(x))); });
}
template <class T>
void sigmoid_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, v_sigmoid(in(x))); });
}

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
        out(dx, in(dy)*s * (V<T>(T(1)) - s));
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
        const V<T> v = in(x);
        const Sigmoid<T> s = v_sigmoid_pair<T>(v);
        out(dx, in(dy)*s.value * fma(v, s.complement, V<T>(T(1))));
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
/// x within [-limit, limit]; NaN stays.
template <class T>
V<T> clip(V<T> x, T limit) {
    x = select(x < V<T>(-limit), V<T>(-limit), x);
    return select(x > V<T>(limit), V<T>(limit), x);
}
// y' = s + x s (1 - s) 2 u'
template <class T>
void gelu_tanh_backward(const T* x, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x), one(T(1));
        const Sigmoid<T> s = v_sigmoid_pair<T>(gelu_inner<T>(v));
        const V<T> near = clip(v, T(20));  // beyond it s is 0 or 1: only an overflow of x^2 could show
        const V<T> slope = V<T>(T(1.59576912160573071176)) * fma(V<T>(T(3 * 0.044715)), near * near, one);
        out(dx, in(dy)*s.value * fma(near * s.complement, slope, one));
    });
}

// The normal distribution: its upper tail at a >= 0 is exp(-a^2 / 2) g(t) / (a + k) with t = (a - k) / (a + k), where g is
// smooth up to infinity. Coefficients of g: interpolation at Chebyshev nodes in 60-digit arithmetic.
template <class T>
struct Tail;
template <>
struct Tail<float> {
    static constexpr float k = 4, last = 14.5f;  // the tail at `last` is 0 in float
    static constexpr float g[] = {0.755285130621f,    -0.607896642724f,   0.387137374679f,    -0.186521832188f,
                                  0.0603971227531f,   -0.00754026014318f, -0.00348388844892f, 0.00162901981035f,
                                  0.000146909478193f, -0.00021938034061f, -1.74862730616e-5f, 1.42586174273e-5f};
};
template <>
struct Tail<double> {
    static constexpr double k = 5, last = 39;
    static constexpr double g[] = {
        0.76919304975006295952,     -0.66538250289005685181,   0.49530561596997607372,      -0.31353315667128744602,
        0.1650203661704071478,      -0.069118638706878137363,  0.020795066799260342316,     -0.0029933767618687428572,
        -0.00079786938929585886171, 0.00054489899275840260683, -0.000059375807358891233265, -0.000049762456168701569506,
        0.000016681639595174006093, 3.9798048993290894763e-6,  -2.7707204135122385208e-6,   -3.345738518771816966e-7,
        4.3629255682225392877e-7,   4.0177962891473736526e-8,  -7.0142206319609260414e-8,   -8.5556966282546326969e-9,
        1.0797345335746256848e-8,   2.2208486217731486775e-9,  -1.1608864483803090387e-9,   -3.8161803530042396782e-10};
};
template <class T>
struct Normal {
    V<T> cdf, exponential;  // exponential = exp(-x^2 / 2)
};
template <class T>
Normal<T> normal(V<T> x) {
    V<T> a = abs(x);
    a = select(a > V<T>(Tail<T>::last), V<T>(Tail<T>::last), a);
    const V<T> one(T(1)), k(Tail<T>::k), half(T(-0.5));
    // a^2 = square + rest exactly (with fma): the exponential of a rounded square would lose a^2 / 2 units.
    const V<T> square = a * a, rest = fma(a, a, -square);
    const V<T> e = v_exp(half * square) * fma(half, rest, one);
    const V<T> inverse = one / (a + k);
    const V<T> tail = e * polynomial(Tail<T>::g, (a - k) * inverse) * inverse;
    return {select(x < V<T>(T(0)), tail, one - tail), e};
}
// y = x P(x)
template <class T>
void gelu_map(const T* x, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x);
        out(y, v * normal<T>(v).cdf);
    });
}
// y' = P(x) + x exp(-x^2 / 2) / sqrt(2 pi)
template <class T>
void gelu_backward(const T* x, const T* dy, T* dx, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> v = in(x);
        const Normal<T> p = normal<T>(v);
        out(dx, in(dy)*fma(v * V<T>(T(0.39894228040143267794)), p.exponential, p.cdf));
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
        out(dx, in(dy)*select(in(x) > zero, V<T>(T(1)), zero));
    });
}

template <class T>
void add(const T* a, const T* b, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a) + in(b)); });
}
template <class T>
void sub(const T* a, const T* b, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a)-in(b)); });
}
template <class T>
void mul(const T* a, const T* b, T* y, Index n) {
    for_vectors<T>(n, [=](auto in, auto out) { out(y, in(a)*in(b)); });
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.exp = exp_map<T>;
    k.tanh = tanh_map<T>;
    k.sigmoid = sigmoid_map<T>;
    k.silu = silu_map<T>;
    k.gelu = gelu_map<T>;
    k.gelu_backward = gelu_backward<T>;
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
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_maps(Kernels<float>& k) noexcept { fill(k); }
void fill_maps(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
