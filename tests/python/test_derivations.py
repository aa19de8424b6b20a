"""Derivations from Python: verdicts, texts, JSON and HTML, what is derived and explained, and wrong arguments."""

import json
import pathlib
import re

import gradproof as gp
import numpy as np
import pytest
from shared import run_interrupted, run_python

ATTENTION = """
dims n m d e
input Q [n, d], K [m, d], V [m, e]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
  O = A V
claim
  dV = A^T dO
  dA = dO V^T
"""
FORWARD = "S = Q K^T / sqrt(d); A = softmax(S); O = A V"
INPUTS = "Q [n, d], K [m, d], V [m, e]"


def test_a_right_derivation_is_true():
    report = gp.check_proof(ATTENTION)
    assert report and report.verdict == "right"
    assert report.to_dict()["right"] == 2 and report.to_dict()["schema"] == 1
    assert json.dumps(report.to_dict())


def test_a_wrong_line_is_false_and_says_why():
    report = gp.check_proof(ATTENTION.replace("dO V^T", "dO V"))
    assert not report and report.verdict == "wrong"
    assert "V must be transposed; write  dO V^T" in str(report)
    assert report.to_dict()["first_wrong_line"] == 10


def test_a_text_that_is_none_is_not_read():
    report = gp.check_proof("forward\n  Y = (X\n")
    assert report.verdict == "wrong" and "not read  Y = (X  this bracket is never closed" in str(report)
    assert gp.check_proof("dims ((").verdict == "not read"


def test_paths_texts_and_names(tmp_path):
    (tmp_path / "a.proof").write_text(ATTENTION)
    (tmp_path / "notes.md").write_text(f"# Notes\n```proof\n{ATTENTION}```\n")
    (tmp_path / "paper.tex").write_text("\\input{part}\n")
    (tmp_path / "part.tex").write_text(gp.derive(FORWARD, inputs=INPUTS).latex())
    assert gp.check_proof(tmp_path / "a.proof")
    assert gp.check_proof(str(tmp_path / "a.proof"))
    assert gp.check_proof("attention")
    assert gp.check_markdown(tmp_path / "notes.md") and gp.check_markdown((tmp_path / "notes.md").read_text())
    assert gp.check_tex(tmp_path / "paper.tex")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/paper.tex").write_text("\\input{link}\n")
    (tmp_path / "inner/link.tex").symlink_to(tmp_path / "part.tex")
    assert gp.check_tex(tmp_path / "inner/paper.tex").verdict == "not read"
    (tmp_path / "paper.tex").write_text("\\input{../secret}\n")
    assert gp.check_tex(tmp_path / "paper.tex").verdict == "not read"


def test_a_numpy_program_is_read():
    text = pathlib.Path(__file__).parent.parent / "proofs/readme/kernel.py"
    assert gp.check_python(text).to_dict()["lines"]


def test_arrays_in_the_place_of_what_is_drawn():
    report = gp.check_proof(ATTENTION, bind={"Q": np.ones((2, 3)), "K": np.ones((4, 3)), "V": np.ones((4, 5), np.float32)})
    assert report, str(report)
    with pytest.raises(ValueError, match="W"):
        gp.check_proof(ATTENTION, bind={"W": np.ones(3)})


def test_the_seed_is_that_of_the_numbers():
    def worst(seed):
        text = ATTENTION.replace("dV = A^T dO", "dV = 2 A^T dO")
        return gp.check_proof(text, seed=seed).to_dict()["lines"][0]["worst"]

    assert worst(1) == worst(1) != worst(2)


def test_html_is_escaped_and_typeset():
    html = gp.check_proof('title "<script>alert(1)</script>"' + ATTENTION.replace("dO V^T", "dO V"))._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "<math" in html and "<details>" in html
    assert re.search(r"<b style=[^>]*>wrong</b>", html)
    assert "<script>" not in gp.check_proof("<script>")._repr_html_()
    html = gp.check_proof(ATTENTION + "  dK = <img src=x>\n")._repr_html_()
    assert "<img" not in html and "&lt;img" in html

    def raising(x):
        raise ValueError("<img src=x>")

    html = gp.check_kernel(raising, lambda dy, x: dy, like="tanh")._repr_html_()
    assert "<img" not in html and html.count("&lt;img") >= 2


def test_reasons_in_html_are_escaped():
    report = gp.check_proof("dims n\ninput x [n]\nforward\n  y = x\nclaim\n  dx = dy[i] where <b>\n  dx = 2 dy\n")
    report.to_dict()["lines"][1]["reason"] = "<b>bold</b>"  # as one that quotes the text
    report.to_dict()["lines"][1].pop("diagnosis", None)
    assert "<b>bold" not in report._repr_html_() and "&lt;b&gt;bold" in report._repr_html_()


def test_of_a_program_one_function():
    text = (
        "# gradproof: dims n; input x [n]\ny = x ** 2\n\n"
        "def slow(x, dy):\n    dx = x * dy\n\ndef fast(x, dy):\n    dx = 2 * x * dy\n"
    )
    assert gp.check_python(text, function="fast") and not gp.check_python(text, function=["slow"])
    assert not gp.check_python(text) and not gp.check_python(text, function="slow, fast")
    with pytest.raises(ValueError, match="no function fas"):
        gp.check_python(text, function="fas")


