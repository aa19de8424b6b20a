"""Figures of attention, gradients and training; the page's board."""

import html
import json
import re

import gradproof as gp
import numpy as np
import pytest
from shared import run_python


@pytest.fixture
def pictures():
    pytest.importorskip("matplotlib")
    return gp.pictures


def drawn(panel):
    return np.asarray(panel.images[0].get_array())


def test_attention_has_a_panel_a_head_with_the_weights_and_their_names(pictures):
    w = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 3))
    figure = pictures.attention(w, ["a", "b", "c"], title="two heads")
    panels = figure.axes[:2]
    assert [p.get_title() for p in panels] == ["head 0", "head 1"]
    assert all(np.array_equal(drawn(p), w[i]) for i, p in enumerate(panels))
    assert panels[0].images[0].get_clim() == (0, 1)
    for labels in (panels[1].get_xticklabels(), panels[1].get_yticklabels()):
        assert [label.get_text() for label in labels] == ["a", "b", "c"]
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_one_head_and_a_batch_of_one_are_taken_and_other_shapes_told(pictures):
    assert np.array_equal(drawn(pictures.attention(np.eye(2)).axes[0]), np.eye(2))
    assert len(pictures.attention(np.ones((1, 5, 2, 3)) / 3).axes) == 8 + 1  # two rows of four, and the scale
    with pytest.raises(ValueError, match=r"weights is \[2\], expected \[heads, queries, keys\]"):
        pictures.attention(np.ones(2))
    with pytest.raises(ValueError, match="got 3 names for 2 queries"):
        pictures.attention(np.eye(2), ["a", "b", "c"])
    with pytest.raises(ValueError, match="got 1 names for 2 panels"):
        pictures.attention(np.ones((2, 2, 2)), names=["a"])


def test_zero_is_white_in_gradients_whatever_the_largest_is(pictures):
    figure = pictures.gradients({"dQ": np.array([[3.0, -1.0], [np.nan, 0.0]]), "db": np.zeros(3)})
    first, second = figure.axes[:2]
    assert first.images[0].get_clim() == (-3, 3) and second.images[0].get_clim() == (-1, 1)
    assert first.get_title() == "dQ" and drawn(second).shape == (1, 3)
    with pytest.raises(ValueError, match="got no arrays"):
        pictures.gradients({})


def test_training_shows_each_parameter(pictures):
    run = gp.Training(model="single-head", epochs=2)
    with pytest.raises(ValueError, match="no report yet"):
        pictures.training(run)
    run.train()
    losses, norms = pictures.training(run).axes
    assert list(losses.lines[0].get_ydata()) == [h["loss"] for h in run.history]
    assert [line.get_label() for line in norms.lines] == list(run.parameters())


def test_curves_begin_at_step_1(pictures):
    (panel,) = pictures.curves({"right": [3.0, 2.0, 1.0]}).axes
    assert list(panel.lines[0].get_xdata()) == [1, 2, 3] and panel.get_yscale() == "log"


def test_without_matplotlib_the_rest_works_and_a_line_says_what_is_missing():
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.figure"] = None
import numpy as np, gradproof as gp
try:
    gp.pictures.attention(np.eye(2))
except ImportError as error:
    print(error)
"""
    assert run_python("-c", code).stdout == "gp.pictures: matplotlib is not there: pip install matplotlib\n"


PAGE = '<!doctype html><script type="application/json" id="start"></script><p>"é" & more</p>'


def test_the_board_is_the_page_with_the_derivation_laid_into_it(tmp_path, monkeypatch):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    monkeypatch.setenv("GRADPROOF_PAGE", str(tmp_path / "page.html"))
    text = "dims n\ninput x [n]\nforward\n  L = sum(x) </script>"
    board = gp.board(text)
    assert board
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', board._repr_html_())[1])
    before, after = PAGE.split("</script>")
    start = page.removeprefix(before).removesuffix("</script>" + after)
    assert json.loads(start) == {"view": "board", "text": text} and "<" not in start
    board.save(tmp_path / "board.html")
    assert (tmp_path / "board.html").read_text(encoding="utf-8") == page


def test_without_a_page_the_board_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADPROOF_PAGE", str(tmp_path / "page.html"))
    board = gp.board()
    assert not board and "The page is not built" in repr(board) and repr(board) in html.unescape(board._repr_html_())
    with pytest.raises(FileNotFoundError, match="not built"):
        board.save(tmp_path / "board.html")
    (tmp_path / "page.html").write_text("<p>another page</p>")
    with pytest.raises(ValueError, match="of another version, or no page"):
        gp.board()
    with pytest.raises(ValueError, match="is not in the notation"):
        gp.board(tmp_path / "a.tex" if (tmp_path / "a.tex").write_text("$x$") else "")


def test_the_lines_of_a_latex_text_are_shown_as_formulas():
    """Also those that the notation writes otherwise."""
    text = r"""% gradproof: dims n; input \mathbf{x} [n]
\begin{align} \mathbf{y} &= \tanh(\mathbf{x}) \\ \mathbf{dx} &= (1 - \mathbf{y}^2) \odot \mathbf{dy} \end{align}"""
    page = gp.check_tex(text)._repr_html_()
    assert page.count("<math") == 1 and "<code>" not in page
