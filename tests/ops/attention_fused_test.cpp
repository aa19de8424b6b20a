// Attention: the fused kernel against the readable one, on every instruction set.
#include <gtest/gtest.h>

#include "ops/kernels/kernels.hpp"
#include "tests/ops/attention_calls.hpp"

namespace gradproof {
namespace {

using namespace attention_test;

/// Small calls: the sizes leave whole, part and no vectors over.
std::vector<Call> small_calls() {
    std::vector<Call> calls;
    for (const Index L : {1, 3, 8, 13})
        for (const Index S : {1, 5, 8, 19})
            for (const Index size : {2, 16, 37})
                calls.push_back({{}, wave({2, 2, L, size}, 1), wave({2, 2, S, size}, 2), wave({2, 2, S, size + 1}, 3), {}, {}, {},
                                 wave({2, 2, L, size + 1}, 8)});
    calls.push_back({{.scale = 0.2}, wave({2, 6, 5, 7}, 1), wave({2, 2, 9, 7}, 2), wave({2, 2, 9, 4}, 3), {}, {}, {}, wave({2, 6, 5, 4}, 8)});
    calls.push_back({{.q_heads = 6, .kv_heads = 3}, wave({2, 5, 42}, 1), wave({2, 9, 21}, 2), wave({2, 9, 12}, 3), {}, {}, {}, wave({2, 5, 24}, 8)});
    calls.push_back({{}, wave({1, 2, 3, 0}, 1), wave({1, 2, 4, 0}, 2), wave({1, 2, 4, 5}, 3), {}, {}, {}, wave({1, 2, 3, 5}, 8)});
    calls.push_back({{}, wave({1, 2, 3, 5}, 1), wave({1, 2, 0, 5}, 2), wave({1, 2, 0, 4}, 3), {}, {}, {}, wave({1, 2, 3, 4}, 8)});
    calls.push_back({{}, wave({1, 2, 0, 5}, 1), wave({1, 2, 4, 5}, 2), wave({1, 2, 4, 3}, 3), {}, {}, {}, wave({1, 2, 0, 3}, 8)});
    return calls;
}

template <class T>
void expect_equal_kernels() {
    // Sums of up to 38 products below 1 for a score, of up to 13 query rows and 3 heads for a gradient; scores pass through exp.
    const double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (const std::string& arch : archs()) {
        const ArchScope scope(arch);
        for (Call c : small_calls()) {
            SCOPED_TRACE(fmt::format("{}: q {} k {} v {}", arch, c.q.shape(), c.k.shape(), c.v.shape()));
            const Results fused = run<T>(c);
            c.attrs.kernel = AttentionKernel::reference;
            const Results readable = run<T>(c);
            EXPECT_TRUE(near(fused.y, readable.y, tolerance));
            for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(fused.gradients[i], readable.gradients[i], tolerance)) << i;
        }
    }
}
TEST(Attention, FusedGivesWhatTheReadableKernelGives) {
    expect_equal_kernels<double>();
    expect_equal_kernels<float>();
}

TEST(Attention, FusedLeavesOutGradientsNobodyNeeds) {
    Call c = small_calls()[20];
    const Results all = run<double>(c);
    for (std::size_t wanted = 0; wanted < 3; ++wanted) {
        Tape<double> tape;
        std::vector<Var<double>> x{c.q, c.k, c.v};
        x[wanted] = tape.leaf(x[wanted].value());
        tape.backward(attention(x[0], x[1], x[2]), c.dy);
        EXPECT_TRUE(near(tape.grad(x[wanted]), all.gradients[wanted], 0)) << wanted;
    }
}

}  // namespace
}  // namespace gradproof
