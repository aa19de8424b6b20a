// Initialisers: the distribution of a parameter's initial values, and the seeded random stream that they are drawn from.
//
//   Tensor<float> w = init::xavier().make<float>({64, 16}, parameter_stream(42, "head.weight"));
//
// The stream of a parameter depends on the seed and its name only, so adding a module changes no other parameter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gradproof/core/random.hpp"

namespace gradproof {

/// The distribution of initial values. A weight [in, out] has fan-in `in` and fan-out `out`; a vector has fan-in 1.
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
/// Variance gain^2 / fan_in; gain sqrt(2) suits a following relu (He et al. 2015).
inline Initialiser kaiming(double gain = 1.4142135623730951) { return {Initialiser::Kind::kaiming_uniform, gain, 0}; }
inline Initialiser kaiming_normal(double gain = 1.4142135623730951) { return {Initialiser::Kind::kaiming_normal, gain, 0}; }
}  // namespace init

/// The random stream of the parameter called `name`.
Random parameter_stream(std::uint64_t seed, std::string_view name);

}  // namespace gradproof
