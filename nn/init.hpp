// Initialisers: how a parameter gets its first values, and the seeded stream each parameter draws them from.
//
//   Tensor<float> w = init::xavier().make<float>({64, 16}, parameter_stream(42, "head.weight"));
//
// A parameter draws from a stream that depends on the seed and its name only, so adding a module shifts no other one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gradproof/core/random.hpp"

namespace gradproof {

/// The distribution a parameter starts from. For a weight [in, out] the fans are in and out; a vector has fan 1 and its size.
struct Initialiser {
    enum class Kind { constant, normal, uniform, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal };
    Kind kind = Kind::constant;
    double a = 0;  ///< constant: the value; normal: mean; uniform: low; xavier, kaiming: gain
    double b = 0;  ///< normal: standard deviation; uniform: high

    /// Errors: ValueError for a spread that is negative or not finite.
    template <Scalar T>
    Tensor<T> make(const Shape& shape, Random random) const;
    /// "xavier_uniform(1)"
    std::string str() const;
};

namespace init {
inline Initialiser zeros() { return {Initialiser::Kind::constant, 0, 0}; }
inline Initialiser ones() { return {Initialiser::Kind::constant, 1, 0}; }
inline Initialiser constant(double value) { return {Initialiser::Kind::constant, value, 0}; }
inline Initialiser normal(double sigma = 1, double mean = 0) { return {Initialiser::Kind::normal, mean, sigma}; }
inline Initialiser uniform(double low, double high) { return {Initialiser::Kind::uniform, low, high}; }
/// Variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio 2010).
inline Initialiser xavier(double gain = 1) { return {Initialiser::Kind::xavier_uniform, gain, 0}; }
inline Initialiser xavier_normal(double gain = 1) { return {Initialiser::Kind::xavier_normal, gain, 0}; }
/// Variance gain^2 / fan_in; gain sqrt(2) suits a relu that follows (He et al. 2015).
inline Initialiser kaiming(double gain = 1.4142135623730951) { return {Initialiser::Kind::kaiming_uniform, gain, 0}; }
inline Initialiser kaiming_normal(double gain = 1.4142135623730951) { return {Initialiser::Kind::kaiming_normal, gain, 0}; }
}  // namespace init

/// The stream of random numbers of the parameter called `name`.
Random parameter_stream(std::uint64_t seed, std::string_view name);

}  // namespace gradproof
