"""What may be typed next: names in scope, their gradients, functions, and at the beginning of a line the statements."""

import re

from lsprotocol import types

from . import functions, names
from .document import Document

_BEGUN = re.compile(r"(?:[∂d]\w*/)?[\\∂∇]?[\w\u0300-\u036f]*$")
_Kind = types.CompletionItemKind


def _item(label, kind, detail, documentation, where, rank):
    text = types.MarkupContent(types.MarkupKind.Markdown, documentation) if documentation else None
    edit = types.TextEdit(where, label)
    return types.CompletionItem(label=label, kind=kind, detail=detail or None, documentation=text, text_edit=edit, sort_text=rank)


def _of_names(found, where):
    out = []
    for name in found:
        kind = _Kind.Constant if name.what == "a size" else _Kind.Variable
        out.append(_item(name.written, kind, name.shape, name.markdown(), where, "0" + name.written))
        for gradient in name.gradients:
            what = f"the gradient of `{name.written}`"
            out.append(_item(gradient, _Kind.Variable, name.shape, what, where, "1" + gradient))
    return out


def _of_notation(begins_line, where):
    out = [_item(n, _Kind.Function, "", functions.documentation(n), where, "2" + n) for n in functions.NAMES]
    if begins_line:
        out += [_item(n, _Kind.Keyword, text, "", where, "3" + n) for n, text in functions.STATEMENTS.items()]
    return out


async def completion(document: Document, position: types.Position) -> types.CompletionList:
    index = document.text.of_position(position)
    language = names.language_at(document, index)
    empty = types.CompletionList(is_incomplete=False, items=[])
    if language is None:
        return empty
    await document.outline()
    text = document.text.text
    line = text[document.text.starts[document.text.position(index).line] : index]
    begun = _BEGUN.search(line)
    begin = index - (len(begun[0]) if begun else 0)
    where = document.text.range(begin, index)
    proof = names.proof_at(document.known, document.text, index) if document.known else None
    if proof is None and language == "numpy":
        return empty
    found = names.names_of(proof, language) if proof else []
    if language == "notation":
        found += names.helpers_in(text, found)
    items = _of_names(found, where)
    if language == "notation":
        items += _of_notation(not line[: len(line) - (index - begin)].strip(), where)
    return types.CompletionList(is_incomplete=False, items=items)
