# gradproof: dims B T H E; input q [B, H, T, E]; input k [B, H, T, E]; input v [B, H, T, E]
import numpy as np
def mha_forward(q, k, v):
    scale = 1.0 / np.sqrt(q.shape[-1])
    s = np.einsum("bhid,bhjd->bhij", q, k) * scale
    s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    p = e / e.sum(axis=-1, keepdims=True)
    o = np.einsum("bhij,bhjd->bhid", p, v)
    return o, (q, k, v, p, scale)
def mha_backward(do, cache):
    q, k, v, p, scale = cache
    dv = np.einsum("bhij,bhid->bhjd", p, do)
    dp = np.einsum("bhid,bhjd->bhij", do, v)
    ds = p * (dp - np.sum(dp * p, axis=-1, keepdims=True))
    dq = np.einsum("bhij,bhjd->bhid", ds, k) * scale
    dk = np.einsum("bhij,bhid->bhjd", ds, q) * scale
    return dq, dk, dv
