# gradproof: dims N D H; input X [N, D]; input W [D, H]; input b [H]; input V [H]; const t [N]
import numpy as np
def grad(X, W, b, V, t):
    Z = X @ W + b
    A = np.log1p(np.exp(Z))
    s = A @ V
    loss = np.mean(np.abs(s - t)) + 0.01 * np.sum(V ** 2)
    ds = np.sign(s - t) / t.shape[0]
    dV = A.T @ ds + 0.02 * V
    dA = ds[:, None] * V[None, :]
    dZ = dA / (1 + np.exp(-Z))
    dW = X.T @ dZ
    db = dZ.sum(0)
    return loss, [dW, db, dV]
