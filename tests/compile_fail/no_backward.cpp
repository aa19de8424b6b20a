// expect: `void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx)` is missing or ill-typed
#include "twice.hpp"
using namespace twice;

struct Twice : Facts, Forward, Samples<Twice>, ErrorSamples<Twice> {};
GRADPROOF_OP(Twice);
