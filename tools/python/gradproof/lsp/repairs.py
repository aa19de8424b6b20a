"""Quick fixes: the right side that the report gives, in the place of the wrong one. Each is tried before it is offered."""

from functools import partial

from lsprotocol import types

from .diagnostics import diagnostic
from .document import Document
from .lines import Line, lines_of, repair_of
from .work import TooLong

Edit = tuple[int, int, str]


def _candidates(document: Document, line: Line) -> list[Edit]:
    """What may stand in the place of the right side, else of the whole line."""
    if "right" not in line.place:
        return []
    begin, end = document.text.bounds(line.place["right"])
    if repair := repair_of(line.report):
        return [(begin, end, repair)]
    derived = line.report.get("derived", "")
    if " = " not in derived:
        return []
    whole = [] if line.place["language"] == "latex" else [(*line.bounds(document.text), derived)]
    return [(begin, end, derived.split(" = ", 1)[1]), *whole]


async def _first_right(document: Document, number: int, line: Line) -> Edit | None:
    """The first of them with which the line, the number-th of the report, is right."""
    text = document.text.text
    for begin, end, new in _candidates(document, line):
        try:
            found = (await document.judged(text[:begin] + new + text[end:])).get("lines", [])
        except (TooLong, OSError, ValueError, RuntimeError, MemoryError):
            return None
        if len(found) == len((document.report or {})["lines"]) and found[number]["verdict"] == "right":
            return begin, end, new
    return None


def _action(document: Document, line: Line, edit: Edit, as_changes: bool) -> types.CodeAction:
    begin, end, new = edit
    edits = [types.TextEdit(document.text.range(begin, end), new)]
    if as_changes:
        change = types.WorkspaceEdit(changes={document.uri: edits})
    else:
        versioned = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        change = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, edits)])
    return types.CodeAction(
        title=f"Write  {' '.join(new.split())}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(document.text, line)],
        is_preferred=True,
        edit=change,
    )


async def code_actions(document: Document, where: types.Range, as_changes: bool) -> list[types.CodeAction]:
    """Those of the wrong lines that the range touches; none while the text is being checked."""
    first, last = document.text.of_position(where.start), document.text.of_position(where.end)
    actions = []
    for number, line in enumerate(lines_of(document.report, await document.outline())):
        if line.verdict != "wrong" or "in" in line.report["span"]:
            continue
        begin, end = line.bounds(document.text)
        if begin <= last and first <= end:
            edit = await document.repaired(number, partial(_first_right, document, number, line))
            if edit:
                actions.append(_action(document, line, edit, as_changes))
    return actions
