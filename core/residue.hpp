// Numbers of a proof by residues: a formula is evaluated at random points modulo a prime instead of in floating point, so that
// two sides that are the same formula agree exactly, and two that are not agree by a chance that can be computed.
//
//   Residue x = Residue::random(random, Sign::any);
//   exp(x + Residue(1)) == exp(x) * exp(Residue(1));      // true: powers of a generator
//   x * x - Residue(1) == (x - Residue(1)) * (x + Residue(1));      // true
//   (x * x - x).degree;      // 2: a formula that is not 0 is 0 at a random point with a chance of degree / kResiduePrime
//
// The rules known about functions are those that derivations use: exp turns sums into products; sqrt, abs and signs respect
// products; exp undoes log; sin^2 + cos^2 = 1; tanh and sigmoid are made of exp; erf and sin are odd. Beyond these rules
// functions are opaque: equal arguments give equal values, others give independent ones. The sign of a residue is its quadratic
// character: -x has the opposite sign of x, squares are positive, and so is exp. There is no other order.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "gradproof/core/random.hpp"
#include "gradproof/core/scalar.hpp"

namespace gradproof {

/// The formula cannot be evaluated by residues: a function or an op that has no residue form, a division by zero, a constant of
/// which doubles cannot tell the sign or the whole part, as of (1 - 1e-20) - 1.
class NoResidue : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A root does not exist at this point: another point may have it.
class NoRoot : public NoResidue {
    using NoResidue::NoResidue;
};

/// p = 2 q + 1, both prime, and both -1 modulo 16 * 3 * 5 * ... * 41, so that modulo either the numbers up to 42 have square
/// roots and their negatives have none.
inline constexpr std::uint64_t kResiduePrime = 4558885948691714639u, kExponentPrime = 2279442974345857319u;

namespace detail {

/// A number modulo an odd prime below 2^62, in Montgomery's form.
template <std::uint64_t kPrime>
class Modulo {
  public:
    constexpr Modulo() = default;
    constexpr explicit Modulo(std::uint64_t v) : bits_(reduce(Wide(v % kPrime) * kSquare)) {}
    friend constexpr Modulo operator+(Modulo a, Modulo b) { return raw(lowered(a.bits_ + b.bits_)); }
    friend constexpr Modulo operator-(Modulo a) { return raw(a.bits_ == 0 ? 0 : kPrime - a.bits_); }
    friend constexpr Modulo operator-(Modulo a, Modulo b) { return a + -b; }
    friend constexpr Modulo operator*(Modulo a, Modulo b) { return raw(reduce(Wide(a.bits_) * b.bits_)); }
    friend constexpr bool operator==(Modulo a, Modulo b) { return a.bits_ == b.bits_; }
    constexpr Modulo power(std::uint64_t n) const {
        Modulo y(1), square = *this;
        for (; n > 0; n >>= 1, square = square * square)
            if (n & 1) y = y * square;
        return y;
    }
    constexpr Modulo inverse() const { return power(kPrime - 2); }
    constexpr bool is_zero() const { return bits_ == 0; }
    /// Whether it has a square root; 0 counts.
    constexpr bool is_square() const { return is_zero() || power((kPrime - 1) / 2) == Modulo(1); }
    /// The square root that is a square itself; of a square.
    constexpr Modulo root() const { return power((kPrime + 1) / 4); }
    /// One number for each residue, from 0 to kPrime - 1.
    constexpr std::uint64_t bits() const { return bits_; }
    constexpr std::uint64_t value() const { return reduce(Wide(bits_)); }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr Modulo raw(std::uint64_t bits) {
        Modulo y;
        y.bits_ = bits;
        return y;
    }
    static constexpr std::uint64_t lowered(std::uint64_t v) { return v >= kPrime ? v - kPrime : v; }
    /// -1 / kPrime modulo 2^64.
    static constexpr std::uint64_t negative_inverse() {
        std::uint64_t y = 1;
        for (int i = 0; i < 6; ++i) y *= 2 - kPrime * y;
        return 0 - y;
    }
    static constexpr std::uint64_t reduce(Wide t) {
        const std::uint64_t m = static_cast<std::uint64_t>(t) * negative_inverse();
        return lowered(static_cast<std::uint64_t>((t + Wide(m) * kPrime) >> 64));
    }
    /// 2^128 modulo kPrime.
    static constexpr std::uint64_t square_of_radix() {
        std::uint64_t y = 1;
        for (int i = 0; i < 128; ++i) y = lowered(2 * y);
        return y;
    }
    static constexpr std::uint64_t kSquare = square_of_radix();
    std::uint64_t bits_ = 0;
};

}  // namespace detail

/// Functions about which few rules are known, as bits of Residue::opaque.
enum class Opaque : unsigned { log = 1, sine = 2, erf = 4, floor = 8, power = 16, nested_exp = 32, pi = 64 };

/// The names of those bits.
std::vector<std::string> opaque_names(unsigned opaque);

enum class Sign { any, positive, negative };

struct Residue {
    using Value = detail::Modulo<kResiduePrime>;
    using Exponent = detail::Modulo<kExponentPrime>;

