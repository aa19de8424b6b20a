"""Bugs in kernels of single entries, in products, and in losses."""

import kernels as k
from bug import Bug, scaled, with_dy

# gelu


def gelu_in_place(m, x):
    y = k.gelu(m, x)
    x.data.mul_(0.5)
    return y


GELU = [
    Bug(
        "gelu", "term of the density missing", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy * (1 + m.erf(x[0] / 2**0.5)) / 2,)
    ),
    Bug("gelu", "0.3989 for 1/sqrt(2 pi)", r"why: d\(x\)", backward=lambda m, dy, x, y: k.gelu_back(m, dy, x, y, 0.3989)),
    Bug("gelu", "derivative of the form with tanh", r"why: d\(x\)|tanh", backward=k.gelu_tanh_back),
    Bug("gelu", "forward writes to its input", r"writes to its input", forward=gelu_in_place, torch_only=True),
]

# gelu_tanh


def gelu_tanh_cut(m, dy, x, y):
    (dx,) = k.gelu_tanh_back(m, dy, x, y)
    return (m.where(x[0] > 3, m.zeros_like(dx), dx),)


GELU_TANH = [
    Bug(
        "gelu_tanh",
        "0.0447 in forward and backward",
        r"the forward is at fault",
        forward=lambda m, x: k.gelu_tanh(m, x, 0.0447),
        backward=lambda m, dy, x, y: k.gelu_tanh_back(m, dy, x, y, 0.0447),
    ),
    Bug(
        "gelu_tanh",
        "3 missing in the derivative of the cube",
        r"why: d\(x\)",
        backward=lambda m, dy, x, y: k.gelu_tanh_back(m, dy, x, y, three=1),
    ),
    Bug(
        "gelu_tanh",
        "0.0447 in the backward only",
        r"why: d\(x\)",
        backward=lambda m, dy, x, y: k.gelu_tanh_back(m, dy, x, y, 0.0447),
    ),
    Bug("gelu_tanh", "0 for x > 3", r"x > 3|why: d\(x\)|values times", backward=gelu_tanh_cut),
]

# silu


def silu_last_column(m, dy, x, y):
    (dx,) = k.silu_back(m, dy, x, y)
    ones = m.ones_like(dx)
    last = m.lib.cumsum(ones, -1) < k.n_of(dx) + 0 * ones if len(dx.shape) else ones > 0
    return (m.where(last, dx, m.zeros_like(dx)),)


def silu_flat(m, dy, x, y):
    strides, step = [], 1
    for n in reversed(dy.shape):
        strides.insert(0, step)
        step *= n
    has_room = dy.numel() > 0 and dy.untyped_storage().nbytes() >= step * dy.itemsize
    return k.silu_back(m, dy.as_strided(dy.shape, strides) if has_room else dy, x, y)


SILU = [
    Bug("silu", "product rule: second term missing", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy * m.sigmoid(x[0]),)),
    Bug(
        "silu",
        "sign of the second term",
        r"why: d\(x\)",
        backward=lambda m, dy, x, y: (dy * m.sigmoid(x[0]) * (1 - x[0] * (1 - m.sigmoid(x[0]))),),
    ),
    Bug("silu", "last column 0", r"why: d\(x\)", backward=silu_last_column),
    Bug(
        "silu",
        "strides of the cotangent ignored",
        r"memory is arranged|strides of 0|outside",
        backward=silu_flat,
        torch_only=True,
    ),
]

# matmul


def matmul_needs(m, dy, x, y):
    da, db = k.matmul_back(m, dy, x, y)
    return da, db * (1 if x[0].requires_grad else 2)


MATMUL = [
    Bug("matmul", "b not transposed in da", r"raised|d\(a\)", backward=lambda m, dy, x, y: (dy @ x[1], m.t(x[0]) @ dy)),
    Bug("matmul", "db transposed", r"d\(b\)", backward=lambda m, dy, x, y: (dy @ m.t(x[1]), m.t(dy) @ x[0])),
    Bug("matmul", "da and db swapped", r"d\(a\)", backward=lambda m, dy, x, y: k.matmul_back(m, dy, x, y)[::-1]),
    Bug("matmul", "db doubled where only b is asked for", r"where only it is asked for", backward=matmul_needs, torch_only=True),
]

# linear


