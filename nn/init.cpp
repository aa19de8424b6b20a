// Initialisers: fans, spreads and draws.
#include "gradproof/nn/init.hpp"

#include <cmath>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr const char* kKindNames[] = {"constant",      "normal",          "uniform",       "xavier_uniform",
                                      "xavier_normal", "kaiming_uniform", "kaiming_normal"};

double fan_in(const Shape& s) { return s.rank() < 2 ? 1.0 : static_cast<double>(s.size() / std::max<Index>(1, s.last(0))); }
double fan_out(const Shape& s) { return s.rank() == 0 ? 1.0 : static_cast<double>(s.last(0)); }

}  // namespace

std::string Initialiser::str() const {
    const char* name = kKindNames[static_cast<std::size_t>(kind)];
    if (kind == Kind::normal || kind == Kind::uniform) return fmt::format("{}({:g}, {:g})", name, a, b);
    return fmt::format("{}({:g})", name, a);
}

template <Scalar T>
Tensor<T> Initialiser::make(const Shape& shape, Random random) const {
    if (!std::isfinite(a) || !std::isfinite(b) || (kind == Kind::normal && b < 0) || (kind == Kind::uniform && b < a))
        value_error("init: not a distribution: it is {}", str());
    switch (kind) {
        case Kind::constant: return Tensor<T>(shape, T(a));
        case Kind::normal: return random.normal<T>(shape, a, b);
        case Kind::uniform: return random.uniform<T>(shape, a, b);
        default: break;
    }
    const bool xavier = kind == Kind::xavier_uniform || kind == Kind::xavier_normal;
    const double mean_fan = xavier ? 0.5 * (fan_in(shape) + fan_out(shape)) : fan_in(shape);
    const double sigma = a / std::sqrt(std::max(1.0, mean_fan));
    if (kind == Kind::xavier_normal || kind == Kind::kaiming_normal) return random.normal<T>(shape, 0, sigma);
    const double edge = std::sqrt(3.0) * sigma;  // a uniform on [-e, e] has variance e^2 / 3
    return random.uniform<T>(shape, -edge, edge);
}
template Tensor<float> Initialiser::make<float>(const Shape&, Random) const;
template Tensor<double> Initialiser::make<double>(const Shape&, Random) const;

Random parameter_stream(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return Random(seed).stream(hash);
}

}  // namespace gradproof
