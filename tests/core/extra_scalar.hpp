// The least that an element type of one's own is made of: a double under another name. Read at the end of core/scalar.hpp, as
// GRADPROOF_EXTRA_SCALAR_HEADER; the test ExtraScalar.PagesCompileForATypeOfOnesOwn compiles pages for it.
#pragma once

#include <fmt/format.h>

namespace mine {

struct Real {
    double x = 0;
    constexpr Real() = default;
    template <class N>
    requires std::is_arithmetic_v<N>
    constexpr Real(N value) : x(static_cast<double>(value)) {}  // NOLINT
    constexpr Real& operator+=(Real b) { return *this = x + b.x; }
    constexpr Real& operator-=(Real b) { return *this = x - b.x; }
    constexpr Real& operator*=(Real b) { return *this = x * b.x; }
    constexpr Real& operator/=(Real b) { return *this = x / b.x; }
    friend constexpr Real operator+(Real a, Real b) { return a.x + b.x; }
    friend constexpr Real operator-(Real a, Real b) { return a.x - b.x; }
    friend constexpr Real operator*(Real a, Real b) { return a.x * b.x; }
    friend constexpr Real operator/(Real a, Real b) { return a.x / b.x; }
    friend constexpr Real operator-(Real a) { return -a.x; }
    friend constexpr auto operator<=>(Real a, Real b) = default;
};

inline bool isfinite(Real a) { return std::isfinite(a.x); }
inline bool isnan(Real a) { return std::isnan(a.x); }
inline bool isinf(Real a) { return std::isinf(a.x); }
#define GRADPROOF_OF_REAL(f) \
    inline Real f(Real a) { return std::f(a.x); }
GRADPROOF_OF_REAL(exp)
GRADPROOF_OF_REAL(expm1)
GRADPROOF_OF_REAL(log)
GRADPROOF_OF_REAL(log1p)
GRADPROOF_OF_REAL(sqrt)
GRADPROOF_OF_REAL(sin)
GRADPROOF_OF_REAL(cos)
GRADPROOF_OF_REAL(tanh)
GRADPROOF_OF_REAL(erf)
GRADPROOF_OF_REAL(erfc)
GRADPROOF_OF_REAL(abs)
#undef GRADPROOF_OF_REAL
inline Real pow(Real a, double p) { return std::pow(a.x, p); }
inline double primal(Real a) { return a.x; }

}  // namespace mine

template <>
struct gradproof::BaseOf<mine::Real> {
    using type = double;
};
template <>
struct std::numeric_limits<mine::Real> : std::numeric_limits<double> {};
template <>
struct fmt::formatter<mine::Real> : fmt::formatter<double> {
    auto format(mine::Real a, fmt::format_context& to) const { return fmt::formatter<double>::format(a.x, to); }
};
