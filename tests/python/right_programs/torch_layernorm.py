# gradproof: dims n d; input x [n, d]; input w [d]; input b [d]
import torch
class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps=1e-5):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, unbiased=False, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        xhat = (x - mean) * rstd
        ctx.save_for_backward(xhat, w, rstd)
        return xhat * w + b
    @staticmethod
    def backward(ctx, dy):
        xhat, w, rstd = ctx.saved_tensors
        dw = (dy * xhat).sum(dim=0)
        db = dy.sum(dim=0)
        g = dy * w
        c1 = g.mean(dim=-1, keepdim=True)
        c2 = (g * xhat).mean(dim=-1, keepdim=True)
        dx = (g - c1 - xhat * c2) * rstd
        return dx, dw, db, None
