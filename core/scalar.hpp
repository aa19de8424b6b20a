// The element types: float, double and the dual number, and the functions an op body may call on them.
//
//   template <Scalar T> T sigmoid(T x) { return T(1) / (T(1) + exp(-x)); }   // runs for all of them
//   const auto y = sigmoid(Dual<double>{0.3, 1.0});                          // y.tangent is sigmoid'(0.3)
//
// To add one: GRADPROOF_FOR_PLAIN_SCALARS below; a built-in type also needs its primal() here, and a higher version in
// core/version.hpp, since plugins built before lack it. Tests: Elements of tests/ops/matmul_test.cpp, scalar_test.cpp.
//
// The code of an op uses only arithmetic and these named functions, and branches only by `max`, `min` and `where`.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gradproof {

template <class T>
struct Dual;

/// Whether all parts are 0. (== compares only the values of duals.)
template <class T>
constexpr bool is_zero(const T& x) {
    return x == T(0);
}
template <class T>
constexpr bool is_zero(const Dual<T>& x) {
    return is_zero(x.value) && is_zero(x.tangent);
}

/// slope * tangent, but 0 where the tangent is 0: an infinite slope does not turn a constant into NaN.
template <class T>
constexpr T chain(const T& slope, const T& tangent) {
    return is_zero(tangent) ? T(0) : slope * tangent;
}

/// Whether ops run backward for an element type as well.
template <class T>
inline constexpr bool has_backward = true;

/// The plain number type inside an element type: double for double, Dual<double> and Dual<Dual<double>>.
template <class T>
struct BaseOf {
    using type = T;
};
template <class T>
struct BaseOf<Dual<T>> : BaseOf<T> {};
template <class T>
using base_t = typename BaseOf<T>::type;
template <class T>
inline constexpr bool is_dual = false;
template <class T>
inline constexpr bool is_dual<Dual<T>> = true;

/// value + tangent * eps with eps^2 = 0: carries an exact directional derivative through any formula.
template <class T>
struct Dual {
    T value{};
    T tangent{};

    constexpr Dual() = default;
    constexpr Dual(T v) : value(v) {}  // NOLINT: a plain number is a constant
    constexpr Dual(T v, T t) : value(v), tangent(t) {}
    template <class N>
    requires(std::is_arithmetic_v<N> && !std::is_same_v<N, T>) constexpr Dual(N v) : value(static_cast<T>(v)) {}  // NOLINT
    constexpr explicit operator T() const { return value; }

    constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
    constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
    constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
    constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

    friend constexpr Dual operator+(const Dual& a) { return a; }
    friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.tangent}; }
    friend constexpr Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.tangent + b.tangent}; }
    friend constexpr Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.tangent - b.tangent}; }
    friend constexpr Dual operator*(const Dual& a, const Dual& b) {
        return {a.value * b.value, chain(b.value, a.tangent) + chain(a.value, b.tangent)};
    }
    friend constexpr Dual operator/(const Dual& a, const Dual& b) {
        const T q = a.value / b.value;
        return {q, (a.tangent - chain(q, b.tangent)) / b.value};
    }
    // Order is that of the values: a branch depends on the primal only.
    friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
    friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
    friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
    friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
};

// The same names for plain numbers, found unqualified inside this namespace.
using std::abs;
using std::cos;
using std::erf;
using std::erfc;
using std::exp;
using std::expm1;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::log;
using std::log1p;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

