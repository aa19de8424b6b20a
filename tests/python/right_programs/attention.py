# gradproof: dims n d h; input X [n, d]; input Wq [d, h]; input Wk [d, h]; input Wv [d, h]
import numpy as np
def softmax(S):
    S = S - S.max(axis=-1, keepdims=True)
    E = np.exp(S)
    return E / E.sum(axis=-1, keepdims=True)
def attention_forward(X, Wq, Wk, Wv):
    Q = X @ Wq
    K = X @ Wk
    V = X @ Wv
    S = Q @ K.T / np.sqrt(Wq.shape[1])
    P = softmax(S)
    O = P @ V
    return O, (X, Wq, Wk, Wv, Q, K, V, P)
def attention_backward(dO, cache):
    X, Wq, Wk, Wv, Q, K, V, P = cache
    dV = P.T @ dO
    dP = dO @ V.T
    dS = P * (dP - (dP * P).sum(axis=-1, keepdims=True))
    dS = dS / np.sqrt(Wq.shape[1])
    dQ = dS @ K
    dK = dS.T @ Q
    dWq = X.T @ dQ
    dWk = X.T @ dK
    dWv = X.T @ dV
    dX = dQ @ Wq.T + dK @ Wk.T + dV @ Wv.T
    return dX, dWq, dWk, dWv
