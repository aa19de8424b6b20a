// Vectors of the instruction set this source is compiled for: loads with tails, reductions, exp, tanh, sigmoid.
//
// Everything is in an anonymous namespace: a function here belongs to one source and one instruction set.
// xsimd's own exp is not used: with clang it turns NaN into inf, and it flushes denormal results to 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gradproof/ops/kernels/table.hpp"

#ifndef GRADPROOF_PORTABLE
#include <xsimd/xsimd.hpp>
#endif
#if defined(GRADPROOF_PORTABLE) || defined(XSIMD_NO_SUPPORTED_ARCHITECTURE)
#define GRADPROOF_PLAIN_VECTORS 1
#include "gradproof/ops/kernels/simd/plain_vector.hpp"
#else
#define GRADPROOF_PLAIN_VECTORS 0
#endif

#define GRADPROOF_CONCAT_(a, b) a##b
#define GRADPROOF_CONCAT(a, b) GRADPROOF_CONCAT_(a, b)
/// The namespace of this instruction set's fill functions.
#define GRADPROOF_KERNEL_NAMESPACE GRADPROOF_CONCAT(kernels_, GRADPROOF_ARCH)

namespace gradproof {
namespace {

using Index = std::int64_t;

#if GRADPROOF_PLAIN_VECTORS

template <class T>
using V = PlainVector<T>;

template <class T>
V<T> load(const T* p) {
    typename V<T>::Lanes lanes;
    std::memcpy(&lanes, p, sizeof lanes);
    return lanes;
}
template <class T>
void store(T* p, V<T> x) {
    std::memcpy(p, &x.lanes, sizeof x.lanes);
}
template <class T>
T reduce_add(V<T> x) {
    if constexpr (V<T>::size == 4)
        return (x.lanes[0] + x.lanes[1]) + (x.lanes[2] + x.lanes[3]);
    else
        return x.lanes[0] + x.lanes[1];
}

#else

template <class T>
using V = xsimd::batch<T>;

template <class T>
V<T> load(const T* p) {
    return V<T>::load_unaligned(p);
}
template <class T>
void store(T* p, V<T> x) {
    x.store_unaligned(p);
}
#if !defined(GRADPROOF_ARCH_avx512)
template <class T>
T reduce_add(V<T> x) {
    return xsimd::hadd(x);
}
#endif
/// The bits of every lane shifted left, and `bias` added.
template <class T, class Bits = typename xsimd::as_integer_t<V<T> >::value_type>
V<T> shifted_bits(V<T> x, int left, Bits bias) {
    using Int = xsimd::as_integer_t<V<T> >;
    return xsimd::bitwise_cast<V<T> >((xsimd::bitwise_cast<Int>(x) << left) + Int(bias));
}

#endif

// Coefficients are interpolation at Chebyshev nodes (40-digit arithmetic) of (e^r - 1 - r) / r^2 on |r| <= 0.35 and of
// (tanh x - x) / x^3 in x^2 on |x| <= 0.625; truncation stays below half a unit in the last place.
// From exp_low down both halves of 2^k are 0 themselves: of e^-inf nothing underflows, which takes a processor twice the time.
template <class T>
struct Constants;
template <>
struct Constants<float> {
    static constexpr float exp_low = -176.05937f, exp_high = 89.0f;
    static constexpr float log2e = 1.44269504088896341f, ln2_high = 0.693115234375f, ln2_low = 3.1946184945309417e-5f;
    static constexpr float magic = 12582912.0f;
    static constexpr float exp[] = {0.500000001428622342f,   0.166666666825343561f,   0.041666456809677876f,
                                    0.00833331002422529243f, 0.00139345419282702645f, 0.000198919813139776902f};
    static constexpr float tanh[] = {-0.333333331721403616f, 0.133333035569157418f,    -0.0539592595772045427f,
                                     0.0217689186510282102f, -0.00834394551583915205f, 0.00229274481617814234f};
};
template <>
struct Constants<double> {
    static constexpr double exp_low = -1418.1751, exp_high = 710.0;
    static constexpr double log2e = 1.44269504088896341, ln2_high = 0.6931471803691238164901733,
                            ln2_low = 1.9082149292705878161e-10;
    static constexpr double magic = 6755399441055744.0;
    static constexpr double exp[] = {0.5,
                                     0.166666666666666714,
                                     0.0416666666666666701,
                                     0.0083333333333255447,
                                     0.00138888888888833267,
                                     0.000198412698768643549,
                                     0.0000248015873270071867,
                                     2.75572528335169097e-6,
                                     2.75572718102197996e-7,
                                     2.51062747335732947e-8,
                                     2.09154422977801152e-9};
    static constexpr double tanh[] = {-0.333333333333333329,    0.133333333333330416,    -0.0539682539678969917,
                                      0.0218694885190083058,    -0.00886323510324087792, 0.00359212175115496227,
                                      -0.00145577541204780551,  0.000589660657775704335, -0.000237590649605556196,
                                      0.0000925711612955676827, -0.0000312011014257974,  6.48516348279311315e-6};
};

#if defined(GRADPROOF_ARCH_avx512)

// xsimd 8.1 has no fused operation here but a product and a sum, which only some compilers join.
inline V<float> fma(V<float> a, V<float> b, V<float> c) { return _mm512_fmadd_ps(a, b, c); }
inline V<double> fma(V<double> a, V<double> b, V<double> c) { return _mm512_fmadd_pd(a, b, c); }

inline __mmask16 first(V<float>, Index k) { return static_cast<__mmask16>((1u << k) - 1u); }
inline __mmask8 first(V<double>, Index k) { return static_cast<__mmask8>((1u << k) - 1u); }
/// The first k elements, 0 <= k < lanes; the rest are `fill`. Nothing behind them is read.
inline V<float> load_part(const float* p, Index k, float fill = 0) {
    const V<float> rest(fill);
    return _mm512_mask_loadu_ps(rest, first(rest, k), p);
}
inline V<double> load_part(const double* p, Index k, double fill = 0) {
    const V<double> rest(fill);
    return _mm512_mask_loadu_pd(rest, first(rest, k), p);
}
inline void store_part(float* p, V<float> x, Index k) { _mm512_mask_storeu_ps(p, first(x, k), x); }
inline void store_part(double* p, V<double> x, Index k) { _mm512_mask_storeu_pd(p, first(x, k), x); }
/// x with 0 in all but the first k lanes.
inline V<float> keep_first(V<float> x, Index k) { return _mm512_maskz_mov_ps(first(x, k), x); }
inline V<double> keep_first(V<double> x, Index k) { return _mm512_maskz_mov_pd(first(x, k), x); }
inline float reduce_add(V<float> x) { return _mm512_reduce_add_ps(x); }
inline double reduce_add(V<double> x) { return _mm512_reduce_add_pd(x); }
inline float reduce_max(V<float> x) { return _mm512_reduce_max_ps(x); }
inline double reduce_max(V<double> x) { return _mm512_reduce_max_pd(x); }
/// p 2^k for whole k, rounding to denormals and overflowing to inf.
inline V<float> times_power_of_2(V<float> p, V<float> k) { return _mm512_scalef_ps(p, k); }
inline V<double> times_power_of_2(V<double> p, V<double> k) { return _mm512_scalef_pd(p, k); }

#else

template <class T>
V<T> load_part(const T* p, Index k, T fill = T(0)) {
    alignas(64) T lanes[V<T>::size];
    for (T& x : lanes) x = fill;
    for (Index i = 0; i < k; ++i) lanes[i] = p[i];
    return load(lanes);
}
template <class T>
void store_part(T* p, V<T> x, Index k) {
    alignas(64) T lanes[V<T>::size];
    store(lanes, x);
    for (Index i = 0; i < k; ++i) p[i] = lanes[i];
}
template <class T>
V<T> keep_first(V<T> x, Index k) {
    alignas(64) T lanes[V<T>::size];
    store(lanes, x);
    return load_part(lanes, k);
}
template <class T>
T reduce_max(V<T> x) {
    alignas(64) T lanes[V<T>::size];
    store(lanes, x);
    T m = lanes[0];
    for (T y : lanes) m = y > m ? y : m;
    return m;
}
/// 2^k of normal size, where adding Constants<T>::magic left a whole k in the low bits.
template <class T>
V<T> power_of_2(V<T> k) {
    if constexpr (sizeof(T) == 4)
        return shifted_bits(k, 23, std::int32_t{127} << 23);
    else
        return shifted_bits(k, 52, std::int64_t{1023} << 52);
}
/// p 2^k for whole k from that of exp_low on, rounding to denormals and overflowing to inf: 2^k is applied in two halves.
template <class T>
V<T> times_power_of_2(V<T> p, V<T> k) {
    const V<T> magic(Constants<T>::magic), half = k * V<T>(T(0.5)) + magic;
    return p * power_of_2(half) * power_of_2((k - (half - magic)) + magic);
}

#endif

/// c[0] + c[1] x + ... by Horner's rule.
template <class T, int N>
V<T> polynomial(const T (&c)[N], V<T> x) {
    V<T> y(c[N - 1]);
    for (int i = N - 2; i >= 0; --i) y = fma(y, x, V<T>(c[i]));
    return y;
}

/// e^x: e^x = 2^k e^r with k = round(x / ln 2), |r| <= ln 2 / 2. Inf, 0 (through denormals) and NaN come out as they should:
/// a comparison with NaN is false, so clamping keeps it.
template <class T>
V<T> v_exp(V<T> x) {
    using C = Constants<T>;
    x = select(x < V<T>(C::exp_low), V<T>(C::exp_low), x);
    x = select(x > V<T>(C::exp_high), V<T>(C::exp_high), x);
    const V<T> k = fma(x, V<T>(C::log2e), V<T>(C::magic)) - V<T>(C::magic);
    const V<T> r = fma(k, V<T>(-C::ln2_low), fma(k, V<T>(-C::ln2_high), x));
    const V<T> p = fma(polynomial(C::exp, r), r * r, r) + V<T>(T(1));
    return times_power_of_2(p, k);
}

/// tanh x: an odd polynomial near 0, (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x elsewhere.
template <class T>
V<T> v_tanh(V<T> x) {
    using C = Constants<T>;
    const V<T> a = abs(x);
    const V<T> square = x * x;
    const V<T> near = fma(polynomial(C::tanh, square) * square, x, x);
    const V<T> e = v_exp(V<T>(T(-2)) * a);
    const V<T> far = (V<T>(T(1)) - e) / (V<T>(T(1)) + e);
    return select(a < V<T>(T(0.625)), near, select(x < V<T>(T(0)), -far, far));
}

/// The larger of two; the first where either is NaN.
template <class T>
V<T> v_max(V<T> a, V<T> b) {
#if defined(__x86_64__) && !GRADPROOF_PLAIN_VECTORS
    return xsimd::max(b, a);  // one instruction, which gives its second operand where either is NaN
#else
    return select(b > a, b, a);
#endif
}

/// s = 1 / (1 + e^-x) without overflow, e^-|x| / (1 + e^-|x|) for negative x; and 1 - s without cancellation.
template <class T>
struct Sigmoid {
    V<T> value, complement;
};
template <class T>
Sigmoid<T> v_sigmoid_pair(V<T> x) {
    const V<T> one(T(1)), e = v_exp(-abs(x)), large = one / (one + e), small = e * large;
    const auto negative = x < V<T>(T(0));
    return {select(negative, small, large), select(negative, large, small)};
}
template <class T>
V<T> v_sigmoid(V<T> x) {
    const V<T> one(T(1));
    const V<T> e = v_exp(-abs(x));
    return select(x < V<T>(T(0)), e, one) / (one + e);
}

template <class T>
inline constexpr Index kLanes = static_cast<Index>(V<T>::size);

/// Calls f(load, store, i) for every vector of [0, n): whole ones, then one part; load(p) and store(p, v) act on p + i.
template <class T, class F>
void for_vectors(Index n, F f) {
    Index i = 0;
    for (; i + kLanes<T> <= n; i += kLanes<T>) f([i](const T* p) { return load(p + i); }, [i](T* p, V<T> x) { store(p + i, x); });
    if (const Index k = n - i; k > 0)
        f([i, k](const T* p) { return load_part(p + i, k); }, [i, k](T* p, V<T> x) { store_part(p + i, x, k); });
}

/// Sum of f(load) over the vectors of [0, n), in four running sums; the lanes of a part behind n count as 0.
template <class T, class F>
T sum_vectors(Index n, F f) {
    constexpr Index w = kLanes<T>;
    Index i = 0;
    V<T> total(T(0));
    if (n >= 4 * w) {
        V<T> s1(T(0)), s2(T(0)), s3(T(0));
        for (; i + 4 * w <= n; i += 4 * w) {
            const auto at = [i](Index j) { return [p0 = i + j * w](const T* p) { return load(p + p0); }; };
            total = total + f(at(0));
            s1 = s1 + f(at(1));
            s2 = s2 + f(at(2));
            s3 = s3 + f(at(3));
        }
        total = (total + s1) + (s2 + s3);
    }
    for (; i + w <= n; i += w) total = total + f([i](const T* p) { return load(p + i); });
    if (const Index k = n - i; k > 0) total = total + keep_first(f([i, k](const T* p) { return load_part(p + i, k); }), k);
    return reduce_add(total);
}

}  // namespace
}  // namespace gradproof
