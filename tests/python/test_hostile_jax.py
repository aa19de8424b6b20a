"""Hostile kernels of JAX, their truth decided beforehand: a report or one clear error, and never the wrong verdict."""

import functools

import gradproof as gp
import numpy as np
import pytest
from shared import run_python

jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax
ONE = {"samples": [(np.array([[0.3, -1.2, 2.1], [-0.4, 0.9, 1.4]]),)], "dtype": "float64"}
SIZES = {"samples": None, "shapes": [(2, 3)]}  # and each of them as 1
FREE = {"framework": "jax"}  # a function without rules of its own


def vjp(back, forward=jnp.sin, fwd=None):
    """A custom_vjp. Its rules are `fwd`, by default the forward and x, and `back`."""
    function = jax.custom_vjp(lambda x: forward(x))
    function.defvjp(fwd or (lambda x: (forward(x), x)), back)
    return function


def jvp(tangent, value=jnp.sin):
    """A custom_jvp of the sine with the rule (value(x), tangent(x, t))."""
    function = jax.custom_jvp(jnp.sin)
    function.defjvp(lambda x, t: (value(x[0]), tangent(x[0], t[0])))
    return function


def right(x, dy):
    return (dy * jnp.cos(x),)


def times(factor):
    return lambda x, dy: (factor(x) * dy * jnp.cos(x),)


def raising(*_):
    raise RuntimeError("out of cheese")


def yields(x):
    yield jnp.sin(x)


def take(adds):
    """x[i]; i holds an index twice."""
    function = jax.custom_vjp(lambda x, i: x[i])

    def back(saved, dy):
        at = jnp.zeros_like(saved[0]).at[saved[1]]
        return (at.add(dy) if adds else at.set(dy)), None

    function.defvjp(lambda x, i: (x[i], (x, i)), back)
    return function


def dropout(x, key):
    return 2 * x * jax.random.bernoulli(key, 0.5, x.shape)


def with_hidden_key():
    random = np.random.default_rng(0)
    return lambda x: dropout(x, jax.random.key(int(random.integers(1000))))


def largest(power):
    """The maximum; of a tie each entry gets its part (power -1), or more than all together (power 1)."""

    def back(x, dy):
        tied = x == x.max(-1, keepdims=True)
        return (dy[..., None] * tied * tied.sum(-1, keepdims=True).astype(x.dtype) ** power,)

    return vjp(back, lambda x: x.max(-1))


def overflowing(x, dy):
    e = jnp.exp(2 * x)
    return (dy * 4 * e / (e + 1) ** 2,)  # the derivative of tanh, which is NaN where e overflows


def scan(of_state):
    """h = tanh(h + x) from jnp.zeros, which is of the type that jax_enable_x64 says."""

    @jax.custom_vjp
    def step(h, x):
        return jnp.tanh(h + x)

    step.defvjp(lambda h, x: (jnp.tanh(h + x),) * 2, lambda y, dy: (of_state * dy * (1 - y * y), dy * (1 - y * y)))
    return lambda x: lax.scan(lambda h, a: (step(h, a),) * 2, jnp.zeros(x.shape[1:]), x)[1]


def of_float32(x):
    return lax.scan(lambda h, a: (h + a,) * 2, jnp.zeros(x.shape[1:], jnp.float32), x)[1]


def keeps_x(is_compiled):
    kept = {}

    def fwd(x):
        kept["x"] = x
        return jnp.sin(x), None

    function = vjp(lambda _, dy: (dy * jnp.cos(kept["x"]),), fwd=fwd)
    return jax.jit(function) if is_compiled else function


def counting():
    """Times the number of calls so far, of which a callback knows."""
    seen = []

    def count(x):
        seen.append(0)
        return np.asarray(len(seen), x.dtype)

    def fwd(x):
        number = jax.experimental.io_callback(count, jax.ShapeDtypeStruct((), x.dtype), x)
        return x * number, number

    return vjp(lambda number, dy: (dy * number,), lambda x: fwd(x)[0], fwd)


def noting():
    seen = []

    def forward(x):
        jax.experimental.io_callback(lambda a: seen.append(a.shape), None, x)
        return jnp.sin(x)

    return vjp(right, forward)


def called_back(factor=1.0, forward=np.sin):
    def outside(function, x, *more):
        return jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x, *more)

    return vjp(lambda x, dy: (outside(lambda a, b: factor * b * np.cos(a), x, dy),), lambda x: outside(forward, x))


