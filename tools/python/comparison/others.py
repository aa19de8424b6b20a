"""Kernels that nobody here wrote, run as black boxes: functions of PyTorch and JAX, and what the report says of each.

python tools/python/comparison/others.py          # prints the table of tools/python/README.md, in Markdown
"""

import sys

import gradproof as gp
import jax
import numpy as np
import torch
import torch.nn.functional as F

nn = jax.nn
LABELS = torch.tensor([1, 0, 3, 2])
TARGET = torch.linspace(-1, 1, 20).reshape(4, 5)
GRID = torch.linspace(-0.83, 0.79, 18).reshape(1, 3, 3, 2)
LOWER = torch.tril(torch.ones(4, 4, dtype=torch.bool))


def typed(constant, like):
    return constant.to(like.dtype)


def ctc(x):
    """x [T, N, C] scores; two targets of three labels."""
    targets, lengths = torch.tensor([[1, 2, 1], [2, 2, 3]]), torch.tensor([3, 3])
    return F.ctc_loss(x.log_softmax(-1), targets, torch.full((2,), x.shape[0]), lengths)


# name, function, framework, what it is held to
OTHERS = [
    ("torch.softmax", lambda x: torch.softmax(x, -1), "torch", {"like": "softmax"}),
    ("torch.log_softmax", lambda x: torch.log_softmax(x, -1), "torch", {"like": "log_softmax"}),
    ("torch.logsumexp", lambda x: torch.logsumexp(x, tuple(range(x.ndim))), "torch", {"like": "logsumexp"}),
    ("F.layer_norm", lambda x, gain, bias: F.layer_norm(x, x.shape[-1:], gain, bias), "torch", {"like": "layer_norm"}),
    ("F.rms_norm", lambda x, gain: F.rms_norm(x, x.shape[-1:], gain, 1e-5), "torch", {"like": "rms_norm"}),
    ("F.group_norm", lambda x, w: F.group_norm(x, 2, w), "torch", {"shapes": [(3, 8), (8,)]}),
    ("F.gelu", lambda x: F.gelu(x), "torch", {"like": "gelu"}),
    ("F.gelu, tanh", lambda x: F.gelu(x, approximate="tanh"), "torch", {"like": "gelu", "attrs": {"form": "tanh"}}),
    ("F.silu", lambda x: F.silu(x), "torch", {"like": "silu"}),
    ("F.relu", lambda x: F.relu(x), "torch", {"like": "relu"}),
    ("F.softplus", lambda x: F.softplus(x), "torch", {"like": "softplus"}),
    ("torch.sigmoid", lambda x: torch.sigmoid(x), "torch", {"like": "sigmoid"}),
    ("torch.tanh", lambda x: torch.tanh(x), "torch", {"like": "tanh"}),
    ("torch.matmul", lambda a, b: torch.matmul(a, b), "torch", {"like": "matmul"}),
    ("torch.cumsum", lambda x: torch.cumsum(x, -1), "torch", {"like": "cumsum"}),
    ("torch.cumprod", lambda x: torch.cumprod(x, -1), "torch", {"like": "cumprod"}),
    ("torch.logcumsumexp", lambda x: torch.logcumsumexp(x, -1), "torch", {"shapes": [(4, 5)]}),
    ("torch.linalg.inv", lambda x: torch.linalg.inv(x), "torch", {"like": "inverse"}),
    (
        "F.scaled_dot_product_attention",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
        "torch",
        {"like": "attention", "without": "grouped"},
    ),
    (
        "F.scaled_dot_product_attention, causal",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, LOWER),
        "torch",
        {
            "reference": lambda q, k, v: (q @ k.mT / 2).masked_fill(~LOWER, -torch.inf).softmax(-1) @ v,
            "shapes": [(1, 2, 4, 4)] * 3,
        },
    ),
    ("F.mse_loss", lambda x, target: F.mse_loss(x, target), "torch", {"like": "mse"}),
    ("F.huber_loss", lambda x: F.huber_loss(x, typed(TARGET, x)), "torch", {"vary": False, "shapes": [(4, 5)]}),
    (
        "F.cross_entropy, smoothed",
        lambda x: F.cross_entropy(x, LABELS, label_smoothing=0.1),
        "torch",
        {"vary": False, "shapes": [(4, 5)]},
    ),
    ("F.cosine_similarity", lambda a, b: F.cosine_similarity(a, b), "torch", {"shapes": [(4, 5), (4, 5)]}),
    ("torch.cdist", lambda a, b: torch.cdist(a, b), "torch", {"shapes": [(4, 5), (3, 5)]}),
    ("F.conv1d", lambda x, w: F.conv1d(x, w), "torch", {"shapes": [(2, 3, 7), (4, 3, 3)]}),
    ("F.conv2d", lambda x, w: F.conv2d(x, w, padding=1), "torch", {"shapes": [(1, 2, 5, 6), (3, 2, 3, 3)]}),
    (
        "F.grid_sample",
        lambda x: F.grid_sample(x, typed(GRID, x), align_corners=False),
        "torch",
        {"vary": False, "shapes": [(1, 2, 5, 6)]},
    ),
    ("F.ctc_loss", ctc, "torch", {"vary": False, "shapes": [(7, 2, 4)]}),
    ("F.dropout, p=0.5, no seed", lambda x: F.dropout(x, 0.5), "torch", {"shapes": [(4, 5)]}),
    ("jax.nn.softmax", lambda x: nn.softmax(x), "jax", {"like": "softmax"}),
    ("jax.nn.log_softmax", lambda x: nn.log_softmax(x), "jax", {"like": "log_softmax"}),
    ("jax.nn.logsumexp", lambda x: nn.logsumexp(x), "jax", {"like": "logsumexp"}),
    ("jax.nn.gelu", lambda x: nn.gelu(x, approximate=False), "jax", {"like": "gelu"}),
    ("jax.nn.gelu, tanh", lambda x: nn.gelu(x), "jax", {"like": "gelu", "attrs": {"form": "tanh"}}),
    ("jax.nn.silu", lambda x: nn.silu(x), "jax", {"like": "silu"}),
    ("jax.nn.standardize", lambda x: nn.standardize(x, epsilon=1e-5), "jax", {"like": "layer_norm"}),
    ("jax.numpy.linalg.inv", lambda x: jax.numpy.linalg.inv(x), "jax", {"like": "inverse"}),
    ("jax.lax.cumlogsumexp", lambda x: jax.lax.cumlogsumexp(x, 0), "jax", {"shapes": [(4, 5)]}),
]


