// expect: `void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx)` is missing or ill-typed
#include "twice.hpp"
using namespace twice;

struct Twice : Facts, Forward, Samples<Twice>, ErrorSamples<Twice> {
    static void backward(const NoFields&, const Nothing<double>&, const Tensor<double>& dy, Cotangents<double> dx) {
        dx.add(0, dy);
    }
};
GRADPROOF_OP(Twice);
