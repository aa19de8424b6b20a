// Philox 4x32-10 and the normal quantile. Compiled without floating-point contraction: every machine rounds alike.
#include "gradproof/core/random.hpp"

#include <bit>
#include <numeric>

namespace gradproof {
namespace {

std::array<std::uint64_t, 2> philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t seed) {
    auto c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
    auto c2 = static_cast<std::uint32_t>(stream), c3 = static_cast<std::uint32_t>(stream >> 32);
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
        const auto n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        const auto n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(p1);
        c3 = static_cast<std::uint32_t>(p0);
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return {std::uint64_t{c0} | std::uint64_t{c1} << 32, std::uint64_t{c2} | std::uint64_t{c3} << 32};
}

template <std::size_t N>
double polynomial(const double (&c)[N], double x) {
    double y = c[N - 1];
    for (std::size_t i = N - 1; i-- > 0;) y = y * x + c[i];
    return y;
}

/// log(x) for 0 < x < 1 from additions, products and quotients only, so that it rounds alike everywhere (about 1e-15).
double portable_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);  // exact
    if (m < 0.70710678118654752) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1), z = s * s;  // log m = 2 atanh s, |s| <= 0.172
    double series = 0;
    for (int k = 21; k >= 1; k -= 2) series = series * z + 1.0 / k;
    return 2 * s * series + exponent * 0.69314718055994530942;
}

}  // namespace

double normal_quantile(double p) {
    // Coefficients of AS 241, PPND16.
    static constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                   1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static constexpr double b[] = {1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
    static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                   3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static constexpr double d[] = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
    static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                   2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static constexpr double f[] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));  // sqrt is exact to the last bit everywhere
    const double x = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
    return q < 0 ? -x : x;
}

std::uint64_t Random::bits() {
    const std::uint64_t index = position_ / 2;
    if (index != block_index_) {
        block_ = philox(index, stream_, seed_);
        block_index_ = index;
    }
    return block_[position_++ % 2];
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::normal() { return normal_quantile((static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53); }

Index Random::below(Index n) {
    if (n <= 0) value_error("random: below(n) needs n > 0: n is {}", n);
    // Rejection keeps every value equally likely.
    const auto range = static_cast<std::uint64_t>(n);
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % range + 1) % range;
    std::uint64_t x = bits();
    while (x > limit) x = bits();
    return static_cast<Index>(x % range);
}

std::vector<Index> Random::permutation(Index n) {
    std::vector<Index> order(static_cast<std::size_t>(std::max<Index>(n, 0)));
    std::iota(order.begin(), order.end(), Index{0});
    shuffle(order);
    return order;
}

void Random::shuffle(std::span<Index> values) {
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<Index>(i)))]);
}

}  // namespace gradproof
