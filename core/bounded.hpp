// A number with a bound of its rounding error, carried along through every formula (running error analysis).
//
//   const Bounded<double> y = exp(Bounded<double>(1) / Bounded<double>(3));
//   y.value, y.error              // exp(1/3) lies within error of value
//
// The bound covers the rounding errors of the formula, for inputs that are taken as exact. A bound of infinity or NaN means that
// nothing is known, for example after an overflow. If the formula itself gives infinity or NaN, as log(0) and 1 / 0 do, the bound
// is 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "gradproof/core/scalar.hpp"

namespace gradproof {

template <class T>
struct Bounded {
    using Extent = typename ExtentOf<T>::type;
    using Limits = std::numeric_limits<Extent>;

    T value{};
    Extent error = 0;  ///< |value - exact result| is at most this

    constexpr Bounded() = default;
    /// A constant. One with few digits (3, 1e-5, 0.044715) is taken as exact; any other as the double nearest to the number
    /// meant.
    template <class N>
    requires std::is_arithmetic_v<N>
    constexpr Bounded(N v)  // NOLINT
        : value(detail::as_meant<T>(static_cast<double>(v))), error(rounding_of_constant(static_cast<double>(v))) {}
    constexpr Bounded(T v, Extent e) : value(v), error(e) {}
    /// Exactly v.
    static constexpr Bounded exactly(T v) { return {v, 0}; }

    constexpr Bounded& operator+=(const Bounded& b) { return *this = *this + b; }
    constexpr Bounded& operator-=(const Bounded& b) { return *this = *this - b; }
    constexpr Bounded& operator*=(const Bounded& b) { return *this = *this * b; }
    constexpr Bounded& operator/=(const Bounded& b) { return *this = *this / b; }

    friend constexpr Bounded operator+(const Bounded& a) { return a; }
    friend constexpr Bounded operator-(const Bounded& a) { return {-a.value, a.error}; }
    friend constexpr Bounded operator+(const Bounded& a, const Bounded& b) {
        const T s = a.value + b.value;
        if (a.error == 0 && b.error == 0 && is_exact_sum(a.value, b.value, s)) return {s, 0};
        return rounded(s, a.error + b.error, 1, !endless(a) && !endless(b));
    }
    friend constexpr Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }
    friend constexpr Bounded operator*(const Bounded& a, const Bounded& b) {
        const T p = a.value * b.value;
        if (a.error == 0 && b.error == 0 && is_exact_product(a.value, b.value, p)) return {p, 0};
        return rounded(p, times(a.size(), b.error) + times(b.size(), a.error) + times(a.error, b.error), 1,
                       !endless(a) && !endless(b), !is_zero(a) && !is_zero(b));
    }
    friend constexpr Bounded operator/(const Bounded& a, const Bounded& b) {
        const T q = a.value / b.value;
        if (!finite(b)) return {q, finite(a) && endless(b) ? 0 : kUnknown};
        if (is_zero(b)) return {q, finite(a) ? 0 : a.error};
        if (a.error == 0 && b.error == 0 && q * b.value == a.value && is_exact_product(q, b.value, a.value)) return {q, 0};
        const Extent least = b.size() - b.error;
        if (least <= 0) return {q, kUnknown};
        return rounded(q, a.error / least + times(magnitude(q), b.error / least), 1, !endless(a), !is_zero(a));
    }
    // Order is that of the values.
    friend constexpr bool operator==(const Bounded& a, const Bounded& b) { return a.value == b.value; }
    friend constexpr bool operator<(const Bounded& a, const Bounded& b) { return a.value < b.value; }
    friend constexpr bool operator>(const Bounded& a, const Bounded& b) { return a.value > b.value; }
    friend constexpr bool operator<=(const Bounded& a, const Bounded& b) { return a.value <= b.value; }
    friend constexpr bool operator>=(const Bounded& a, const Bounded& b) { return a.value >= b.value; }

    /// |value|.
    constexpr Extent size() const { return magnitude(value); }

    static constexpr Extent kUnknown = Limits::infinity();
    static constexpr Extent magnitude(const T& x) { return static_cast<Extent>(x < T(0) ? -x : x); }
    static constexpr bool finite(const Bounded& a) { return a.size() <= Limits::max(); }
    /// An infinity of the formula, not one that a large number overflowed to.
    static constexpr bool endless(const Bounded& a) { return !finite(a) && a.error == 0; }
    /// Exactly 0, with a bound of 0.
    friend constexpr bool is_zero(const Bounded& a) { return a.value == T(0) && a.error == 0; }
    /// A bound times a size; 0 if either is 0, even times infinity.
    static constexpr Extent times(Extent size, Extent bound) { return bound == 0 || size == 0 ? 0 : size * bound; }

