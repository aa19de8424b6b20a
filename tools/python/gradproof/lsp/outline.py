"""The shapes of names and the verdicts of lines, as hints within the text and as its outline."""

import re

from lsprotocol import types

from .document import Document
from .lines import certainty, lines_of_document
from .text import Text

_LEFT = re.compile(r"(.*?)\s*&?\s*(?:=|:=|\\gets\b|\\leftarrow\b|\+=)", re.DOTALL)
_Symbol = types.SymbolKind
_LONGEST = 200  # characters of a line that are shown as its name


def _end_of_left(text: Text, span: dict) -> int:
    """Where the left side of an assignment ends."""
    begin, end = text.bounds(span)
    left = _LEFT.match(text.text[begin:end])
    return begin + left.end(1) if left else end


def _hint(text, index, label, tooltip):
    return types.InlayHint(text.position(index), label, tooltip=tooltip, padding_left=True)


def hints_of_shapes(text: Text, outline: dict | None) -> list[tuple[int, types.InlayHint]]:
    """Behind each name that has a shape which is not written there."""
    out = []
    for proof in (outline or {}).get("proofs", []):
        for value in proof["given"] + proof["forward"]:
            shape = value.get("shape")
            if not shape or value.get("stated") or value.get("loss") or "(" in value["name"] or "in" in value["span"]:
                continue
            index = text.bounds(value["span"])[1] if "stated" in value else _end_of_left(text, value["span"])
            label = "number" if shape == "[]" else shape
            out.append((index, _hint(text, index, label, f"{value['name']}: in one draw {value['drawn']}")))
    return out


def hints_of_verdicts(document: Document, outline: dict | None) -> list[tuple[int, types.InlayHint]]:
    """Behind each line that is right."""
    out = []
    for line in lines_of_document(document, outline):
        if line.verdict == "right":
            index = line.bounds(document.text)[1]
            proved = "proof" in line.report
            out.append((index, _hint(document.text, index, "✓ proved" if proved else "✓", certainty(line.report))))
    return out


async def inlay_hints(document: Document, where: types.Range) -> list[types.InlayHint]:
    outline = await document.outline()
    first, last = document.text.of_position(where.start), document.text.of_position(where.end)
    found = hints_of_shapes(document.text, outline) + hints_of_verdicts(document, outline)
    return [hint for index, hint in found if first <= index <= last]


def _symbol(text, name, kind, detail, span):
    where = text.range(*text.bounds(span))
    return types.DocumentSymbol(name, kind, where, where, detail=detail or None)


def _of_proof(text, proof, verdicts):
    symbols = []
    for value in proof["given"] + proof["forward"]:
        if "in" not in value["span"] and "(" not in value["name"]:
            kind = _Symbol.Constant if value.get("constant") else _Symbol.Variable
            symbols.append(_symbol(text, value["name"], kind, value.get("shape"), value["span"]))
    for place in proof["lines"]:
        if "in" not in place["span"]:
            name = " ".join(text.slice(place["span"]).replace("&", "").split())[:_LONGEST]
            symbols.append(_symbol(text, name or "line", _Symbol.Boolean, verdicts.pop(_at(place), ""), place["span"]))
    return symbols


def _at(place):
    return place["span"]["utf16_offset"], place.get("link", 0)


async def symbols(document: Document) -> list[types.DocumentSymbol]:
    """A symbol for each derivation, with its values and their shapes, its lines and their verdicts."""
    outline = await document.outline()
    verdicts = {}
    for line in lines_of_document(document, outline):
        sure = ", proved" if "proof" in line.report else ""
        verdicts[_at(line.place or {"span": line.report["span"]})] = line.verdict + sure
    out = []
    for proof in (outline or {}).get("proofs", []):
        children = _of_proof(document.text, proof, verdicts)
        if not children:
            continue
        children.sort(key=lambda s: (s.range.start.line, s.range.start.character))
        ends = max((s.range.end for s in children), key=lambda p: (p.line, p.character))
        where = types.Range(children[0].range.start, ends)
        name = proof["title"] or "derivation"
        out.append(types.DocumentSymbol(name, _Symbol.Module, where, children[0].selection_range, children=children))
    return out
