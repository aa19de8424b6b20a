"""The words of the notation: its statements, and its functions with what the registry says of them."""

from .. import _core, ops

STATEMENTS = {
    "title": 'the name in reports: title "..."',
    "dims": "sizes: given, or drawn, all different",
    "input": "a value that has a gradient: input X [n, d]",
    "const": "a value that has no gradient",
    "function": "of these nothing is known but that they are smooth and go entry by entry",
    "forward": "assignments follow",
    "loss": "one number: loss L = ...",
    "convention": "whether vectors are columns or rows",
    "layout": "how derivatives of two values are laid out: numerator or denominator",
    "einstein": "an index that a product repeats is summed over",
    "claim": "equations about values and gradients follow",
    "expect": "printed numbers follow",
    "skip": 'the next line is shown but not judged: skip "why"',
}
_OPS = frozenset(dir(ops))
NAMES = sorted({*_core.function_names(), *_OPS})
_ALONG = {"row": "along the last axis", "col": "along the axis before the last"}


def documentation(name: str) -> str:
    """In Markdown, forward and backward of the op; of rowsum, those of sum. "" where the registry has nothing about it."""
    along = _ALONG.get(name[:3]) if name not in _OPS and name in NAMES else None
    op = name[3:] if along else name
    if op not in _OPS:
        return ""
    what = f"`{name}`: `{op}` {along}, which stays with the size 1" if along else f"`{name}`"
    return f"{what}\n\n```text\n{getattr(ops, op).__doc__}\n```"
