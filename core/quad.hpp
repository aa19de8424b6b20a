// Numbers with 113 binary digits, IEEE quadruple precision by the C library, used where doubles cannot decide.
#pragma once

#include "gradproof/core/bounded.hpp"

namespace gradproof {

#define GRADPROOF_QUAD_FUNCTIONS(M) M(exp) M(expm1) M(log) M(log1p) M(sqrt) M(sin) M(cos) M(tanh) M(erf) M(erfc)

// Declared here because compilers differ in when <cmath> declares them; the C library has them all.
#if __LDBL_MANT_DIG__ == 113
using QuadFloat = long double;
#define GRADPROOF_QUAD_NAME(f) f##l
#else
using QuadFloat = __float128;
#define GRADPROOF_QUAD_NAME(f) f##f128
extern "C" {
#define GRADPROOF_QUAD(f) QuadFloat f##f128(QuadFloat) noexcept;
GRADPROOF_QUAD_FUNCTIONS(GRADPROOF_QUAD)
#undef GRADPROOF_QUAD
QuadFloat powf128(QuadFloat, QuadFloat) noexcept;
}
#endif

/// A number of quadruple precision, whose functions are found as those of double are.
struct Quad {
    QuadFloat x = 0;
    constexpr Quad() = default;
    constexpr Quad(QuadFloat v) : x(v) {}  // NOLINT
    template <class N>
    requires std::is_arithmetic_v<N>
    constexpr Quad(N v) : x(static_cast<QuadFloat>(v)) {}  // NOLINT
    constexpr explicit operator double() const { return static_cast<double>(x); }
    constexpr explicit operator long double() const { return static_cast<long double>(x); }

    friend constexpr Quad operator+(Quad a, Quad b) { return Quad(a.x + b.x); }
    friend constexpr Quad operator-(Quad a, Quad b) { return Quad(a.x - b.x); }
    friend constexpr Quad operator*(Quad a, Quad b) { return Quad(a.x * b.x); }
    friend constexpr Quad operator/(Quad a, Quad b) { return Quad(a.x / b.x); }
    friend constexpr Quad operator-(Quad a) { return Quad(-a.x); }
    friend constexpr bool operator==(Quad a, Quad b) { return a.x == b.x; }
    friend constexpr bool operator<(Quad a, Quad b) { return a.x < b.x; }
    friend constexpr bool operator>(Quad a, Quad b) { return a.x > b.x; }
    friend constexpr bool operator<=(Quad a, Quad b) { return a.x <= b.x; }
    friend constexpr bool operator>=(Quad a, Quad b) { return a.x >= b.x; }
};

#define GRADPROOF_QUAD(f) \
    inline Quad f(Quad a) { return Quad(GRADPROOF_QUAD_NAME(f)(a.x)); }
GRADPROOF_QUAD_FUNCTIONS(GRADPROOF_QUAD)
#undef GRADPROOF_QUAD
#undef GRADPROOF_QUAD_FUNCTIONS
template <>
inline constexpr double kRoundoff<Quad> = 0x1p-113;
template <>
struct ExtentOf<Quad> {
    using type = long double;
};

/// x^0.3 is that of three tenths.
inline Quad pow(Quad a, double p) { return Quad(GRADPROOF_QUAD_NAME(pow)(a.x, detail::as_meant<Quad>(p).x)); }

}  // namespace gradproof
