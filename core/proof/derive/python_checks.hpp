// The check() of a program that is written, and its main: what it computes is held to differences.
#pragma once

#include "gradproof/core/proof/derive/python.hpp"

namespace gradproof::proof {

/// By torch.autograd.gradcheck, of an autograd.Function. `moving`: the quoted names of the inputs that have gradients.
std::string check_by_gradcheck(const std::string& function, const std::string& moving);
/// By jax.test_util.check_grads, likewise.
std::string check_by_check_grads(const std::string& function, const std::string& moving);
/// Of forward and backward in NumPy. `weights`: the line that says what the result is weighed with, `upstream`: how the backward is
/// given these, `left_out`: lines that leave gradients out.
std::string check_by_differences(const std::string& result, const std::string& weights, const std::string& upstream,
                                 const std::string& left_out);
/// check() of functions loss, gradient and hessian_product, by differences along a drawn direction; `of` is the input that moves.
std::string check_of_hessian(PythonTarget target, const std::string& of, const std::string& direction);

}  // namespace gradproof::proof
