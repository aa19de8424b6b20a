// Arithmetic of residues and what is known of functions.
#include "gradproof/core/residue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace gradproof {
namespace {

using Value = Residue::Value;
using Exponent = Residue::Exponent;

constexpr double kVaries = std::numeric_limits<double>::quiet_NaN();

unsigned bit(Opaque o) { return static_cast<unsigned>(o); }

/// f(x), remembered: one evaluation after another meets the same numbers, with a tangent elsewhere. A `kUse` has one f.
enum Use { kInverse, kRoot, kExp };
template <Use kUse, class Field, class F>
auto remembered(Field x, F f) {
    struct Entry {
        std::uint64_t key = ~std::uint64_t{0};  // no residue
        decltype(f(x)) result;
    };
    constexpr std::size_t kEntries = 1024;
    thread_local std::vector<Entry> entries(kEntries);
    Entry& e = entries[x.bits() % kEntries];
    if (e.key != x.bits()) e = {x.bits(), f(x)};
    return e.result;
}
template <class Field>
Field inverse_of(Field x) {
    return remembered<kInverse>(x, [](Field v) { return v.inverse(); });
}
/// The root that is a square; 0 where there is none.
Value root_of(Value x) {
    return remembered<kRoot>(x, [](Value v) {
        const Value root = v.root();
        return root * root == v ? root : Value();
    });
}

/// A random number that is the same for equal keys (splitmix64, Steele et al. 2014).
std::uint64_t scattered(std::uint64_t key) {
    key += 0x9e3779b97f4a7c15u;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}
std::uint64_t scattered(std::uint64_t key, std::uint64_t of) { return scattered(scattered(key) ^ of); }

enum Key : std::uint64_t { kLog = 1, kSine, kErf, kFloor, kPower, kInExponent, kOfFactor, kPi };

/// A random odd function.
Value odd(Key key, Value x) { return Value(scattered(key, x.bits())) - Value(scattered(key, (-x).bits())); }

/// What stands in an exponent where only the value is known: -x gives the negative.
Exponent exponent_of(Value x) {
    return Exponent(scattered(kInExponent, x.bits())) - Exponent(scattered(kInExponent, (-x).bits()));
}

bool has_factor(const Residue& x) { return !(x.factor == Value(1)); }

/// The same number without a factor: as it stands in an exponent, but for being a logarithm.
Residue without_factor(Residue x) {
    if (!has_factor(x)) return x;
    const Value f = x.factor, inverse = inverse_of(f);
    x.exponent = x.exponent + Exponent(scattered(kOfFactor, f.bits())) - Exponent(scattered(kOfFactor, inverse.bits()));
    x.factor = Value(1);
    return x;
}

Residue infinite(double real) {
    Residue y;
    y.real = real;
    return y;
}

/// The number that a constant of this value is, or the next to it that doubles hold: exp(800) is not infinite, nor exp(-800) 0.
double constant(double real, Value value) {
    using limits = std::numeric_limits<double>;
    if (value.is_zero()) return 0;
    if (real == 0) return std::copysign(limits::denorm_min(), real);
    return std::clamp(real, limits::lowest(), limits::max());
}

/// What a and b make together, of this value.
Residue joined(const Residue& a, const Residue& b, Value value, double real, double degree) {
    Residue y;
    y.value = value;
    y.real = a.is_constant() && b.is_constant() ? constant(real, value) : kVaries;
    y.degree = degree;
    y.below = a.below + b.below;
    y.opaque = a.opaque | b.opaque;
    y.follows_exp = a.follows_exp || b.follows_exp;
    return y;
}

/// A function of x, of which only the value is known.
Residue function_of(const Residue& x, Value value, double real, unsigned opaque = 0) {
    Residue y;
    y.value = value;
    y.exponent = exponent_of(value);
    y.real = x.is_constant() ? constant(real, value) : kVaries;
    y.degree = x.is_constant() ? 0 : std::max(1.0, x.degree + x.below);
    y.opaque = x.opaque | opaque;
    y.follows_exp = x.follows_exp;
    return y;
}

Residue whole(std::uint64_t n, double real) {
    Residue y;
    y.value = Value(n);
    y.exponent = Exponent(n);
    y.real = real;
    return y;
}

Residue power(const Residue& x, std::uint64_t n) {
    Residue y(1);
    for (std::uint64_t i = 0; i < n; ++i) y = y * x;
    return y;
}

/// The fraction of a small denominator next to v, where v is one to the last digit.
std::optional<std::pair<std::uint64_t, std::uint64_t>> small_fraction(double v) {
    for (std::uint64_t d = 1; d <= 1000; ++d) {
        const double n = std::round(v * static_cast<double>(d));
        if (n > 0 && n < 0x1p40 && n / static_cast<double>(d) == v) return std::pair{static_cast<std::uint64_t>(n), d};
    }
    return std::nullopt;
}

/// A positive number by its shortest decimal form.
Residue decimal(double v) {
    const std::string shortest = fmt::format("{}", v);
    std::uint64_t digits = 0;
    int exponent = 0, after_point = 0;
    bool point = false;
    for (std::size_t i = 0; i < shortest.size(); ++i) {
        if (shortest[i] == '.')
            point = true;
        else if (shortest[i] == 'e') {
            exponent = std::stoi(shortest.substr(i + 1));
            break;
        } else {
            digits = digits * 10 + static_cast<std::uint64_t>(shortest[i] - '0');
            after_point += point ? 1 : 0;
        }
    }
    const int tens = exponent - after_point;
    const Residue ten(10);
    Residue y = whole(digits, static_cast<double>(digits));
    for (int i = 0; i < std::abs(tens); ++i) y = tens < 0 ? y / ten : y * ten;  // step by step: 10^324 is no double
    y.real = v;
    return y;
}

/// A positive number that only its digits tell; the same one for every use.
Residue named_constant(Key key, double real, Opaque opaque) {
    const Value root(scattered(key, 1));
    const Exponent exponent(scattered(key, 2));
    Residue y;
    y.value = root * root;
    y.exponent = exponent * exponent;
    y.real = real;
    y.opaque = bit(opaque);
    return y;
}

Residue positive_constant(double v) {
    if (v == std::numbers::pi) return named_constant(kPi, v, Opaque::pi);
    if (v == std::numbers::e) return exp(Residue(1));
    if (v < 0x1p63 && v == std::floor(v)) return whole(static_cast<std::uint64_t>(v), v);
    if (const auto f = small_fraction(v)) {
        Residue y = whole(f->first, static_cast<double>(f->first)) / whole(f->second, static_cast<double>(f->second));
        y.real = v;
        return y;
    }
    return decimal(v);
}

}  // namespace

