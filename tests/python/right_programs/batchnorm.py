# gradproof: dims N D; input x [N, D]; input gamma [D]; input beta [D]
import numpy as np
def bn_forward(x, gamma, beta):
    N, D = x.shape
    mu = x.sum(axis=0) / N
    xmu = x - mu
    var = np.sum(xmu ** 2, axis=0) / N
    sqrtvar = np.sqrt(var + 1e-5)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    out = gamma * xhat + beta
    return out, (xhat, gamma, xmu, ivar, sqrtvar)
def bn_backward(dout, cache):
    xhat, gamma, xmu, ivar, sqrtvar = cache
    N, D = dout.shape
    dbeta = np.sum(dout, axis=0)
    dgamma = np.sum(dout * xhat, axis=0)
    dxhat = dout * gamma
    divar = np.sum(dxhat * xmu, axis=0)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / sqrtvar ** 2 * divar
    dvar = 0.5 / sqrtvar * dsqrtvar
    dsq = np.ones((N, D)) / N * dvar
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -np.sum(dx1, axis=0)
    dx2 = np.ones((N, D)) / N * dmu
    dx = dx1 + dx2
    return dx, dgamma, dbeta
