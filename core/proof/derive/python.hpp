// A derivation as a Python program for NumPy, PyTorch or JAX: forward, gradients, and a comparison with finite differences.
//
//   fmt::print("{}", to_python(read_proofs("attention.proof", text)[0], PythonTarget::torch));
#pragma once

#include "gradproof/core/proof/derive/derive.hpp"

namespace gradproof::proof {

enum class PythonTarget { numpy, torch, jax };

/// Functions for NumPy, a torch.autograd.Function, or a jax.custom_vjp. Run as a program, it compares its gradients with finite
/// differences. Errors: as derive; ValueError for a function that has no counterpart.
std::string to_python(const Proof& proof, PythonTarget target, const DeriveOptions& options = {}, const Control& control = {});
/// Functions of the loss, of its gradient by the input `of`, and of the Hessian times a direction. Run as a program, it compares
/// them with finite differences. Errors: as derive_hessian, and the same ValueError.
std::string to_python_hessian(const Proof& proof, const std::string& of, PythonTarget target, const DeriveOptions& options = {},
                              const Control& control = {});

}  // namespace gradproof::proof
