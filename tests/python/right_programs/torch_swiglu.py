# gradproof: dims n d; input a [n, d]; input b [n, d]
import torch
class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        s = torch.sigmoid(a)
        ctx.save_for_backward(a, b, s)
        return a * s * b
    @staticmethod
    def backward(ctx, grad_out):
        a, b, s = ctx.saved_tensors
        silu = a * s
        grad_b = grad_out * silu
        grad_a = grad_out * b * (s + silu * (1 - s))
        return grad_a, grad_b
