"""check_kernel on kernels that are right, and on bugs planted in them: what it finds, and what it calls it."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken, contract, softmax, softmax_back, tanh_back

HOW = {
    "a page": {"like": "softmax"},
    "a derivation": {"proof": "softmax_rows"},
    "a function": {"reference": softmax, "shapes": [(3, 5)]},
    "itself": {"shapes": [(3, 5)]},
}


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_right_kernel_is_right(how):
    report = gp.check_kernel(softmax, softmax_back, **how)
    assert report, str(report)
    assert report.to_dict()["entries"] > 50
    assert len([c for c in report.to_dict()["contracts"] if c["verdict"] == "right"]) >= 8


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_missing_row_sum_is_found_and_named(how):
    report = gp.check_kernel(softmax, lambda dy, x: softmax(x) * dy, **how)
    assert broken(report) == ["gradient"], str(report)
    assert any(why in str(report) for why in ("the term - y sum(dy y) along axis 1 is missing", "claimed = y dy"))


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_factor_that_differs_in_the_ninth_digit_is_found(how):
    factor = 1 + (1e-9 if "shapes" not in how else 1e-7)
    report = gp.check_kernel(softmax, lambda dy, x: factor * softmax_back(dy, x), dtype="float64", **how)
    assert broken(report) == ["gradient"], str(report)


def test_a_wrong_forward_with_its_own_gradient_is_seen_by_all_but_itself():
    def forward(x):
        return 2 * softmax(x)

    def backward(dy, x):
        return 2 * softmax_back(dy, x)

    for name, how in HOW.items():
        report = gp.check_kernel(forward, backward, **how)
        assert report.verdict == ("right" if name == "itself" else "wrong"), str(report)
    assert "the weaker evidence" in str(report)


def test_a_float32_path_of_its_own_is_judged_apart():
    def backward(dy, x):
        return softmax_back(dy, x) * (x.dtype.type(1.01) if x.dtype == np.float32 else 1)

    assert gp.check_kernel(softmax, backward, like="softmax", dtype="float64")
    report = gp.check_kernel(softmax, backward, like="softmax")
    assert broken(report) == ["gradient"] and "as float" in contract(report, "gradient")["told"]


def test_an_unstable_forward_is_found_by_large_values():
    def forward(x):
        return np.exp(x) / np.exp(x).sum(-1, keepdims=True)

    assert "value" in broken(gp.check_kernel(forward, softmax_back, like="softmax"))


def test_saved_values_go_from_forward_to_backward():
    def forward(x):
        y = softmax(x)
        return y, y

    def backward(dy, y):
        return y * (dy - (dy * y).sum(-1, keepdims=True))

    assert gp.check_kernel(forward, backward, like="softmax")


def test_attributes_are_asked_of_a_kernel_that_takes_them():
    def forward(x, axis=-1):
        e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
        return e / e.sum(axis, keepdims=True)

    def backward(dy, x, axis=-1):
        y = forward(x, axis)
        return y * (dy - (dy * y).sum(-1, keepdims=True))  # the bug: always the last

    assert gp.check_kernel(softmax, softmax_back, like="softmax")
    report = gp.check_kernel(forward, backward, like="softmax")
    assert broken(report) == ["gradient"] and "first axis" in contract(report, "gradient")["told"]


def test_fixed_attributes_are_those_of_the_page():
    def forward(x):
        return softmax(x / 2)

    def backward(dy, x):
        return softmax_back(dy, x / 2) / 2

    assert gp.check_kernel(forward, backward, like="softmax", attrs={"temperature": 2.0})
    assert not gp.check_kernel(forward, backward, like="softmax")


def test_two_inputs_and_the_gradient_that_is_wrong():
    def backward(dy, a, b):
        return dy @ b.T, dy.T @ a  # the second is transposed

    shapes = [(3, 4), (4, 3)]
    report = gp.check_kernel(lambda a, b: a @ b, backward, reference=lambda a, b: a @ b, shapes=shapes)
    assert "d(b)" in contract(report, "gradient")["told"], str(report)
    only_a = gp.check_kernel(lambda a, b: a @ b, backward, reference=lambda a, b: a @ b, shapes=shapes, wrt="a")
    assert "gradient" not in broken(only_a), only_a


def test_nan_is_held_to_the_page_where_it_is_asked():
    def forward(x):
        return np.nan_to_num(np.tanh(x))

    assert gp.check_kernel(forward, tanh_back, like="tanh")
    report = gp.check_kernel(forward, tanh_back, like="tanh", conventions=True)
    assert broken(report) == ["special values"], str(report)


def test_masked_rows_are_a_convention_that_is_asked_for():
    assert gp.check_kernel(softmax, softmax_back, like="softmax")  # NaN where a row is masked, as other frameworks have it
    report = gp.check_kernel(softmax, softmax_back, like="softmax", conventions=True)
    assert 'sample "masked row": y is nan by the kernel and 0 by the page' in contract(report, "value")["told"], str(report)


def test_the_same_seed_gives_the_same_report():
    def numbers(seed):
        data = gp.check_kernel(softmax, lambda dy, x: dy, shapes=[(3, 5)], seed=seed).to_dict()
        return [c["samples"] for c in data["contracts"] if c["name"] == "gradient"]

    assert numbers(1) == numbers(1)
    assert numbers(1) != numbers(2)


def test_what_was_not_asked_is_said():
    text = str(gp.check_kernel(softmax, softmax_back, like="softmax"))
    assert "10 samples: the kernel takes no axis\n" in text
    assert "not asked   second derivatives asked, in float64, of what PyTorch or JAX differentiates" in text


def test_samples_that_the_kernel_is_not_meant_for_are_left_out():
    def forward(x):
        if x.ndim == 1:
            raise ValueError("one row is too few")
        return softmax(x)

    report = gp.check_kernel(forward, softmax_back, like="softmax")
    assert broken(report) == ["value"] and "one row is too few" in str(report), str(report)
    report = gp.check_kernel(forward, softmax_back, like="softmax", without="one row")
    assert report, str(report)
    assert "called one row: left out by without=" in str(report)


def test_a_forward_of_another_shape_hides_nothing_behind_noise():
    report = gp.check_kernel(lambda x: x.sum(), lambda dy, x: dy, like="tanh")
    assert broken(report) == ["value"], str(report)
    assert "raised" not in str(report)


def test_a_gradient_that_is_zero_everywhere_is_not_called_right():
    report = gp.check_kernel(lambda x: np.sign(x), lambda dy, x: 0 * dy, shapes=[(3, 5)])
    assert report.verdict == "cannot tell", str(report)


def test_sizes_and_values_are_varied_unless_they_may_not():
    def names(**more):
        data = gp.check_kernel(softmax, softmax_back, shapes=[(3, 5)], **more).to_dict()
        return [s["sample"] for s in data["contracts"][1]["samples"]]

    assert names()[:6] == ["draw 1", "draw 2", "draw 3", "values times 30", "3 as 1", "5 as 1"]
    assert names()[6:8] == ["all sizes 1", "3 as 33"]
    assert names(vary=False) == ["draw 1", "draw 2", "draw 3"]


def test_a_bug_at_size_1_alone_is_found():
    def backward(dy, x):
        return softmax_back(dy, x) if x.shape[0] > 1 else 2 * softmax_back(dy, x)

    report = gp.check_kernel(softmax, backward, shapes=[(3, 5)])
    assert broken(report) == ["gradient"] and "3 as 1" in contract(report, "gradient")["told"]


def test_a_domain_is_kept():
    report = gp.check_kernel(np.log, lambda dy, x: dy / x, shapes=[(3, 5)], domain="positive")
    assert report, str(report)
    assert not gp.check_kernel(np.log, lambda dy, x: dy / x / 2, shapes=[(3, 5)], domain="positive")


def test_rounding_far_from_0_is_no_fault_and_a_factor_there_is():
    def norm(x, gain, bias):
        c = x - x.mean(-1, keepdims=True)
        return c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def norm_back(dy, x, gain, bias):
        c = x - x.mean(-1, keepdims=True)
        r = 1 / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)
        h, dh = c * r, dy * gain
        dx = r * (dh - dh.mean(-1, keepdims=True) - h * (dh * h).mean(-1, keepdims=True))
        n = x.shape[-1]
        return dx, (dy * h).reshape(-1, n).sum(0), dy.reshape(-1, n).sum(0)

    report = gp.check_kernel(norm, norm_back, like="layer_norm")
    assert report, str(report)

    def far(dy, x, gain, bias):
        dx, dgain, dbias = norm_back(dy, x, gain, bias)
        return dx, dgain, dbias * (1.001 if abs(x).max() > 1e3 else 1)

    assert broken(gp.check_kernel(norm, far, like="layer_norm")) == ["gradient"]


class TestIntegers:
    """Targets, indices, lengths: handed over as they are."""

    @staticmethod
    def pick(x, i):
        return x[np.arange(len(i)), i]

    @staticmethod
    def back(times=1, says_all=False):
        def backward(dy, x, i):
            assert i.dtype.kind == "i"
            d = np.zeros_like(x)
            d[np.arange(len(i)), i] = times * dy
            return (d, None) if says_all else d

        return backward

    SAMPLES = ((np.linspace(-1, 1, 12).reshape(4, 3), np.array([1, 1, 2, 0])), (np.ones((1, 2)), np.array([1])))

    @pytest.mark.parametrize("says_all", [False, True])
    def test_of_numpy(self, says_all):
        assert (report := gp.check_kernel(self.pick, self.back(1, says_all), samples=self.SAMPLES)), str(report)
        report = gp.check_kernel(self.pick, self.back(2, says_all), samples=self.SAMPLES)
        assert "why: d(x): claimed = 2 * true" in str(report), str(report)

    def test_of_pytorch_with_attributes_in_their_places(self):
        torch = pytest.importorskip("torch")

        def make(times):
            class Loss(torch.autograd.Function):
                @staticmethod
                def forward(ctx, z, smooth, target):
                    lse = torch.logsumexp(z, -1)
                    ctx.save_for_backward(z, target)
                    ctx.smooth = smooth
                    return lse - (1 - smooth) * z.gather(-1, target[:, None])[:, 0] - smooth * z.mean(-1)

                @staticmethod
                @torch.autograd.function.once_differentiable
                def backward(ctx, dl):
                    z, target = ctx.saved_tensors
                    dz = torch.softmax(z, -1) - times * ctx.smooth / z.shape[1]
                    dz = dz.scatter_add(-1, target[:, None], torch.full_like(z[:, :1], -(1 - ctx.smooth)))
                    return dl[:, None] * dz, None, None

            return Loss

        given = {"samples": [(torch.randn(4, 5), torch.tensor([0, 3, 1, 1]))], "attrs": {"smooth": 0.1}}
        assert (report := gp.check_kernel(make(1), wrt=["z"], **given)), str(report)
        assert "gradient" in broken(gp.check_kernel(make(2), **given))
        report = gp.check_kernel(make(1).apply, **given, reference=lambda z, t: make(1).apply(z, 0.2, t))
        assert "value" in broken(report), str(report)
        with pytest.raises(ValueError, match="attrs has 'smoth', the forward takes z, smooth, target"):
            gp.check_kernel(make(1), **given | {"attrs": {"smoth": 0.1}})

    def test_of_jax(self):
        jax = pytest.importorskip("jax")
        jnp = jax.numpy

        def make(how):
            @jax.custom_vjp
            def rows(w, i):
                return w[i]

            def backward(saved, d):
                return getattr(jnp.zeros((saved[0], d.shape[-1]), d.dtype).at[saved[1]], how)(d), None

            rows.defvjp(lambda w, i: (w[i], (w.shape[0], i)), backward)
            return rows

        w = np.arange(15.0).reshape(5, 3)
        samples = [(w, np.array([1, 1, 2])), (w, np.array([4, 0, 4]))]  # of the same shapes
        assert (report := gp.check_kernel(make("add"), samples=samples, wrt=["w"])), str(report)
        assert "gradient" in broken(gp.check_kernel(make("set"), samples=samples, wrt=["w"]))

    def test_attributes_by_name(self):
        def scale(x, *, k):
            return k * x

        assert gp.check_kernel(scale, lambda dy, x, k: k * dy, shapes=[(3, 4)], attrs={"k": 2.0})
        assert not gp.check_kernel(scale, lambda dy, x, k: dy, shapes=[(3, 4)], attrs={"k": 2.0})
        with pytest.raises(ValueError, match="attrs has 'q', which the kernel does not take by name"):
            gp.check_kernel(scale, lambda dy, x, k: k * dy, shapes=[(3, 4)], attrs={"q": 2.0})