std::vector<std::string> opaque_names(unsigned opaque) {
    constexpr std::array<const char*, 7> kNames{"log", "sin and cos", "erf", "floor", "power", "exp of exp", "pi"};
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (opaque & (1u << i)) out.emplace_back(kNames[i]);
    return out;
}

Residue::Residue(double v) {
    if (v != v) throw NoResidue("a number is NaN");
    if (v == 0) return;
    if (std::isinf(v))
        *this = infinite(v);
    else
        *this = v > 0 ? positive_constant(v) : -positive_constant(-v);
}

Residue Residue::random(Random& random, Sign sign) {
    Residue y;
    y.value = Value(random.bits());
    y.exponent = Exponent(random.bits());
    if (sign != Sign::any) y.value = y.value * y.value;
    if (sign == Sign::negative) y.value = -y.value;
    y.real = kVaries;
    y.degree = 1;
    return y;
}

bool Residue::is_positive() const {
    if (is_constant()) return real > 0;
    return !root_of(value).is_zero();
}

bool operator<(const Residue& a, const Residue& b) {
    if (!a.is_infinite() && !b.is_infinite()) return (b - a).is_positive();
    const auto far = [](const Residue& x) { return x.is_infinite() ? x.real : 0; };
    return far(a) < far(b);
}
bool operator==(const Residue& a, const Residue& b) {
    if (a.is_infinite() || b.is_infinite()) return a.real == b.real;
    return a.value == b.value;
}