    /// v, computed from numbers whose errors come to `error`, with `units` roundings of its own. `of_finite`: an infinity is an
    /// overflow. `of_nonzero`: a 0, of the value or of the error, is an underflow.
    static constexpr Bounded rounded(const T& v, Extent error, double units, bool of_finite, bool of_nonzero = false) {
        const Extent size = magnitude(v);
        if (!(size <= Limits::max())) return {v, of_finite ? kUnknown : 0};
        Extent bound = (error + units * kRoundoff<T> * size) * (1 + 0x1p-50);
        if (of_nonzero && size < Limits::min()) return {v, bound + Limits::min()};
        // Below the smallest normal number the bound itself is rounded to whole steps.
        if (size > 0 && bound < Limits::min()) bound += 8 * Limits::denorm_min();
        return {v, bound};
    }

  private:
    /// Whether s is a + b, not only rounded to it (Knuth's two-sum).
    static constexpr bool is_exact_sum(const T& a, const T& b, const T& s) {
        const T of_b = s - a;
        return (a - (s - of_b)) + (b - of_b) == T(0) && magnitude(s) <= Limits::max();
    }
    /// Whether p is a b: surely where their significant bits together are no more than a double has.
    static constexpr bool is_exact_product(const T& a, const T& b, const T& p) {
        if constexpr (std::is_same_v<T, double>) {
            const double size = magnitude(p);
            return size >= Limits::min() && size <= Limits::max() && significant_bits(a) + significant_bits(b) <= Limits::digits;
        } else {
            return false;
        }
    }
    /// None of a power of two.
    static constexpr int significant_bits(double x) {
        const std::uint64_t fraction = __builtin_bit_cast(std::uint64_t, x) & ((std::uint64_t{1} << (Limits::digits - 1)) - 1);
        return fraction == 0 ? 0 : Limits::digits - std::countr_zero(fraction);
    }
    static constexpr Extent rounding_of_constant(double v) {
        const double size = v < 0 ? -v : v;
        if (detail::is_exact_constant(size)) return 0;
        if (detail::has_12_decimals(size))
            return std::is_same_v<T, double> ? Extent(0) : static_cast<Extent>(size) * kRoundoff<T>;
        return static_cast<Extent>(size) * static_cast<Extent>(0x1p-53);
    }
};

/// The base of a Bounded is always double: constants and exponents are doubles.
template <class T>
struct BaseOf<Bounded<T>> {
    using type = double;
};
template <class T>
double primal(const Bounded<T>& x) {
    return static_cast<double>(x.value);
}
template <class T>
bool isfinite(const Bounded<T>& x) {
    return Bounded<T>::finite(x);
}
template <class T>
bool isnan(const Bounded<T>& x) {
    return x.value != x.value;
}
template <class T>
bool isinf(const Bounded<T>& x) {
    return !isfinite(x) && !isnan(x);
}

template <class T>
using Extent = typename Bounded<T>::Extent;

namespace detail {

/// The rounding error of a function of the C library, in units of roundoff.
inline constexpr double kLibrary = 4;

/// The ends of the interval that x stands for, or a little beyond them.
template <class T>
Extent<T> lowest(const Bounded<T>& x) {
    return static_cast<Extent<T>>(x.value) - x.error - (x.size() + x.error) * Bounded<T>::Limits::epsilon();
}
template <class T>
Extent<T> highest(const Bounded<T>& x) {
    return static_cast<Extent<T>>(x.value) + x.error + (x.size() + x.error) * Bounded<T>::Limits::epsilon();
}

/// f(x) where |f'| is at most `slope` within the bound of x. A y of 0 is exact, or with `of_nonzero` an underflow.
template <class T>
Bounded<T> with_slope(const Bounded<T>& x, const T& y, Extent<T> slope, double units = kLibrary, bool of_nonzero = false) {
    return Bounded<T>::rounded(y, Bounded<T>::times(slope, x.error), units, !Bounded<T>::endless(x), of_nonzero || y != T(0));
}

}  // namespace detail

