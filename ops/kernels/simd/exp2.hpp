// 2^x for the fused attention: 1.5 units in the last place, no denormal results but on AVX-512.
#pragma once

#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

// (2^r - 1) / r on [0, 1], the largest absolute error made smallest (Remez, 40 digits), with 2^0 = 1 kept exact.
template <class T>
struct Exp2;
template <>
struct Exp2<float> {
    static constexpr float c[] = {1.0f,
                                  0.69314700386659465734f,
                                  0.24022989854057360649f,
                                  0.05548248635753187987f,
                                  0.0096811694021322593029f,
                                  0.0012414923587432308277f,
                                  0.00021794659542089573081f};
    static constexpr float low = -126, high = 127;
};
template <>
struct Exp2<double> {
    static constexpr double c[] = {1.0,
                                   0.69314718055994614124,
                                   0.24022650695905272814,
                                   0.055504108665783591789,
                                   0.0096181290980149826863,
                                   0.0013333558704139952204,
                                   0.0001540351007421457244,
                                   0.000015253217822690336206,
                                   1.3207843930001375508e-6,
                                   1.0257176915174749955e-7,
                                   6.5425983014324055756e-9,
                                   6.2946326698076275789e-10};
    static constexpr double low = -1022, high = 1023;
};

/// 2^x = 2^floor(x) 2^r. -inf gives 0, NaN stays.
#if defined(GRADPROOF_ARCH_avx512)
inline V<float> v_exp2(V<float> x) {
    const V<float> r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_scalef_ps(polynomial(Exp2<float>::c, r), x);  // takes floor(x) itself
}
inline V<double> v_exp2(V<double> x) {
    const V<double> r = _mm512_reduce_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_scalef_pd(polynomial(Exp2<double>::c, r), x);
}
#else
/// Below the normal numbers 0, above them inf.
template <class T>
V<T> v_exp2(V<T> x) {
    using C = Exp2<T>;
    const V<T> magic(Constants<T>::magic);  // leaves a whole number in the low bits
    const V<T> shifted = (x - V<T>(T(0.5))) + magic;
    const V<T> r = x - (shifted - magic);
    const V<T> y = polynomial(C::c, r) * power_of_2(shifted);
    const V<T> floor_kept = select(x < V<T>(C::low), V<T>(T(0)), y);
    return select(x > V<T>(C::high), V<T>(T(__builtin_inf())), floor_kept);
}
#endif

}  // namespace
}  // namespace gradproof
