"""Fifteen kernels, each written once for PyTorch and for JAX: forward(m, *x) and backward(m, dy, x, y).

`m` is Torch or Jax below. Every kernel is right; planted.py plants bugs in them.
"""

import inspect
from dataclasses import dataclass


class Torch:
    """What the kernels use of PyTorch."""

    def __init__(self):
        import torch

        self.lib = torch
        for f in ("exp", "log", "tanh", "sigmoid", "erf", "sqrt", "where", "zeros_like", "ones_like", "clip"):
            setattr(self, f, getattr(torch, f))

    def sum(self, x, axis=None, keep=False):
        return x.sum() if axis is None else x.sum(axis, keepdim=keep)

    def max(self, x, axis=None):
        return x.max() if axis is None else x.amax(axis, keepdim=True)

    def t(self, x):
        return x.transpose(-1, -2)

    def half(self, x):
        return x.to(self.lib.float16).to(x.dtype)

    def single(self, x):
        return x.to(self.lib.float32).to(x.dtype)

    def is_single(self, x):
        return x.dtype == self.lib.float32


class Jax:
    """What the kernels use of JAX."""

    def __init__(self):
        import jax

        self.lib = jax.numpy
        for f in ("exp", "log", "tanh", "sqrt", "where", "zeros_like", "ones_like", "clip"):
            setattr(self, f, getattr(jax.numpy, f))
        self.sigmoid, self.erf = jax.nn.sigmoid, jax.scipy.special.erf

    def sum(self, x, axis=None, keep=False):
        return x.sum(axis, keepdims=keep and axis is not None)

    def max(self, x, axis=None):
        return x.max() if axis is None else x.max(axis, keepdims=True)

    def t(self, x):
        return x.swapaxes(-1, -2)

    def half(self, x):
        return x.astype(self.lib.float16).astype(x.dtype)

    def single(self, x):
        return x.astype(self.lib.float32).astype(x.dtype)

    def is_single(self, x):
        return x.dtype == self.lib.float32


@dataclass
class Kernel:
    name: str
    shapes: list  # of the inputs, as one would give them to gradcheck
    forward: object
    backward: object
    held: dict  # to what gradproof holds it

    @property
    def inputs(self):
        """The names of the inputs: the arguments of the forward without m, and without those that have a default."""
        _, *inputs = inspect.signature(self.forward).parameters.values()
        return [p.name for p in inputs if p.default is p.empty]


def rows(m, x):
    """The sum of each row, its axis kept."""
    return m.sum(x, -1, True)


def n_of(x):
    return x.shape[-1]


def softmax(m, x):
    e = m.exp(x - m.max(x, -1))
    return e / rows(m, e)


def softmax_back(m, dy, x, y):
    return (y * (dy - rows(m, dy * y)),)


def log_softmax(m, x):
    c = x - m.max(x, -1)
    return c - m.log(rows(m, m.exp(c)))


def log_softmax_back(m, dy, x, y):
    return (dy - m.exp(y) * rows(m, dy),)


def leading(m, x, like):
    """Summed over all but the last axis."""
    while len(x.shape) > len(like.shape):
        x = m.sum(x, 0)
    return x


def normal(m, x, eps=1e-5):
    """Centred rows, and one over their deviation."""
    c = x - rows(m, x) / n_of(x)
    return c, 1 / m.sqrt(rows(m, c * c) / n_of(x) + eps)


def layer_norm(m, x, gain, bias):
    c, r = normal(m, x)
    return c * r * gain + bias


def layer_norm_back(m, dy, x, y):
    x, gain, bias = x
    c, r = normal(m, x)
    h, dh = c * r, dy * gain
    dx = r * (dh - rows(m, dh) / n_of(h) - h * rows(m, dh * h) / n_of(h))
    return dx, leading(m, dy * h, gain), leading(m, dy, bias)


def rms_norm(m, x, gain):
    return x / m.sqrt(rows(m, x * x) / n_of(x) + 1e-5) * gain


def rms_norm_back(m, dy, x, y):
    x, gain = x
    r = 1 / m.sqrt(rows(m, x * x) / n_of(x) + 1e-5)
    h, dh = x * r, dy * gain
    return r * (dh - h * rows(m, dh * h) / n_of(h)), leading(m, dy * h, gain)


def gelu(m, x):
    return x * (1 + m.erf(x / 2**0.5)) / 2


def gelu_back(m, dy, x, y, density=0.3989422804014327):
    (x,) = x
    return (dy * ((1 + m.erf(x / 2**0.5)) / 2 + x * density * m.exp(-x * x / 2)),)


