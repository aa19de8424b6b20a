"""Programs that are run beside their reading: right ones are confirmed, and what is read otherwise than it runs is seen.

Misreadings are planted: a right program is read, and one with a slip, which gives wrong gradients, is run in its place. Those of
a return are left out: a run shows values, and not what they are taken for (test_mutated_programs.py).

A sample is tried; with GRADPROOF_EVERY=1 all are.
"""

import ast
import bisect
import json
import os
import random
import subprocess
import sys

import gradproof as gp
import mutants
import numpy as np
import program as built
import pytest
from by_differences import PROGRAMS, gradients_are_right, text_of
from gradproof import _run, derivations
from gradproof._run import instrument, main


def checked(text, run):
    return derivations._check(text, ".py", "test", gp.derivations.SEED, False, None, (), run)


def is_confirmed(report):
    said = report.to_dict()
    others = said["wrong"] + said["cannot_tell"] + said["not_read"] + len(said["run"]["not_compared"])
    return others == 0 and said["run"]["gradients"] == said["right"] > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_program_computes_what_is_read(name):
    if name.startswith(("torch_", "jax_")):
        pytest.importorskip(name.split("_")[0])
    report = gp.check_python(text_of(name), run=True)
    assert is_confirmed(report), report
    assert report.to_dict()["run"]["values"] > 0


def _moved(offset, old, new):
    """A place in a text, as one in another with the same lines."""
    line = bisect.bisect_right(old, offset) - 1
    return new[line] + offset - old[line]


def _differ_in_a_return_alone(text, other):
    pairs = zip(text.split("\n"), other.split("\n"), strict=True)
    return all(b.lstrip().startswith("return ") for a, b in pairs if a != b)


def run_in_place_of(text, other):
    """Runs another text with the same lines, and answers as if the text had been run."""
    old, new = instrument.starts_of_lines(text), instrument.starts_of_lines(other)

    def run(request):
        asked = json.loads(request)
        asked["text"] = other
        for case in asked["cases"]:
            for lines in ("lines", "gradient_lines"):
                case[lines] = [_moved(at, old, new) for at in case[lines]]
        in_process = "torch" not in text and "jax" not in text  # these would change settings of this process
        answers = main.answer(asked) if in_process else json.loads(_run.in_python(json.dumps(asked), 60))
        for answer in answers:
            answer["again"] = [_moved(at, new, old) for at in answer["again"]]
            for handed in answer["handed"]:
                handed["at"] = None if handed["at"] is None else _moved(handed["at"], new, old)
            for lines in ("values", "changed"):
                answer[lines] = {str(_moved(int(at), new, old)): value for at, value in answer[lines].items()}
        return json.dumps(answers)

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_misreading_is_seen(name):
    text = text_of(name).split("\n")[0] + "\n" + ast.unparse(ast.parse(text_of(name))) + "\n"  # as mutants are written
    assert gradients_are_right(name, text)
    others = sorted({other for other in mutants.of_parts(text) if other.count("\n") == text.count("\n")})
    others = [other for other in others if not _differ_in_a_return_alone(text, other)]
    random.Random(name).shuffle(others)
    framework = name.startswith(("torch_", "jax_"))
    most = 10**9 if os.environ.get("GRADPROOF_EVERY") else 3 if framework else 12
    tried, found = 0, []
    for other in others:
        if tried == most:
            break
        if gradients_are_right(name, other) is not False:
            continue
        tried += 1
        if is_confirmed(checked(text, run_in_place_of(text, other))):
            found.append(other)
    print(f"{name}: {tried} misreadings that matter")
    assert tried > 2
    assert not found, f"{len(found)} of {tried}, the first of them:\n{found[0]}"


PROGRAM = "# gradproof: dims n; input x [n]\n{}y = 3 * x\nloss = (y ** 2).sum()\ndy = 2 * y\n"


def test_a_run_that_gives_no_answer_is_an_error():
    with pytest.raises(RuntimeError, match="the program runs for more than 1 s"):
        gp.check_python(PROGRAM.format("while True:\n    pass\n"), run=True, time_limit=1)
    with pytest.raises(RuntimeError, match="Python ended with exit status 7 and no answer"):
        gp.check_python(PROGRAM.format("import os\nos._exit(7)\n"), run=True)


def test_what_is_not_run_is_told_with_its_line():
    report = gp.check_python(PROGRAM.format("import none_of_this_name\n"), run=True)
    reasons = {told["why"] for told in report.to_dict()["run"]["not_compared"]}
    assert reasons == {"the program is not run: line 2: ModuleNotFoundError: No module named 'none_of_this_name'"}


