// expect: `std::vector<Sample<Op>> samples()` is missing or ill-typed
#include "twice.hpp"
using namespace twice;

struct Twice : Facts, Forward, Backward, ErrorSamples<Twice> {};
GRADPROOF_OP(Twice);