def gelu_tanh(m, x, c=0.044715):
    return x * (1 + m.tanh((2 / 3.141592653589793) ** 0.5 * (x + c * x * x * x))) / 2


def gelu_tanh_back(m, dy, x, y, c=0.044715, three=3):
    (x,) = x
    a = (2 / 3.141592653589793) ** 0.5
    t = m.tanh(a * (x + c * x * x * x))
    return (dy * ((1 + t) / 2 + x / 2 * (1 - t * t) * a * (1 + three * c * x * x)),)


def silu(m, x):
    return x * m.sigmoid(x)


def silu_back(m, dy, x, y):
    s = m.sigmoid(x[0])
    return (dy * (s + x[0] * s * (1 - s)),)


def matmul(m, a, b):
    return a @ b


def matmul_back(m, dy, x, y):
    a, b = x
    return dy @ m.t(b), m.t(a) @ dy


def linear(m, x, w, b):
    return x @ w + b


def linear_back(m, dy, x, y):
    x, w, b = x
    return dy @ m.t(w), m.t(x) @ dy, m.sum(dy, 0)


def attention(m, q, k, v):
    return softmax(m, q @ m.t(k) / n_of(q) ** 0.5) @ v


def attention_back(m, dy, x, y):
    q, k, v = x
    scale = 1 / n_of(q) ** 0.5
    w = softmax(m, q @ m.t(k) * scale)
    dw = dy @ m.t(v)
    ds = w * (dw - rows(m, dw * w))
    return scale * ds @ k, scale * m.t(ds) @ q, m.t(w) @ dy


def logsumexp(m, x):
    top = m.max(x)
    return top + m.log(m.sum(m.exp(x - top)))


def logsumexp_back(m, dy, x, y):
    return (dy * m.exp(x[0] - y),)


def size(x):
    n = 1
    for s in x.shape:
        n *= s
    return n


def mse(m, x, target):
    return m.sum((x - target) * (x - target)) / size(x)


def mse_back(m, dy, x, y):
    x, target = x
    dx = dy * 2 * (x - target) / size(x)
    return dx, -dx


def sigmoid(m, x):
    return m.sigmoid(x)


def sigmoid_back(m, dy, x, y):
    return (dy * y * (1 - y),)


def tanh(m, x):
    return m.tanh(x)


def tanh_back(m, dy, x, y):
    return (dy * (1 - y * y),)


def bias(m, a, b):
    return a + b


def bias_back(m, dy, x, y):
    return dy + 0, m.sum(dy, 0)


MATMUL = "dims n k m\ninput a [n, k], b [k, m]\nforward\n  y = a b\n"
LINEAR = "dims n k m\ninput x [n, k], w [k, m], b [m]\nforward\n  y = x w + b\n"
BIAS = "dims n d\ninput a [n, d], b [d]\nforward\n  y = a + b\n"
KERNELS = [
    Kernel("softmax", [(4, 5)], softmax, softmax_back, {"like": "softmax"}),
    Kernel("log_softmax", [(4, 5)], log_softmax, log_softmax_back, {"like": "log_softmax"}),
    Kernel("layer_norm", [(4, 5), (5,), (5,)], layer_norm, layer_norm_back, {"like": "layer_norm"}),
    Kernel("rms_norm", [(4, 5), (5,)], rms_norm, rms_norm_back, {"like": "rms_norm"}),
    Kernel("gelu", [(4, 5)], gelu, gelu_back, {"like": "gelu"}),
    Kernel("gelu_tanh", [(4, 5)], gelu_tanh, gelu_tanh_back, {"proof": "gelu_tanh"}),
    Kernel("silu", [(4, 5)], silu, silu_back, {"like": "silu"}),
    Kernel("matmul", [(4, 4), (4, 4)], matmul, matmul_back, {"proof": MATMUL}),
    Kernel("linear", [(4, 4), (4, 4), (4,)], linear, linear_back, {"proof": LINEAR}),
    Kernel("attention", [(1, 2, 4, 4)] * 3, attention, attention_back, {"like": "attention", "without": "grouped"}),
    Kernel("logsumexp", [(4, 5)], logsumexp, logsumexp_back, {"like": "logsumexp"}),
    Kernel("mse", [(4, 5), (4, 5)], mse, mse_back, {"like": "mse"}),
    Kernel("sigmoid", [(4, 5)], sigmoid, sigmoid_back, {"like": "sigmoid"}),
    Kernel("tanh", [(4, 5)], tanh, tanh_back, {"like": "tanh"}),
    Kernel("bias", [(4, 5), (5,)], bias, bias_back, {"proof": BIAS}),
]
