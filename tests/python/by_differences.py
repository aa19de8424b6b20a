"""Right programs, and whether the gradients that one of them gives are those that differences give."""

import contextlib
import io
import pathlib
import warnings

import numpy as np
import pytest


def _drawn(*shape, seed=9):
    return np.random.default_rng(seed).normal(size=shape)


def _pair(forward, backward, names, shape):
    """Runs `out, cache = forward(...)` and `backward(dout, cache)`, of sum(out * dout)."""

    def run(scope, given):
        out, cache = scope[forward](**given)
        dout = _drawn(*shape)
        return np.sum(out * dout), dict(zip(names, scope[backward](dout, cache), strict=False))

    return run


def _layer(name, parameters, shape):
    """Runs a class with forward(x) and backward(dout), which keeps the gradients by its parameters."""

    def run(scope, given):
        layer = scope[name](**{p: given[p] for p in given if p != "x"})
        dout = _drawn(*shape)
        loss = np.sum(layer.forward(given["x"]) * dout)
        return loss, {"x": layer.backward(dout), **{p: getattr(layer, "d" + p) for p in parameters}}

    return run


def _attention(scope, given):
    return _pair("attention_forward", "attention_backward", ["X", "Wq", "Wk", "Wv"], (4, 2))(scope, given)


def _batchnorm(scope, given):
    return _pair("bn_forward", "bn_backward", ["x", "gamma", "beta"], (4, 3))(scope, given)


def _dropout(scope, given):
    block = scope["Block"](given["W"], (_drawn(4, 2, seed=5) > 0) * 1.0)
    dout = _drawn(4, 2, seed=7)
    loss = np.sum(block.forward(given["x"]) * dout)
    return loss, {"x": block.backward(dout), "W": block.dW}


def _embed(scope, given):
    loss, *grads = scope["forward_backward"](given["E"], given["W"], np.array([0, 3, 3, 1]), _drawn(4, 2))
    return loss, dict(zip("EW", grads, strict=True))


def _helpers(scope, given):
    x, y, w1, w2 = _drawn(4, 3, seed=3), _drawn(4, 2, seed=4), given["W1"], given["W2"]
    loss = scope["compute_loss"](scope["forward"](x, w1, w2)[3], y)
    return loss, dict(zip(["W1", "W2"], scope["backward"](x, y, w1, w2), strict=True))


def _hinge(scope, given):
    loss, *grads = scope["svm"](given["X"], np.array([1.0, -1, 1, 1]), given["w"], given["b"])
    return loss, dict(zip("Xwb", grads, strict=True))


def _listnet(scope, given):
    loss, grads = scope["grad"](_drawn(4, 3, seed=3), given["W"], given["b"], given["V"], _drawn(4, seed=4))
    return loss, dict(zip("WbV", grads, strict=True))


def _logreg(scope, given):
    x, y, w, b = _drawn(3, 4), _drawn(1, 4, seed=8) > 0, given["w"], given["b"]
    grads = scope["propagate"](w, b, x, y)
    return scope["compute_cost"](scope["forward"](w, b, x), y), {"w": grads["dw"], "b": grads["db"]}


def _lstm(scope, given):
    h, c, cache = scope["lstm_forward"](**given)
    dh, dc = _drawn(4, 2), _drawn(4, 2, seed=8)
    return np.sum(h * dh) + np.sum(c * dc), dict(zip(given, scope["lstm_backward"](dh, dc, cache), strict=False))


def _mlp(scope, given):
    net = scope["MLP"](given["W1"], given["b1"], given["W2"], given["b2"])
    return net.loss(given["x"], _drawn(4, 2)), {name: net.backward()[name] for name in ["W1", "b1", "W2", "b2"]}


def _network(scope, given):
    loss, grads = scope["loss_grad"](given["X"], _drawn(4), given["W1"], given["w2"])
    return loss, {name: grads[name] for name in given}


def _rnn(scope, given):
    dh = np.vstack([np.zeros((1, 2)), _drawn(4, 2)])
    h, cache = scope["rnn_forward"](**given)
    return np.sum(h * dh), dict(zip(["x", "Wx", "Wh", "b"], scope["rnn_backward"](dh, cache), strict=False))


def _script(scope, given):
    return scope["loss"], {name: scope["d" + name] for name in given}


def _softmaxce(scope, given):
    loss, *grads = scope["loss_and_grads"](given["X"], np.abs(_drawn(4, 2)), given["W"], given["b"], 0.3)
    return loss, dict(zip("XWb", grads, strict=True))


def _torch(function):
    """Runs a torch.autograd.Function forth and back."""

    def run(scope, given):
        import torch

        inputs = [torch.tensor(value, requires_grad=True) for value in given.values()]
        out = scope[function].apply(*inputs)
        dout = _drawn(*out.shape)
        grads = torch.autograd.grad(out, inputs, torch.tensor(dout), allow_unused=True)
        pairs = zip(given.items(), grads, strict=True)
        return np.sum(out.detach().numpy() * dout), {x: 0 * value if g is None else g.numpy() for (x, value), g in pairs}

    return run


def _jax(function):
    """Runs a function with a jax.custom_vjp: the loss by itself, and the gradients by its pair."""

    def run(scope, given):
        import jax

        enable = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # of other tests it is off
        with enable(True):
            _, pull = jax.vjp(scope[function], *given.values())
            out = np.asarray(scope[function](*given.values()))
            dout = _drawn(*out.shape)
            grads = [np.asarray(grad) for grad in pull(dout)]
        return np.sum(out * dout), dict(zip(given, grads, strict=True))

    return run


