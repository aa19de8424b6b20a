// Attention: the fused kernel against the readable one, on random calls over the whole surface, forward and all gradients.
#include <gtest/gtest.h>

#include <cstdlib>

#include "gradproof/core/platform/memory.hpp"
#include "tests/ops/attention_fuzz.hpp"

namespace gradproof {
namespace {

using namespace attention_test;

/// GRADPROOF_FUZZ_CALLS asks for another number of calls; sanitizers, which make each some twenty times slower, get fewer.
int number_of_calls() {
    const char* asked = std::getenv("GRADPROOF_FUZZ_CALLS");
    return asked != nullptr ? std::atoi(asked) : pool::keeps_blocks() ? 1000 : 100;
}

template <class T>
::testing::AssertionResult agrees(Call c, double tolerance) {
    c.attrs.kernel = AttentionKernel::reference;
    const Results truth = run<double>(c);
    c.attrs.kernel = AttentionKernel::fused;
    const Results fused = run<T>(c);
    if (auto y = same(fused.y, truth.y, tolerance); !y) return y << " in y";
    for (std::size_t i = 0; i < truth.gradients.size(); ++i)
        if (auto g = same(fused.gradients[i], truth.gradients[i], tolerance); !g) return g << " in gradient " << i;
    return ::testing::AssertionSuccess();
}

template <class T>
void fuzz(std::uint64_t seed, int calls) {
    // Sums of up to 600 terms after some tens of roundings; errors of sums grow with their root.
    const double tolerance = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const std::vector<std::string> machines = archs();
    int failures = 0;
    for (int n = 0; n < calls && failures < 5; ++n) {
        const ArchScope arch(machines[static_cast<std::size_t>(n) % machines.size()]);
        const Call c = RandomCalls(seed + static_cast<std::uint64_t>(n)).next();
        const auto result = agrees<T>(c, tolerance);
        EXPECT_TRUE(result) << "seed " << seed + static_cast<std::uint64_t>(n) << " on " << arch_name() << ": " << describe(c);
        failures += !result;
    }
}

TEST(AttentionFuzz, FusedEqualsReadableInDouble) { fuzz<double>(1, number_of_calls()); }
TEST(AttentionFuzz, FusedEqualsReadableInFloat) { fuzz<float>(1'000'001, number_of_calls()); }

}  // namespace
}  // namespace gradproof
