"""Lines put into right programs: differences decide which of them make a gradient wrong, and none of those is called right.

A sample of them is tried; with GRADPROOF_EVERY=1 all are.
"""

import contextlib
import io
import os
import random
import re
import warnings

import gradproof as gp
import numpy as np
import pytest

AFFINE = """# gradproof: dims N D M; input x [N, D]; input w [D, M]; input b [M]
import numpy as np
def affine_forward(x, w, b):
    out = x @ w + b
    cache = (x, w, b)
    return out, cache
def affine_backward(dout, cache):
    x, w, b = cache
    dx = dout @ w.T
    dw = x.T @ dout
    db = dout.sum(axis=0)
    return dx, dw, db
"""
NETWORK = """# gradproof: dims N D H; input X [N, D]; input W1 [D, H]; input w2 [H]; const y [N]
import numpy as np
def loss_grad(X, y, W1, w2):
    h = np.tanh(X @ W1)
    r = h @ w2 - y
    loss = 0.5 * np.sum(r ** 2)
    dr = r
    dw2 = h.T @ dr
    dh = np.outer(dr, w2)
    dz = dh * (1 - h ** 2)
    dW1 = X.T @ dz
    dX = dz @ W1.T
    grads = {"X": dX, "W1": dW1, "w2": dw2}
    return loss, grads
"""
LAYER = """# gradproof: dims N D M; input x [N, D]; input W [D, M]; input b [M]
import numpy as np
class Dense:
    def __init__(self, W, b):
        self.W = W
        self.b = b
    def forward(self, x):
        self.x = x
        self.z = x @ self.W + self.b
        self.out = np.tanh(self.z)
        return self.out
    def backward(self, dout):
        dz = dout * (1 - self.out ** 2)
        self.dW = self.x.T @ dz
        self.db = dz.sum(axis=0)
        dx = dz @ self.W.T
        return dx
"""


def of_affine(scope, dout, y, x, w, b, w2):
    """The number that is differentiated, and the gradients that the program gives, by the inputs that they are of."""
    out, cache = scope["affine_forward"](x, w, b)
    return np.sum(out * dout), dict(zip("xwb", scope["affine_backward"](dout, cache), strict=True))


def of_network(scope, dout, y, x, w, b, w2):
    loss, grads = scope["loss_grad"](x, y, w, w2)
    return loss, {"x": grads["X"], "w": grads["W1"], "w2": grads["w2"]}


def of_layer(scope, dout, y, x, w, b, w2):
    layer = scope["Dense"](w, b)
    return np.sum(layer.forward(x) * dout), {"x": layer.backward(dout), "w": layer.dW, "b": layer.db}


# What is run, the names that lines change, and before which line the first is put: the layer may set its parameters.
PROGRAMS = {
    "affine": (AFFINE, of_affine, "x w b out cache dx dw db dout", 3),
    "network": (NETWORK, of_network, "X W1 w2 h r loss dr dw2 dh dz dW1 dX grads y", 3),
    "layer": (LAYER, of_layer, "x self.x self.W self.b self.z self.out dz self.dW self.db dx dout", 7),
}
# {a}: a name, {c}: the next one, {i}: as many blanks as before the line.
LINES = r"""
{a} *= 2 | {a} = 2 * {a} | {a} += 1 | {a} = {a} + 1 | {a}[0] = 0 | {a}[:] = 0 | {a}[...] *= 3 | {a}.fill(0)
np.negative({a}, out={a}) | {a} = np.clip({a}, -0.1, 0.1) | np.clip({a}, -0.1, 0.1, out={a}) | {a} = {a}[::-1]
{a} = np.sign({a}) | {a} = np.zeros_like({a}) | {a} = {a} / np.linalg.norm({a}) | {a} /= np.max(np.abs({a}))
{a} -= {a}.mean() | {a}.sort() | {a} = {a}.astype(int) | {a} = np.round({a}) | {a} = -{a} | {a} = abs({a}) | {a} = {c}
{a}, {c} = {c}, {a} | {a} += {c} | {a} = {a} * {c} | for v in [{a}]: v *= 2 | for v in ({a}, {c}):\n{i}    v *= 2
t = {a}\n{i}t *= 2 | t = {a}.ravel()\n{i}t[0] = 0 | t = {a}.T\n{i}t += 1 | v = {a}[0]\n{i}v *= 2
v = {a}.view()\n{i}v -= 1 | if True:\n{i}    {a} = 2 * {a} | if {a}.sum() > -1e9:\n{i}    {a} = 2 * {a}
del {a}\n{i}{a} = {c} | while True:\n{i}    {a} = 2 * {a}\n{i}    break
with np.errstate(all="ignore"):\n{i}    {a} = 2 * {a} | {a} = np.where({a} > 0, {a}, 0)
try:\n{i}    {a} = 2 * {a}\n{i}except ValueError:\n{i}    pass | {a}[{a} < 0] = 0 | np.add({a}, 1, {a})
(lambda q: q.fill(0))({a}) | np.multiply({a}, 2, out={a}, casting="unsafe") | {a} = lambda q: q | globals()["{a}"] = 0
[q.fill(0) for q in [{a}]] | list(map(lambda q: q.fill(0), [{a}])) | def f(q):\n{i}    q *= 2\n{i}f({a})
f = {a}.fill\n{i}f(0) | {a} @= np.eye(3) | {a} = ({a}, {c})[0] * 2 | {a} = np.maximum({a}, 0) | {a}.flat[0] = 9
np.copyto({a}, 0) | np.put({a}, [0], 7) | {a}.put([0], 5) | exec("{a} *= 2") | {a} = np.dot({a}, 2)
{a} = sum([{a}, {a}]) | {a}: np.ndarray = {a} * 2 | {a} = (q := {a} * 2) | print(q := {a}.fill(0))
assert {a}.fill(0) is None | import numpy.random as np | np = None | {a} = {a} if {a}.ndim == 7 else {a} * 2
{a} = [{a} * 2][0] | {a} = {a}.copy() * 2 | {a} = np.array({a}) * 2 | {a} = {a} * (1 + 1e-3) | {a} = {a} ** 1.01
{a} = 0.9 * {a} + 0.1 * {c} | {a} = {a} - 0.01 * {c} | {a} -= 0.01 * {c} | {a} -= 0.01 * {a}
"""


