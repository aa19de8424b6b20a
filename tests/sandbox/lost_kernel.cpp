// A kernel of an op that does not exist, or, as MISPLACED says, one that is there already.
#include "gradproof/core/kernel.hpp"

using namespace gradproof;

struct Misplaced {
    static constexpr KernelInfo info{MISPLACED};
    static Tensor<float> forward(const AnyAttrs&, Inputs<float> x, SavedTensors<float>) { return x[0]; }
};
GRADPROOF_KERNEL(Misplaced, float);
