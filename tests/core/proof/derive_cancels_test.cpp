// Derived gradients in which something cancels: p - y of a sigmoid under a cross-entropy.
#include <gtest/gtest.h>

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {
namespace {

/// The right side of the line about ∂L/∂x.
std::string gradient_of_value(const std::string& x, const std::string& text) {
    const Derivation d = derive(read_proofs("cancels.proof", text).front());
    for (const DerivedLine& l : d.lines)
        if (l.name == x) return l.text.substr(l.text.find(" = ") + 3);
    return "none";
}

struct Loss {
    std::string forward, gradient;  ///< by z
};

/// Of z and of labels y, n of them.
TEST(DeriveCancels, BinaryCrossEntropyInItsUsualForms) {
    const std::vector<Loss> losses{
        {"p = sigmoid(z)\n  L = -mean(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))", "(p - y) / n"},
        {"p = sigmoid(z)\n  L = -sum(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))", "p - y"},
        {"p = sigmoid(z)\n  L = -sum(a ⊙ (y ⊙ log(p) + (1 - y) ⊙ log(1 - p))) / n", "a ⊙ (p - y) / n"},
        {"p = sigmoid(z)\n  l = -(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))\n  L = mean(l)", "(p - y) / n"},
        {"p = sigmoid(z)\n  q = 1 - p\n  L = -mean(y ⊙ log(p) + (1 - y) ⊙ log(q))", "(p - y) / n"},
        {"p = sigmoid(z)\n  s = log(p)\n  t = log(1 - p)\n  L = -mean(y ⊙ s + (1 - y) ⊙ t)", "(p - y) / n"},
        {"p = sigmoid(z)\n  L = -Σ_i (y[i] log(p[i]) + (1 - y[i]) log(1 - p[i])) / n", "(p - y) / n"},
        {"p = 1 / (1 + exp(-z))\n  L = -mean(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))", "(p - y) / n"},
        {"L = -mean(y ⊙ log(sigmoid(z)) + (1 - y) ⊙ log(1 - sigmoid(z)))", "(sigmoid(z) - y) / n"},
        {"L = mean(y ⊙ softplus(-z) + (1 - y) ⊙ softplus(z))", "(sigmoid(z) - y) / n"},
        {"L = mean(log(1 + exp(-y ⊙ z)))", "-sigmoid(-y ⊙ z) ⊙ y / n"},
        {"L = mean(max(z, 0) - z ⊙ y + log(1 + exp(-abs(z))))", "(step(z) - y - sigmoid(-abs(z)) ⊙ sign(z)) / n"},
        // A weight of the positive ones: what is divided cancels, the rest stays as it is.
        {"p = sigmoid(z)\n  L = -mean(c y ⊙ log(p) + (1 - y) ⊙ log(1 - p))", "(p ⊙ (1 - y) - c (1 - p) ⊙ y) / n"},
    };
    for (const Loss& l : losses)
        EXPECT_EQ(gradient_of_value("z",
                                    "dims n\ninput z [n]\nconst y [n] ~ binary\nconst a [n] ~ positive\n"
                                    "const c [] ~ positive\nforward\n  " +
                                        l.forward + "\n"),
                  l.gradient)
            << l.forward;
}

/// Nothing is multiplied out where that is longer.
TEST(DeriveCancels, OnlyWhatIsShorter) {
    const std::string head = "dims n\ninput z [n]\nconst y [n] ~ binary\nforward\n  p = sigmoid(z)\n";
    const std::string by_p = "∂L/∂p ⊙ p ⊙ (1 - p)";
    EXPECT_EQ(gradient_of_value("z", head + "  L = mean((p - y)^2) / 2\n"), by_p);
    EXPECT_EQ(gradient_of_value("z", head + "  L = -mean(p ⊙ log(p) + (1 - p) ⊙ log(1 - p))\n"), by_p);
    EXPECT_EQ(gradient_of_value("z", head + "  L = -mean(y ⊙ (1 - p)^2 ⊙ log(p) + (1 - y) ⊙ p^2 ⊙ log(1 - p))\n"), by_p);
    EXPECT_EQ(gradient_of_value("z", head + "  L = -mean(y ⊙ log(p + 0.1) + (1 - y) ⊙ log(1.1 - p))\n"), by_p);
}

TEST(DeriveCancels, WithinALayer) {
    const std::string head = "dims n d\ninput X [n, d], w [d], b []\nconst y [n] ~ binary\nforward\n";
    const std::string loss = "  L = -mean(y ⊙ log(p) + (1 - y) ⊙ log(1 - p))\n";
    const std::string at_once = head + "  p = sigmoid(X w + b)\n" + loss;
    EXPECT_EQ(gradient_of_value("w", at_once), "X^T (p - y) / n");
    EXPECT_EQ(gradient_of_value("b", at_once), "mean(p - y)");
    const std::string by_z = head + "  z = X w + b\n  p = sigmoid(z)\n" + loss;
    EXPECT_EQ(gradient_of_value("z", by_z), "(p - y) / n");
    EXPECT_EQ(gradient_of_value("w", by_z), "X^T ∂L/∂z");
    EXPECT_EQ(gradient_of_value("b", by_z), "sum(∂L/∂z)");
}

}  // namespace
}  // namespace gradproof::proof