# How each is run, and the shapes of its inputs.
PROGRAMS = {
    "affine": (_pair("affine_forward", "affine_backward", "xwb", (4, 5)), {"x": (4, 3), "w": (3, 5), "b": (5,)}),
    "attention": (_attention, {"X": (4, 3), "Wq": (3, 2), "Wk": (3, 2), "Wv": (3, 2)}),
    "batchnorm": (_batchnorm, {"x": (4, 3), "gamma": (3,), "beta": (3,)}),
    "dropout": (_dropout, {"x": (4, 3), "W": (3, 2)}),
    "embed": (_embed, {"E": (5, 3), "W": (3, 2)}),
    "gate": (
        _pair("swiglu_forward", "swiglu_backward", "xWVU", (4, 3)),
        {"x": (4, 3), "W": (3, 2), "V": (3, 2), "U": (2, 3)},
    ),
    "helpers": (_helpers, {"W1": (3, 2), "W2": (2, 2)}),
    "hinge": (_hinge, {"X": (4, 3), "w": (3,), "b": ()}),
    "jax_dense": (_jax("dense"), {"x": (4, 3), "w": (3, 5), "b": (5,)}),
    "jax_softmax": (_jax("attend"), {"x": (4, 3), "w": (3, 3)}),
    "layer": (_layer("Dense", "Wb", (4, 5)), {"x": (4, 3), "W": (3, 5), "b": (5,)}),
    "layernorm": (
        _pair("layernorm_forward", "layernorm_backward", ["x", "gamma", "beta"], (4, 3)),
        {"x": (4, 3), "gamma": (3,), "beta": (3,)},
    ),
    "listnet": (_listnet, {"W": (3, 2), "b": (2,), "V": (2,)}),
    "logreg": (_logreg, {"w": (3, 1), "b": ()}),
    "lstm": (_lstm, {"x": (4, 3), "h": (4, 2), "c": (4, 2), "Wx": (3, 8), "Wh": (2, 8), "b": (8,)}),
    "mha": (_pair("mha_forward", "mha_backward", "qkv", (1, 2, 3, 2)), dict.fromkeys("qkv", (1, 2, 3, 2))),
    "mlpclass": (_mlp, {"x": (4, 3), "W1": (3, 5), "b1": (5,), "W2": (5, 2), "b2": (2,)}),
    "network": (_network, {"X": (4, 3), "W1": (3, 5), "w2": (5,)}),
    "norms": (_pair("rmsnorm_fwd", "rmsnorm_bwd", "xg", (4, 3)), {"x": (4, 3), "g": (3,)}),
    "rnn": (_rnn, {"x": (4, 3), "Wx": (3, 2), "Wh": (2, 2), "b": (2,), "h0": (2,)}),
    "script": (_script, {"X": (4, 3), "W1": (3, 2), "b1": (2,), "w2": (2,), "b2": ()}),
    "softmaxce": (_softmaxce, {"X": (4, 3), "W": (3, 2), "b": (2,)}),
    "torch_attention": (_torch("Attention"), dict.fromkeys("qkv", (4, 3))),
    "torch_layernorm": (_torch("LayerNorm"), {"x": (4, 3), "w": (3,), "b": (3,)}),
    "torch_linear": (_torch("LinearReLU"), {"x": (4, 3), "weight": (5, 3), "bias": (5,)}),
    "torch_rmsnorm": (_torch("RMSNorm"), {"x": (4, 3), "w": (3,)}),
    "torch_swiglu": (_torch("SwiGLU"), dict.fromkeys("ab", (4, 3))),
}


def text_of(name):
    return (pathlib.Path(__file__).parent / "right_programs" / f"{name}.py").read_text()


def gradients_are_right(name, text):
    """Whether those that the text gives, run as that program is, are what differences give; None where it ends in an error."""
    if name.startswith(("torch_", "jax_")):
        pytest.importorskip(name.split("_")[0])
    run, shapes = PROGRAMS[name]
    rng = np.random.default_rng(0)
    inputs = {x: rng.normal(size=shape) for x, shape in shapes.items()}
    is_script = "def " not in text

    def once(**others):
        given = {x: np.array(value) for x, value in {**inputs, **others}.items()}
        scope = {**given, "y": _drawn(4)} if is_script else {}
        exec(text, scope)
        return run(scope, given)

    def difference(x, at, step=1e-6):
        moved = np.zeros_like(inputs[x])
        moved[at] = step
        return float(once(**{x: inputs[x] + moved})[0] - once(**{x: inputs[x] - moved})[0]) / (2 * step)

    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            grads = {x: np.array(grad, dtype=float) for x, grad in once()[1].items() if grad is not None}
            if any(grad.shape != inputs[x].shape for x, grad in grads.items()):
                return False
            return all(
                np.isclose(grad[at], difference(x, at), rtol=1e-3, atol=1e-5)
                for x, grad in grads.items()
                for at in np.ndindex(grad.shape)
            )
    except Exception:
        return None


def is_called_right(report):
    """Right, and nothing of it told."""
    said = report.to_dict()
    told = said["wrong"] + said["cannot_tell"] + said["not_read"] + len(said["passed_over"]) + len(said["updates"])
    return said["right"] > 0 and told == 0
