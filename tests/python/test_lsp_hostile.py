"""The language server and what goes wrong: long checks, texts without an end, places that are not there, files of other kinds."""

import asyncio
import os
import pathlib
import time

import pytest

pytest.importorskip("pytest_lsp", reason="the language server is tested with pytest-lsp")

from gradproof import _core
from lsp_client import COMMAND, File, start, stop
from lsprotocol import types
from shared import run_python

HEAD = "dims n m d\ninput Q [n, d], K [m, d]\nforward\n  S = Q K^T / sqrt(d)\nclaim\n"
RIGHT, WRONG = HEAD + "  dQ = dS K / sqrt(d)\n", HEAD + "  dQ = dS K\n"
LONG = _core.library_text("transformer_block") * 90  # a minute of work or more
lsp = pytest.mark.asyncio


async def is_well(client):
    """Whether it still tells right from wrong."""
    right, wrong = File(client, RIGHT).open(), File(client, WRONG).open()
    assert [len(await right.verdicts()), len(await wrong.verdicts())] == [0, 1]


async def rests(client):
    """Whether the server soon has no work left, by its use of the processor."""
    stat = pathlib.Path(f"/proc/{client._server.pid}/stat")

    def used():
        return sum(int(n) for n in stat.read_text().rpartition(")")[2].split()[11:13]) / os.sysconf("SC_CLK_TCK")

    for _ in range(10):
        before = used()
        await asyncio.sleep(1)
        if used() - before < 0.2:
            return True
    return False


@lsp
async def test_a_newer_text_ends_the_check_of_an_older_one(client):
    file = File(client, LONG).open()
    await asyncio.sleep(0.5)
    told = await file.hover("∂L/∂F = ")
    assert "being checked" in told, "it answers while it checks"
    before = time.monotonic()
    file.change(WRONG)
    assert len(await file.verdicts()) == 1 and time.monotonic() - before < 30
    assert 0 not in {p.version for p in client.published if p.uri == file.uri}
    assert await rests(client), "the older check goes on"
    await is_well(client)


@lsp
async def test_many_changes_are_checked_once_they_rest():
    client = await start({"delay": 0.3})
    file = File(client, RIGHT).open()
    await file.verdicts()
    before = time.monotonic()
    for number in range(30):
        file.change(WRONG + "#" * number)
    assert len(await file.verdicts()) == 1 and client.published == []
    assert time.monotonic() - before > 0.3
    await stop(client)


@lsp
async def test_what_takes_too_long_is_said():
    client = await start({"timeLimit": 0.5})
    (found,) = await File(client, LONG).open().verdicts()
    assert found.message == "not checked: it took longer than 0.5 seconds"
    assert found.severity == types.DiagnosticSeverity.Information
    assert await rests(client), "its check goes on"
    await is_well(client)
    await stop(client)


@lsp
async def test_a_file_may_be_closed_while_it_is_checked(client):
    file = File(client, LONG).open()
    await asyncio.sleep(0.5)
    file.close()
    assert await rests(client), "its check goes on"
    await is_well(client)
    assert file.uri not in {p.uri for p in client.published}
    assert await file.hover("∂L/∂F = ") == "" and await file.fixes(file.range("∂L/∂F = ")) == []
    file.open()
    file.close()
    await is_well(client)


@lsp
async def test_a_file_that_is_closed_shows_nothing(client):
    file = File(client, WRONG).open()
    assert len(await file.verdicts()) == 1
    file.close()
    assert await file.verdicts(file.uri) == []


@lsp
async def test_the_server_ends_with_its_client():
    """Also in the middle of a check."""
    client = await start()
    File(client, LONG).open()
    await asyncio.sleep(0.5)
    server = client._server
    server.stdin.close()
    assert await asyncio.wait_for(server.wait(), 30) == 0


@lsp
@pytest.mark.parametrize("uri", ["file:///a/b.txt", "file:///a/b.ipynb", "file:///a/b", "untitled:Untitled-1", "http://a/b.rs"])
async def test_files_of_other_kinds_are_left_alone(client, uri):
    file = File(client, WRONG, uri=uri, language="plaintext").open()
    file.change(WRONG + WRONG)
    assert await file.hover("dQ") == "" and await file.hints() == {} and await file.symbols() == []
    await is_well(client)
    assert uri not in {p.uri for p in client.published}


@lsp
async def test_a_text_without_a_name_is_read_by_its_language(client):
    assert len(await File(client, WRONG, uri="untitled:Untitled-1", language="gradproof").open().verdicts()) == 1
    notes = File(client, f"```proof\n{WRONG}```\n", uri="untitled:Untitled-2", language="markdown").open()
    assert len(await notes.verdicts()) == 1


@lsp
@pytest.mark.parametrize(
    "ending, text",
    [
        (".md", "# Notes\nnothing to check\n```python\nx = 1\n```\n"),
        (".py", "import os\nx = os.getcwd()\n"),
        (".tex", "\\begin{equation} E = m c^2 \\end{equation}\n\\begin{align} y &= f(x \\end{align}\n"),
        (".proof", "\n  \n"),
        (".proof", ""),
    ],
)
async def test_texts_without_derivations_show_nothing(client, ending, text):
    assert await File(client, text, ending).open().verdicts() == []