def changed(name):
    program, run, names, first = PROGRAMS[name]
    lines, names = program.split("\n"), names.split()
    for at in range(first, len(lines) - 1):
        above = lines[at - 1]
        head = lines[at].strip().startswith("def ")
        blanks = " " * (len(above) - len(above.lstrip()) if head else len(lines[at]) - len(lines[at].lstrip()))
        for line in re.split(r" \| |\n", LINES.strip()):
            for a, c in zip(names, names[1:] + names[:1], strict=True):
                new = blanks + line.replace("\\n", "\n").format(a=a, c=c, i=blanks)
                yield "\n".join(lines[:at] + [new] + lines[at:])


def gradients_are_right(text, run):
    """Whether they are those that differences give; None of a program that ends in an error."""
    rng = np.random.default_rng(0)
    dout, y = rng.normal(size=(4, 5)), rng.normal(size=4)
    inputs = {"x": rng.normal(size=(4, 3)), "w": rng.normal(size=(3, 5)), "b": rng.normal(size=5), "w2": rng.normal(size=5)}
    scope = {}

    def once(**others):
        given = {name: np.array(value) for name, value in {**inputs, **others}.items()}
        return run(scope, np.array(dout), np.array(y), **given)

    def difference(name, at, step=1e-6):
        moved = np.zeros_like(inputs[name])
        moved[at] = step
        return float(once(**{name: inputs[name] + moved})[0] - once(**{name: inputs[name] - moved})[0]) / (2 * step)

    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exec(text, scope)
            grads = {name: np.array(grad, dtype=float) for name, grad in once()[1].items()}
            if any(grad.shape != inputs[name].shape for name, grad in grads.items()):
                return False
            return all(
                np.isclose(grad[at], difference(name, at), rtol=1e-3, atol=1e-5)
                for name, grad in grads.items()
                for at in np.ndindex(grad.shape)
            )
    except Exception:
        return None


def is_called_right(report):
    said = report.to_dict()
    told = said["wrong"] + said["cannot_tell"] + said["not_read"] + len(said["passed_over"]) + len(said["updates"])
    return said["right"] > 0 and told == 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_line_that_makes_a_gradient_wrong_is_not_called_right(name):
    program, run, _, _ = PROGRAMS[name]
    assert gradients_are_right(program, run)
    assert is_called_right(gp.check_python(program))
    texts = list(changed(name))
    if not os.environ.get("GRADPROOF_EVERY"):
        texts = random.Random(name).sample(texts, 400)
    wrong = [text for text in texts if gradients_are_right(text, run) is False]
    found = [text for text in wrong if is_called_right(gp.check_python(text))]
    print(f"{name}: {len(wrong)} lines that make a gradient wrong")
    assert len(wrong) > 50
    assert not found, f"{len(found)} of {len(wrong)}, the first of them:\n{found[0]}"
