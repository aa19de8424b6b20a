"""Lines put into right programs: differences decide which of them make a gradient wrong, and none of those is called right.

A sample of them is tried; with GRADPROOF_EVERY=1 all are.
"""

import os
import random
import re

import gradproof as gp
import pytest
from by_differences import gradients_are_right, is_called_right, text_of

# The names that lines change, and before which line the first is put: the layer may set its parameters.
NAMES = {
    "affine": ("x w b out cache dx dw db dout", 3),
    "network": ("X W1 w2 h r loss dr dw2 dh dz dW1 dX grads y", 3),
    "layer": ("x self.x self.W self.b self.z self.out dz self.dW self.db dx dout", 7),
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
    names, first = NAMES[name]
    lines, names = text_of(name).split("\n"), names.split()
    for at in range(first, len(lines) - 1):
        above = lines[at - 1]
        head = lines[at].strip().startswith("def ")
        blanks = " " * (len(above) - len(above.lstrip()) if head else len(lines[at]) - len(lines[at].lstrip()))
        for line in re.split(r" \| |\n", LINES.strip()):
            for a, c in zip(names, names[1:] + names[:1], strict=True):
                new = blanks + line.replace("\\n", "\n").format(a=a, c=c, i=blanks)
                yield "\n".join(lines[:at] + [new] + lines[at:])


@pytest.mark.parametrize("name", NAMES)
def test_a_line_that_makes_a_gradient_wrong_is_not_called_right(name):
    assert gradients_are_right(name, text_of(name))
    assert is_called_right(gp.check_python(text_of(name)))
    texts = list(changed(name))
    if not os.environ.get("GRADPROOF_EVERY"):
        texts = random.Random(name).sample(texts, 400)
    wrong = [text for text in texts if gradients_are_right(name, text) is False]
    found = [text for text in wrong if is_called_right(gp.check_python(text))]
    print(f"{name}: {len(wrong)} lines that make a gradient wrong")
    assert len(wrong) > 50
    assert not found, f"{len(found)} of {len(wrong)}, the first of them:\n{found[0]}"