Residue operator-(const Residue& a) {
    Residue y = a;
    y.value = -a.value;
    y.exponent = -a.exponent;
    if (has_factor(a)) y.factor = inverse_of(a.factor);
    y.real = -a.real;
    return y;
}

Residue Residue::sum_of(const Residue& a, const Residue& b) {
    if (a.is_infinite() || b.is_infinite()) {
        if (a.is_infinite() && b.is_infinite() && a.real != b.real) throw NoResidue("infinity minus infinity");
        return infinite(a.is_infinite() ? a.real : b.real);
    }
    constexpr double kLost = 1e-9;  // of which no digit is certain: the sign of (1 - 1e-20) - 1
    const double real = a.real + b.real;
    const Value value = a.value + b.value;
    if (std::abs(real) < kLost * (std::abs(a.real) + std::abs(b.real)) && !value.is_zero())
        throw NoResidue("the difference of constants that are next to each other");
    Residue y = joined(a, b, value, real, std::max(a.degree + b.below, b.degree + a.below));
    y.exponent = a.exponent + b.exponent;
    if (has_factor(a) || has_factor(b)) y.factor = a.factor * b.factor;
    return y;
}

Residue Residue::product_of(const Residue& a, const Residue& b) {
    if (a.is_infinite() || b.is_infinite()) {
        if (!a.is_constant() || !b.is_constant() || a.real * b.real != a.real * b.real)
            throw NoResidue("infinity times what is not known");
        return infinite(a.real * b.real);
    }
    if (has_factor(a) || has_factor(b)) {
        // n log(f) = log(f^n)
        constexpr double kLargest = 64;
        for (const auto& [n, x] : {std::pair{&a, &b}, std::pair{&b, &a}})
            if (n->is_constant() && n->real == std::floor(n->real) && std::abs(n->real) <= kLargest && !has_factor(*n)) {
                Residue plain = *x;
                plain.factor = Value(1);
                Residue y = plain * *n;
                const Value f = x->factor.power(static_cast<std::uint64_t>(std::abs(n->real)));
                y.factor = n->real < 0 ? inverse_of(f) : f;
                return y;
            }
        return without_factor(a) * without_factor(b);
    }
    Residue y = joined(a, b, a.value * b.value, a.real * b.real, a.degree + b.degree);
    y.exponent = a.exponent * b.exponent;
    return y;
}

Residue operator/(const Residue& a, const Residue& b) {
    if (b.is_infinite() && a.is_constant() && !a.is_infinite()) return Residue();
    if (b.value.is_zero()) throw NoResidue("a division by zero");
    const Residue d = without_factor(b);
    Residue inverse = d;
    inverse.value = inverse_of(d.value);
    inverse.exponent = inverse_of(d.exponent);
    if (d.is_constant()) inverse.real = constant(1 / d.real, inverse.value);
    std::swap(inverse.degree, inverse.below);
    return a * inverse;
}

Residue exp(const Residue& x) {
    if (x.is_infinite()) {
        if (x.real > 0) throw NoResidue("exp of infinity");
        return Residue();
    }
    if (x.is_constant() && x.real == 0) return Residue(1);
    const Value power = remembered<kExp>(x.exponent, [](Exponent e) { return Value(4).power(e.value()); });
    Residue y = function_of(x, power * x.factor, std::exp(x.real), x.follows_exp ? bit(Opaque::nested_exp) : 0);
    y.follows_exp = true;
    return y;
}

