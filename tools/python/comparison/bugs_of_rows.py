"""Bugs in kernels that sum over rows: softmax and its like, norms, attention."""

import kernels as k
from bug import Bug

# softmax


def softmax_in_place(m, dy, x, y):
    dy -= k.rows(m, dy * y)
    return (y * dy,)


def exp_over_sum(m, x):
    e = m.exp(x)
    return e / k.rows(m, e)


SOFTMAX = [
    Bug("softmax", "row sum missing", r"missing|claimed = y dy", backward=lambda m, dy, x, y: (y * dy,)),
    Bug(
        "softmax",
        "sum over all entries, not each row",
        r"axis|sum",
        backward=lambda m, dy, x, y: (y * (dy - m.sum(dy * y)),),
    ),
    Bug("softmax", "no maximum subtracted: overflows", r"value .*(nan|inf|times)", forward=exp_over_sum),
    Bug("softmax", "writes to the cotangent", r"writes to the cotangent", backward=softmax_in_place, torch_only=True),
]

# log_softmax


def log_softmax_half(m, dy, x, y):
    p = m.exp(y)
    return (dy - (m.half(p) if m.is_single(x[0]) else p) * k.rows(m, dy),)


LOG_SOFTMAX = [
    Bug("log_softmax", "y for exp(y)", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy - y * k.rows(m, dy),)),
    Bug(
        "log_softmax",
        "sum of the cotangent missing",
        r"not 0 for a cotangent of zeros",
        backward=lambda m, dy, x, y: (dy - m.exp(y),),
    ),
    Bug("log_softmax", "half precision in the float32 path", r"as float\b|as float32", backward=log_softmax_half),
    Bug(
        "log_softmax",
        "takes the cotangent for ones",
        r"not 0 for a cotangent of zeros",
        backward=lambda m, dy, x, y: (1 - k.n_of(y) * m.exp(y) + 0 * dy,),
    ),
]

# logsumexp


def logsumexp_half(m, dy, x, y):
    (dx,) = k.logsumexp_back(m, dy, x, y)
    return (m.half(dx) if m.is_single(dx) else dx,)


LOGSUMEXP = [
    Bug("logsumexp", "cotangent left out", r"not 0 for a cotangent of zeros", backward=lambda m, dy, x, y: (m.exp(x[0] - y),)),
    Bug("logsumexp", "no maximum subtracted: overflows", r"value .*(nan|inf|times)", forward=lambda m, x: m.log(m.sum(m.exp(x)))),
    Bug(
        "logsumexp", "gradient of the mean", r"why: d\(x\)", backward=lambda m, dy, x, y: (dy * m.ones_like(x[0]) / k.size(x[0]),)
    ),
    Bug("logsumexp", "half precision in the float32 path", r"as float\b|as float32", backward=logsumexp_half),
]

# layer_norm


def layer_norm_without(mean=1.0, product=1.0, less=0):
    def backward(m, dy, x, y):
        x, gain, bias = x
        c, r = k.normal(m, x)
        h, dh, n = c * r, dy * gain, k.n_of(c) - less
        dx = r * (dh - mean * k.rows(m, dh) / n - product * h * k.rows(m, dh * h) / n)
        return dx, k.leading(m, dy * h, gain), k.leading(m, dy, bias)

    return backward


def layer_norm_gain(m, dy, x, y):
    dx, dgain, dbias = k.layer_norm_back(m, dy, x, y)
    return dx, dbias + 0 * dgain, dbias


LAYER_NORM = [
    Bug("layer_norm", "mean of the cotangent missing", r"why: d\(x\)", backward=layer_norm_without(mean=0)),
    Bug("layer_norm", "term of the variance missing", r"why: d\(x\)", backward=layer_norm_without(product=0)),
    Bug("layer_norm", "n - 1 for n in the backward", r"why: d\(x\)", backward=layer_norm_without(less=1)),
    Bug("layer_norm", "gradient of the gain without the normalised x", r"why: d\(gain\)", backward=layer_norm_gain),
]

# rms_norm


def rms_norm_with(eps=1e-5, divided=True, gained=True):
    def backward(m, dy, x, y):
        x, gain = x
        r = 1 / m.sqrt(k.rows(m, x * x) / k.n_of(x) + eps)
        h, dh = x * r, dy * gain if gained else dy
        dx = r * (dh - h * k.rows(m, dh * h) / (k.n_of(h) if divided else 1))
        return dx, k.leading(m, dy * h, gain)

    return backward


def rms_norm_cached():
    kept = {}

    def forward(m, x, gain):
        kept["r"] = 1 / m.sqrt(k.rows(m, x * x) / k.n_of(x) + 1e-5)
        return x * kept["r"] * gain

    def backward(m, dy, x, y):
        (x, gain), r = x, kept["r"]
        h, dh = x * r, dy * gain
        return r * (dh - h * k.rows(m, dh * h) / k.n_of(h)), k.leading(m, dy * h, gain)

    return forward, backward


RMS_NORM = [
    Bug("rms_norm", "eps left out in the backward", r"why: d\(x\)", backward=rms_norm_with(eps=0)),
    Bug("rms_norm", "second term not divided by n", r"why: d\(x\)", backward=rms_norm_with(divided=False)),
    Bug("rms_norm", "gain left out in dx", r"why: d\(x\)", backward=rms_norm_with(gained=False)),
    Bug("rms_norm", "keeps the root of the last forward", r"kept between calls", make=rms_norm_cached, torch_only=True),
]

# attention


def attention_with(scale_q=True, row_sum=True, transposed=True):
    def backward(m, dy, x, y):
        q, key, v = x
        scale = 1 / k.n_of(q) ** 0.5
        w = k.softmax(m, q @ m.t(key) * scale)
        dw = dy @ m.t(v)
        ds = w * (dw - k.rows(m, dw * w) if row_sum else dw)
        return (scale if scale_q else 1) * ds @ key, scale * (m.t(ds) if transposed else ds) @ q, m.t(w) @ dy

    return backward


ATTENTION = [
    Bug("attention", "scale missing in dq", r"why: d\(q\)", backward=attention_with(scale_q=False)),
    Bug("attention", "row sum of the softmax missing", r"row sum|missing|why: d\(", backward=attention_with(row_sum=False)),
    Bug("attention", "ds not transposed in dk", r"d\(k\)|raised", backward=attention_with(transposed=False)),
    Bug(
        "attention",
        "no maximum subtracted: overflows",
        r"value .*(nan|inf|times)",
        forward=lambda m, q, key, v: exp_over_sum(m, q @ m.t(key) / k.n_of(q) ** 0.5) @ v,
    ),
]
