# gradproof: dims N D C; input X [N, D]; input W [D, C]; input b [C]; const Y [N, C]; const reg []
import numpy as np
def loss_and_grads(X, Y, W, b, reg):
    N = X.shape[0]
    scores = X @ W + b
    scores = scores - scores.max(axis=1, keepdims=True)
    logp = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    loss = -np.sum(Y * logp) / N + 0.5 * reg * np.sum(W * W)
    p = np.exp(logp)
    dscores = (p * Y.sum(axis=1, keepdims=True) - Y) / N
    dW = X.T @ dscores + reg * W
    db = dscores.sum(axis=0)
    dX = dscores @ W.T
    return loss, dX, dW, db
