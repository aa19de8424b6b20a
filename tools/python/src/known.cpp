// What is known of a call, changed.
#include "tools/python/src/known.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "gradproof/core/check/compare.hpp"

namespace gradproof::python {
namespace {

constexpr double kFloat = std::numeric_limits<float>::epsilon(), kDouble = std::numeric_limits<double>::epsilon();

/// Changes what is known of double and of float: change(known, the rounding of the type).
template <class Change>
void at_both_types(check::Known& known, const Change& change) {
    change(known, kDouble);
    if (!known.as_float) return;
    check::Known narrow = *known.as_float;
    change(narrow, kFloat);
    known.as_float = std::make_shared<const check::Known>(std::move(narrow));
}

void widen(Tensor<double>& error, const Tensor<double>& a, const Tensor<double>& b, double by) {
    if (!a.defined() || !b.defined()) return;
    error = error.defined() ? error.clone() : Tensor<double>(a.shape(), 0.0);
    for (Index k = 0; k < a.size(); ++k) error[k] += by * std::abs(a[k] - b[k]);
}

void widen(check::Known& known, const check::Known& here, const check::Known& moved, double by) {
    widen(known.y_error, here.y, moved.y, by);
    known.gradient_errors.resize(known.gradients.size());
    for (std::size_t i = 0; i < known.gradients.size(); ++i)
        widen(known.gradient_errors[i], here.gradients[i], moved.gradients[i], by);
}

/// A gradient that is 0 throughout is so because terms cancel, and in another order of sums they leave some rounding.
void allow_cancellation(check::Known& known, double most) {
    known.gradient_errors.resize(known.gradients.size());
    for (std::size_t i = 0; i < known.gradients.size(); ++i) {
        const Tensor<double>& g = known.gradients[i];
        if (!g.defined() || std::any_of(g.begin(), g.end(), [](double v) { return v != 0; })) continue;
        known.gradient_errors[i] = Tensor<double>(g.shape(), most);
    }
}

void move(Tensor<double>& x, double by, Random& random) {
    if (!x.defined()) return;
    x = x.clone();
    for (double& v : x) v *= 1 + (random.uniform() < 0.5 ? -by : by);
}

/// The call with each entry of its inputs moved by a rounding of float.
KernelCall moved(KernelCall call, Random& random) {
    for (Tensor<double>& x : call.x) move(x, kFloat, random);
    return call;
}

/// What is known of a result in half precision: of its largest entry some units of rounding, and the bounds of rounding errors,
/// which are those of double, made as much larger as this type rounds more.
Tensor<double> error_of_half(const Tensor<double>& y, const Tensor<double>& error, double largest, const Half& half,
                             bool bounds) {
    constexpr double kUnits = 4, kAllowed = 16;  // the checker allows this many times what is returned
    const double eps = std::numeric_limits<double>::epsilon();
    Tensor<double> out(y.shape(), (kUnits * half.eps * largest + kAllowed * half.least) / kAllowed);
    for (Index k = 0; error.defined() && k < y.size(); ++k) out[k] += bounds ? half.eps / (kAllowed * eps) * error[k] : error[k];
    return out;
}

/// How far each gradient moves with a rounding of the inputs and the cotangent, for each entry: the most of some draws, and no less
/// than it is on average over the array. Undefined where that is not known.
Tensors moves_of_half(const std::function<Tensors(const KernelCall&)>& gradients, const KernelCall& call, double eps) {
    constexpr int kDraws = 4;
    Random random(1);
    Tensors out;
    try {
        const Tensors here = gradients(call);
        for (const Tensor<double>& g : here) out.push_back(g.defined() ? zeros_like(g) : g);
        for (int draw = 0; draw < kDraws; ++draw) {
            KernelCall other = call;
            for (Tensor<double>& x : other.x) move(x, eps, random);
            move(other.u, eps, random);
            const Tensors there = gradients(other);
            for (std::size_t i = 0; i < out.size(); ++i)
                for (Index k = 0; out[i].defined() && there.at(i).defined() && k < out[i].size(); ++k)
                    if (const double gap = std::abs(there[i][k] - here[i][k]); std::isfinite(gap))
                        out[i][k] = std::max(out[i][k], gap);
        }
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception&) {  // it does not compute in double
        return {};
    }
    for (Tensor<double>& moves : out) {
        if (!moves.defined()) continue;
        double squares = 0;
        for (const double m : moves) squares += m * m;
        for (double& m : moves) m = std::max(m, std::sqrt(squares / static_cast<double>(moves.size())));
    }
    return out;
}

/// The most that entries move by, of several draws, and no less than the moves are on average over the array.
class Moves {
  public:
    explicit Moves(const Tensor<double>& here) : here_(here), most_(zeros_like(here)) {}
    void add(const Tensor<double>& there) {
        for (Index k = 0; k < most_.size() && there.defined() && there.size() == most_.size(); ++k)
            if (const double gap = std::abs(there[k] - here_[k]); std::isfinite(gap)) most_[k] = std::max(most_[k], gap);
    }
    Tensor<double> most() const {
        double squares = 0;
        for (const double m : most_) squares += m * m;
        Tensor<double> out = most_.clone();
        for (double& m : out) m = std::max(m, std::sqrt(squares / static_cast<double>(out.size())));
        return out;
    }

