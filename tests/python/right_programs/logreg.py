# gradproof: dims m n; const X [n, m]; const Y [1, m]; input w [n, 1]; input b []
import numpy as np
def sigmoid(z):
    return 1 / (1 + np.exp(-z))
def forward(w, b, X):
    A = sigmoid(np.dot(w.T, X) + b)
    return A
def compute_cost(A, Y):
    m = Y.shape[1]
    return -1 / m * np.sum(Y * np.log(A) + (1 - Y) * np.log(1 - A))
def propagate(w, b, X, Y):
    m = X.shape[1]
    A = forward(w, b, X)
    dw = 1 / m * np.dot(X, (A - Y).T)
    db = 1 / m * np.sum(A - Y)
    grads = {"dw": dw, "db": db}
    return grads