    Value value{};
    Exponent exponent{};  ///< the same number as it stands in an exponent: exp(x) is 4^exponent * factor
    Value factor{1};      ///< of what is log(factor) and more
    double real = 0;      ///< the number itself where it is a constant, NaN where it follows from random ones
    double degree = 0;    ///< at most, of its numerator as a polynomial of the random numbers ...
    double below = 0;     ///< ... and of its denominator
    unsigned opaque = 0;  ///< the functions that it follows from
    bool follows_exp = false;

    constexpr Residue() = default;
    /// A constant, as it is written: 0.1 is 1/10, 0.333... is 1/3. Errors: NoResidue for NaN.
    Residue(double v);                                   // NOLINT: as for every element type
    Residue(int v) : Residue(static_cast<double>(v)) {}  // NOLINT
    static Residue exactly(double v) { return Residue(v); }
    static Residue random(Random& random, Sign sign);

    bool is_constant() const { return real == real; }
    /// The constant 0, as most tangents are.
    bool is_nothing() const { return real == 0 && value.is_zero(); }
    bool is_infinite() const { return real - real != 0 && is_constant(); }
    /// Of a constant its own sign, else the quadratic character.
    bool is_positive() const;

    Residue& operator+=(const Residue& b) { return *this = *this + b; }
    Residue& operator-=(const Residue& b) { return *this = *this - b; }
    Residue& operator*=(const Residue& b) { return *this = *this * b; }
    Residue& operator/=(const Residue& b) { return *this = *this / b; }
    friend Residue operator+(const Residue& a) { return a; }
    friend Residue operator-(const Residue& a);
    friend Residue operator+(const Residue& a, const Residue& b) {
        return a.is_nothing() ? b : b.is_nothing() ? a : sum_of(a, b);
    }
    friend Residue operator-(const Residue& a, const Residue& b) { return b.is_nothing() ? a : a + -b; }
    // Errors: NoResidue for 0 times infinity, a division by 0, and what is infinite times a random number.
    friend Residue operator*(const Residue& a, const Residue& b) {
        return (a.is_nothing() && !b.is_infinite()) || (b.is_nothing() && !a.is_infinite()) ? Residue() : product_of(a, b);
    }
    friend Residue operator/(const Residue& a, const Residue& b);
    friend bool operator==(const Residue& a, const Residue& b);
    friend bool operator<(const Residue& a, const Residue& b);
    friend bool operator>(const Residue& a, const Residue& b) { return b < a; }
    friend bool operator<=(const Residue& a, const Residue& b) { return !(a > b); }
    friend bool operator>=(const Residue& a, const Residue& b) { return !(a < b); }

  private:
    static Residue sum_of(const Residue& a, const Residue& b);
    static Residue product_of(const Residue& a, const Residue& b);
};

Residue exp(const Residue& x);
Residue log(const Residue& x);
/// Errors: NoRoot.
Residue sqrt(const Residue& x);
Residue sin(const Residue& x);
Residue cos(const Residue& x);
Residue tanh(const Residue& x);
Residue erf(const Residue& x);
Residue abs(const Residue& x);
Residue floor(const Residue& x);
/// Errors: NoRoot for a half power, NoResidue for an exponent that is NaN, which is one that is not constant.
Residue pow(const Residue& x, double exponent);

inline double primal(const Residue& x) { return x.real; }
template <>
struct BaseOf<Residue> {
    using type = double;
};

/// The slope of erf with its constant 2 / sqrt(pi) as a formula.
Dual<Residue> erf(const Dual<Residue>& x);
inline Dual<Residue> floor(const Dual<Residue>& x) { return Dual<Residue>(floor(x.value)); }

}  // namespace gradproof

template <>
struct std::numeric_limits<gradproof::Residue> {
    static constexpr bool is_specialized = true, has_quiet_NaN = false;
    static gradproof::Residue infinity() { return gradproof::Residue(std::numeric_limits<double>::infinity()); }
};
