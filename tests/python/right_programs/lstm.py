# gradproof: dims N D H; input x [N, D]; input h [N, H]; input c [N, H]; input Wx [D, 4 * H]; input Wh [H, 4 * H]; input b [4 * H]
import numpy as np
def sigmoid(z):
    return 1 / (1 + np.exp(-z))
def lstm_forward(x, h, c, Wx, Wh, b):
    H = h.shape[1]
    a = x @ Wx + h @ Wh + b
    i = sigmoid(a[:, :H])
    f = sigmoid(a[:, H:2 * H])
    o = sigmoid(a[:, 2 * H:3 * H])
    g = np.tanh(a[:, 3 * H:])
    c_next = f * c + i * g
    t = np.tanh(c_next)
    h_next = o * t
    return h_next, c_next, (x, h, c, Wx, Wh, i, f, o, g, t)
def lstm_backward(dh_next, dc_next, cache):
    x, h, c, Wx, Wh, i, f, o, g, t = cache
    do = dh_next * t
    dc_total = dc_next + dh_next * o * (1 - t ** 2)
    df = dc_total * c
    di = dc_total * g
    dg = dc_total * i
    dc = dc_total * f
    da = np.hstack([di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g ** 2)])
    dx = da @ Wx.T
    dh = da @ Wh.T
    dWx = x.T @ da
    dWh = h.T @ da
    db = da.sum(axis=0)
    return dx, dh, dc, dWx, dWh, db
