// expect: forward takes Saved by value, so that what it saves is lost: write `Saved<T>& saved`
#include "gradproof/core/registry.hpp"
using namespace gradproof;

struct Twice {
    static constexpr OpInfo info{"twice", "x", "y = 2 x", "dx = 2 dy", "", "arithmetic"};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved : NoFields {};
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>) {
        return x[0];
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        dx.add(0, dy);
    }
    static std::vector<Sample<Twice>> samples() { return {}; }
    static std::vector<ErrorSample<Twice>> error_samples() { return {}; }
};
GRADPROOF_OP(Twice);