def scaled(factor):
    @functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
    def function(x, s):
        return s * x * x

    function.defvjp(lambda x, s: (function(x, s), x), lambda s, x, dy: (factor * s * x * dy,))
    return function


def weighted(slip=1):
    weights = jnp.arange(1.0, 4.0)
    return vjp(lambda x, dy: (dy * weights**slip,), lambda x: x * weights)


def of_pytree():
    product = jax.custom_vjp(lambda p: p["a"] * p["b"])
    product.defvjp(lambda p: (product(p), p), lambda p, dy: ({"a": dy * p["b"], "b": dy * p["a"]},))
    return product


X, BOTH = np.arange(5.0), ["float64", "float32"]
MAX = {"like": "max", "attrs": {"axes": [-1]}, "without": "scalar", "samples": None}
OTHER_VALUE = "y is another one where it is differentiated: the rule of defvjp or defjvp computes"
LINEAR = "the tangent of y is not 0 for tangents of zeros: the rule of defjvp is not linear in them"
CASES = {  # the kernel, the true verdict, what is said, and how it is asked
    "a gradient of another shape": (
        lambda: vjp(lambda x, dy: ((dy * jnp.cos(x)).sum(0),)),
        "wrong",
        "d(x) is float64[3], expected float64[2,3]",
    ),
    "a gradient of another type": (
        lambda: vjp(lambda x, dy: ((dy * jnp.cos(x)).astype("float32"),)),
        "wrong",
        "computed in float32",
    ),
    "two gradients of one input": (lambda: vjp(lambda x, dy: (dy, dy)), "wrong", "the backward returns (*, *), expected (*,)"),
    "no tuple": (lambda: vjp(lambda x, dy: dy), "wrong", "the backward returns *, expected (*,)"),
    "None for a float": (lambda: vjp(lambda x, dy: (None,)), "wrong", "claimed is zero everywhere"),
    "no rule": (lambda: jax.custom_vjp(jnp.sin), "wrong", "No VJP defined"),
    "the backward raises": (
        lambda: vjp(raising),
        "wrong",
        ["the backward raised RuntimeError: out of cheese", "test_hostile_jax.py"],
    ),
    "the forward raises": (
        lambda: vjp(right, raising),
        "wrong",
        ["the forward raised RuntimeError: out of cheese", "test_hostile_jax.py"],
    ),
    "fwd gives another value": (lambda: vjp(right, fwd=lambda x: (2 * jnp.sin(x), x)), "wrong", OTHER_VALUE),
    "fwd gives another value at size 1": (
        lambda: vjp(right, fwd=lambda x: ((1 + (x.shape[1] == 1)) * jnp.sin(x), x)),
        "wrong",
        OTHER_VALUE,
        SIZES,
    ),
    "the rule of a jvp gives another value": (lambda: jvp(lambda x, t: jnp.cos(x) * t, jnp.cos), "wrong", OTHER_VALUE),
    "a callback that notes": (noting, "right", ""),
    "a callback that counts": (counting, "wrong", "y has other bits the second time"),
    "the input of the last forward": (lambda: keeps_x(False), "wrong", "something is kept between calls"),
    "a tracer that leaks": (
        lambda: keeps_x(True),
        "wrong",
        "the backward uses what was kept outside of what the rules return",
        FREE,
    ),
    "None for an integer": (lambda: take(True), "right", "", {"samples": [(X, np.array([1, 1, 3]))]}),
    "an index twice": (lambda: take(False), "wrong", "", {"samples": [(X, np.array([1, 1, 3]))]}),
    "float16": (lambda: vjp(right), "right", "", {"dtype": "float16"}),
    "bfloat16, off": (
        lambda: vjp(times(lambda x: 1 if x.dtype == jnp.float64 else 1.5)),
        "wrong",
        "as bfloat16",
        {"dtype": "bfloat16"},
    ),
    "complex inputs": (
        lambda: vjp(right),
        TypeError,
        "sample 1, input 1, has elements of type complex64",
        {"samples": [(jnp.ones(3) * 1j,)]},
    ),
    "a complex output": (
        lambda: vjp(right, lambda x: jnp.sin(x) + 0j),
        "wrong",
        "y has elements of type complex128, expected floats",
    ),
    "a key among the inputs": (
        lambda: dropout,
        "right",
        "",
        FREE | {"samples": [(np.ones((2, 3)), jax.random.key(0))]},
    ),
    "a hidden key": (with_hidden_key, "wrong", "y has other bits the second time", FREE),
    "a backward with a key of its own": (
        lambda: vjp(lambda x, dy: (dropout(dy, jax.random.key(1)),), lambda x: dropout(x, jax.random.key(0))),
        "wrong",
        "d(x)",
    ),
    "straight-through, undeclared": (lambda: vjp(lambda x, dy: (dy,), jnp.round), "wrong", "the derivative of the op is missing"),
    "straight-through, declared": (
        lambda: vjp(lambda x, dy: (dy,), jnp.round),
        "right",
        "declared straight-through",
        {"straight_through": lambda x: 1 * x},
    ),
    "a wrong forward with its own gradient": (
        lambda: lambda x: 2 * jnp.tanh(x),
        "wrong",
        "the forward is at fault",
        FREE | {"like": "tanh", "samples": None},
    ),
    "at size 1 alone": (lambda: vjp(times(lambda x: x.shape[1] > 1)), "wrong", 'sample "3 as 1"', SIZES),
    "ties, each its part": (lambda: largest(-1), "right", "", MAX),
    "ties, more than all": (lambda: largest(1), "wrong", "all axes, ties", MAX),
    "in float32 alone": (
        lambda: vjp(times(lambda x: jnp.asarray(1 if x.dtype == jnp.float64 else 1.01, x.dtype))),
        "wrong",
        "(true), as float",
        {"dtype": BOTH},
    ),
    "at large values": (
        lambda: vjp(overflowing, jnp.tanh),
        "wrong",
        "d(x) is nan by the kernel",
        {"like": "tanh", "samples": None},
    ),
    "negative cotangents": (lambda: vjp(lambda x, dy: (abs(dy) * jnp.cos(x),)), "wrong", "the sign of dy is lost"),
    "the cotangent is ignored": (lambda: vjp(lambda x, dy: (jnp.cos(x),)), "wrong", "dy is not used"),
    "vmapped, right": (lambda: jax.vmap(vjp(right)), "right", "", FREE),
    "vmapped, wrong": (lambda: jax.vmap(vjp(lambda x, dy: (dy * jnp.cos(x).mean(),))), "wrong", "d(x)", FREE),
    "scanned, from zeros of the usual type": (lambda: scan(1), "right", "", FREE | {"dtype": BOTH}),
    "scanned, the state's gradient is left out": (lambda: scan(0), "wrong", "only the diagonal of the Jacobian is used", FREE),
    "numbers of the usual type": (
        lambda: vjp(lambda x, dy: (dy * jnp.linspace(0, 1, 3),), lambda x: x * jnp.linspace(0, 1, 3)),
        "right",
        "",
        {"dtype": BOTH},
    ),
    "for float32 alone": (lambda: of_float32, "wrong", "float64 is asked under jax_enable_x64, which is off here", FREE),
    "for float32 alone, said so": (
        lambda: of_float32,
        "right",
        "",
        FREE | {"dtype": "float32", "reference": lambda x: jnp.cumsum(x, 0)},
    ),
    "it asks for float64 itself": (lambda: lambda x: jnp.sin(x.astype("float64")), "right", "", FREE | {"dtype": "float32"}),
    "a static argument": (
        lambda: jax.jit(lambda x, n: x**n, static_argnums=1),
        "right",
        "",
        FREE | {"samples": [(X, 3)]},
    ),
    "donated memory": (lambda: jax.jit(jnp.sin, donate_argnums=0), "right", "", FREE),
    "a dictionary of arrays as input": (
        lambda: of_pytree(),
        TypeError,
        "sample 1, input 1, is a dict, expected an array",
        {"samples": [({"a": X, "b": X},)]},
    ),
    "a list of arrays as input": (
        lambda: lambda p: p[0],
        TypeError,
        "sample 1, input 1, is a list, expected an array",
        FREE | {"samples": [([X, X[:2]],)]},
    ),
    "a dictionary, taken apart": (
        lambda: lambda a, b: of_pytree()({"a": a, "b": b}),
        "right",
        "",
        FREE | {"samples": [(X, X + 1)]},
    ),
    "a dictionary as output": (lambda: lambda x: {"y": x}, "wrong", "y is a dict, expected an array of JAX", FREE),
    "a tuple within the outputs": (lambda: lambda x: (x, (x, x)), "wrong", "output 2 is a tuple, expected an array of JAX", FREE),
    "None among the outputs": (
        lambda: lambda x: (jnp.sin(x), None),
        "right",
        "of 2 outputs only output 1 [2, 3] is judged",
        FREE,
    ),
    "it closes over arrays": (weighted, "right", "", {"dtype": BOTH}),
    "it closes over arrays, wrong": (lambda: weighted(2), "wrong", "d(x)"),
    "nondiff_argnums": (lambda: scaled(2), "right", "", {"attrs": {"s": 3.0}}),
    "nondiff_argnums, wrong": (lambda: scaled(3), "wrong", "* true", {"attrs": {"s": 3.0}}),
    "nondiff_argnums as an input": (
        lambda: scaled(2),
        ValueError,
        "s stands in nondiff_argnums, and JAX does not differentiate by it",
        {"samples": [(X, np.array(3.0))]},
    ),
    "a tangent squared": (
        lambda: jvp(lambda x, t: t * t),
        "wrong",
        "the backward cannot be had of a rule of defjvp that is not linear",
    ),
    "a tangent plus one": (lambda: jvp(lambda x, t: jnp.cos(x) * t + 1), "wrong", LINEAR),
    "a tangent without a gradient": (lambda: jvp(lambda x, t: t.sum()), "wrong", "Expected float64[2,3]"),
    "it never returns": (
        lambda: vjp(right, lambda x: [None for _ in iter(int, 1)]),
        "wrong",
        "the forward did not return within 0.5 s",
        {"time_limit": 0.5},
    ),
    "a callback of NumPy": (called_back, "right", ""),
    "a callback of NumPy, wrong": (lambda: called_back(1.01), "wrong", "claimed = 1.01 * true"),
    "a callback that raises": (lambda: called_back(forward=raising), "wrong", "the forward raised RuntimeError: out of cheese"),
    "a generator": (lambda: yields, "wrong", "y is a generator, expected an array of JAX", FREE),
    "the graph is left": (lambda: lambda x: lax.stop_gradient(jnp.sin(x)), "wrong", "claimed is zero everywhere", FREE),
    "a value that is asked for while it is traced": (
        lambda: jax.jit(lambda x: x if x.sum() > 0 else -x),
        "wrong",
        "the forward raised TracerBoolConversionError",
        FREE,
    ),
}


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype float64")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_hostile(case):
    make, verdict, says, how = case if len(case) == 4 else (*case, {})
    how = {name: value for name, value in (ONE | how).items() if value is not None}
    if isinstance(verdict, type):
        with pytest.raises(verdict) as raised:
            gp.check_kernel(make(), **how)
        assert says in str(raised.value)
        return
    report = gp.check_kernel(make(), **how)
    assert report.verdict == verdict, str(report)
    for text in [says] if isinstance(says, str) else says:
        assert text in str(report), str(report)
    assert "/jax/_src/" not in str(report) or str(report).count("/jax/_src/") <= len(report.to_dict()["tracebacks"])


