// Honest computations in narrower types.
#include "gradproof/core/proof/judge/honest.hpp"

#include <algorithm>
#include <cmath>

namespace gradproof::proof {
namespace {

/// To the digits of a type; fewer below its smallest normal number. Its largest number is left aside.
double rounded(double x, DType dtype) {
    if (!std::isfinite(x) || x == 0) return x;
    const double unit = std::max(2 * unit_roundoff(dtype) * std::exp2(std::ilogb(x)), least_step(dtype));
    return std::nearbyint(x / unit) * unit;
}

/// What rounding adds to each entry: nothing to one that is not finite.
Tensor<double> rounding_of(const Tensor<double>& x, DType dtype) {
    Tensor<double> out(x.shape());
    for (Index i = 0; i < x.size(); ++i) out[i] = std::isfinite(x[i]) ? rounded(x[i], dtype) - x[i] : 0;
    return out;
}

class Rounding : public CotangentHook<double> {
  public:
    explicit Rounding(DType dtype) : dtype_(dtype) {}
    bool on_add(int /*node*/, int /*input*/, Tensor<double>& g) override {
        g = g.clone();
        for (double& v : g) v = rounded(v, dtype_);
        return true;
    }

  private:
    DType dtype_;
};

}  // namespace

std::optional<HonestResults> honest_results(const Proof& proof, const Instance& draw, DType dtype) {
    for (const Assignment& a : proof.forward)
        if (!a.indices.empty() || contains(*a.value, Kind::reduce)) return std::nullopt;
    Rounding backward(dtype);
    Tape<double> tape;
    tape.keep_cotangents(true);
    tape.set_hook(&backward);
    Scope<double> scope{{}, draw.sizes(), {}, {}};
    scope.conventions = draw.scope().conventions;
    for (const Given& g : proof.given) {
        const Tensor<double>& x = draw.scope().values.at(g.name).value();
        scope.values[g.name] = g.differentiable ? tape.leaf(x) : Var<double>(x);
    }
    scope.rounded = [&](const Var<double>& y) { return apply_op<double>("add", {y, rounding_of(y.value(), dtype)}); };
    HonestResults out;
    try {
        for (const Assignment& a : proof.forward) {
            scope.values[a.name] = a.stopped ? Var<double>(evaluate(a, scope).value()) : evaluate(a, scope);
            out.values[a.name] = scope.values.at(a.name).value();
        }
    } catch (const EvaluationError& e) {
        fail(proof, e);
    }
    const Var<double>& last = scope.values.at(draw.last());
    if (!last.on_tape() || (!draw.has_cotangent() && last.value().size() != 1)) return out;
    if (draw.has_cotangent())
        tape.backward(last, draw.cotangent());
    else
        tape.backward(last);
    for (const auto& [name, v] : scope.values)
        if (v.on_tape()) out.gradients[name] = tape.grad(v);
    return out;
}

}  // namespace gradproof::proof
