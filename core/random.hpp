// Seeded, counter-based random numbers: the same on every machine and for every thread count.
//
//   Random rng(42);
//   Tensor<double> w = rng.normal<double>({64, 16});      // standard normal
//   Random data = rng.stream(1);                          // an independent sequence of the same seed
//
// Philox 4x32-10 (Salmon et al. 2011) makes the bits; normals come from the inverse distribution function with
// arithmetic that rounds alike everywhere (no library exp or log), so that a seed names one experiment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

class Random {
  public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

    /// An independent sequence with the same seed. Equal seeds and streams give equal numbers.
    Random stream(std::uint64_t id) const { return Random(seed_, stream_ * 0x9E3779B97F4A7C15ULL + id + 1); }
    std::uint64_t seed() const { return seed_; }
    /// How many 64-bit words were drawn; together with seed and stream this is the whole state.
    std::uint64_t position() const { return position_; }
    void seek(std::uint64_t position) { position_ = position; }

    std::uint64_t bits();
    /// In [0, 1), 53 bits.
    double uniform();
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Standard normal.
    double normal();
    /// In [0, n). Errors: ValueError for n <= 0.
    Index below(Index n);

    template <class T>
    Tensor<T> normal(const Shape& shape, double mean = 0, double sigma = 1) {
        Tensor<T> t(shape);
        for (T& x : t) x = static_cast<T>(mean + sigma * normal());
        return t;
    }
    template <class T>
    Tensor<T> uniform(const Shape& shape, double low, double high) {
        Tensor<T> t(shape);
        for (T& x : t) x = static_cast<T>(uniform(low, high));
        return t;
    }
    /// A random order of 0 .. n-1.
    std::vector<Index> permutation(Index n);
    /// Brings the values into a random order.
    void shuffle(std::span<Index> values);

  private:
    std::uint64_t seed_, stream_;
    std::uint64_t position_ = 0;
    std::array<std::uint64_t, 2> block_{};
    std::uint64_t block_index_ = ~std::uint64_t{0};
};

/// The inverse of the standard normal distribution function (Wichura 1988, AS 241), about 1e-16 relative; p in (0, 1).
double normal_quantile(double p);

}  // namespace gradproof
