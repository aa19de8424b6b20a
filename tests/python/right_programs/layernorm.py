# gradproof: dims N D; input x [N, D]; input gamma [D]; input beta [D]
import numpy as np
def layernorm_forward(x, gamma, beta, eps=1e-5):
    mu = x.mean(axis=1, keepdims=True)
    var = ((x - mu) ** 2).mean(axis=1, keepdims=True)
    inv = 1.0 / np.sqrt(var + eps)
    xhat = (x - mu) * inv
    out = gamma * xhat + beta
    cache = (xhat, gamma, inv)
    return out, cache
def layernorm_backward(dout, cache):
    xhat, gamma, inv = cache
    N, D = dout.shape
    dbeta = dout.sum(axis=0)
    dgamma = (dout * xhat).sum(axis=0)
    dxhat = dout * gamma
    dx = inv / D * (D * dxhat - dxhat.sum(axis=1, keepdims=True) - xhat * (dxhat * xhat).sum(axis=1, keepdims=True))
    return dx, dgamma, dbeta
