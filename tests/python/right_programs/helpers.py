# gradproof: dims N D H C; input X [N, D]; input W1 [D, H]; input W2 [H, C]; const Y [N, C]
import numpy as np
def sigmoid(z):
    return 1 / (1 + np.exp(-z))
def sigmoid_prime(z):
    return sigmoid(z) * (1 - sigmoid(z))
def forward(X, W1, W2):
    Z1 = X @ W1
    A1 = sigmoid(Z1)
    Z2 = A1 @ W2
    A2 = sigmoid(Z2)
    return Z1, A1, Z2, A2
def compute_loss(A2, Y):
    return 0.5 * np.sum((A2 - Y) ** 2)
def backward(X, Y, W1, W2):
    Z1, A1, Z2, A2 = forward(X, W1, W2)
    dA2 = A2 - Y
    dZ2 = dA2 * sigmoid_prime(Z2)
    dW2 = A1.T @ dZ2
    dA1 = dZ2 @ W2.T
    dZ1 = dA1 * sigmoid_prime(Z1)
    dW1 = X.T @ dZ1
    return dW1, dW2