def test_nothing_is_run_unless_it_is_asked_for(tmp_path):
    program = PROGRAM.format(f"import pathlib\npathlib.Path({str(tmp_path / 'run')!r}).touch()\n")
    assert gp.check_python(program).to_dict()["run"] is None
    assert not (tmp_path / "run").exists()
    gp.check_python(program, run=True)
    assert (tmp_path / "run").exists()


def is_seen(program, **options):
    return "Python computes" in gp.check_python(program, run=True, **options).to_dict()["run"].get("differs", "")


def test_what_a_reading_cannot_know_is_seen():
    assert is_seen(  # the attributes are exchanged on their way
        """# gradproof: dims n d; input x [n, d]; input W [d, d]; input V [d, d]
import numpy as np
class Net:
    def __init__(self, W, V):
        self.put(W, V)
    def put(self, V, W):
        self.W, self.V = W, V
    def forward(self, x):
        self.x = x
        self.h = np.tanh(x @ self.W)
        return self.h @ self.V
    def backward(self, dy):
        self.dV = self.h.T @ dy
        dz = dy @ self.V.T * (1 - self.h ** 2)
        self.dW = self.x.T @ dz
        return dz @ self.W.T
"""
    )
    assert is_seen(  # out is z itself
        """# gradproof: dims n=4 d; input x [n, d]; input b [d]
import numpy as np
def act(t):
    return t if n > 2 else -t
z = np.tanh(x)
out = act(z)
out += b
L = np.sum(out ** 2)
dout = 2 * out
dx = dout * (1 - z ** 2)
"""
    )


def test_how_arguments_are_found():
    closure = """# gradproof: dims n m; input x [n, m]; input w [m]
import numpy as np
def layer(x, w):
    y = x * w
    def backward(dy):
        dx = dy * w
        dw = np.sum(dy * x, axis=0)
        return dx, dw
    return y, backward
"""
    layer = """# gradproof: dims n d m; input x [n, d]; input W [d, m]
import numpy as np
class Linear:
    def __init__(self, inputs, outputs):
        self.W = np.random.randn(inputs, outputs)
    def forward(self, x):
        self.x = x
        return x @ self.W
    def backward(self, delta):
        self.dW = self.x.T @ delta
        dx = delta @ self.W.T
        return dx
"""
    step = """# gradproof: dims n d; input X [n, d]; input w [d]; const y [n]
import numpy as np
X = np.random.randn(7, 2)
def step(X, y, w, lr):
    r = X @ w - y
    loss = 0.5 * np.sum(r ** 2)
    dw = X.T @ r
    return loss, dw
if __name__ == "__main__":
    print(step(X, y, np.zeros(2), 0.1))
"""
    second = """# gradproof: dims n m; input x [n, m]; input w [m]
import numpy as np
def layer(x, w):
    return (np.tanh(x) * w), x
def layer_backward(dout, cache, w):
    x = cache
    dx = dout * w * (1 - np.tanh(x) ** 2)
    dw = np.sum(dout * np.tanh(x), axis=0)
    return dx, dw
"""
    two = """# gradproof: dims n d m; input x [n, d]; input W [d, m]; input b [m]
import numpy as np
class Linear:
    def __init__(self, W, b):
        self.W, self.b = W, b
    def forward(self, x):
        self.x = x
        return x @ self.W + self.b
    def backward(self, dy):
        dW, db = self.x.T @ dy, dy.sum(axis=0)
        return dy @ self.W.T, dW, db
"""
    params = """# gradproof: dims n d m; input x [n, d]; input W [d, m]; input b [m]
import numpy as np
def forward(x, params):
    y = np.tanh(x @ params["W"] + params["b"])
    return y, (x, y)
def backward(dy, cache, params):
    x, y = cache
    grads = {k: np.zeros_like(v) for k, v in params.items()}
    dz = dy * (1 - y ** 2)
    grads["W"] += x.T @ dz
    grads["b"] += dz.sum(axis=0)
    dx = dz @ params["W"].T
    return dx, grads
"""
    for program in (closure, layer, step, second, params):
        report = gp.check_python(program, run=True)
        assert is_confirmed(report), report
    said = gp.check_python(two, run=True).to_dict()  # two gradients in one line
    assert (said["right"], said["run"]["gradients"], said["run"]["not_compared"]) == (3, 2, [])


