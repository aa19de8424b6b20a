// Rotary positions: formula, forward, backward, samples, registration.
#include "gradproof/ops/rotary.hpp"

#include "gradproof/core/algebra.hpp"

namespace gradproof {
namespace {

constexpr Index kFarthest = Index{1} << 40;  // positions up to there are exact in a double

struct Rotary {
    static constexpr OpInfo info{
        .name = "rotary",
        .inputs = "x",
        .forward =
            "angle = (offset + t) base^(-2p/D); (y_a, y_b) = (x_a cos - x_b sin, x_a sin + x_b cos) for the pairs p = (a, b)",
        .backward = "(dx_a, dx_b) = (dy_a cos + dy_b sin, -dy_a sin + dy_b cos)",
        .saves = "",
        .source = "Su et al. 2021",
    };
    using Attrs = RotaryAttrs;
    template <Scalar T>
    using Saved = NoFields;

    /// Every pair (a, b) at its position becomes (a cos - b sin, a sin + b cos), forwards or (sign -1) back.
    template <class T>
    static Tensor<T> turned(const Attrs& a, const Tensor<T>& x, double sign) {
        const Index steps = x.shape().last(1), pairs = x.shape().last() / a.heads / 2;
        if (x.size() == 0) return x;
        Tensor<T> cosine({steps, 1, pairs}), sine(cosine.shape());
        for (Index p = 0; p < pairs; ++p) {
            const double speed = std::pow(a.base, -static_cast<double>(p) / static_cast<double>(pairs));
            for (Index t = 0; t < steps; ++t) {
                const double angle = static_cast<double>(a.offset + t) * speed;
                cosine[t * pairs + p] = T(std::cos(angle));
                sine[t * pairs + p] = T(sign * std::sin(angle));
            }
        }
        const bool half = a.pairs == RotaryPairs::half;
        const Index axis = half ? 3 : 4;  // of the two ends of a pair
        Tensor<T> y = x.reshape(half ? Shape{-1, steps, a.heads, 2, pairs} : Shape{-1, steps, a.heads, pairs, 2}).clone();
        const Tensor<T> first = entry(y, axis, 0), second = entry(y, axis, 1);
        set_entry(y, axis, 0, first * cosine - second * sine);
        set_entry(y, axis, 1, first * sine + second * cosine);
        return y.reshape(x.shape());
    }

    template <Scalar T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, Saved<T>&) {
        expect_inputs(info, in, 1);
        const Shape& x = in[0].shape();
        if (x.rank() < 2) shape_error("rotary: x must be [..., T, D]: x is {}", x);
        if (a.heads < 1) value_error("rotary: heads must be 1 or more: heads is {}", a.heads);
        if (x.last() % a.heads != 0 || x.last() / a.heads % 2 != 0)
            shape_error("rotary: the last axis must split into {} heads of an even size: x is {}", a.heads, x);
        if (a.offset < -kFarthest || a.offset > kFarthest)
            value_error("rotary: offset must be from -2^40 to 2^40: offset is {}", a.offset);
        if (!(a.base > 0) || !std::isfinite(a.base)) value_error("rotary: base must be finite and above 0: base is {}", a.base);
        return turned(a, in[0], 1);
    }

    // A turn keeps lengths: its transpose turns back.
    template <Scalar T>
    static void backward(const Attrs& a, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, turned(a, dy, -1));
    }

    static std::vector<Sample<Rotary>> samples() {
        const Excuse empty{.zero_gradient = true, .why = "no entries"};
        return {
            {"interleaved pairs", {}, {{2, 3, 4, 6}}},
            {"halves", {.pairs = RotaryPairs::half}, {{2, 5, 4}}},
            {"offset and base", {.base = 50, .offset = 9}, {{3, 4}}},
            {"before the origin", {.base = 2, .offset = -2}, {{2, 4, 4}}},
            {"heads side by side", {.offset = 3, .heads = 3}, {{2, 4, 12}}},
            {"heads side by side, halves", {.base = 10, .pairs = RotaryPairs::half, .heads = 2}, {{3, 8}}},
            {"no rows", {}, {{2, 0, 4}}, empty},
            {"no channels", {}, {{2, 3, 0}}, empty},
        };
    }
    static std::vector<ErrorSample<Rotary>> error_samples() {
        return {
            {"rank 1", {}, {{4}}, "rotary: x must be [..., T, D]: x is [4]"},
            {"odd width", {}, {{3, 5}}, "rotary: the last axis must split into 1 heads of an even size: x is [3, 5]"},
            {"heads of an odd size", {.heads = 2}, {{3, 6}}, "rotary: the last axis must split into 2 heads of an even size"},
            {"no heads", {.heads = 0}, {{3, 6}}, "rotary: heads must be 1 or more: heads is 0"},
            {"offset beyond all sequences", {.offset = Index{1} << 41}, {{3, 6}}, "rotary: offset must be from -2^40 to 2^40"},
            {"base 0", {.base = 0}, {{3, 6}}, "rotary: base must be finite and above 0: base is 0"},
            {"two inputs", {}, {{3, 6}, {3, 6}}, "rotary: takes 1 input"},
        };
    }
};

}  // namespace

GRADPROOF_OP(Rotary);
GRADPROOF_FUNCTION_1(rotary, Rotary);

}  // namespace gradproof
