#include "core/registry.hpp"
#include "core/xt.hpp"
using namespace gradproof;

struct Swish {
    static constexpr OpInfo info{"swish", "x", "y = x s,  s = 1 / (1 + exp(-x))", "dx = s (1 + x (1 - s)) dy", "x", "Ramachandran et al. 2017"};
    using Attrs = NoFields;
    template <Scalar T> using Saved = SavedInput<T>;
    template <Scalar T> static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>& saved) {
        expect_inputs(info, x, 1);
        saved.x = x[0];
        return evaluate(array(x[0]) / (T(1) + xt::exp(-array(x[0]))));
    }
    template <Scalar T> static void backward(const Attrs&, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        const Tensor<T> s = evaluate(T(1) / (T(1) + xt::exp(-array(saved.x))));
        dx.add(0, evaluate(array(dy) * array(s) * (T(1) + array(saved.x) * (T(1) - array(s)))));
    }
    static std::vector<Sample<Swish>> samples() { return {{"rows", {}, {{3, 5}}}}; }
    static std::vector<ErrorSample<Swish>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 inputs"}}; }
};
GRADPROOF_OP(Swish);
GRADPROOF_FUNCTION_1(swish, Swish);
