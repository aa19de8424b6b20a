// An outside project: registers an op of its own, differentiates through it, compares with the exact derivative, and checks a
// derivation.
#include <cstdio>

#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/transforms.hpp"
#include "swish.hpp"

int main() {
    const auto f = [](const auto& x) { return swish(x[0], {}); };
    const auto x = Tensor<double>::from({3}, {-1.0, 0.5, 2.0}), v = ones<double>({3});
    const auto backward = vjp(f, Tensors{x}, v).second[0];
    const auto exact = jvp(f, Tensors{x}, Tensors{v}).second;
    std::printf("%s\n%s\n", to_string(backward, 12).c_str(), to_string(exact, 12).c_str());
    const char* text = "input X [3]\nforward\n  Y = tanh(X)\nclaim\n  dX = dY ⊙ (1 - Y^2)\n";
    const bool right = gradproof::proof::check_proof(text).verdict() == gradproof::check::Verdict::right;
    return right && std::abs(dot(backward, v) - dot(exact, v)) < 1e-14 ? 0 : 1;
}
