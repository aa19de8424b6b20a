"""The names of a text: which are in scope at a place, how each is written there, and what is to be told of it."""

import re
from dataclasses import dataclass

from .. import _core
from .document import Document
from .text import Text

_LANGUAGES = {"proof": "notation", "tex": "latex", "py": "numpy"}
_FENCE = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t>]*(`{3,}|~{3,})(.*)")
_HELPER = re.compile(r"^[ \t>]*(\w+)(?:\[[^\]\n]*\])?[ \t]*=(?!=)", re.MULTILINE)
_NEAR = 200  # characters to each side in which a name is looked for


@dataclass
class Name:
    """A name as it is written at a place. `what` says what it names, `text` how it comes about."""

    written: str
    what: str
    text: str = ""
    shape: str = ""
    gradients: tuple[str, ...] = ()

    def markdown(self) -> str:
        shape = f"\n\nshape `{self.shape}`" if self.shape else ""
        text = f"\n\n```text\n{self.text}\n```" if self.text else ""
        return f"`{self.written}`: {self.what}{shape}{text}"


def language_at(document: Document, index: int) -> str | None:
    """notation, latex or numpy; None for what is no derivation: the prose of a Markdown text."""
    if document.kind != "md":
        return _LANGUAGES[document.kind]
    text, fence, info = document.text, "", ""
    for number, start in enumerate(text.starts):
        if start > index:
            break
        found = _FENCE.match(text.line(number))
        if found and not fence and (index > start + len(text.line(number)) or found[2].strip()):
            fence, info = found[1], found[2].strip()
        elif found and fence and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return _core.language_of_fence(info) if fence else None


def proof_at(outline: dict, text: Text, index: int) -> dict | None:
    """The derivation that a place belongs to: the last that begins before it."""
    found = None
    for proof in outline["proofs"]:
        if found is None or ("in" not in proof["start"] and text.of_utf16(proof["start"]["utf16_offset"]) <= index):
            found = proof
    return found


def _gradients(name, value, language, loss):
    if language == "latex":
        return (value["latex_gradient"],) if "latex_gradient" in value else ()
    return (f"d{name}", f"∂{loss}/∂{name}") if language == "notation" else (f"d{name}",)


def names_of(proof: dict, language: str) -> list[Name]:
    """All names of a derivation, as they are written in the language."""
    loss = next((value["name"] for value in proof["forward"] if value["loss"]), "L")
    out = [Name(dim["name"], "a size", f"{dim['name']} = {dim['text']}" if dim["text"] else "") for dim in proof["dims"]]
    out += [Name(function, "a smooth function of one number, of which nothing else is known") for function in proof["functions"]]
    for value in proof["given"] + proof["forward"]:
        name = value["name"]
        if "(" in name:  # printed(S), which stands for numbers
            continue
        is_given = "constant" in value
        what = ("a constant" if value["constant"] else "an input") if is_given else "the loss" if value["loss"] else "a value"
        written = value.get("latex", name) if language == "latex" else name
        gradients = () if is_given and value["constant"] else _gradients(name, value, language, loss)
        out.append(Name(written, what, value["text"], value.get("shape", ""), gradients))
    out += [Name(name, "a name among the claims", f"{name} = {text}") for name, text in proof["helpers"].items()]
    return out


def helpers_in(text: str, known: list[Name]) -> list[Name]:
    """Names that are defined among the claims, and not used yet."""
    taken = {name.written for name in known} | {gradient for name in known for gradient in name.gradients}
    return [Name(name, "a name among the claims") for name in dict.fromkeys(_HELPER.findall(text)) if name not in taken]


def _stands_at(written, text, index):
    """Whether it stands there as a word."""
    begin = max(0, index - _NEAR)
    for found in re.finditer(re.escape(written), text[begin : index + _NEAR]):
        first, last = begin + found.start(), begin + found.end()
        if not first <= index < last:
            continue
        before = text[first - 1 : first] if written[0].isalnum() else ""
        after = text[last : last + 1] if written[-1].isalnum() else ""
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
    return False


def name_at(names: list[Name], text: str, index: int) -> str:
    """What is to be told of the name at a place, in Markdown: the longest that stands there."""
    found = [(len(name.written), name.markdown()) for name in names if _stands_at(name.written, text, index)]
    for name in names:
        for gradient in name.gradients:
            if _stands_at(gradient, text, index):
                shape = f"\n\nshape `{name.shape}`" if name.shape else ""
                found.append((len(gradient), f"`{gradient}`: the gradient of `{name.written}`{shape}"))
    return max(found)[1] if found else ""
