# gradproof: dims n d; input q [n, d]; input k [n, d]; input v [n, d]
import math
import torch
class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        ctx.scale = 1 / math.sqrt(q.shape[-1])
        s = (q @ k.transpose(-2, -1)) * ctx.scale
        mask = torch.triu(torch.ones_like(s), diagonal=1).bool()
        s = s.masked_fill(mask, float("-inf"))
        p = torch.softmax(s, dim=-1)
        ctx.save_for_backward(q, k, v, p)
        return p @ v
    @staticmethod
    def backward(ctx, do):
        q, k, v, p = ctx.saved_tensors
        dv = p.transpose(-2, -1) @ do
        dp = do @ v.transpose(-2, -1)
        ds = p * (dp - (dp * p).sum(dim=-1, keepdim=True))
        dq = (ds @ k) * ctx.scale
        dk = (ds.transpose(-2, -1) @ q) * ctx.scale
        return dq, dk, dv