template <class T>
Dual<T> exp(const Dual<T>& a) {
    const T y = exp(a.value);
    return {y, chain(y, a.tangent)};
}
template <class T>
Dual<T> expm1(const Dual<T>& a) {
    return {expm1(a.value), chain(exp(a.value), a.tangent)};
}
template <class T>
Dual<T> log(const Dual<T>& a) {
    return {log(a.value), chain(T(1) / a.value, a.tangent)};
}
template <class T>
Dual<T> log1p(const Dual<T>& a) {
    return {log1p(a.value), chain(T(1) / (T(1) + a.value), a.tangent)};
}
template <class T>
Dual<T> sqrt(const Dual<T>& a) {
    const T y = sqrt(a.value);
    return {y, chain(T(0.5) / y, a.tangent)};
}
template <class T>
Dual<T> sin(const Dual<T>& a) {
    return {sin(a.value), chain(cos(a.value), a.tangent)};
}
template <class T>
Dual<T> cos(const Dual<T>& a) {
    return {cos(a.value), chain(-sin(a.value), a.tangent)};
}
template <class T>
Dual<T> tanh(const Dual<T>& a) {
    const T y = tanh(a.value);
    return {y, chain(T(1) - y * y, a.tangent)};
}
template <class T>
Dual<T> erf(const Dual<T>& a) {
    constexpr T two_over_sqrt_pi = T(1.12837916709551257389615890312154517L);
    return {erf(a.value), chain(two_over_sqrt_pi * exp(-a.value * a.value), a.tangent)};
}
/// 1 - erf, without the cancellation for large a.
template <class T>
Dual<T> erfc(const Dual<T>& a) {
    constexpr T two_over_sqrt_pi = T(1.12837916709551257389615890312154517L);
    return {erfc(a.value), chain(-two_over_sqrt_pi * exp(-a.value * a.value), a.tangent)};
}
/// |x|, slope 0 at 0 (the convention of PyTorch and JAX).
template <class T>
Dual<T> abs(const Dual<T>& a) {
    const T sign = T((a.value > T(0)) - (a.value < T(0)));
    return {abs(a.value), sign * a.tangent};
}
namespace detail {
/// Whether a double holds a positive number as it is written: a whole one, or one of few binary digits.
constexpr bool is_exact_constant(double size) {
    if (!(size <= std::numeric_limits<double>::max()) || size >= 0x1p53) return true;
    if (static_cast<double>(static_cast<std::int64_t>(size)) == size) return true;
    return size > 0x1p-100 && static_cast<double>(static_cast<float>(size)) == size;
}
constexpr std::int64_t of_12_decimals(double size) { return static_cast<std::int64_t>(size * 1e12 + 0.5); }
constexpr bool has_12_decimals(double size) { return size < 4096 && static_cast<double>(of_12_decimals(size)) / 1e12 == size; }
/// Of 0.1 the tenth, as near as T has it.
template <class T>
constexpr T as_meant(double v) {
    const double size = v < 0 ? -v : v;
    if (std::is_same_v<T, double> || is_exact_constant(size) || !has_12_decimals(size)) return T(v);
    const T decimal = T(static_cast<double>(of_12_decimals(size))) / T(1e12);
    return v < 0 ? -decimal : decimal;
}
}  // namespace detail

/// p - 1, of 0.7 the -0.3 that is meant, and not the double two further off.
template <class P>
constexpr P one_less(P p) {
    const auto v = static_cast<double>(p);
    const double size = v < 0 ? -v : v;
    if (!std::is_same_v<P, double> || !detail::has_12_decimals(size)) return p - 1;
    const double scaled = static_cast<double>(detail::of_12_decimals(size));
    return static_cast<P>(((v < 0 ? -scaled : scaled) - 1e12) / 1e12);
}
/// x^p with a constant exponent; slope p x^(p-1).
template <class T>
Dual<T> pow(const Dual<T>& a, base_t<T> p) {
    return {pow(a.value, p), p == 0 ? T(0) : chain(T(p * pow(a.value, one_less(p))), a.tangent)};
}
template <class T>
bool isfinite(const Dual<T>& a) {
    return isfinite(a.value) && isfinite(a.tangent);
}
template <class T>
bool isnan(const Dual<T>& a) {
    return isnan(a.value) || isnan(a.tangent);
}
template <class T>
bool isinf(const Dual<T>& a) {
    return isinf(a.value);
}

/// The larger of two; the first where they tie; NaN where either is NaN.
template <class T>
constexpr T max(const T& a, const T& b) {
    return (a >= b || a != a) ? a : b;
}
template <class T>
constexpr T min(const T& a, const T& b) {
    return (a <= b || a != a) ? a : b;
}
template <class T>
constexpr T where(bool condition, const T& a, const T& b) {
    return condition ? a : b;
}

/// The plain number under an element, for branches and reports.
inline float primal(float x) { return x; }
inline double primal(double x) { return x; }
template <class T>
base_t<T> primal(const Dual<T>& x) {
    return primal(x.value);
}

/// The same number without tangents.
template <class T>
T without_slope(const T& x) {
    return x;
}
template <class T>
Dual<T> without_slope(const Dual<T>& x) {
    return Dual<T>(without_slope(x.value));
}

/// -|x|, with the slope of -x at 0, so that exp(-|x|) has a slope there.
template <class T>
T minus_abs(const T& x) {
    return where(x >= T(0), -x, x);
}

