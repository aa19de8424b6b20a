# gradproof: dims N D; input x [N, D]; input g [D]
import numpy as np
def rmsnorm_fwd(x, g, eps=1e-6):
    ms = np.mean(x * x, axis=-1, keepdims=True)
    r = 1 / np.sqrt(ms + eps)
    n = x * r
    y = n * g
    return y, (x, g, r, n)
def rmsnorm_bwd(dy, cache):
    x, g, r, n = cache
    D = x.shape[-1]
    dg = np.sum(dy * n, axis=0)
    dn = dy * g
    dx = r * (dn - n * np.sum(dn * n, axis=-1, keepdims=True) / D)
    return dx, dg