Residue log(const Residue& x) {
    if (x.value.is_zero()) throw NoResidue("log of zero");
    const Value value = Value(scattered(kLog, x.value.bits())) - Value(scattered(kLog, inverse_of(x.value).bits()));
    Residue y = function_of(x, value, std::log(x.real), bit(Opaque::log));
    y.exponent = Exponent();
    y.factor = x.value;
    y.follows_exp = false;  // an exponential of it is x again
    return y;
}

Residue sqrt(const Residue& x) {
    if (!x.value.is_zero() && root_of(x.value).is_zero()) {
        if (x.is_constant()) throw NoResidue(fmt::format("{} has no root in residues", x.real));
        throw NoRoot("a number has no root at this point");
    }
    Residue y = function_of(x, root_of(x.value), std::sqrt(x.real));
    const Exponent e = without_factor(x).exponent;
    if (e.is_square()) y.exponent = e.root();
    return y;
}

namespace {

/// A point of the unit circle: sin and cos of it.
std::pair<Value, Value> circle(Value x) {
    const Value t = odd(kSine, x), d = inverse_of(Value(1) + t * t);
    return {(t + t) * d, (Value(1) - t * t) * d};
}

}  // namespace

Residue sin(const Residue& x) { return function_of(x, circle(x.value).first, std::sin(x.real), bit(Opaque::sine)); }
Residue cos(const Residue& x) { return function_of(x, circle(x.value).second, std::cos(x.real), bit(Opaque::sine)); }
Residue erf(const Residue& x) { return function_of(x, odd(kErf, x.value), std::erf(x.real), bit(Opaque::erf)); }

Residue tanh(const Residue& x) {
    const Residue e = exp(x + x), y = (e - Residue(1)) / (e + Residue(1));
    return function_of(y, y.value, std::tanh(x.real));
}

Residue abs(const Residue& x) { return x.is_positive() ? x : -x; }

Residue floor(const Residue& x) {
    if (x.is_constant()) {
        const double whole = std::floor(x.real), near = std::round(x.real);
        const bool is_whole = x.value == Residue(near).value;
        constexpr double kNear = 1e-9;
        if (!is_whole && std::abs(x.real - near) <= kNear * std::max(1.0, std::abs(near)))
            throw NoResidue("a constant next to a whole number");  // of 1 - 1e-17 doubles cannot tell on which side
        return Residue(is_whole ? near : whole);
    }
    return function_of(x, Value(scattered(kFloor, x.value.bits())), kVaries, bit(Opaque::floor));
}

Residue pow(const Residue& x, double exponent) {
    if (exponent != exponent) throw NoResidue("an exponent that is not constant");
    constexpr double kLargest = 1000;
    if (!(std::abs(exponent) <= kLargest)) throw NoResidue("an exponent of more than 1000");
    constexpr double kDigits = 1e14;  // exponents that differ by less are one: 0.3 - 1 and -0.7
    const double n = std::floor(exponent + 0.5 / kDigits), rest = exponent - n;
    const Residue whole_power = power(x, static_cast<std::uint64_t>(std::abs(n)));
    const Residue y = n < 0 ? Residue(1) / whole_power : whole_power;
    const auto key = static_cast<std::uint64_t>(std::llround(std::max(0.0, rest) * kDigits));
    if (key == 0) return y;
    if (2 * key == static_cast<std::uint64_t>(kDigits)) return y * sqrt(x);
    return y *
           function_of(x, Value(scattered(kPower, x.value.bits() ^ scattered(key))), std::pow(x.real, rest), bit(Opaque::power));
}

Dual<Residue> erf(const Dual<Residue>& x) {
    static const Residue slope_at_zero = Residue(2) / sqrt(Residue(std::numbers::pi));
    return {erf(x.value), chain(slope_at_zero * exp(-(x.value * x.value)), x.tangent)};
}

}  // namespace gradproof
