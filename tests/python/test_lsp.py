"""The language server with a real client: what it shows of right and wrong texts, in each notation."""

import pathlib
import re

import pytest

pytest.importorskip("pytest_lsp", reason="the language server is tested with pytest-lsp")

from lsp_client import HEAD, LATEX, WRONG, File, start, stop
from lsprotocol import types

pytestmark = pytest.mark.asyncio
PROOFS = pathlib.Path(__file__).parents[1] / "proofs"
NOTATION = "dims n m d\ninput Q [n, d], K [m, d]\nforward\n  S = Q K^T / sqrt(d)\nclaim\n  dQ = dS K\n"
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
    "Markdown, NumPy by a short name": (
        ".md",
        f"- ~~~py proof\n  {NUMPY.replace(chr(10), chr(10) + '  ')}\n  ~~~\n",
        "dQ = dS @ K",
    ),
}


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
    while not await main.verdicts(part):
        pass  # and again that of the file, once it is closed