def why(report):
    """The contracts that are not right, and what is said of the first."""
    bad = [c for c in report.to_dict()["contracts"] if c["verdict"] in ("wrong", "cannot tell")]
    return f"{', '.join(c['name'] for c in bad)}: {bad[0]['told']}" if bad else ""


def print_standardize():
    """How far off jax.nn.standardize is for normal numbers plus 1e4."""
    x, off = np.random.default_rng(0).standard_normal((4, 5)) + 1e4, []
    for dtype in (np.float64, np.float32):
        given = x.astype(dtype)
        c = given.astype(np.float64) - given.mean(-1, keepdims=True, dtype=np.float64)
        true = c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)
        with jax.enable_x64(True):
            y = np.asarray(nn.standardize(jax.numpy.asarray(given), epsilon=1e-5))
        off.append(f"{np.abs(y - true).max():.3g} in {y.dtype.name}")
    largest = np.abs(true).max()
    print(f"\njax.nn.standardize of normal numbers plus 1e4: off by {', '.join(off)}; true entries up to {largest:.2g}")


def main():
    np.seterr(all="ignore")
    print("| kernel | held to | verdict | entries | not right |\n|---|---|---|---|---|")
    for name, function, framework, held in OTHERS:
        report = gp.check_kernel(function, framework=framework, name=name, **held)
        data = report.to_dict()
        to = data["against"].split(":")[0].replace("<lambda>", "written out")
        print(f"| {name} | {to} | {report.verdict} | {data['entries']} | {why(report)[:160]} |", flush=True)
        if not report:
            print(report, file=sys.stderr)
    print_standardize()


if __name__ == "__main__":
    main()
