"""The language server with a real client: what it shows of right and wrong texts, in each notation."""

import pathlib
import re

import pytest

pytest.importorskip("pytest_lsp", reason="the language server is tested with pytest-lsp")

import pytest_asyncio
from lsp_client import File, start, stop
from lsprotocol import types

pytestmark = pytest.mark.asyncio
PROOFS = pathlib.Path(__file__).parents[1] / "proofs"
HEAD = """title "Attention"
dims n m d
input Q [n, d], K [m, d]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
claim
"""
WRONG = HEAD + "  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n  dQ = dS K\n"
NOTATION = "dims n m d\ninput Q [n, d], K [m, d]\nforward\n  S = Q K^T / sqrt(d)\nclaim\n  dQ = dS K\n"
LATEX = r"""% gradproof: dims n m d; input Q [n, d], K [m, d]
\begin{align}
S &= Q K^\top / \sqrt{d} \\
\nabla_Q L &= \frac{\partial L}{\partial S} K  \label{q} \\
\nabla_K L &= \Bigl(\frac{\partial L}{\partial S}\Bigr)^\top Q / \sqrt{d}
\end{align}
"""
NUMPY = "# gradproof: dims n m d; input Q [n, d], K [m, d]\nS = Q @ K.T / np.sqrt(d)\ndQ = dS @ K  # no root\n"
WRITTEN = {
    "notation": (".proof", NOTATION, "dQ = dS K"),
    "LaTeX": (".tex", LATEX, r"\nabla_Q L &= \frac{\partial L}{\partial S} K"),
    "NumPy": (".py", NUMPY, "dQ = dS @ K"),
    "Markdown": (".md", f"# Notes 𝕏\n\n```proof\n{NOTATION}```\nand on\n", "dQ = dS K"),
    "Markdown, LaTeX": (
        ".md",
        f"Text\n\n> ```latex proof\n> {LATEX.replace(chr(10), chr(10) + '> ')}\n> ```\n",
        r"\nabla_Q L &= ",
    ),
    "Markdown, NumPy": (".md", f"- ~~~python proof\n  {NUMPY.replace(chr(10), chr(10) + '  ')}\n  ~~~\n", "dQ = dS @ K"),
}


@pytest_asyncio.fixture
async def client():
    client = await start()
    yield client
    await stop(client)


@pytest.fixture
def opened(client):
    return lambda text, ending=".proof", **how: File(client, text, ending, **how).open()


async def test_a_right_text_shows_nothing(opened):
    assert await opened(HEAD + "  dQ = dS K / sqrt(d)\n").verdicts() == []


async def test_a_wrong_line_is_an_error_at_its_place(opened):
    file = opened(WRONG)
    (found,) = await file.verdicts()
    assert (found.range, found.severity, found.source) == (file.range("dQ = dS K"), types.DiagnosticSeverity.Error, "gradproof")
    assert found.code == "wrong" and "off by a factor of sqrt(d)\nwrite  dS K / sqrt(d)\nworst at [" in found.message


async def test_columns_count_units_of_utf_16(opened):
    file = opened('title "𝔸𝔹"\ninput 𝐱 = [1, 2]\nforward\n  y = 𝐱 ⊙ 𝐱\nclaim\n  d𝐱 = 2 𝐱 ⊙ 𝐱 ⊙ dz\n')
    (found,) = await file.verdicts()
    assert found.range == file.range("dz") and found.range.start.character == 20
    assert found.code == "not read" and found.message.startswith("unknown name dz")
    (found,) = await opened("input 𝐱 = [1, 2]\nforward\n  y = 𝐱 ⊙ 𝐱\nclaim\n  d𝐱 = 𝐱 ⊙ dy\n").verdicts()
    assert (found.range.start.character, found.range.end.character) == (2, 2 + len("d𝐱 = 𝐱 ⊙ dy") + 2)


@pytest.mark.parametrize("encoding, end", [("utf-8", 21), ("utf-16", 15), ("utf-32", 13)])
async def test_columns_are_those_that_were_agreed(encoding, end):
    client = await start(encodings=(encoding,))
    assert client.found.capabilities.position_encoding == encoding
    file = File(client, "input 𝐱 = [1, 2]\nforward\n  y = 𝐱 ⊙ 𝐱\nclaim\n  d𝐱 = 𝐱 ⊙ dy\n").open()
    (found,) = await file.verdicts()
    assert (found.range.start.character, found.range.end.character) == (2, end)
    (fix,) = await file.fixes(found.range)
    assert fix.edit.document_changes[0].edits[0].range.end.character == end
    at = types.HoverParams(file.id, types.Position(4, end - 2))
    assert "`dy`: the gradient of `y`" in (await client.text_document_hover_async(at)).contents.value
    await stop(client)


async def test_what_cannot_be_told_is_a_warning(opened):
    file = opened("dims n\ninput X [n]\nforward\n  Y = log(X)\nclaim\n  dX = dY / X\n")
    (found,) = await file.verdicts()
    assert (found.code, found.severity) == ("cannot tell", types.DiagnosticSeverity.Warning) and "nan" in found.message.lower()


async def test_a_text_that_is_refused_says_so_in_one_line(opened):
    (found,) = await opened("dims ((\n" + HEAD).verdicts()
    assert found.severity == types.DiagnosticSeverity.Error and found.range.start.line == 0 and "\n" not in found.message
    (found,) = await opened("# Notes\n\n```proof\n" + HEAD, ".md").verdicts()
    assert found.message == "this fenced block is never closed" and found.range.start.line == 2


async def test_lines_that_are_not_read_are_errors_where_they_stop_making_sense(opened):
    file = opened((PROOFS / "readme/unread.proof").read_text())
    found = await file.verdicts()
    assert [f.code for f in found] == ["not read", "not read", "wrong"]
    assert [f.range.start for f in found] == [file.position("(dA"), file.position("Qs"), file.position("q] / sqrt")]


