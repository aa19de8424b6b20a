// Draws the next token from a model's scores.
//
//   Sampler sampler({.temperature = 0.8, .seed = 7});
//   const Index id = sampler.draw(decoder.read(prompt));
#pragma once

#include "gradproof/core/errors.hpp"
#include "gradproof/core/random.hpp"

namespace gradproof {

inline constexpr Index kMostSampledTokens = 10'000'000;

struct SampleOptions {
    Index count = 200;       ///< tokens, at most kMostSampledTokens
    double temperature = 1;  ///< the scores are divided by it; 0 takes the likeliest token
    Index top_k = 0;         ///< only the k likeliest may be drawn; 0: all
    std::uint64_t seed = 42;
};

/// Errors  ValueError for a count that is negative or too large, a negative top_k, or a temperature that is negative or not
/// finite.
class Sampler {
  public:
    explicit Sampler(const SampleOptions& options);
    /// Shapes  scores [vocabulary].
    /// Of equal scores, that of the smaller id counts as the larger.
    /// Errors  ValueError if a score is NaN or inf, or all are -inf.
    template <Scalar T>
    Index draw(const Tensor<T>& scores);

  private:
    SampleOptions options_;
    Random random_;
};

}  // namespace gradproof
