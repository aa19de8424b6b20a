"""Causes that are found by trying, and that are told only where they hold; zeros that are left by cancellation."""

import gradproof as gp
import numpy as np
import pytest
from shared import broken

SCAN = {"shapes": [(5, 3), (5, 3), (5, 3), (3,)]}


def scan(a, b, x, start):
    h, s = np.empty_like(x), start
    for t in range(len(x)):
        s = h[t] = a[t] * s + b[t] * x[t]
    return h


def scan_back(slip=""):
    def backward(dy, a, b, x, start):
        h, g = scan(a, b, x, start), np.zeros_like(start)
        da, db, dx = np.empty_like(a), np.empty_like(b), np.empty_like(x)
        for t in range(len(x) - 1, -1, -1):
            after = a[t] if slip == "a" else a[t + 1] if t + 1 < len(a) else 0
            g = g * after + dy[t]
            da[t] = g * (h[t] if slip == "h" else h[t - 1] if t else start)
            db[t], dx[t] = g * x[t], g * b[t]
        return da, db, dx, a[0] * g

    return backward


def conv(x, w):
    n = w.shape[1]
    padded = np.pad(x, ((0, 0), (n - 1, 0)))
    return sum(w[:, j, None] * padded[:, j : j + x.shape[1]] for j in range(n))


def conv_back(is_flipped):
    def backward(dy, x, w):
        n = w.shape[1]
        padded, after = np.pad(x, ((0, 0), (n - 1, 0))), np.pad(dy, ((0, 0), (0, n - 1)))
        used = w[:, ::-1] if is_flipped else w
        dx = sum(used[:, j, None] * after[:, j : j + x.shape[1]] for j in range(n))
        return dx, np.stack([(dy * padded[:, j : j + x.shape[1]]).sum(-1) for j in range(n)], 1)

    return backward


class TestElsewhere:
    def test_a_filter_that_is_not_reversed(self):
        assert (report := gp.check_kernel(conv, conv_back(True), shapes=[(2, 6), (2, 3)])), str(report)
        report = gp.check_kernel(conv, conv_back(False), shapes=[(2, 6), (2, 3)])
        assert "why: d(x): it is the gradient with w reversed along axis 1" in str(report), str(report)

    def test_an_output_and_an_input_one_step_off(self):
        assert (report := gp.check_kernel(scan, scan_back(), **SCAN)), str(report)
        report = gp.check_kernel(scan, scan_back("h"), **SCAN)
        assert "why: d(a): along axis 0, y stands in it at i where y at i - 1 belongs" in str(report), str(report)
        report = gp.check_kernel(scan, scan_back("a"), **SCAN)
        why = "why: d(x): it is the gradient with a one step off along axis 0: at i stands what belongs at i - 1"
        assert why in str(report), str(report)


class TestConfirmed:
    def test_no_cause_is_told_of_a_kernel_that_is_not_deterministic(self):
        random = np.random.default_rng(0)
        report = gp.check_kernel(np.sin, lambda dy, x: dy * np.cos(x) * (1 + 1e-3 * random.random(x.shape)), shapes=[(3, 5)])
        assert {"gradient", "deterministic"} <= set(broken(report)) and "why:" not in str(report), str(report)

    def test_no_cause_that_holds_on_one_draw_alone(self):
        seen = []

        def backward(dy, x):
            seen.extend([] if any(np.array_equal(x, a) for a in seen) else [x.copy()])
            is_first = np.array_equal(x, seen[0])
            return dy * np.cos(x) * (2 if is_first else 1 + np.abs(x) ** 1.7)

        report = gp.check_kernel(np.sin, backward, shapes=[(3, 5)], dtype="float64", vary=False)
        assert broken(report) == ["gradient"] and "claimed = 2 * true" not in str(report), str(report)

    def test_a_cause_on_arrays_of_one_entry(self):
        report = gp.check_kernel(np.tanh, lambda dy, x: dy * (1 - np.tanh(x) ** 2) * (x.size > 1), like="tanh")
        assert "why: d(x): claimed is zero everywhere" in str(report), str(report)


