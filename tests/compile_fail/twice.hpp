// The page of y = 2 x in parts. Each page of this folder leaves one of them out, or has another in its place.
#pragma once

#include "gradproof/core/registry.hpp"

namespace twice {
using namespace gradproof;

template <Scalar T>
struct Nothing : NoFields {};

struct Facts {
    static constexpr OpInfo info{"twice", "x", "y = 2 x", "dx = 2 dy", "", "arithmetic"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = Nothing<T>;
};
struct Forward {
    template <Scalar T>
    static Tensor<T> forward(const NoFields&, Inputs<T> x, Nothing<T>&) {
        return x[0];
    }
};
struct Backward {
    template <Scalar T>
    static void backward(const NoFields&, const Nothing<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        dx.add(0, dy);
    }
};
template <class Op>
struct Samples {
    static std::vector<Sample<Op>> samples() { return {}; }
};
template <class Op>
struct ErrorSamples {
    static std::vector<ErrorSample<Op>> error_samples() { return {}; }
};

}  // namespace twice
