# gradproof: dims T D H; input x [T, D]; input Wx [D, H]; input Wh [H, H]; input b [H]; input h0 [H]
import numpy as np
def rnn_forward(x, Wx, Wh, b, h0):
    T = x.shape[0]
    h = np.zeros((T + 1, Wh.shape[0]))
    h[0] = h0
    for t in range(T):
        h[t + 1] = np.tanh(x[t] @ Wx + h[t] @ Wh + b)
    return h, (x, Wx, Wh, h)
def rnn_backward(dh, cache):
    x, Wx, Wh, h = cache
    T = x.shape[0]
    dx = np.zeros_like(x)
    dWx = np.zeros_like(Wx)
    dWh = np.zeros_like(Wh)
    db = np.zeros(Wh.shape[0])
    dnext = np.zeros(Wh.shape[0])
    for t in reversed(range(T)):
        dcur = dh[t + 1] + dnext
        da = dcur * (1 - h[t + 1] ** 2)
        dx[t] = da @ Wx.T
        dWx += np.outer(x[t], da)
        dWh += np.outer(h[t], da)
        db += da
        dnext = da @ Wh.T
    return dx, dWx, dWh, db
