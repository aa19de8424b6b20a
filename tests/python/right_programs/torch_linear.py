# gradproof: dims n d m; input x [n, d]; input weight [m, d]; input bias [m]
import torch
class LinearReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        z = x @ weight.t() + bias
        y = z.clamp(min=0)
        ctx.save_for_backward(x, weight, z)
        return y
    @staticmethod
    def backward(ctx, grad_y):
        x, weight, z = ctx.saved_tensors
        grad_z = grad_y * (z > 0)
        grad_x = grad_z @ weight
        grad_weight = grad_z.t() @ x
        grad_bias = grad_z.sum(0)
        return grad_x, grad_weight, grad_bias
