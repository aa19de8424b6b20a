"""Transforms of the engine, and arrays that go in and out of it: who holds the memory, and who may write to it."""

import gc

import gradproof as gp
import numpy as np
import pytest

RANDOM = np.random.default_rng(3)


def test_jvp_is_exact():
    x, v, w = (RANDOM.standard_normal((3, 4)) for _ in range(3))
    y, dy = gp.jvp(lambda a, b: gp.ops.tanh(a) * b + 1, [x, w], [v, 2 * v])
    np.testing.assert_allclose(y, np.tanh(x) * w + 1, rtol=1e-14)
    np.testing.assert_allclose(dy, (1 - np.tanh(x) ** 2) * v * w + np.tanh(x) * 2 * v, rtol=1e-13)


def test_jvp_and_vjp_are_transposes():
    x, v = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((3, 4))
    y, along = gp.jvp(lambda a: gp.ops.softmax(a, axis=0), [x], [v])
    u = RANDOM.standard_normal(y.shape)
    (back,) = gp.vjp(lambda a: gp.ops.softmax(a, axis=0), [x], u)[1]
    np.testing.assert_allclose((u * along).sum(), (back * v).sum(), rtol=1e-12)


def test_hvp_is_exact():
    x, v = RANDOM.standard_normal(5), RANDOM.standard_normal(5)
    (g,), (h,) = gp.hvp(lambda a: gp.ops.sum(a * a * a), [x], [v])
    np.testing.assert_allclose(g, 3 * x**2, rtol=1e-14)
    np.testing.assert_allclose(h, 6 * x * v, rtol=1e-14)
    (ga, gb), (ha, hb) = gp.hvp(lambda a, b: gp.ops.sum(a * b), [x, v], [v, 0 * v])
    np.testing.assert_array_equal(ga, v)
    np.testing.assert_array_equal(ha, 0 * v)
    np.testing.assert_array_equal(hb, v)


def test_hvp_is_the_difference_of_gradients():
    w = RANDOM.standard_normal((4, 2))
    x, v, h = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((3, 4)), 1e-5

    def f(a):
        return gp.ops.logsumexp(gp.ops.softmax(a @ w) * 3)

    (found,) = gp.hvp(f, [x], [v])[1]
    difference = (gp.grad(f)(x + h * v) - gp.grad(f)(x - h * v)) / (2 * h)
    np.testing.assert_allclose(found, difference, rtol=1e-6, atol=1e-9)


def test_wrong_use_of_transforms():
    with pytest.raises(ValueError, match=r"tangent 0 is \[2\], its input is \[3\]"):
        gp.jvp(gp.ops.tanh, [np.ones(3)], [np.ones(2)])
    with pytest.raises(ValueError, match="jvp: 1 inputs, 0 tangents"):
        gp.jvp(gp.ops.tanh, [np.ones(3)], [])
    with pytest.raises(ValueError, match=r"value is \[3\], tangent is \[2\]"):
        gp.hvp(lambda a: gp.ops.sum(a), [np.ones(3)], [np.ones(2)])
    for transform in (gp.jvp, gp.hvp):
        with pytest.raises(TypeError, match="the function returns a int, expected a tensor"):
            transform(lambda a: 3, [np.ones(3)], [np.ones(3)])
        with pytest.raises(ZeroDivisionError):
            transform(lambda a: 1 / 0, [np.ones(3)], [np.ones(3)])
    with pytest.raises(ValueError, match="element"):
        gp.hvp(lambda a: a * 2, [np.ones(3)], [np.ones(3)])
    with pytest.raises(TypeError, match="some inputs are float64 and some dual"):
        gp.jvp(lambda a: a * gp.tensor(np.ones(3)), [np.ones(3)], [np.ones(3)])


def test_tensors_outlive_a_transform():
    kept = []
    gp.jvp(lambda a: kept.append(a * 2) or kept[0], [np.ones(3)], [np.ones(3)])
    gp.hvp(lambda a: kept.append(gp.ops.sum(a * 2)) or kept[1], [np.ones(3)], [np.ones(3)])
    gc.collect()
    np.testing.assert_array_equal(kept[0].numpy(), [2, 2, 2])
    assert kept[1].numpy() == 6


def address(a):
    return a.__array_interface__["data"][0]


