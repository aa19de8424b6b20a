"""What a report says as diagnostics: for the file, and for files that it takes in."""

import re

from lsprotocol import types

from . import files
from .document import Document
from .lines import Line, lines_of, reasons
from .text import Text

_SEVERITY = {
    "wrong": types.DiagnosticSeverity.Error,
    "not read": types.DiagnosticSeverity.Error,
    "cannot tell": types.DiagnosticSeverity.Warning,
    "not checked": types.DiagnosticSeverity.Information,
}
Found = dict[str, list[types.Diagnostic]]


def _diagnostic(where, verdict, message):
    severity = _SEVERITY[verdict]
    return types.Diagnostic(range=where, message=message, severity=severity, source="gradproof", code=verdict)


def _part(text: Text, line: Line) -> tuple[int, int]:
    """The whole line, or of one that is not understood the word where that begins."""
    begin, end = line.bounds(text)
    at = line.report.get("at")
    if not at:
        return begin, end
    first, last = text.bounds(at)
    if last <= first:
        word = re.match(r"\\?\w+|.", text.text[first:])
        last = first + (word.end() if word else 0)
    return (first, last) if begin <= first < last <= end else (begin, end)


def diagnostic(text: Text, line: Line) -> types.Diagnostic:
    message = "\n".join(reasons(line.report)) or line.verdict
    return _diagnostic(text.range(*_part(text, line)), line.verdict, message)


class _Texts:
    """The texts that spans count in, with the URIs under which they are shown."""

    def __init__(self, document: Document):
        self._document = document
        self._others: dict[str, tuple[str, Text]] = {}

    def of(self, span: dict) -> tuple[str, Text]:
        document, name = self._document, span.get("in", "")
        if not name or document.beside is None or name not in document.beside.texts:
            return document.uri, document.text
        if name not in self._others:
            uri = files.uri_of(document.beside.path(name))
            self._others[name] = uri, Text(document.beside.texts[name], document.text.encoding)
        return self._others[name]


def of_report(document: Document, report: dict | None, outline: dict | None) -> Found:
    """By URI; the file itself is always among them."""
    found: Found = {document.uri: []}
    texts = _Texts(document)
    if report and "error" in report:
        error = report["error"]
        uri, text = texts.of(error.get("span", {}))
        begin = text.bounds(error["span"])[0] if "span" in error else 0
        number = text.position(begin).line
        end = max(begin + 1, text.starts[number] + len(text.line(number)))
        found.setdefault(uri, []).append(_diagnostic(text.range(begin, end), "not read", error["text"]))
    for line in lines_of(report, outline):
        if line.verdict in _SEVERITY:
            uri, text = texts.of(line.report["span"])
            found.setdefault(uri, []).append(diagnostic(text, line))
    return found


def of_failure(document: Document, verdict: str, why: str) -> Found:
    """Where there are no verdicts on lines: "not checked" or "not read", said at the first line."""
    where = document.text.range(0, len(document.text.line(0)))
    return {document.uri: [_diagnostic(where, verdict, f"{verdict}: {why}")]}
