// Update rules as plain loops over the parameter buffers, and the kernels that are used instead where there are any.
#include "gradproof/nn/optimiser.hpp"

#include <cmath>
#include <numbers>

#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof {
namespace {

void check(const OptimiserOptions& o) {
    const auto fraction = [](std::string_view name, double x) {
        if (!(x >= 0 && x < 1)) value_error("optimiser: {} must lie in [0, 1): {} is {}", name, name, x);
    };
    fraction("momentum", o.momentum);
    fraction("beta1", o.beta1);
    fraction("beta2", o.beta2);
    if (!(o.epsilon > 0) || !std::isfinite(o.epsilon))
        value_error("optimiser: epsilon must be positive and finite: epsilon is {}", o.epsilon);
    if (!(o.weight_decay >= 0) || !std::isfinite(o.weight_decay))
        value_error("optimiser: weight_decay must be finite and not negative: weight_decay is {}", o.weight_decay);
}

template <class T>
void sgd(T* __restrict w, const T* __restrict g, T* __restrict m, Index n, T rate, T momentum, T decay, T scale) {
    for (Index i = 0; i < n; ++i) {
        m[i] = momentum * m[i] + (scale * g[i] + decay * w[i]);
        w[i] -= rate * m[i];
    }
}

/// rate1 = rate / (1 - b1^t); root2 = sqrt(1 - b2^t): the bias corrections, moved out of the loop.
template <class T>
void adam(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v, Index n, T rate1, T root2, T b1, T b2,
          T epsilon, T coupled, T decoupled, T scale) {
    for (Index i = 0; i < n; ++i) {
        const T gi = scale * g[i] + coupled * w[i];
        m[i] = b1 * m[i] + (T(1) - b1) * gi;
        v[i] = b2 * v[i] + (T(1) - b2) * gi * gi;
        w[i] = w[i] * decoupled - rate1 * m[i] / (std::sqrt(v[i]) / root2 + epsilon);
    }
}

}  // namespace

template <Scalar T>
Optimiser<T>::Optimiser(const ParameterTree<T>& tree, const OptimiserOptions& options) : options_(options) {
    check(options);
    for (int s = 0; s < states(); ++s)
        for (int i = 0; i < tree.size(); ++i) states_[s].push_back(zeros<T>(tree[i].shape));
}

template <Scalar T>
std::string_view Optimiser<T>::state_name(int state) const {
    if (options_.kind == OptimiserKind::sgd) return "momentum";
    return state == 0 ? "mean" : "mean_square";
}

template <Scalar T>
void Optimiser<T>::update(const Step<T>& step, ParameterTree<T>& tree, double rate, double gradient_scale, double decay_scale) {
    if (!(rate >= 0) || !std::isfinite(rate))
        value_error("optimiser: the rate must be finite and not negative: rate is {}", rate);
    ++updates_;
    OptimiserOptions o = options_;
    o.weight_decay *= decay_scale;
    const auto t = static_cast<double>(updates_);
    const double rate1 = rate / (1 - std::pow(o.beta1, t)), root2 = std::sqrt(1 - std::pow(o.beta2, t));
    for (int i = 0; i < tree.size(); ++i) {
        const Tensor<T>& g = step.grad(i);
        if (!g.defined()) continue;
        T* w = tree[i].value.data();
        const Index n = g.size();
        if (o.kind == OptimiserKind::sgd) {
            const SgdStep<T> s{
                .rate = T(rate), .momentum = T(o.momentum), .decay = T(o.weight_decay), .scale = T(gradient_scale)};
            if (use_kernels<T>())
                kernels<T>().sgd(s, g.data(), w, state(0, i).data(), n);
            else
                sgd(w, g.data(), state(0, i).data(), n, T(rate), T(o.momentum), T(o.weight_decay), T(gradient_scale));
        } else {
            const bool decoupled = o.kind == OptimiserKind::adamw;
            const AdamStep<T> s{.rate = T(rate1),
                                .beta1 = T(o.beta1),
                                .beta2 = T(o.beta2),
                                .root_bias2 = T(root2),
                                .eps = T(o.epsilon),
                                .decay = decoupled ? T(0) : T(o.weight_decay),
                                .shrink = decoupled ? T(1 - rate * o.weight_decay) : T(1),
                                .scale = T(gradient_scale)};
            if (use_kernels<T>())
                kernels<T>().adam(s, g.data(), w, state(0, i).data(), state(1, i).data(), n);
            else
                adam(w, g.data(), state(0, i).data(), state(1, i).data(), n, T(rate1), T(root2), T(o.beta1), T(o.beta2),
                     T(o.epsilon), decoupled ? T(0) : T(o.weight_decay), decoupled ? T(1 - rate * o.weight_decay) : T(1),
                     T(gradient_scale));
        }
    }
}

template <Scalar T>
double gradient_norm(const Step<T>& step, const ParameterTree<T>& tree) {
    double total = 0;
    for (int i = 0; i < tree.size(); ++i) {
        const Tensor<T>& g = step.grad(i);
        if (!g.defined()) continue;
        // Eight partial sums in a fixed order: the additions can overlap, and every machine gets the same bits.
        double partial[8] = {};
        const T* x = g.data();
        const Index n = g.size(), whole = n / 8 * 8;
        for (Index k = 0; k < whole; k += 8)
            for (Index j = 0; j < 8; ++j) partial[j] += static_cast<double>(x[k + j]) * static_cast<double>(x[k + j]);
        for (Index k = whole; k < n; ++k) partial[k - whole] += static_cast<double>(x[k]) * static_cast<double>(x[k]);
        for (const double p : partial) total += p;
    }
    return std::sqrt(total);
}
template double gradient_norm(const Step<float>&, const ParameterTree<float>&);
template double gradient_norm(const Step<double>&, const ParameterTree<double>&);

double clip_factor(double norm, double limit) { return limit > 0 && norm > limit ? limit / norm : 1.0; }

double Schedule::at(std::int64_t step) const {
    if (step < warmup) return rate * static_cast<double>(step) / static_cast<double>(warmup);
    if (kind == Kind::constant || horizon <= warmup) return rate;
    const double along = std::min(1.0, static_cast<double>(step - warmup) / static_cast<double>(horizon - warmup));
    return rate * (floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * along)));
}

template class Optimiser<float>;
template class Optimiser<double>;

}  // namespace gradproof
