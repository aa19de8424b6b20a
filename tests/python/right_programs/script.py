# gradproof: dims N D H; input X [N, D]; const y [N]; input W1 [D, H]; input b1 [H]; input w2 [H]; input b2 []
import numpy as np
z1 = X @ W1 + b1
a1 = 1 / (1 + np.exp(-z1))
pred = a1 @ w2 + b2
err = pred - y
loss = np.mean(err ** 2)
dpred = 2 * err / len(y)
dw2 = a1.T @ dpred
db2 = dpred.sum()
da1 = np.outer(dpred, w2)
dz1 = da1 * a1 * (1 - a1)
dW1 = X.T @ dz1
db1 = dz1.sum(axis=0)
dX = dz1 @ W1.T
