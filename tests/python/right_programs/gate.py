# gradproof: dims N D H; input x [N, D]; input W [D, H]; input V [D, H]; input U [H, D]
import numpy as np
def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))
def swiglu_forward(x, W, V, U):
    a = x @ W
    b = x @ V
    s = sigmoid(a)
    g = a * s
    h = g * b
    y = h @ U
    return y, (x, W, V, U, a, b, s, g, h)
def swiglu_backward(dy, cache):
    x, W, V, U, a, b, s, g, h = cache
    dU = h.T @ dy
    dh = dy @ U.T
    db = dh * g
    dg = dh * b
    da = dg * (s + a * s * (1 - s))
    dW = x.T @ da
    dV = x.T @ db
    dx = da @ W.T + db @ V.T
    return dx, dW, dV, dU
