// expect: ok
#include "twice.hpp"
using namespace twice;

struct Twice : Facts, Forward, Backward, Samples<Twice>, ErrorSamples<Twice> {};
GRADPROOF_OP(Twice);
