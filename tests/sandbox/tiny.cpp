// A right op, y = factor x, whose library can be told to misbehave as it is loaded: SANDBOX_AT_LOAD=crash|hang|exit.
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "gradproof/core/registry.hpp"

#ifndef TINY_NAME
#define TINY_NAME "tiny"
#define TINY_FACTOR 2
#endif

using namespace gradproof;

// Not in an anonymous namespace: two plugins have this name, as users' will.
struct Tiny {
    static constexpr OpInfo info{.name = TINY_NAME,
                                 .inputs = "x",
                                 .forward = "y = factor x",
                                 .backward = "dx = factor dy",
                                 .saves = "",
                                 .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = NoFields;
    template <Scalar T>
    static Tensor<T> times(const Tensor<T>& x) {
        Tensor<T> y(x.shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = T(TINY_FACTOR) * x[i];
        return y;
    }
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>&) {
        expect_inputs(info, x, 1);
        return times(x[0]);
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        dx.add(0, times(dy));
    }
    static std::vector<Sample<Tiny>> samples() { return {{"vector", {}, {{4}}}}; }
    static std::vector<ErrorSample<Tiny>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};
GRADPROOF_OP(Tiny);

namespace {

bool misbehave() {
    const char* how = std::getenv("SANDBOX_AT_LOAD");
    const std::string_view word = how == nullptr ? "" : how;
    if (word == "crash") std::raise(SIGSEGV);
    if (word == "exit") std::_Exit(7);
    while (word == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
    return true;
}
[[maybe_unused]] const bool misbehaved = misbehave();

}  // namespace
