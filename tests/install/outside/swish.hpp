#include "gradproof/ops/map.hpp"
using namespace gradproof;

struct Swish : Unary<Swish, Keep::input> {
    static constexpr OpInfo info{
        "swish", "x", "y = x s,  s = 1 / (1 + exp(-x))", "dx = s (1 + x (1 - s)) dy", "x", "Ramachandran et al. 2017"};
    template <Scalar T>
    static T value(const T& x) {
        return x / (T(1) + exp(-x));
    }
    template <Scalar T>
    static T slope(const T& x) {
        const T s = T(1) / (T(1) + exp(-x));
        return s * (T(1) + x * (T(1) - s));
    }
    static std::vector<Sample<Swish>> samples() { return unary_samples<Swish>(); }
};
GRADPROOF_OP(Swish);
GRADPROOF_FUNCTION_1(swish, Swish);
