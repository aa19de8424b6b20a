# gradproof: dims N D H C; input x [N, D]; const y [N, C]; input W1 [D, H]; input b1 [H]; input W2 [H, C]; input b2 [C]
import numpy as np
class MLP:
    def __init__(self, W1, b1, W2, b2):
        self.params = {"W1": W1, "b1": b1, "W2": W2, "b2": b2}
        self.grads = {}
    def forward(self, x):
        W1, b1 = self.params["W1"], self.params["b1"]
        W2, b2 = self.params["W2"], self.params["b2"]
        self.x = x
        self.z1 = x @ W1 + b1
        self.a1 = np.maximum(0, self.z1)
        self.z2 = self.a1 @ W2 + b2
        return self.z2
    def loss(self, x, y):
        out = self.forward(x)
        self.diff = out - y
        return 0.5 * np.sum(self.diff ** 2) / x.shape[0]
    def backward(self):
        n = self.x.shape[0]
        dz2 = self.diff / n
        self.grads["W2"] = self.a1.T @ dz2
        self.grads["b2"] = dz2.sum(axis=0)
        da1 = dz2 @ self.params["W2"].T
        dz1 = da1 * (self.z1 > 0)
        self.grads["W1"] = self.x.T @ dz1
        self.grads["b1"] = dz1.sum(axis=0)
        return self.grads
