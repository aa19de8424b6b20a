"""What is told where the pointer rests: of a line its verdict and why, of a name its shape, of a function its formulas."""

import re

from lsprotocol import types

from . import functions, lines, names
from .document import Document


def _code(text, language="text"):
    return f"```{language}\n{text}\n```"


def _plain(text):
    """Words that hold formulas, so that Markdown shows them as they are."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)


def _compared(report):
    entries = report.get("entries", 0)
    found = [lines.certainty(report), f"{entries} entr{'y' if entries == 1 else 'ies'} compared" if entries else ""]
    return "; ".join(text for text in found if text)


def _verdict(report):
    """The verdict, why, what would be right, and what was compared."""
    parts = [f"**{report['verdict']}**"]
    why = (report.get("diagnosis", {}).get("text", ""), report.get("reason", ""), report.get("read_as", ""))
    parts += [_plain(text) for text in why if text]
    if repair := lines.repair_of(report):
        parts.append("write\n" + _code(repair))
    if worst := lines.worst_of(report):
        parts.append(_plain(worst))
    if compared := _compared(report):
        parts.append(_plain(compared))
    return parts


async def _derived(document, line):
    """The derived line about the same gradient, in the notation of the file where that has words for it."""
    name = line.place.get("of")
    if name is None:
        return []
    found = (await document.derived(line.number)).get(name)
    if not found:
        return [f"right is\n{_code(line.report['derived'])}"] if line.report.get("derived") else []
    text = found.get(line.place["language"]) or found["notation"]
    return [f"derived: {_plain(found['rule'])}\n{_code(text)}"]


async def _of_line(document, outline, index):
    text = document.text
    for line in lines.lines_of_document(document, outline):
        begin, end = line.bounds(text)
        if begin <= index <= end:
            return text.range(begin, end), [*_verdict(line.report), *await _derived(document, line)]
    if document.report is None:
        for place in (place for proof in (outline or {}).get("proofs", []) for place in proof["lines"]):
            begin, end = text.bounds(place["span"])
            if "in" not in place["span"] and begin <= index <= end:
                return text.range(begin, end), ["being checked"]
    return None, []


def _of_word(document, outline, index):
    language = names.language_at(document, index)
    proof = names.proof_at(outline, document.text, index) if outline else None
    if language is None or proof is None:
        return []
    text = document.text.text
    if found := names.name_at(names.names_of(proof, language), text, index):
        return [found]
    word = re.match(r"\w*", text[index:])
    before = re.search(r"\w*$", text[max(0, index - 40) : index])
    found = functions.documentation((before[0] if before else "") + (word[0] if word else ""))
    return [found] if found and language != "latex" else []


async def hover(document: Document, position: types.Position) -> types.Hover | None:
    outline = await document.outline()
    index = document.text.of_position(position)
    where, parts = await _of_line(document, outline, index)
    word = _of_word(document, outline, index)
    if parts and word:
        parts = [*parts, "---"]
    value = "\n\n".join([*parts, *word])
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, value), where) if value else None