ENDLESS = """
import gradproof as gp, jax, numpy as np
f = jax.custom_vjp(lambda x: jax.lax.while_loop(lambda a: (a == a).all(), lambda a: a + 1, x))
f.defvjp(lambda x: (f(x), x), lambda x, dy: (dy,))
print(gp.check_kernel(f, samples=[(np.ones(2),)], dtype="float64", time_limit=1))
"""


def test_a_compiled_loop_without_end_is_left():
    done = run_python("-c", ENDLESS, timeout=120)
    assert "the forward did not return within 1 s" in done.stdout and done.returncode == 0, done.stderr


def test_the_plugin_says_the_same(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "import gradproof as gp\nimport jax, jax.numpy as jnp\n\n\n@jax.custom_vjp\ndef f(x):\n    return jnp.sin(x)\n\n\n"
        "f.defvjp(lambda x: (2 * f(x), x), lambda x, dy: (dy * jnp.cos(x),))\n\n\n"
        '@gp.testing.kernel(shapes=[(2, 3)], dtype="float64", vary=False)\ndef test_mine():\n    return f\n'
    )
    done = run_python("-m", "pytest", "-p", "no:cacheprovider", "-q", cwd=tmp_path)
    assert "FAILED test_mine.py::test_mine[float64-value-draw_1]" in done.stdout and OTHER_VALUE in done.stdout, done.stdout