def test_a_value_may_become_its_gradient_in_place():
    program = """# gradproof: dims n d c; input X [n, d]; input W [d, c]; const y [n] ~ index(c)
import numpy as np
def loss(X, W, y):
    n = X.shape[0]
    scores = X.dot(W)
    probs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    loss = -np.log(probs[np.arange(n), y]).mean()
    dscores = probs
    dscores[np.arange(n), y] -= 1
    dscores /= n
    dW = X.T.dot(dscores)
    return loss, dW
"""
    report = gp.check_python(program, run=True)
    assert is_confirmed(report), report


def test_a_loop_of_training_and_fewer_bits_raise_no_alarm():
    trains = """# gradproof: dims n d k; input X [n, d]; input W [d, k]; const T [n, k]
import numpy as np
for step in range(3):
    Y = np.tanh(X @ W)
    loss = 0.5 * np.sum((Y - T) ** 2)
    dY = Y - T
    dW = X.T @ (dY * (1 - Y ** 2))
    W -= 0.1 * dW
"""
    narrow = """# gradproof: dims n; input x [n]
import numpy as np
def forward(x):
    y = np.tanh(x)
    return y, y.astype(np.float32)
def backward(dy, cache):
    y = cache
    dx = dy * (1 - y ** 2)
    return dx
"""
    for program in (trains, narrow):
        said = gp.check_python(program, run=True).to_dict()
        assert "differs" not in said["run"] or not said["run"]["differs"], said["run"]
        assert said["cannot_tell"] == said["wrong"] == 0


def test_a_gradient_that_comes_into_a_loss_is_drawn():
    torch = """# gradproof: dims n d; input x [n, d]; input w [d]
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        t = torch.tanh(x @ w)
        ctx.save_for_backward(x, w, t)
        loss = t.sum()
        return loss
    @staticmethod
    def backward(ctx, g):
        x, w, t = ctx.saved_tensors
        dz = {g}(1 - t ** 2)
        return torch.outer(dz, w), x.t() @ dz
"""
    jax = """# gradproof: dims n d; input x [n, d]; input w [d]
import jax, jax.numpy as jnp
@jax.custom_vjp
def f(x, w):
    return jnp.sum(jnp.tanh(x @ w))
def f_fwd(x, w):
    t = jnp.tanh(x @ w)
    return jnp.sum(t), (x, w, t)
def f_bwd(res, g):
    x, w, t = res
    dz = {g}(1 - t ** 2)
    return jnp.outer(dz, w), x.T @ dz
f.defvjp(f_fwd, f_bwd)
"""
    for framework, program in (("torch", torch), ("jax", jax)):
        pytest.importorskip(framework)
        said = gp.check_python(program.format(g="g * "), run=True).to_dict()
        assert said["right"] == 2, framework  # in one line
        assert said["run"]["gradients"] == 1, framework
        assert said["run"]["not_compared"] == [], framework
        assert gp.check_python(program.format(g=""), run=True).to_dict()["wrong"] == 2, framework


def test_each_layer_of_a_file_is_run(tmp_path):
    relu = """
# gradproof: dims n d; input x [n, d]
def relu(x):
    out = np.maximum(0, x)
    return out, x
def relu_backward(dout, cache):
    x = cache
    dx = dout * ({slope})
    return dx
"""

    def lines(slope, expect):
        (tmp_path / "layers.py").write_text(text_of("affine") + relu.format(slope=slope))
        path = tmp_path / "layers.py"
        return built.program("check", "--run", "--python", sys.executable, path, expect=expect).splitlines()

    right, wrong = lines("x > 0", 0), lines("x < 0", 1)
    assert sum("run in Python" in line for line in right) == 2
    assert right[-1].startswith("all right: ")
    assert not [line for line in right if "not compared" in line]
    assert "1 wrong of" in wrong[-1]


LAYER = """# gradproof: dims n d m; input x [n, d]; input W [d, m]
import numpy as np
class Linear:
    def __init__(self, W):
        self.W, self.xs, self.dW = W, [], 0
    def forward(self, x):
        {keeps}
        return x @ self.W
    def backward(self, dy):
        x = {kept}
        self.dW {is_} x.T @ dy
        dx = dy @ self.W.T
        return dx
"""


