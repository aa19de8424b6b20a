// Names of gradients in programs: dx, grad_x, x_grad, dL_dx of x, and dout of what a function returns.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gradproof::proof::numpy {

/// x of dx, where that is a value; "" of other names.
std::string_view value_named_in(std::string_view name, const std::function<bool(std::string_view)>& is_value);
/// Of the gradient that comes in: dout, grad_output.
bool names_upstream(std::string_view name);
/// Whether a dict or an object is called as one of gradients: grads, self.grads, param_grads, dparams.
bool holds_gradients(std::string_view owner);
/// The same of parameters: self.params.
bool holds_parameters(std::string_view owner);

/// Whether a dict is called as one of settings: bn_param, config.
bool holds_settings(std::string_view owner);

/// "relu" of relu_forward, relu_backward and relu_grad: what a forward and its backward share.
std::string stem_of(std::string function);

}  // namespace gradproof::proof::numpy
