// The kernel of rotary: one pass over the pairs.
#include "gradproof/ops/rotary.hpp"

#include <cmath>

#include "gradproof/core/kernel.hpp"

namespace gradproof {
namespace {

struct RotaryPass {
    static constexpr KernelInfo info{.op = "rotary", .name = "pass"};
    using Attrs = RotaryAttrs;

    static bool fits(const Attrs& a, const InputShapes& x) {
        constexpr Index kFarthest = Index{1} << 40;
        return x[0].rank() >= 2 && a.heads > 0 && a.heads <= x[0].last() && x[0].last() % (2 * a.heads) == 0 &&
               a.offset >= -kFarthest && a.offset <= kFarthest && a.base > 0 && std::isfinite(a.base);
    }

    /// Every pair (a, b) at its position becomes (a cos - b sin, a sin + b cos), forwards or (sign -1) back.
    template <class T>
    static Tensor<T> turned(const Attrs& a, const Tensor<T>& x, double sign) {
        Tensor<T> y(x.shape());
        const Index steps = x.shape().last(1), D = x.shape().last() / a.heads, pairs = D / 2;
        Tensor<T> cosine({steps, pairs}), sine({steps, pairs});
        for (Index p = 0; p < pairs; ++p) {
            const double speed = std::pow(a.base, -static_cast<double>(p) / static_cast<double>(pairs));
            for (Index t = 0; t < steps; ++t) {
                const double angle = static_cast<double>(a.offset + t) * speed;
                cosine[t * pairs + p] = static_cast<T>(std::cos(angle));
                sine[t * pairs + p] = static_cast<T>(sign * std::sin(angle));
            }
        }
        const bool half = a.pairs == RotaryPairs::half;
        const Index to_second = half ? pairs : 1, step = half ? 1 : 2;
        for (Index head = 0; head < x.size() / D; ++head) {
            const Index t = head / a.heads % steps;
            for (Index p = 0; p < pairs; ++p) {
                const Index first = head * D + p * step, second = first + to_second;
                const T c = cosine[t * pairs + p], s = sine[t * pairs + p];
                y[first] = x[first] * c - x[second] * s;
                y[second] = x[first] * s + x[second] * c;
            }
        }
        return y;
    }

    template <class T>
    static Tensor<T> forward(const Attrs& a, Inputs<T> in, SavedTensors<T>&) {
        return turned(a, in[0], 1);
    }
    // A turn keeps lengths: its transpose turns back.
    template <class T>
    static void backward(const Attrs& a, const SavedTensors<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, turned(a, dy, -1));
    }
};

}  // namespace

GRADPROOF_KERNEL(RotaryPass, float, double);

}  // namespace gradproof
