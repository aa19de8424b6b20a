# gradproof: dims N D M; input x [N, D]; input w [D, M]; input b [M]
import numpy as np
def affine_forward(x, w, b):
    out = x @ w + b
    cache = (x, w, b)
    return out, cache
def affine_backward(dout, cache):
    x, w, b = cache
    dx = dout @ w.T
    dw = x.T @ dout
    db = dout.sum(axis=0)
    return dx, dw, db