/// An element type: arithmetic, order, and the named functions above. GRADPROOF_FOR_SCALARS lists those that the library is
/// compiled for. A type of your own, in the header that GRADPROOF_EXTRA_SCALAR_HEADER names, also needs == and +=, -=, *=, /=,
/// BaseOf, primal, std::numeric_limits and a fmt::formatter.
template <class T>
concept Scalar = std::copyable<T> && requires(T a, const T b) {
    { a + b } -> std::convertible_to<T>;
    { a - b } -> std::convertible_to<T>;
    { a* b } -> std::convertible_to<T>;
    { a / b } -> std::convertible_to<T>;
    { -a } -> std::convertible_to<T>;
    { a < b } -> std::convertible_to<bool>;
    { exp(b) } -> std::convertible_to<T>;
    {primal(b)};
    T(0.5);
} && !std::is_integral_v<T> && std::numeric_limits<T>::is_specialized;

/// Half a unit in the last place of 1: the largest relative error of one rounding.
template <class T>
inline constexpr double kRoundoff = 0x1p-53;

/// The type that holds the size and the error of a Bounded: it has the range of T, and needs only a few digits.
template <class T>
struct ExtentOf {
    using type = double;
};

/// The element types without bounds of rounding errors. Kernels and the layers of nn/ are for float and double only.
#define GRADPROOF_FOR_PLAIN_SCALARS(M, ...) \
    M(float __VA_OPT__(, ) __VA_ARGS__) M(double __VA_OPT__(, ) __VA_ARGS__) M(Dual<double> __VA_OPT__(, ) __VA_ARGS__)
/// Those that plugins, and all code outside the library, are compiled for.
#define GRADPROOF_FOR_PLUGIN_SCALARS(M, ...)                  \
    GRADPROOF_FOR_PLAIN_SCALARS(M __VA_OPT__(, ) __VA_ARGS__) \
    M(Dual<Bounded<double>> __VA_OPT__(, ) __VA_ARGS__)
/// Those that a source is compiled for: M(float, ...) M(double, ...) ... The library compiles its sources several times
/// (tools/cmake/library.cmake): for the plain types (GRADPROOF_NO_BOUNDS), for those with bounds (GRADPROOF_ONLY_BOUNDS), and for
/// GRADPROOF_EXTRA_SCALAR.
#if defined(GRADPROOF_ONLY_BOUNDS)
#define GRADPROOF_FOR_SCALARS(M, ...) \
    M(Dual<Bounded<double>> __VA_OPT__(, ) __VA_ARGS__) M(Dual<Bounded<Quad>> __VA_OPT__(, ) __VA_ARGS__)
#elif defined(GRADPROOF_EXTRA_SCALAR)
#define GRADPROOF_FOR_SCALARS(M, ...) M(GRADPROOF_EXTRA_SCALAR __VA_OPT__(, ) __VA_ARGS__)
#elif defined(GRADPROOF_NO_BOUNDS)
#define GRADPROOF_FOR_SCALARS GRADPROOF_FOR_PLAIN_SCALARS
#else
#define GRADPROOF_FOR_SCALARS GRADPROOF_FOR_PLUGIN_SCALARS
#endif

/// 1 / (1 + exp(-x)). With e = exp(-|x|): 1 / (1 + e) for x >= 0, and e / (1 + e) for x < 0.
template <Scalar T>
T sigmoid(const T& x) {
    const T e = exp(minus_abs(x));
    return where(x >= T(0), T(1), e) / (T(1) + e);
}

}  // namespace gradproof

/// Limits of a dual are those of its value: reductions start from them.
template <class T>
struct std::numeric_limits<gradproof::Dual<T>> : std::numeric_limits<T> {
    static constexpr gradproof::Dual<T> min() noexcept { return {std::numeric_limits<T>::min()}; }
    static constexpr gradproof::Dual<T> max() noexcept { return {std::numeric_limits<T>::max()}; }
    static constexpr gradproof::Dual<T> lowest() noexcept { return {std::numeric_limits<T>::lowest()}; }
    static constexpr gradproof::Dual<T> epsilon() noexcept { return {std::numeric_limits<T>::epsilon()}; }
    static constexpr gradproof::Dual<T> infinity() noexcept { return {std::numeric_limits<T>::infinity()}; }
    static constexpr gradproof::Dual<T> quiet_NaN() noexcept {
        return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
    }
};

#include "gradproof/core/bounded.hpp"
#include "gradproof/core/quad.hpp"
#ifdef GRADPROOF_EXTRA_SCALAR_HEADER
#include GRADPROOF_EXTRA_SCALAR_HEADER
#endif