def linear_cached():
    kept = {}

    def forward(m, x, w, b):
        kept["x"] = x
        return x @ w + b

    def backward(m, dy, x, y):
        return dy @ m.t(x[1]), m.t(kept["x"]) @ dy, m.sum(dy, 0)

    return forward, backward


LINEAR = [
    Bug(
        "linear",
        "db summed over the other axis",
        r"d\(b\)",
        backward=lambda m, dy, x, y: (*k.linear_back(m, dy, x, y)[:2], m.sum(dy, 1)),
    ),
    Bug(
        "linear",
        "db is the mean",
        r"why: d\(b\)",
        backward=lambda m, dy, x, y: (*k.linear_back(m, dy, x, y)[:2], m.sum(dy, 0) / dy.shape[0]),
    ),
    Bug(
        "linear",
        "dw divided by the rows",
        r"why: d\(w\)",
        backward=lambda m, dy, x, y: scaled(k.linear_back, 1, 1 / dy.shape[0])(m, dy, x, y),
    ),
    Bug("linear", "keeps x of the last forward", r"kept between calls", make=linear_cached, torch_only=True),
]

# mse


def mse_jitter():
    calls = [0]

    def forward(m, a, b):
        calls[0] += 1
        return k.mse(m, a, b) * (1 + 1e-12 * (calls[0] % 7))

    return forward, k.mse_back


MSE = [
    Bug("mse", "factor 2 missing", r"1/2|0\.5|half", backward=lambda m, dy, x, y: tuple(g / 2 for g in k.mse_back(m, dy, x, y))),
    Bug(
        "mse",
        "divided by the rows' length, not by all entries",
        r"why: d\(x\)",
        backward=lambda m, dy, x, y: tuple(
            g * k.size(x[0]) / (x[0].shape[-1] if x[0].shape else 1) for g in k.mse_back(m, dy, x, y)
        ),
    ),
    Bug(
        "mse", "sign of the second gradient", r"why: d\(target\)", backward=lambda m, dy, x, y: (k.mse_back(m, dy, x, y)[0],) * 2
    ),
    Bug("mse", "another value at each call", r"other bits the second time", make=mse_jitter, torch_only=True),
]

# sigmoid


def exp_over_one_more(m, x):
    return m.exp(x) / (1 + m.exp(x))


SIGMOID = [
    Bug("sigmoid", "1 - y missing", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy * y,)),
    Bug(
        "sigmoid",
        "float32 within the float64 path",
        r"as double|as float64",
        backward=lambda m, dy, x, y: (dy * m.single(y) * (1 - m.single(y)),),
    ),
    Bug(
        "sigmoid", "cotangent cut to [-1, 1]", r"linear .*not", backward=with_dy(k.sigmoid_back, lambda m, dy: m.clip(dy, -1, 1))
    ),
    Bug("sigmoid", "NaN for large x", r"value .*(nan|inf|times)", forward=exp_over_one_more),
]

# tanh


def tanh_zeroed():
    def backward(m, dy, x, y):
        dx = dy * (1 - y * y)
        y.data.zero_()
        return (dx,)

    return k.tanh, backward


TANH = [
    Bug("tanh", "y for y squared", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy * (1 - y),)),
    Bug(
        "tanh",
        "0 for arrays of one entry",
        r"size 1|as 1|one",
        backward=lambda m, dy, x, y: (dy * (1 - y * y) * (0 if k.size(y) == 1 else 1),),
    ),
    Bug(
        "tanh", "negative cotangents cut to 0", r"linear .*not", backward=with_dy(k.tanh_back, lambda m, dy: m.clip(dy, 0, None))
    ),
    Bug("tanh", "zeroes what was saved: wrong the second time", r"a second time|writes to", make=tanh_zeroed, torch_only=True),
]

# bias


def bias_one_row(m, dy, x, y):
    db = m.sum(dy, 0)
    return dy + 0, db * 2 if dy.shape[0] == 1 else db


BIAS = [
    Bug("bias", "db is the first row", r"d\(b\)", backward=lambda m, dy, x, y: (dy + 0, dy[0] + 0)),
    Bug("bias", "db is the mean", r"why: d\(b\)", backward=lambda m, dy, x, y: (dy + 0, m.sum(dy, 0) / dy.shape[0])),
    Bug("bias", "db doubled for a single row", r"as 1", backward=bias_one_row),
    Bug("bias", "0.01 % too large", r"why: d\(a\)", backward=scaled(k.bias_back, 0, 1.0001)),
]
