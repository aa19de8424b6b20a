// The check of a program of second order.
#pragma once

#include "gradproof/core/proof/derive/python.hpp"

namespace gradproof::proof {

/// check() of functions loss, gradient and hessian_product, by differences along a drawn direction; `of` is the input that moves.
std::string python_hessian_check(PythonTarget target, const std::string& of, const std::string& direction);

}  // namespace gradproof::proof