class TestNoCopies:
    def test_views_of_numpy_are_read_only_and_keep_the_memory(self):
        t = gp.tensor(RANDOM.standard_normal((300, 400)))
        values = t.numpy()
        view, again = np.asarray(t), np.from_dlpack(t)
        assert address(view) == address(again) == address(np.asarray(t))
        assert not view.flags.writeable and not again.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view[0, 0] = 1
        del t, again
        gc.collect()
        other = [gp.tensor(np.zeros((300, 400))) for _ in range(4)]  # would take the memory, were it free
        np.testing.assert_array_equal(view, values)
        assert other

    def test_numpy_is_a_copy_that_may_be_written_to(self):
        t = gp.tensor([1.0, 2.0])
        copy = t.numpy()
        copy[0] = 7
        np.testing.assert_array_equal(t.numpy(), [1, 2])
        np.testing.assert_array_equal(np.array(t, copy=True), [1, 2])
        assert np.array(t).flags.writeable and np.asarray(t, np.float32).dtype == np.float32

    def test_pytorch_takes_the_memory(self):
        torch = pytest.importorskip("torch")
        for dtype in ("float64", "float32"):
            t = gp.tensor(RANDOM.standard_normal((30, 40)), dtype)
            values, where = t.numpy(), address(np.asarray(t))
            theirs = torch.from_dlpack(t)
            assert str(theirs.dtype) == f"torch.{dtype}" and theirs.data_ptr() == where
            del t
            gc.collect()
            np.testing.assert_array_equal(theirs.numpy(), values)

    def test_jax_which_knows_no_read_only_memory_gets_a_copy(self):
        jax = pytest.importorskip("jax")
        t = gp.tensor(RANDOM.standard_normal((30, 40)), "float32")
        np.testing.assert_array_equal(np.asarray(jax.numpy.from_dlpack(t)), t.numpy())

    @pytest.mark.parametrize(
        "make",
        [lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: np.broadcast_to(a[:1], a.shape), np.asfortranarray],
        ids=["transposed", "every second", "reversed", "strides of 0", "columns first"],
    )
    def test_strides_and_read_only_arrays_come_in(self, make):
        a = make(RANDOM.standard_normal((4, 6)))
        a.flags.writeable = False
        np.testing.assert_array_equal(gp.tensor(a).numpy(), a)
        np.testing.assert_array_equal(gp.Tape().leaf(a).numpy(), a)
        torch = pytest.importorskip("torch")
        t = torch.arange(24.0).reshape(4, 6)
        for strided in (t.T, t[::2], t[:1].expand(4, 6)):
            np.testing.assert_array_equal(gp.tensor(strided).numpy(), strided.numpy())

    def test_what_comes_in_is_copied_once_and_not_shared(self):
        a = np.ones(3)
        t = gp.tensor(a)
        a[0] = 7
        np.testing.assert_array_equal(t.numpy(), [1, 1, 1])


class TestFiles:
    @pytest.mark.parametrize("ending", ["npz", "safetensors"])
    def test_tensors_of_all_kinds(self, tmp_path, ending):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        a = RANDOM.standard_normal((2, 3))
        arrays = {
            "t": gp.tensor(a),
            "p": torch.from_numpy(a).T,
            "j": jax.numpy.ones(3),
            "e": np.zeros((0, 3)),
            "s": np.float64(2),
        }
        gp.save(tmp_path / f"x.{ending}", arrays)
        back = gp.load(tmp_path / f"x.{ending}")
        for name, array in arrays.items():
            np.testing.assert_array_equal(back[name], np.asarray(array))
            assert back[name].shape == tuple(array.shape)

    def test_bfloat16_and_float16(self, tmp_path):
        torch = pytest.importorskip("torch")
        gp.save(tmp_path / "x.safetensors", {"b": torch.tensor([1.5, -3.0]).bfloat16(), "h": np.float16([0.5])})
        back = gp.load(tmp_path / "x.safetensors")
        np.testing.assert_array_equal(back["b"], [1.5, -3.0])
        assert back["h"].dtype == np.float16

    def test_files_of_other_writers(self, tmp_path):
        np.savez_compressed(tmp_path / "x.npz", a=np.arange(6.0).reshape(2, 3).T)
        np.testing.assert_array_equal(gp.load(tmp_path / "x.npz")["a"], np.arange(6.0).reshape(2, 3).T)
        with pytest.raises(TypeError, match="a has elements of type complex128"):
            gp.save(tmp_path / "y.npz", {"a": np.ones(2) + 0j})
        with pytest.raises(OSError):
            gp.load(tmp_path / "none.npz")
