// An element type that the library was compiled for in addition: every op runs for it, and gives third derivatives.
#include <gtest/gtest.h>

#include "gradproof/core/check/subject.hpp"

#if GRADPROOF_HAS_DUAL_OF_DUAL
namespace gradproof {
namespace {

using check::Subject;
using D = Dual<double>;

/// x + v e1, or x + v e1 + w e2: seeds whose gradient carries the second derivative along v, the third along v and w.
std::vector<Tensor<Dual<D>>> seeds(const Tensors& x, const Tensors& v, const Tensors& w) {
    std::vector<Tensor<Dual<D>>> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!x[i].defined()) continue;
        out[i] = Tensor<Dual<D>>(x[i].shape());
        for (Index k = 0; k < x[i].size(); ++k) out[i][k] = {{x[i][k], v[i][k]}, {w[i][k], 0}};
    }
    return out;
}

template <class T>
std::vector<Tensor<T>> gradients(const Subject& s, const std::vector<Tensor<T>>& x) {
    Tape<T> tape;
    std::vector<Var<T>> vars;
    for (const auto& t : x) vars.push_back(t.defined() ? tape.leaf(t) : Var<T>());
    std::vector<const Var<T>*> pointers;
    for (const auto& var : vars) pointers.push_back(&var);
    const Var<T> y = tape.record(s.op->table<T>(), s.sample->attrs.get(), std::span<const Var<T>* const>(pointers));
    tape.backward(y, cast<T>(s.u));
    std::vector<Tensor<T>> out;
    for (const auto& var : vars) out.push_back(var.on_tape() ? tape.grad(var) : Tensor<T>());
    return out;
}

/// The Hessian times v at x + h w.
Tensors second(const Subject& s, const Tensors& v, const Tensors& w, double h) {
    std::vector<Tensor<D>> x(s.x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!s.x[i].defined()) continue;
        x[i] = Tensor<D>(s.x[i].shape());
        for (Index k = 0; k < x[i].size(); ++k) x[i][k] = {s.x[i][k] + h * w[i][k], v[i][k]};
    }
    Tensors out;
    for (const auto& g : gradients<D>(s, x)) out.push_back(g.defined() ? tangent_of(g) : Tensor<double>());
    return out;
}

TEST(ExtraScalar, EveryOpGivesThirdDerivatives) {
    int compared = 0;
    for (const auto& op : registry().all()) {
        ASSERT_TRUE(op->has_table<Dual<D>>()) << op->info.name;
        for (const SampleCase& sample : op->samples()) {
            if (sample.excuse.finite_differences || sample.excuse.zero_gradient) continue;
            const Subject s = check::draw_subject(*op, sample, 5);
            const Tensors v = check::draw(sample.args, Random(11)), w = check::draw(sample.args, Random(12));
            const double h = 1e-4;
            const Tensors ahead = second(s, v, w, h), behind = second(s, v, w, -h);
            const auto third = gradients<Dual<D>>(s, seeds(s.x, v, w));
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                if (!s.x[i].defined()) continue;
                for (Index k = 0; k < s.x[i].size(); ++k) {
                    const double difference = (ahead[i][k] - behind[i][k]) / (2 * h), exact = third[i][k].tangent.tangent;
                    // Of the difference: h^2 times a fifth derivative, and rounding over h.
                    ASSERT_NEAR(exact, difference, 1e-4 * (1 + std::abs(exact)))
                        << op->info.name << " " << sample.name << " " << s.names[i] << "[" << k << "]";
                    compared += exact != 0;
                }
            }
        }
    }
    EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace gradproof
#endif