@pytest.mark.parametrize("written", WRITTEN)
async def test_a_repair_makes_its_line_right(opened, written):
    ending, text, line = WRITTEN[written]
    file = opened(text, ending)
    (found,) = await file.verdicts()
    assert found.range.start == file.position(line)
    (fix,) = await file.fixes(found.range)
    assert fix.kind == "quickfix" and fix.is_preferred and [d.message for d in fix.diagnostics] == [found.message]
    (change,) = fix.edit.document_changes
    assert (change.text_document.uri, change.text_document.version) == (file.uri, 0)
    file.change(file.with_edit(change.edits[0]))
    assert await file.verdicts() == []
    assert r"\label{q}" in file.text or "LaTeX" not in written


async def test_every_repair_of_the_examples_makes_its_line_right(opened):
    offered = 0
    for path in [*(PROOFS / "readme").iterdir(), *sorted((PROOFS / "slips").parent.glob("*.proof"))]:
        file = opened(path.read_text(), path.suffix)
        found = await file.verdicts()
        for diagnostic in found:
            for fix in await file.fixes(diagnostic.range):
                offered += 1
                fixed = opened(file.with_edit(fix.edit.document_changes[0].edits[0]), path.suffix)
                assert len(await fixed.verdicts()) == len(found) - 1, fix.title
            assert "\nwrite  " not in diagnostic.message or await file.fixes(diagnostic.range), diagnostic.message
    assert offered >= 7


async def test_a_derived_line_is_offered_where_nothing_simple_repairs(opened):
    file = opened(HEAD + "  dS = A ⊙ A ⊙ dA ⊙ dA + 2\n")
    (found,) = await file.verdicts()
    assert "\nright is  " in "\n" + found.message
    (fix,) = await file.fixes(found.range)
    file.change(file.with_edit(fix.edit.document_changes[0].edits[0]))
    assert await file.verdicts() == []


async def test_no_fix_is_offered_that_leaves_the_line_wrong(opened):
    """The derived line is about the whole gradient, this one about its entries: the whole line is replaced."""
    file = opened(HEAD + "  dS[i,j] = A[i,j] A[i,j] dA[i,j] + 2\n")
    (found,) = await file.verdicts()
    assert "right is  ∂L/∂S = A ⊙" in found.message
    (fix,) = await file.fixes(found.range)
    assert fix.title.startswith("Write  ∂L/∂S = A ⊙")
    file.change(file.with_edit(fix.edit.document_changes[0].edits[0]))
    assert await file.verdicts() == []


async def test_fixes_are_those_of_the_lines_that_were_asked_about(opened):
    file = opened(HEAD + "  dQ = dS K\n  dK = dS^T Q\n")
    first, second = await file.verdicts()
    assert (
        len(await file.fixes(first.range)) == 1 and len(await file.fixes(types.Range(first.range.start, second.range.end))) == 2
    )
    assert await file.fixes(file.range("forward")) == []
    assert await file.fixes(first.range, only=["refactor"]) == [] and len(await file.fixes(first.range, only=["quickfix"])) == 1


async def test_hover_tells_the_verdict_and_why(opened):
    file = opened(WRONG)
    await file.verdicts()
    told = await file.hover("dQ = dS K", 6)
    assert told.startswith("**wrong**") and "off by a factor of sqrt(d)" in told and "```text\ndS K / sqrt(d)\n```" in told
    assert re.search(r"worst at \\\[\d,\d\\\]: claimed -?[\d.]+, true -?[\d.]+", told) and "entries compared" in told
    assert "derived: quotient rule, matrix product" in told and "∂L/∂Q = ∂L/∂S K / sqrt(d)" in told
    told = await file.hover("dS = A")
    assert told.startswith("**right**") and "proved, error \\< 2^-" in told and "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))" in told


@pytest.mark.parametrize(
    "written, derived", [("LaTeX", r"\nabla_{Q} L = \nabla_{S} L K / \sqrt{d}"), ("NumPy", "dQ = dS @ K / np.sqrt(d)")]
)
async def test_the_derived_line_is_in_the_notation_of_the_file(opened, written, derived):
    ending, text, line = WRITTEN[written]
    file = opened(text, ending)
    await file.verdicts()
    assert derived in await file.hover(line, 1)


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


async def test_the_steps_of_a_chain_have_their_own_places(opened):
    file = opened(HEAD + "  dQ = dS K / sqrt(d) = dS K\n")
    (found,) = await file.verdicts()
    assert found.range == types.Range(file.position("= dS K\n", 2), file.position("= dS K\n", 6))
    (fix,) = await file.fixes(found.range)
    assert file.with_edit(fix.edit.document_changes[0].edits[0]).endswith("= dS K / sqrt(d) = dS K / sqrt(d)\n")


async def test_what_a_paper_takes_in_is_shown_in_its_own_file(opened, tmp_path):
    (tmp_path / "part.tex").write_text(LATEX)
    (tmp_path / "paper.tex").write_text("% gradproof: on\nText 𝕏\n\\input{part}\n")
    paper, part = ((tmp_path / name).as_uri() for name in ("paper.tex", "part.tex"))
    main = opened((tmp_path / "paper.tex").read_text(), uri=paper)
    (found,) = await main.verdicts(part)
    assert found.range.start == File(None, LATEX).position(r"\nabla_Q")
    file = opened(LATEX.replace("} K  \\label", "} K / \\sqrt{d} \\label"), uri=part)
    while await file.verdicts(part):
        pass  # the text in the editor counts, also for the paper
    file.close()
    main.close()
