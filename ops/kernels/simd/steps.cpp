// Fast paths of the optimisers' updates.
#include "gradproof/ops/kernels/simd/vec.hpp"

namespace gradproof {
namespace {

template <class T>
void adam(const AdamStep<T>& step, const T* g, T* p, T* m, T* v, Index n) {
    const V<T> b1(step.beta1), b2(step.beta2), c1(T(1) - step.beta1), c2(T(1) - step.beta2), scale(step.scale);
    const V<T> rate(step.rate), root(step.root_bias2), eps(step.eps), decay(step.decay), shrink(step.shrink);
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> old = in(p);
        const V<T> gradient = fma(decay, old, scale * in(g));
        const V<T> first = b1 * in(m) + c1 * gradient;
        const V<T> second = b2 * in(v) + c2 * gradient * gradient;
        out(m, first);
        out(v, second);
        out(p, old * shrink - rate * first / (sqrt(second) / root + eps));
    });
}

template <class T>
void sgd(const SgdStep<T>& step, const T* g, T* p, T* u, Index n) {
    const V<T> rate(step.rate), momentum(step.momentum), decay(step.decay), scale(step.scale);
    for_vectors<T>(n, [=](auto in, auto out) {
        const V<T> old = in(p);
        const V<T> velocity = fma(momentum, in(u), fma(decay, old, scale * in(g)));
        out(u, velocity);
        out(p, old - rate * velocity);
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