template <class T>
Bounded<T> exp(const Bounded<T>& x) {
    const T y = exp(x.value);
    if (!isfinite(x)) return {y, x.error};
    // From the upper end down: exp(x) itself may have underflowed.
    const Extent<T> off = Bounded<T>::times(std::exp(detail::highest(x)), -std::expm1(-x.error));
    return Bounded<T>::rounded(y, off, detail::kLibrary, true, true);
}
template <class T>
Bounded<T> expm1(const Bounded<T>& x) {
    return detail::with_slope(x, expm1(x.value), std::exp(detail::highest(x)));
}
template <class T>
Bounded<T> log(const Bounded<T>& x) {
    if (detail::highest(x) <= 0) return {log(x.value), 0};
    const Extent<T> least = detail::lowest(x);
    return detail::with_slope(x, log(x.value), least > 0 ? 1 / least : Bounded<T>::kUnknown);
}
template <class T>
Bounded<T> log1p(const Bounded<T>& x) {
    const Bounded<T> above = Bounded<T>(1) + x;
    if (detail::highest(above) <= 0) return {log1p(x.value), 0};
    const Extent<T> least = detail::lowest(above);
    return detail::with_slope(x, log1p(x.value), least > 0 ? 1 / least : Bounded<T>::kUnknown);
}
template <class T>
Bounded<T> sqrt(const Bounded<T>& x) {
    const T y = sqrt(x.value);
    if (detail::highest(x) < 0) return {y, 0};
    const Extent<T> size = static_cast<Extent<T>>(y), least = detail::lowest(x);
    const Extent<T> off = x.error == 0 ? 0 : least > 0 ? x.error / (size + std::sqrt(least)) : std::sqrt(x.error);
    return Bounded<T>::rounded(y, off, 1, !Bounded<T>::endless(x));
}
// The slopes of sin, cos and tanh change by at most the change of x.
template <class T>
Bounded<T> sin(const Bounded<T>& x) {
    return detail::with_slope(x, sin(x.value), std::min<Extent<T>>(1, Bounded<T>::magnitude(cos(x.value)) + x.error));
}
template <class T>
Bounded<T> cos(const Bounded<T>& x) {
    return detail::with_slope(x, cos(x.value), std::min<Extent<T>>(1, Bounded<T>::magnitude(sin(x.value)) + x.error));
}
template <class T>
Bounded<T> tanh(const Bounded<T>& x) {
    const double c = 1 / std::cosh(primal(x));
    return detail::with_slope(x, tanh(x.value), std::min<Extent<T>>(1, c * c + x.error));
}
namespace detail {
/// Of erf and erfc, whose slope changes by less than 0.97 times the change of x.
template <class T>
Extent<T> erf_slope(const Bounded<T>& x) {
    const double at = primal(x);
    return std::min<Extent<T>>(1.1284, 1.1284 * std::exp(-at * at) + 0.97 * x.error);
}
}  // namespace detail
template <class T>
Bounded<T> erf(const Bounded<T>& x) {
    return detail::with_slope(x, erf(x.value), detail::erf_slope(x));
}
template <class T>
Bounded<T> erfc(const Bounded<T>& x) {
    return detail::with_slope(x, erfc(x.value), detail::erf_slope(x), 2 * detail::kLibrary, /*of_nonzero=*/true);
}
template <class T>
Bounded<T> abs(const Bounded<T>& x) {
    return x.value < T(0) ? -x : x;
}
/// x^p of an exponent that is meant as it is.
template <class T>
Bounded<T> pow(const Bounded<T>& x, double p) {
    const T y = pow(x.value, p);
    if (is_zero(x) || (detail::highest(x) < 0 && !isfinite(Bounded<T>(y, 0)))) return {y, 0};
    const Bounded<T> size = abs(x);
    const Extent<T> low = detail::lowest(size), high = detail::highest(size), power = p;
    // The slope may underflow where the change does not: |p| x^p times what x may change by, relative to x.
    const Extent<T> relative = x.error / (low > 0 ? low : high),
                    most = std::max(std::pow(high, power), low > 0 ? std::pow(low, power) : 0);
    const Extent<T> change = x.error == 0 || p == 0 ? 0
                             : low <= 0 && p < 1    ? Bounded<T>::kUnknown
                                                    : std::abs(power) * relative * most;
    return Bounded<T>::rounded(y, change, detail::kLibrary, !Bounded<T>::endless(x), !is_zero(x));
}

/// For these types pages run forward only: derivatives come from Dual.
template <class T>
inline constexpr bool has_backward<Bounded<T>> = false;
template <class T>
inline constexpr bool has_backward<Dual<Bounded<T>>> = false;

}  // namespace gradproof

template <class T>
struct std::numeric_limits<gradproof::Bounded<T>> : std::numeric_limits<double> {};
template <class T>
struct fmt::formatter<gradproof::Bounded<T>> : fmt::formatter<double> {
    auto format(const gradproof::Bounded<T>& a, fmt::format_context& to) const {
        return fmt::formatter<double>::format(static_cast<double>(a.value), to);
    }
};