def test_gradients_are_derived():
    d = gp.derive(FORWARD, inputs=INPUTS, wrt="Q K V")
    assert d and "∂L/∂Q = ∂L/∂S K / sqrt(d)" in str(d)
    assert gp.check_proof(d.notation()) and gp.check_tex(d.latex()) and gp.check_markdown(d.markdown())
    assert "autograd.Function" in d.torch() and "custom_vjp" in d.jax() and "GRADPROOF_OP" in d.cpp()
    alone = gp.derive("attention", wrt="Q")
    assert "∂L/∂V" not in alone.notation()
    for program in (alone.numpy(), alone.torch(), alone.jax()):
        assert "dQ" in program and "dV" not in program
    with pytest.raises(ValueError, match="cpp: the page of an op has all gradients, and wrt leaves out that of K"):
        alone.cpp()
    assert "<math" in d._repr_html_()


def test_a_derived_numpy_program_checks_itself(tmp_path):
    program = tmp_path / "attention.py"
    program.write_text(gp.derive("attention").numpy())
    run_python(program, check=True)


def test_a_derived_torch_program_is_a_right_kernel():
    pytest.importorskip("torch")
    names = {"__name__": "derived"}
    exec(compile(gp.derive("softmax_rows").torch(), "derived.py", "exec"), names)
    functions = [v for v in names.values() if isinstance(v, type) and v.__module__ == names["__name__"]]
    assert functions
    report = gp.check_kernel(functions[0], proof="softmax_rows")
    assert report, str(report)


def test_numbers_are_explained():
    e = gp.explain("attention")
    assert "given" in str(e) and e.words().startswith("Scaled dot-product attention")
    assert "sum of 5 products" in str(e.cell("dK[2,1]"))
    assert e.cell("S[0,1]").to_dict()["cell"]
    assert str(gp.explain("attention", seed=1)) != str(gp.explain("attention", seed=2))


def test_arrays_from_elsewhere_are_compared():
    random = np.random.default_rng(0)
    x, w, dy = random.standard_normal((4, 3)), random.standard_normal((3, 2)), random.standard_normal((4, 2))
    text = "dims n d h\ninput X [n, d], W [d, h]\nforward\n  Y = X W\n"
    right = {"Y": x @ w, "dY": dy, "dX": dy @ w.T, "dW": x.T @ dy}
    assert gp.compare(text, {"X": x, "W": w}, right)
    report = gp.compare(text, {"X": x, "W": w}, right | {"dW": 2 * x.T @ dy})
    assert not report and "dW" in str(report) and "2 * true" in str(report)
    with pytest.raises(ValueError, match="W"):
        gp.compare(text, {"X": x}, right)


def test_mistakes_of_attention_are_named():
    random = np.random.default_rng(0)
    q, k, v, dy = (random.standard_normal((1, 2, n, d)) for n, d in ((5, 4), (7, 4), (7, 3), (5, 3)))
    s = q @ k.swapaxes(-1, -2) / 2
    w = np.exp(s) / np.exp(s).sum(-1, keepdims=True)
    dw = dy @ v.swapaxes(-1, -2)
    ds = w * (dw - (dw * w).sum(-1, keepdims=True))
    right = {"dq": ds @ k / 2, "dk": ds.swapaxes(-1, -2) @ q / 2, "dv": w.swapaxes(-1, -2) @ dy}
    assert gp.attention_mistakes(q, k, v, dy, right)
    wrong = gp.attention_mistakes(q, k, v, dy, right | {"dq": (w * dw) @ k / 2})
    assert not wrong and "the row sum of the softmax Jacobian is missing" in str(wrong)
    assert not gp.attention_mistakes(q, k, v, dy, right, causal=True)
    with pytest.raises(ValueError, match="did you mean causal"):
        gp.attention_mistakes(q, k, v, dy, right, cousal=True)


def test_answers_to_exercises_are_judged():
    assert gp.judge_exercise("values", "A^T dO")
    wrong = gp.judge_exercise(6, "A dO")
    assert not wrong and wrong.question and "A^T dO" in wrong.repair and "A^T dO" not in str(wrong)
    assert len(gp.exercises()) >= 38
    with pytest.raises(ValueError, match="there are 1 to"):
        gp.judge_exercise("nothing", "x")


WRONG_USE = {
    "a number": (lambda: gp.check_proof(3), TypeError, "check_proof: got a int, expected a text or a path"),
    "a file that is not there": (
        lambda: gp.check_proof("no.proof"),
        FileNotFoundError,
        "no.proof: there is no such file",
    ),
    "no shapes": (lambda: gp.derive("Y = X W"), ValueError, "the shapes of the inputs are missing"),
    "no such gradient": (lambda: gp.derive("attention", wrt="ZZ"), ValueError, "no gradient of ZZ"),
    "no such entry": (lambda: gp.explain("attention").cell("foo"), ValueError, "no value is called foo"),
    "arrays of texts": (lambda: gp.check_proof(ATTENTION, bind={"Q": ["a"]}), TypeError, "Q has elements of type <U1"),
    "arrays without names": (lambda: gp.check_proof(ATTENTION, bind=[1]), TypeError, "expected a dictionary of arrays"),
}


@pytest.mark.parametrize("call, error, says", WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_one_error(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_a_text_that_cannot_be_derived_says_where():
    with pytest.raises(gp.ProofError, match="3:"):
        gp.derive("input X [2, 2]\nforward\n  Y = (X\n")


def test_ctrl_c_ends_a_check_and_its_thread():
    program = """
import os, signal, threading, time
import gradproof as gp
text = gp._core.library_text("transformer_block") * 20          # 20 seconds of work
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    gp.check_proof(text)
except KeyboardInterrupt:
    while threading.active_count() > 1 and time.monotonic() < began + 8:
        time.sleep(0.05)
    print("ended", threading.active_count())
"""
    done = run_interrupted(program, timeout=60)
    assert done.stdout == "ended 1\n", done.stderr
