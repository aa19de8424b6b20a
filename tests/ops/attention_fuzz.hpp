// Random calls of attention over its whole surface, and the fused kernel held to the readable one on them.
#pragma once

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/kernels/kernels.hpp"
#include "tests/ops/attention_calls.hpp"

namespace gradproof::attention_test {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Draws calls; equal seeds give equal calls.
class RandomCalls {
  public:
    explicit RandomCalls(std::uint64_t seed) : rng_(seed) {}

    Call next() {
        const Index B = pick({1, 1, 2, 3}), Hk = pick({1, 1, 2, 3}), group = pick({1, 1, 2, 4});
        const Index L = length(), P = chance(0.25) ? length() : 0, S = chance(0.3) ? L : length(), Dk = width(),
                    E = chance(0.5) ? Dk : width();
        const Index keys = P + S, Hq = Hk * group;
        Call c;
        const bool packed = chance(0.25);
        if (packed) c.attrs.q_heads = Hq, c.attrs.kv_heads = Hk;
        const auto shape = [&](Index heads, Index length, Index size) {
            return packed ? Shape{B, length, heads * size} : Shape{B, heads, length, size};
        };
        c.q = normal(shape(Hq, L, Dk)), c.k = normal(shape(Hk, S, Dk)), c.v = normal(shape(Hk, S, E)),
        c.dy = normal(shape(Hq, L, E));
        if (P > 0) c.past_key = normal({B, Hk, P, Dk}), c.past_value = normal({B, Hk, P, E});
        if (chance(0.3)) c.attrs.scale = one_of({0.3, -0.4, 0.0, 2.0});
        if (chance(0.25)) c.attrs.softcap = one_of({0.5, 3.0, 30.0});
        c.attrs.causal = chance(0.4);
        if (chance(0.25)) c.attrs.window_left = below(keys + 3);
        if (chance(0.25)) c.attrs.window_right = below(keys + 3);
        const bool banded = c.attrs.causal || c.attrs.window_left >= 0 || c.attrs.window_right >= 0;
        if (chance(0.25) && !(banded && P > 0)) {
            c.attrs.kv_len = Tensor<Index>({B});
            for (Index b = 0; b < B; ++b) c.attrs.kv_len[b] = below(keys + 1);
        }
        if (chance(0.3)) {
            c.mask = normal(mask_shape(B, Hq, L, keys));
            if (chance(0.5))
                for (double& x : c.mask)
                    if (chance(0.3)) x = -std::numeric_limits<double>::infinity();
        }
        if (chance(0.3)) {
            c.attrs.bool_mask = Tensor<bool>(mask_shape(B, Hq, L, keys));
            const double share = one_of({0.9, 0.5, 0.05});
            for (bool& x : c.attrs.bool_mask) x = chance(share);
        }
        if (chance(0.15) && E > 0) plant(c);
        return c;
    }

  private:
    bool chance(double p) { return rng_.uniform() < p; }
    Index below(Index n) { return rng_.below(n); }
    double one_of(std::initializer_list<double> of) { return of.begin()[below(static_cast<Index>(of.size()))]; }
    Index pick(std::initializer_list<Index> of) { return of.begin()[below(static_cast<Index>(of.size()))]; }
    /// Around the sizes of vectors and tiles, and small.
    Index length() {
        return chance(0.08) ? 0 : chance(0.75) ? 1 + below(20) : pick({31, 32, 33, 63, 64, 65, 70, 96, 127, 128, 129, 150});
    }
    Index width() { return chance(0.03) ? 0 : chance(0.5) ? 1 + below(12) : pick({15, 16, 17, 24, 32, 33, 40, 48, 50}); }
    Shape mask_shape(Index B, Index H, Index L, Index S) {
        const Index columns = chance(0.2) && S > 0 ? 1 + below(S) : chance(0.1) ? 1 : S;
        const Shape whole{chance(0.5) ? B : 1, chance(0.5) ? H : 1, chance(0.7) ? L : 1, columns};
        Shape shape;
        for (int axis = static_cast<int>(below(4)); axis < 4; ++axis) shape.push_back(whole[axis]);
        return shape;
    }
    D normal(const Shape& shape) {
        return cast<double>(rng_.normal<float>(shape));  // the same numbers in float
    }
    /// Something that is not finite, in a few places.
    void plant(Call& c) {
        const double bad =
            one_of({kNotANumber, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
        for (D* x : {&c.q, &c.k, &c.v, &c.dy, &c.past_key, &c.past_value})
            if (x->defined() && x->size() > 0 && chance(0.3)) (*x)[below(x->size())] = bad;
    }

    Random rng_;
};

inline std::string describe(const Call& c) {
    const auto shape = [](const auto& x) { return x.defined() ? x.shape().str() : std::string("-"); };
    return fmt::format("q {} k {} v {} mask {} past {} bool {} kv_len {} scale {} causal {} softcap {} window {},{} heads {},{}",
                       shape(c.q), shape(c.k), shape(c.v), shape(c.mask), shape(c.past_key), shape(c.attrs.bool_mask),
                       shape(c.attrs.kv_len), c.attrs.scale.value_or(-99), c.attrs.causal, c.attrs.softcap, c.attrs.window_left,
                       c.attrs.window_right, c.attrs.q_heads, c.attrs.kv_heads);
}

/// Where a is not b: more than tolerance (relative to the largest finite entry of b, at least 1) apart,
/// or only one of them not finite.
inline ::testing::AssertionResult same(const D& a, const D& b, double tolerance) {
    if (a.defined() != b.defined()) return ::testing::AssertionFailure() << "only one is there";
    if (!a.defined()) return ::testing::AssertionSuccess();
    if (!(a.shape() == b.shape()))
        return ::testing::AssertionFailure() << "shapes " << a.shape().str() << " and " << b.shape().str();
    double largest = 1;
    for (const double x : b.values())
        if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    for (Index i = 0; i < a.size(); ++i) {
        const bool good = std::isfinite(b[i]) ? std::abs(a[i] - b[i]) <= tolerance * largest : !std::isfinite(a[i]);
        if (!good)
            return ::testing::AssertionFailure()
                   << "element " << i << " of " << a.shape().str() << ": " << a[i] << " and " << b[i];
    }
    return ::testing::AssertionSuccess();
}

}  // namespace gradproof::attention_test
