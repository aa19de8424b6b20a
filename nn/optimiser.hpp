// Optimisers: SGD with momentum, Adam, AdamW; gradient clipping; learning-rate schedules. All update in place.
//
//   Optimiser<float> optimiser(tree, {.kind = OptimiserKind::adamw, .weight_decay = 0.01});
//   const Schedule schedule{.kind = Schedule::Kind::cosine, .rate = 3e-3, .warmup = 40, .horizon = 1000};
//   optimiser.update(step, tree, schedule.at(n), clip_factor(gradient_norm(step, tree), 1.0));     // after step.backward(loss)
//
// A parameter that no path reached keeps its value and its state, as in PyTorch.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/nn/module.hpp"

namespace gradproof {

enum class OptimiserKind { sgd, adam, adamw };
inline constexpr std::array<std::string_view, 3> names(OptimiserKind) { return {"sgd", "adam", "adamw"}; }

struct OptimiserOptions {
    OptimiserKind kind = OptimiserKind::adamw;
    double momentum = 0;      ///< sgd
    double beta1 = 0.9;       ///< adam, adamw: decay of the mean of gradients
    double beta2 = 0.999;     ///< adam, adamw: decay of the mean of squares
    double epsilon = 1e-8;    ///< adam, adamw
    double weight_decay = 0;  ///< sgd, adam: added to the gradient; adamw: decoupled
};

/// The state and the update rule of one optimiser over one tree.
///   sgd    m = momentum m + g;                                    w -= rate m
///   adam   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;       w -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
///   adamw  as adam, after  w -= rate weight_decay w
/// Errors  ValueError for options out of range (momentum and betas in [0, 1), epsilon > 0, weight_decay >= 0).
/// Source  Polyak 1964; Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.
template <Scalar T>
class Optimiser {
  public:
    Optimiser(const ParameterTree<T>& tree, const OptimiserOptions& options);

    /// One update with the gradients of `step`, the weight decay multiplied by `decay_scale`.
    /// Errors: ValueError for a rate that is negative or not finite.
    void update(const Step<T>& step, ParameterTree<T>& tree, double rate, double gradient_scale = 1, double decay_scale = 1);

    /// The state tensors of a parameter: the momentum of sgd, or the two means of adam. Checkpoints keep them.
    int states() const { return options_.kind == OptimiserKind::sgd ? 1 : 2; }
    std::string_view state_name(int state) const;
    Tensor<T>& state(int state, int slot) { return states_[static_cast<std::size_t>(state)][static_cast<std::size_t>(slot)]; }
    /// The number of updates so far: t in the formulas.
    std::int64_t updates() const { return updates_; }
    void set_updates(std::int64_t updates) { updates_ = updates; }
    const OptimiserOptions& options() const { return options_; }

  private:
    OptimiserOptions options_;
    std::vector<Tensor<T>> states_[2];
    std::int64_t updates_ = 0;
};

/// The Euclidean norm of all gradients together, summed in double.
template <Scalar T>
double gradient_norm(const Step<T>& step, const ParameterTree<T>& tree);
/// The factor that reduces a global norm to `limit`: min(1, limit / norm); 1 for limit 0 (no clipping).
double clip_factor(double norm, double limit);

/// The learning rate as a function of the step.
struct Schedule {
    enum class Kind { constant, cosine };
    Kind kind = Kind::constant;
    double rate = 1e-3;
    std::int64_t warmup = 0;   ///< steps over which the rate rises linearly from rate / warmup
    std::int64_t horizon = 0;  ///< cosine: the step at which the floor is reached and kept
    double floor = 0.05;       ///< cosine: the final rate as a fraction of `rate`

    /// The rate of a step, counted from 1; independent of the length of the run.
    double at(std::int64_t step) const;
};

extern template class Optimiser<float>;
extern template class Optimiser<double>;

}  // namespace gradproof
