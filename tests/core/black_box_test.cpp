// Black boxes held to a page, to a function and to themselves: a fault of the forward is called one, and so is one of the backward.
#include "gradproof/core/check/black_box.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/reference.hpp"
#include "gradproof/core/proof/language/proof.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/support.hpp"

namespace gradproof::check {
namespace {

const OpEntry& op(const std::string& name) { return registry().find(name); }

/// The op, with its value and its gradients multiplied.
BlackBox scaled(const std::string& name, double value, double gradient) {
    BlackBox box = black_box(op(name));
    box.forward = [=, of = box.forward](const AnyAttrs& attrs, const Tensors& x) {
        Tensor<double> y = of(attrs, x);
        for (double& v : y) v *= value;
        return y;
    };
    box.gradients = [=, of = box.gradients](const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u) {
        Tensors out = clones(of(attrs, x, u));
        for (auto& g : out)
            for (Index k = 0; g.defined() && k < g.size(); ++k) g[k] *= gradient;
        return out;
    };
    return box;
}

char mark(const KernelReport& r, Contract c) { return r.mark(c); }

TEST(BlackBox, AgreesWithItsPage) {
    for (const std::string name : {"softmax", "tanh", "matmul", "layer_norm", "concat", "attention"}) {
        const KernelReport r = check_kernel(black_box(op(name)), black_box_calls(op(name), 3), against_page(op(name)));
        EXPECT_NE(r.verdict(), Verdict::wrong) << name << ": " << r.findings.front().reason;
        EXPECT_GT(r.samples, 0);
    }
}

TEST(BlackBox, TheForwardAndTheBackwardAreBlamedApart) {
    const std::vector<KernelCall> calls = black_box_calls(op("tanh"), 3);
    const Against page = against_page(op("tanh"));
    const KernelReport forward = check_kernel(scaled("tanh", 1 + 1e-9, 1), calls, page),
                       backward = check_kernel(scaled("tanh", 1, 1 + 1e-9), calls, page);
    EXPECT_EQ(mark(forward, Contract::kernel_value), 'X');
    EXPECT_NE(mark(forward, Contract::kernel_gradient), 'X');
    EXPECT_EQ(mark(backward, Contract::kernel_value), '+');
    EXPECT_EQ(mark(backward, Contract::kernel_gradient), 'X');
    const KernelReport doubled = check_kernel(scaled("tanh", 2, 2), calls, page);
    ASSERT_FALSE(doubled.findings.front().diagnoses.empty());
    EXPECT_EQ(doubled.findings.front().diagnoses.front().text, "claimed = 2 * true");
}

TEST(BlackBox, AgainstItselfTheEvidenceIsSaidToBeWeaker) {
    const std::vector<KernelCall> calls = black_box_calls(op("tanh"), 3);
    const KernelReport right = check_kernel(black_box(op("tanh")), calls, against_itself(black_box(op("tanh"))));
    EXPECT_EQ(right.verdict(), Verdict::right) << right.findings.front().reason;
    EXPECT_EQ(mark(right, Contract::kernel_value), '-');
    EXPECT_NE(right.against.find("the weaker evidence"), std::string::npos) << right.against;
    const BlackBox wrong = scaled("tanh", 1, 1.001), both = scaled("tanh", 1.5, 1.5);
    EXPECT_EQ(check_kernel(wrong, calls, against_itself(wrong)).verdict(), Verdict::wrong);
    EXPECT_EQ(check_kernel(both, calls, against_itself(both)).verdict(), Verdict::right);  // what only a page or a proof can see
}

TEST(BlackBox, ADerivationIsAReference) {
    const auto against = [](const std::string& name, const std::string& text) {
        return check_kernel(black_box(op(name)), black_box_calls(op(name), 3),
                            proof::reference_of(proof::read_proofs("a.proof", text).front(), op(name)));
    };
    const std::string head = "dims n m\ninput X [n, m]\nforward\n  Y = ";
    EXPECT_NE(against("silu", head + "X ⊙ sigmoid(X)\n").verdict(), Verdict::wrong);
    const KernelReport wrong = against("silu", head + "X ⊙ sigmoid(2 X)\n");
    EXPECT_EQ(mark(wrong, Contract::kernel_value), 'X');
    const KernelReport none = against("silu", "dims n\ninput X [n, n, n, n]\nforward\n  Y = 2 X\n");
    EXPECT_EQ(none.verdict(), Verdict::cannot_tell);
    EXPECT_EQ(none.samples, 0);
    EXPECT_NE(testing::error_of([&] { against("silu", head + "silu(X)\n"); }).find("it calls silu itself"), std::string::npos);
}

}  // namespace
}  // namespace gradproof::check
