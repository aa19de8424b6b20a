# gradproof: dims N D H; input x [N, D]; input W [D, H]; const mask [N, H]
import numpy as np
class Block:
    def __init__(self, W, mask, p=0.5):
        self.W = W
        self.mask = mask
        self.p = p
    def forward(self, x):
        self.x = x
        self.z = x @ self.W
        self.a = np.where(self.z > 0, self.z, 0.1 * self.z)
        self.out = self.a * self.mask / (1 - self.p)
        return self.out
    def backward(self, dout):
        da = dout * self.mask / (1 - self.p)
        dz = np.where(self.z > 0, da, 0.1 * da)
        self.dW = self.x.T @ dz
        return dz @ self.W.T
