# gradproof: dims n m; input X [n, m], g [m], b [m]
mu = X.mean(axis=1, keepdims=True)
r = 1 / np.sqrt(((X - mu) ** 2).mean(axis=1, keepdims=True) + 1e-5)
H = (X - mu) * r
Y = g * H + b
dg = (dY * H).sum(axis=0)
dH = dY * b
dX = r * (dH - dH.mean(axis=1, keepdims=True) - H * (dH * H).mean(axis=1, keepdims=True))