  private:
    Tensor<double> here_, most_;
};

constexpr int kNoiseDraws = 6;

/// The inputs moved up or down by some roundings of double.
Tensors moved_by_roundings(const KernelCall& call, int draw, Random& random) {
    Tensors x = call.x;
    for (Tensor<double>& a : x) move(a, (1 + draw) * kDouble, random);
    return x;
}

/// How far y moves with roundings of the inputs.
Tensor<double> noise_of_value(const InDouble& kernel, const KernelCall& call) {
    Random random(1);
    Moves moves(kernel.forward(call, call.x));
    for (int draw = 0; draw < kNoiseDraws; ++draw) moves.add(kernel.forward(call, moved_by_roundings(call, draw, random)));
    return moves.most();
}

Tensors noise_of_gradients(const InDouble& kernel, const KernelCall& call) {
    Random random(1);
    std::vector<std::optional<Moves>> moves;
    for (const Tensor<double>& g : kernel.gradients(call)) moves.push_back(g.defined() ? std::optional<Moves>(g) : std::nullopt);
    for (int draw = 0; draw < kNoiseDraws; ++draw) {
        KernelCall other = call;
        other.x = moved_by_roundings(call, draw, random);
        const Tensors there = kernel.gradients(other);
        for (std::size_t i = 0; i < moves.size(); ++i)
            if (moves[i]) moves[i]->add(there.at(i));
    }
    Tensors out;
    for (const auto& m : moves) out.push_back(m ? m->most() : Tensor<double>());
    return out;
}

void add_to(Tensor<double>& error, const Tensor<double>& truth, const std::function<double(Index)>& more) {
    error = error.defined() ? error.clone() : zeros_like(truth);
    for (Index k = 0; k < error.size(); ++k) error[k] += more(k);
}

/// The numbers that a gradient is made of, at most, where nothing says it better.
double natural_size(const KernelCall& call, const Tensor<double>& y) {
    double x = std::max(1.0, y.defined() ? check::finite_largest(y) : 0);
    for (const Tensor<double>& a : call.x) x = std::max(x, a.defined() ? check::finite_largest(a) : 0);
    return check::finite_largest(call.u) * x;
}

}  // namespace

Against with_noise(Against against, const InDouble& kernel, const std::optional<Half>& half) {
    against.of = [of = against.of, kernel, half](const KernelCall& call) {
        // The checker allows 16 times what is returned. A difference of double has about this step.
        constexpr double kTimes = 4, kStep = 0x1p-11;
        check::Known known = of(call);
        const Tensor<double> y = kernel.forward(call, call.x), noise = noise_of_value(kernel, call);
        double squares = 0;
        for (Index k = 0; k < noise.size() && noise.size() == call.u.size(); ++k)
            squares += call.u[k] * call.u[k] * noise[k] * noise[k];
        const double of_difference = kTimes * std::sqrt(squares) / kStep, natural = natural_size(call, y);
        // Whether nothing tells the gradient from 0: each entry is no larger than what is not known of it.
        std::vector<bool> is_zero(known.gradients.size());
        for (std::size_t i = 0; i < is_zero.size(); ++i) {
            const Tensor<double>& g = known.gradients[i];
            const Tensor<double> error = i < known.gradient_errors.size() ? known.gradient_errors[i] : Tensor<double>();
            is_zero[i] = g.defined();
            for (Index k = 0; is_zero[i] && k < g.size(); ++k)
                is_zero[i] = !(std::abs(g[k]) > std::max(4 * of_difference, error.defined() ? 4 * error[k] : 0));
        }
        Tensors left;  // by the kernel, of gradients that are 0
        if (std::ranges::find(is_zero, true) != is_zero.end()) left = noise_of_gradients(kernel, call);
        // Of large values a slope may be what rounding leaves of the value: 1 - y^2 of a y near 1.
        const double of_value =
            half && call.is_added ? half->eps / kTimes * check::finite_largest(call.u) * check::finite_largest(y) : 0;
        at_both_types(known, [&](check::Known& k, double rounding) {
            if (half && rounding == kDouble) rounding = half->eps;
            const double times = rounding / kDouble;
            if (k.y.defined() && times > 1) add_to(k.y_error, k.y, [&](Index i) { return times * noise[i]; });
            k.gradient_errors.resize(k.gradients.size());
            for (std::size_t i = 0; i < k.gradients.size(); ++i) {
                if (of_value > 0 && k.gradients[i].defined())
                    add_to(k.gradient_errors[i], k.gradients[i], [&](Index) { return of_value; });
                if (!is_zero[i] || !k.gradients[i].defined()) continue;
                const Tensor<double> own = i < left.size() ? left[i] : Tensor<double>();
                add_to(k.gradient_errors[i], k.gradients[i], [&](Index e) {
                    const double by_kernel = own.defined() && own.size() == k.gradients[i].size() ? times * own[e] : 0;
                    return of_difference + std::min(kTimes * by_kernel, rounding * natural);
                });
            }
        });
        return known;
    };
    return against;
}

Against within_range(Against against, double largest, bool of_all) {
    against.of = [of = against.of, largest, of_all](const KernelCall& call) {
        check::Known known = of(call);
        if (!of_all && !call.is_added) return known;
        const auto expect = [&](const check::Known& k) {
            const auto is_fit = [&](double v) { return std::abs(v) <= largest; };
            if (k.y.defined() && !std::all_of(k.y.begin(), k.y.end(), is_fit))
                throw check::NotComparable("the true y is not finite, or too large");
            for (const Tensor<double>& g : k.gradients)  // NaN is what was not asked
                if (g.defined() && std::any_of(g.begin(), g.end(), [&](double v) { return std::abs(v) > largest; }))
                    throw check::NotComparable("the true gradient is not finite, or too large");
        };
        expect(known);
        if (known.as_float) expect(*known.as_float);
        return known;
    };
    return against;
}

Against only(Against against, std::vector<bool> wrt) {
    against.of = [of = against.of, wrt = std::move(wrt)](const KernelCall& call) {
        check::Known known = of(call);
        at_both_types(known, [&](check::Known& k, double) {
            for (std::size_t i = 0; i < k.gradients.size(); ++i)
                if (i < wrt.size() && !wrt[i]) k.gradients[i] = {};
        });
        return known;
    };
    return against;
}

Against with_rounded_inputs(Against against) {
    against.of = [of = against.of](const KernelCall& call) {
        constexpr double kUnits = 1e4;
        check::Known known = of(call);
        double u = 0;
        for (const double v : call.u) u = std::max(u, std::abs(v));
        at_both_types(known, [&](check::Known& k, double rounding) { allow_cancellation(k, kUnits * rounding * u); });
        if (!call.is_added) return known;
        const check::Known here = known;
        Random random(1);
        for (int draw = 0; draw < 3; ++draw) {
            const check::Known there = of(moved(call, random));
            at_both_types(known, [&](check::Known& k, double rounding) { widen(k, here, there, rounding / kFloat); });
        }
        return known;
    };
    return against;
}

Against at_half(Against against, const Half& half, bool bounds, const std::function<Tensors(const KernelCall&)>& in_double) {
    against.of = [of = against.of, half, bounds, in_double](const KernelCall& call) {
        check::Known known = of(call);
        double largest = 0;
        known.gradient_errors.resize(known.gradients.size());
        for (const Tensor<double>& g : known.gradients)
            if (g.defined()) largest = std::max(largest, check::finite_largest(g));
        const double most = std::max(largest, known.y.defined() ? check::finite_largest(known.y) : 0);
        if (most > half.largest) throw check::NotComparable("the true results are larger than the type holds");
        if (known.y.defined())
            known.y_error = error_of_half(known.y, known.y_error, check::finite_largest(known.y), half, bounds);
        for (std::size_t i = 0; i < known.gradients.size(); ++i) {
            const Tensor<double>& g = known.gradients[i];
            if (!g.defined()) continue;
            const double scale = std::max(check::finite_largest(g), 0.01 * largest);
            known.gradient_errors[i] = error_of_half(g, known.gradient_errors[i], scale, half, bounds);
        }
        if (bounds || !in_double) return known;
        constexpr double kTimes = 4, kAllowed = 16;  // the checker allows this many times what is returned
        const Tensors moves = moves_of_half(in_double, call, half.eps);
        for (std::size_t i = 0; i < moves.size(); ++i) {
            Tensor<double>& error = known.gradient_errors.at(i);
            for (Index k = 0; error.defined() && moves[i].defined() && k < error.size(); ++k)
                error[k] += kTimes / kAllowed * moves[i][k];
        }
        return known;
    };
    against.rounding = {};
    return against;
}

Against with_gradients_of(Against values, const Against& gradients) {
    values.of = [of = values.of, gradients = gradients.of](const KernelCall& call) {
        check::Known known = of(call);
        const check::Known other = gradients(call);
        known.gradients = other.gradients;
        known.gradient_errors = other.gradient_errors;
        if (!known.as_float) return known;
        check::Known narrow = *known.as_float;
        narrow.gradients = other.as_float ? other.as_float->gradients : other.gradients;
        narrow.gradient_errors = other.as_float ? other.as_float->gradient_errors : other.gradient_errors;
        known.as_float = std::make_shared<const check::Known>(std::move(narrow));
        return known;
    };
    values.name += ", with the gradient of " + gradients.name;
    values.weak = false;
    values.rounding = {};
    return values;
}

}  // namespace gradproof::python
