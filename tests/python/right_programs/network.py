# gradproof: dims N D H; input X [N, D]; input W1 [D, H]; input w2 [H]; const y [N]
import numpy as np
def loss_grad(X, y, W1, w2):
    h = np.tanh(X @ W1)
    r = h @ w2 - y
    loss = 0.5 * np.sum(r ** 2)
    dr = r
    dw2 = h.T @ dr
    dh = np.outer(dr, w2)
    dz = dh * (1 - h ** 2)
    dW1 = X.T @ dz
    dX = dz @ W1.T
    grads = {"X": dX, "W1": dW1, "w2": dw2}
    return loss, grads