@lsp
@pytest.mark.parametrize(
    "ending, text",
    [
        (".proof", HEAD + "  dQ = " + "(" * 10**6),
        (".proof", HEAD + "  dQ = dS K\n" * 3900 + "#" + "x" * 10**6),
        (".proof", HEAD + "  dQ = " + "dS K + " * 30000),
        (".proof", "\x01\x02￿" * 300000),
        (".proof", HEAD + "  dQ = \x00 dS K\n"),
        (".proof", HEAD + "  dQ = \ud800 dS K\n"),
        (".md", "words 𝕏\n" * 10**5 + "```proof\n" + WRONG),
        (".tex", "% gradproof: input x = 1\n" + "\\begin{equation} y = {x \n" * 10000),
        (
            ".tex",
            "% gradproof: input x = 1\n\\def\\a{\\a\\a}\\begin{equation} y = \\a \\end{equation}\n\\input{../../etc/passwd}",
        ),
        (".py", "# gradproof: input x = 1\n" + "y = x\\\n" * 10**5),
    ],
)
async def test_long_and_broken_texts_get_an_answer(client, ending, text):
    file = File(client, text, ending).open()
    found = await file.verdicts()
    assert found and all(d.message and d.range.start <= d.range.end for d in found)
    await file.hints(), await file.symbols()
    await file.complete(types.Position(6, 2))
    await is_well(client)


@lsp
async def test_a_file_that_cannot_be_taken_in_is_an_error(client, tmp_path):
    (tmp_path / "part.tex").write_bytes(b"\xff\xfe")
    paper = File(client, "% gradproof: on\n\\input{part}\n", uri=(tmp_path / "paper.tex").as_uri()).open()
    (found,) = await paper.verdicts()
    assert found.severity == types.DiagnosticSeverity.Error and "part.tex: it is not UTF-8 text" in found.message
    await is_well(client)


@lsp
async def test_half_typed_lines_get_an_answer(client):
    file = File(client, "").open()
    assert await file.verdicts() == []
    for length in range(1, len(WRONG), 7):
        file.change(WRONG[:length])
        assert await file.verdicts() is not None
        await file.complete(types.Position(WRONG[:length].count("\n"), 100))
    file.change(WRONG)
    assert len(await file.verdicts()) == 1


@lsp
async def test_places_that_are_not_there(client):
    """Beyond the end of a line or of the text, and in the middle of a character."""
    file = File(client, WRONG.replace("dQ =", "# 𝕏𝕏\r\n  dQ =")).open()
    (found,) = await file.verdicts()
    most = 2**31 - 1
    for place in [types.Position(5, 5), types.Position(5, most), types.Position(most, 0), types.Position(most, most)]:
        await client.text_document_hover_async(types.HoverParams(file.id, place))
        assert isinstance(await file.complete(place), (list, tuple))
        assert await file.fixes(types.Range(place, place)) is not None
    assert len(await file.fixes(types.Range(types.Position(0, 0), types.Position(most, most)))) == 1
    assert await file.fixes(types.Range(types.Position(most, 0), types.Position(0, 0))) == []
    assert found.range.start == types.Position(6, 2)


@lsp
async def test_settings_that_are_wrong_are_said():
    client = await start({"timeLimit": "soon", "delay": -1})
    assert [m.message for m in client.log_messages] == [
        "gradproof: timeLimit is 'soon', expected seconds",
        "gradproof: delay is -1, expected seconds",
    ]
    await is_well(client)
    await stop(client)


@lsp
@pytest.mark.parametrize("editor", ["neovim", "emacs"])
async def test_other_editors_get_edits_that_they_can_take(editor):
    client = await start(editor=editor)
    file = File(client, WRONG).open()
    (found,) = await file.verdicts()
    (fix,) = await file.fixes(found.range)
    changes = fix.edit.changes
    edits = changes[file.uri] if changes else fix.edit.document_changes[0].edits
    file.change(file.with_edit(edits[0]))
    assert await file.verdicts() == []
    await stop(client)


@lsp
async def test_an_editor_without_versions_gets_plain_changes():
    client = await start(edit_versions=False)
    file = File(client, WRONG).open()
    (found,) = await file.verdicts()
    (fix,) = await file.fixes(found.range)
    assert fix.edit.document_changes is None and list(fix.edit.changes) == [file.uri]
    await stop(client)


def test_without_pygls_it_says_what_to_install():
    code = "import sys, runpy; sys.modules['pygls'] = None; runpy.run_module('gradproof.lsp', run_name='__main__')"
    done = run_python("-c", code)
    assert done.returncode == 2 and done.stderr == 'gradproof.lsp: it needs pygls: pip install "gradproof[lsp]"\n'


def test_it_needs_no_arguments_and_refuses_others():
    done = run_python(*COMMAND[1:], "--tcp")
    assert done.returncode == 2 and "unrecognized arguments: --tcp" in done.stderr


def run_program(path, *arguments):
    """python -m gradproof, with this PATH."""
    return run_python("-m", "gradproof", *arguments, env={**os.environ, "PATH": str(path)})


def test_python_m_gradproof_is_the_program_on_path(tmp_path):
    program = tmp_path / "gradproof"
    program.write_text('#!/bin/sh\necho "got $*"\nexit 3\n')
    program.chmod(0o755)
    done = run_program(tmp_path, "check", "a b")
    assert (done.stdout, done.returncode) == ("got check a b\n", 3)


def test_python_m_gradproof_says_where_there_is_none(tmp_path):
    done = run_program(tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("gradproof: the program is not installed")
    assert done.stderr.count("\n") == 1
    (tmp_path / "gradproof").write_text("not a program")
    (tmp_path / "gradproof").chmod(0o755)
    done = run_program(tmp_path)
    assert done.returncode == 2 and done.stderr == f"gradproof: {tmp_path}/gradproof cannot be run: Exec format error\n"
