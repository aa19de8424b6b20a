"""The language server on names: hover, hints, completion, symbols."""

import pytest

pytest.importorskip("pytest_lsp", reason="the language server is tested with pytest-lsp")

from lsp_client import HEAD, LATEX, WRONG
from lsprotocol import types

pytestmark = pytest.mark.asyncio


async def test_hover_tells_of_names_and_functions(opened):
    file = opened("Words\n\n```proof\n" + WRONG + "```\n", ".md")
    await file.verdicts()
    assert "`S`: a value" in await file.hover("S = Q") and "shape `[n, m]`" in await file.hover("S = Q")
    assert "`d`: a size" in await file.hover("d)\n  A")
    assert "`Q`: an input" in await file.hover("Q K^T") and "`dA`: the gradient of `A`" in await file.hover("dA - rowsum")
    told = await file.hover("softmax", 3)
    assert "backward" in told and "y = " in told
    assert "`rowsum`: `sum` along the last axis" in await file.hover("rowsum", 2)
    assert await file.hover("Words") == "" and await file.hover("title") == ""


async def test_hints_show_shapes_and_what_is_right(opened):
    file = opened(WRONG.replace("input Q", "const c = [1, 2, 3]\ninput Q"))
    await file.verdicts()
    hints = await file.hints()
    assert hints["S"] == "[n, m]" and hints["A"] == "[n, m]" and hints["const c"] == "[3]"
    assert hints["dS = A ⊙ (dA - rowsum(dA ⊙ A))"] == "✓ proved"
    assert len(hints) == 4
    file = opened(LATEX, ".tex")
    await file.verdicts()
    assert (await file.hints())["S"] == "[n, m]"


async def test_a_size_without_a_name_is_a_question_mark(opened):
    file = opened(HEAD.replace("claim", "  B = concat(S, S, axis=0)\n  c = sum(A)\nclaim") + "  dA = dc\n")
    await file.verdicts()
    hints = await file.hints()
    assert hints["B"] == "[?, m]" and hints["c"] == "number"


async def test_hints_of_lines_that_fit_stay_where_others_do_not(opened):
    file = opened(HEAD.replace("claim", "  B = A A\n  C = A^T\nclaim") + "  dA = dC^T\n")
    await file.verdicts()
    hints = await file.hints()
    assert hints["S"] == "[n, m]" and hints["C"] == "[m, n]" and "B" not in hints


def labels(items):
    return {item.label for item in items}


async def test_completion_knows_names_gradients_functions_and_statements(opened):
    file = opened(HEAD + "  D = rowsum(dA ⊙ A)\n  dS = A ⊙ (dA - s")
    await file.verdicts()
    items = await file.complete(file.position("- s", 3))
    assert {"S", "A", "Q", "n", "D", "dA", "∂L/∂S", "softmax", "rowsum", "sum"} <= labels(items)
    assert "claim" not in labels(items)
    shape = next(item for item in items if item.label == "S")
    assert shape.detail == "[n, m]" and shape.text_edit.range == types.Range(file.position("- s", 2), file.position("- s", 3))
    softmax = next(item for item in items if item.label == "softmax")
    assert "backward" in softmax.documentation.value
    assert "claim" in labels(await file.complete(file.position("claim", 2)))


async def test_completion_goes_on_from_half_a_gradient(opened):
    file = opened(HEAD + "  dS = ∂L/∂")
    await file.verdicts()
    item = next(i for i in await file.complete(file.position("∂L/∂", 4)) if i.label == "∂L/∂A")
    assert item.text_edit.range == file.range("∂L/∂")


async def test_completion_writes_as_the_file_does(opened):
    file = opened(LATEX.replace("Q", r"\mathbf{Q}"), ".tex")
    await file.verdicts()
    found = labels(await file.complete(file.position("\\end{align}")))
    assert {r"\mathbf{Q}", r"\nabla_{S} L"} <= found and "softmax" not in found
    file = opened("Words\n\n```proof\n" + WRONG + "```\nWords\n", ".md")
    await file.verdicts()
    assert await file.complete(file.position("Words", 3)) == [] and "S" in labels(await file.complete(file.position("dS K", 4)))


async def test_a_text_that_is_half_typed_keeps_its_names(opened):
    file = opened("```proof\n" + WRONG + "```\n", ".md")
    await file.verdicts()
    file.change(file.text.replace("dims n m d", "dims n m (").replace("dQ = dS K\n", "dQ = dS "))
    assert [f.code for f in await file.verdicts()] == ["not read"]
    assert {"S", "dA"} <= labels(await file.complete(file.position("dQ = dS ", 8)))


async def test_symbols_are_the_lines_with_their_verdicts(opened):
    file = opened(WRONG)
    await file.verdicts()
    (proof,) = await file.symbols()
    assert proof.name == "Attention"
    assert [(s.name, s.detail) for s in proof.children] == [
        ("Q", "[n, d]"),
        ("K", "[m, d]"),
        ("S", "[n, m]"),
        ("A", "[n, m]"),
        ("dS = A ⊙ (dA - rowsum(dA ⊙ A))", "right, proved"),
        ("dQ = dS K", "wrong"),
    ]
    assert proof.children[-1].range == file.range("dQ = dS K")
