# gradproof: dims N D; input X [N, D]; input w [D]; input b []; const y [N]
import numpy as np
def svm(X, y, w, b, C=0.5):
    margin = 1 - y * (X @ w + b)
    active = margin > 0
    loss = 0.5 * w @ w + C * np.sum(np.where(active, margin ** 2, 0))
    dmargin = 2 * C * np.where(active, margin, 0)
    dscore = -y * dmargin
    dw = w + X.T @ dscore
    db = np.sum(dscore)
    dX = np.outer(dscore, w)
    return loss, dX, dw, db
