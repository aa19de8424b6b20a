# gradproof: dims n d; input x [n, d]; input w [d]
import torch
class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        ctx.save_for_backward(x, w, r)
        return x * r * w
    @staticmethod
    def backward(ctx, dy):
        x, w, r = ctx.saved_tensors
        xhat = x * r
        dw = (dy * xhat).sum(0)
        dn = dy * w
        dx = r * (dn - xhat * (dn * xhat).mean(-1, keepdim=True))
        return dx, dw
