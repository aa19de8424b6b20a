// Fast paths of the optimisers' updates.
#include "ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

template <class T>
void adam(const AdamStep<T>& step, const T* g, T* p, T* m, T* v, Index n) {
    const V<T> b1(step.beta1), b2(step.beta2), c1(T(1) - step.beta1), c2(T(1) - step.beta2);
    const V<T> rate(step.rate), root(step.root_bias2), eps(step.eps), decay(step.decay), shrink(step.shrink);
    const bool decays = step.decay != T(0);
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> old = in(p);
        V<T> gradient = in(g);
        if (decays) gradient = fma(decay, old, gradient);
        const V<T> first = b1 * in(m) + c1 * gradient;
        const V<T> second = b2 * in(v) + c2 * gradient * gradient;
        out(m, first);
        out(v, second);
        out(p, old * shrink - rate * first / (sqrt(second) / root + eps));
    });
}

template <class T>
void sgd(const SgdStep<T>& step, const T* g, T* p, T* u, Index n) {
    const V<T> rate(step.rate), momentum(step.momentum), decay(step.decay);
    const bool decays = step.decay != T(0), nesterov = step.nesterov;
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> old = in(p);
        V<T> gradient = in(g);
        if (decays) gradient = fma(decay, old, gradient);
        V<T> move = gradient;
        if (u) {
            move = fma(momentum, in(u), gradient);
            out(u, move);
            if (nesterov) move = fma(momentum, move, gradient);
        }
        out(p, old - rate * move);
    });
}

template <class T>
void fill(Kernels<T>& k) noexcept {
    k.adam = adam<T>;
    k.sgd = sgd<T>;
}

}  // namespace

namespace GRADPROOF_KERNEL_NAMESPACE {
void fill_steps(Kernels<float>& k) noexcept { fill(k); }
void fill_steps(Kernels<double>& k) noexcept { fill(k); }
}  // namespace GRADPROOF_KERNEL_NAMESPACE

}  // namespace gradproof
