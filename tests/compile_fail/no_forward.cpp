// expect: `Tensor<T> forward(const Attrs&, Inputs<T>, Saved<T>&)` is missing or ill-typed
#include "twice.hpp"
using namespace twice;

struct Twice : Facts, Backward, Samples<Twice>, ErrorSamples<Twice> {};
GRADPROOF_OP(Twice);
