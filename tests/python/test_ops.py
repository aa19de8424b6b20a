"""The engine from Python: tensors, the tape, every op of the registry, files."""

import inspect

import gradproof as gp
import numpy as np
import pytest
from shared import growth

RANDOM = np.random.default_rng(0)


def test_a_gradient_by_the_tape():
    tape = gp.Tape()
    x, w = tape.leaf(RANDOM.standard_normal((3, 4)), "x"), tape.leaf(RANDOM.standard_normal((4, 2)))
    y = gp.ops.tanh(x @ w)
    dy = RANDOM.standard_normal((3, 2))
    tape.backward(y, dy)
    inner = dy * (1 - y.numpy() ** 2)
    np.testing.assert_allclose(tape.grad(x), inner @ w.numpy().T, rtol=1e-12)
    np.testing.assert_allclose(tape.grad(w), x.numpy().T @ inner, rtol=1e-12)
    with pytest.raises(gp.TapeError):
        tape.backward(y, dy)
    tape.reset()
    with pytest.raises(gp.TapeError):
        tape.grad(x)


def test_a_tape_outlives_its_tensors_and_they_it():
    x = gp.Tape().leaf(np.ones(3))
    y = x * 2
    assert y.on_tape
    np.testing.assert_array_equal(y.numpy(), [2, 2, 2])


def test_grad_and_vjp():
    np.testing.assert_allclose(gp.grad(lambda x: gp.ops.sum(x * x))(np.array([1.0, 2.0])), [2, 4])
    y, (da, db) = gp.vjp(lambda a, b: a * b, [np.array([2.0]), np.array([5.0])], [3.0])
    assert (y, da, db) == (10, 15, 6)
    with pytest.raises(ValueError, match="one element|elements"):
        gp.grad(lambda x: x * x)(np.ones(3))
    with pytest.raises(TypeError, match="the function returns a int, expected a tensor"):
        gp.grad(lambda x: 3)(1.0)


def test_arrays_of_other_kinds_are_constants():
    x = gp.tensor(np.float32([1, 2]))
    assert x.dtype == "float32" and (x + 1).dtype == "float32"
    np.testing.assert_array_equal((1 - x).numpy(), [0, -1])
    np.testing.assert_array_equal((np.ones(2, np.float32) * x).numpy(), [1, 2])
    np.testing.assert_array_equal(np.asarray(x), [1, 2])
    np.testing.assert_array_equal(np.from_dlpack(x), [1, 2])
    with pytest.raises(TypeError, match="some inputs are float64 and some float32"):
        x + gp.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="elements of type"):
        gp.tensor(["a"])


def test_tensors_of_torch_and_jax():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    t = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    assert gp.tensor(t).shape == (1, 2) and gp.tensor(t.T).shape == (2, 1)
    assert gp.tensor(jax.numpy.ones((2, 3))).dtype == "float32"
    np.testing.assert_array_equal(torch.from_dlpack(gp.tensor([1.0, 2.0])).numpy(), [1, 2])


@pytest.mark.parametrize("name", gp.ops.__all__)
def test_every_op_has_a_signature_and_a_docstring(name):
    function = getattr(gp.ops, name)
    assert function.__name__ == name and "backward  " in function.__doc__ and "source    " in function.__doc__
    inputs = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert inputs


@pytest.mark.parametrize("name", ["softmax", "tanh", "layer_norm", "matmul", "gelu", "attention", "conv1d", "rms_norm"])
def test_an_op_is_right_as_a_kernel(name):
    function = getattr(gp.ops, name)

    def forward(*x):
        return function(*x).numpy()

    def backward(dy, *x):
        return gp.vjp(function, x, dy, dtype=str(x[0].dtype))[1]

    report = gp.check_kernel(forward, backward, like=name, without=["mask", "past"])
    assert report, str(report)


def test_attributes_and_inputs_by_name():
    x = RANDOM.standard_normal((2, 3))
    np.testing.assert_allclose(gp.ops.softmax(x, axis=0).numpy().sum(0), 1)
    q, k, v = (RANDOM.standard_normal((1, 1, n, 4)) for n in (2, 3, 3))
    bias = np.zeros((2, 3))
    np.testing.assert_array_equal(gp.ops.attention(q, k, v, mask=bias).numpy(), gp.ops.attention(q, k, v).numpy())
    assert gp.ops.concat([x, x], axis=0).shape == (4, 3)
    with pytest.raises(ValueError, match="did you mean axis"):
        gp.ops.softmax(x, axs=0)
    with pytest.raises(ValueError, match="axis is"):
        gp.ops.softmax(x, axis="last")
    with pytest.raises(TypeError, match="got 1 inputs, expected a b"):
        gp.ops.matmul(x)
    with pytest.raises(ValueError, match="inner sizes differ"):
        gp.ops.matmul(x, x)
    with pytest.raises(AttributeError):
        gp.ops.sotfmax  # noqa: B018


def test_files(tmp_path):
    arrays = {"a": RANDOM.standard_normal((2, 3)), "b": np.float32([1]), "n": np.array([1, 2]), "m": np.array([True])}
    for name in ("x.npz", "x.safetensors"):
        gp.save(tmp_path / name, arrays)
        back = gp.load(tmp_path / name)
        assert back.keys() == arrays.keys()
        for key, array in arrays.items():
            np.testing.assert_array_equal(back[key], array)
            assert back[key].dtype == array.dtype
    np.testing.assert_array_equal(np.load(tmp_path / "x.npz")["a"], arrays["a"])
    np.save(tmp_path / "y.npy", arrays["a"])
    assert list(gp.load(tmp_path / "y.npy")) == ["y"]
    (tmp_path / "z.npz").write_bytes(b"nothing")
    with pytest.raises(OSError, match="z.npz"):
        gp.load(tmp_path / "z.npz")
    with pytest.raises(ValueError, match="does not end in"):
        gp.save(tmp_path / "x.txt", arrays)


def test_nothing_is_leaked_by_a_thousand_calls():
    import gc

    def steps():
        for _ in range(300):
            tape = gp.Tape()
            x = tape.leaf(np.ones((100, 100)))
            tape.backward(gp.ops.sum(x @ x))
            tape.grad(x)
        gc.collect()

    assert growth(steps) < 20_000