class TestClaims:
    TEXT = """
        dims n
        input x [n]
        forward
          s = exp(x)
          y = s ⊙ x
        claim
          ∂L/∂x = ∂L/∂y ⊙ s
        """
    NOTE = "note: line 8 of the derivation is itself wrong"

    def test_wrong_claims_are_told(self):
        report = gp.check_kernel(lambda x: x * np.exp(x), lambda dy, x: dy * (1 + x) * np.exp(x), proof=self.TEXT)
        assert report and f"{self.NOTE}: ∂L/∂x = ∂L/∂y ⊙ s" in str(report), str(report)
        report = gp.check_kernel(lambda x: x * np.exp(x), lambda dy, x: dy * np.exp(x), proof=self.TEXT)
        assert not report and f"{self.NOTE}, and d(x) of the kernel is wrong too" in str(report), str(report)
        right = self.TEXT.replace("y ⊙ s", "y ⊙ (1 + x) ⊙ s")
        assert "itself wrong" not in str(gp.check_kernel(lambda x: x * np.exp(x), lambda dy, x: dy * np.exp(x), proof=right))


class TestCancellation:
    """With one column, z - 0.9 z - 0.1 mean(z) is 0, and only its rounding is left."""

    @staticmethod
    def forward(z, t):
        return ((z - 0.9 * z - 0.1 * z.mean(-1, keepdims=True)) * t).sum(-1)

    @staticmethod
    def backward(dl, z, t):
        d = dl[:, None] * t
        return d * 0.1 - 0.1 * d.mean(-1, keepdims=True), dl[:, None] * (z - 0.9 * z - 0.1 * z.mean(-1, keepdims=True))

    @pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
    def test_what_rounding_leaves_is_no_truth(self, dtype):
        for seed in range(8):
            report = gp.check_kernel(self.forward, self.backward, shapes=[(4, 5), (4, 5)], dtype=dtype, seed=seed)
            assert report, str(report)

    def test_nor_where_a_trusted_function_tells_it(self):
        def reference(z, t):
            return (0.1 * (z - z.mean(-1, keepdims=True)) * t).sum(-1)

        given = {"shapes": [(4, 5), (4, 5)], "dtype": ["float16", "bfloat16"]}
        for seed in range(4):
            report = gp.check_kernel(self.forward, self.backward, reference=reference, **given, seed=seed)
            assert "gradient" not in broken(report), str(report)

    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    def test_a_gradient_that_has_to_be_0_and_is_not_is_still_found(self, dtype):
        def backward(slip):
            def back(dl, z, t, q):
                dz, dt = self.backward(dl, z, t)
                return dz, dt + (slip * dl[:, None] * z if z.shape[1] == 1 else 0), 2 * dl[:, None] * q

            return back

        def forward(z, t, q):
            return self.forward(z, t) + (q * q).sum(-1)

        given = {"shapes": [(4, 5), (4, 5), (4, 3)], "dtype": dtype}
        for seed in range(4):
            assert (report := gp.check_kernel(forward, backward(0), **given, seed=seed)), str(report)
            report = gp.check_kernel(forward, backward(1e-3), **given, seed=seed)
            assert broken(report) == ["gradient"] and 'sample "5 as 1"' in str(report), str(report)

    @pytest.mark.parametrize("scale", [1e-3, 1e-9, 1e-14])
    def test_a_small_gradient_is_not_taken_for_0(self, scale):
        def forward(x):
            return scale * np.sin(x)

        assert gp.check_kernel(forward, lambda dy, x: scale * dy * np.cos(x), shapes=[(3, 5)])
        report = gp.check_kernel(forward, lambda dy, x: 1.01 * scale * dy * np.cos(x), shapes=[(3, 5)])
        assert broken(report) == ["gradient"], str(report)