def test_what_calls_leave_behind():
    # What is read is the layer that keeps one x; what runs keeps another.
    read = LAYER.format(keeps="self.x = x", kept="self.x", is_="=")
    assert is_confirmed(gp.check_python(read, run=True))

    def seen(**slip):
        other = LAYER.format(**{"keeps": "self.x = x", "kept": "self.x", "is_": "=", **slip})
        return checked(read, run_in_place_of(read, other)).to_dict()["run"].get("differs", "")

    assert "where other calls came before or between" in seen(keeps="self.xs.append(x)", kept="self.xs[0]")
    assert "where other calls came before or between" in seen(keeps="self.x = self.__dict__.get('x', x)")
    assert not seen(keeps="self.xs.append(x)", kept="self.xs[-1]")
    assert not seen(is_="+=")


CARRIES = """# gradproof: dims n d m; input x [n, d]; input W [d, m]
import numpy as np
class Linear:
    def __init__(self, W):
        self.W = W
        self.last = 0
    def forward(self, x):
        self.x = x
        return x @ self.W
    def backward(self, dy):
        g = self.x.T @ dy
        self.dW = {} + g
        self.last = {}
        dx = dy @ self.W.T
        return dx
"""


@pytest.mark.parametrize("carries", [("0.9 * self.last", "self.dW"), ("self.last", "self.dW"), ("self.last", "g")])
def test_an_object_is_made_once(carries):
    report = gp.check_python(CARRIES.format(*carries), run=True)
    assert "where other calls came before or between" in report.to_dict()["run"]["differs"]
    assert report.to_dict()["right"] == 0


def test_the_program_runs_it_in_this_python(tmp_path):
    built.program("--version")  # skipped where there is none
    file = tmp_path / "a.py"
    file.write_text(PROGRAM.format("import sys\nopen('python', 'w').write(sys.executable)\n"))
    command = [sys.executable, "-m", "gradproof", "check", "a.py", "--run"]
    path = os.pathsep.join([str(built._PATH.parent), os.environ["PATH"]])
    ended = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert "  run in Python 3." in ended.stdout, ended
    assert os.path.normpath((tmp_path / "python").read_text()) == os.path.normpath(sys.executable)


def test_with_functions_and_arrays_of_ones_own():
    bound = {"w": np.ones((3, 2)), "b": np.array([1.0, 2.0])}
    report = gp.check_python(text_of("affine"), run=True, function=["affine_forward", "affine_backward"], bind=bound)
    assert is_confirmed(report), report


TWO = """# gradproof: dims n d m; input x [n, d]; input W [d, m]; input b [m]
import numpy as np
class Linear:
    def __init__(self, W, b):
        self.W, self.b, self.dW, self.db = W, b, 0 * W, None
    def forward(self, x):
        self.x = x
        return x @ self.W + self.b
    def backward(self, dy):
        dW = self.x.T @ dy
        db = dy.sum(axis=0)
        dx = dy @ self.W.T
        {keeps}
        return {returns}
"""


@pytest.mark.parametrize(
    ("keeps", "returns", "told"),
    [
        ("self.dW, self.db = dW, db", "dx", ""),
        ("self.dW = dW", "dx, self.dW, db", ""),
        ("self.dW = dW", "{'x': dx, 'b': db}", ""),
        ("self.dW = dW", "(dx, (db,))", ""),
        ("self.db = db", "dx, self.dW", "what Linear.backward returns as dW: Python computes"),
        ("self.dW = dW", "dx, dW, self.db", "what Linear.backward returns as db is None"),
        ("self.dW = dW.T", "dx, dW, db", "what Linear keeps as dW: its shape is another"),
        ("self.dW, self.grads = dW, {'b': 2 * db}", "dx, db", "what Linear keeps as grad_b: Python computes"),
        ("self.dW = dW", "{'dx': dx, 'db': -db}", "what Linear.backward returns as db: Python computes"),
        ("self.dW = dW", "dx, self.b", "what Linear.backward returns as b is the gradient of no value"),
        ("self.dW = dW", "dx, (db, 2 * dx)", "what Linear.backward returns is the gradient of no value"),
        ("self.dW = dW", "dx", "nothing that is returned or kept is the gradient of b"),
    ],
)
def test_what_is_handed_over(keeps, returns, told):
    # What is read is a layer that hands over all of its gradients; what runs hands over others.
    read = TWO.format(keeps="self.dW, self.db = dW, db", returns="dx")
    assert is_confirmed(gp.check_python(read, run=True))
    run = checked(read, run_in_place_of(read, TWO.format(keeps=keeps, returns=returns))).to_dict()["run"]
    reasons = [run.get("differs", ""), *(each["why"] for each in run["not_compared"])]
    assert any(reason.startswith(told) for reason in reasons) if told else not any(reasons), reasons
