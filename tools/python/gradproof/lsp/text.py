"""The text of a file, and its places: by character, by unit of UTF-16 as reports count, by line and column as the client does."""

import bisect
import re

from lsprotocol import types

_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def _units(text, encoding):
    codec, size = _UNITS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def _characters(text, units, encoding):
    """How many characters the first `units` units are: no half ones, and no more than there are."""
    codec, size = _UNITS[encoding]
    start = text[: max(units, 0)].encode(codec, "surrogatepass")  # a character has one unit or more
    return len(start[: max(units, 0) * size].decode(codec, "ignore"))


class Text:
    """A text with its lines. `encoding` is what the client counts columns in: "utf-16" where nothing else was agreed."""

    def __init__(self, text: str, encoding: str = "utf-16"):
        # Half a surrogate pair is no text; what stands for it has one unit of UTF-16 as well.
        self.text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.encoding = encoding
        ends = [(m.start(), m.end()) for m in re.finditer(r"\r\n|\n|\r", self.text)]
        self.starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(self.text)]
        self._utf16 = [0]
        for begin, end in zip(self.starts, self.starts[1:], strict=False):
            self._utf16.append(self._utf16[-1] + _units(self.text[begin:end], "utf-16"))

    def line(self, number: int) -> str:
        """Without its end."""
        return self.text[self.starts[number] : self._ends[number]]

    def of_utf16(self, offset: int) -> int:
        """The character at an offset in units of UTF-16."""
        line = bisect.bisect_right(self._utf16, max(offset, 0)) - 1
        begin = self.starts[line]
        after = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return begin + _characters(self.text[begin:after], offset - self._utf16[line], "utf-16")

    def of_position(self, position: types.Position) -> int:
        """The character at a position of the client; of one that is not there, the nearest before it."""
        if position.line >= len(self.starts):
            return len(self.text)
        line = max(position.line, 0)
        return self.starts[line] + _characters(self.line(line), position.character, self.encoding)

    def position(self, index: int) -> types.Position:
        """A character's position as the client counts."""
        line = bisect.bisect_right(self.starts, index) - 1
        before = self.text[self.starts[line] : min(index, self._ends[line])]
        return types.Position(line, _units(before, self.encoding))

    def range(self, begin: int, end: int) -> types.Range:
        return types.Range(self.position(begin), self.position(end))

    def bounds(self, span: dict) -> tuple[int, int]:
        """The first and the last character, without, of a span of a report."""
        return self.of_utf16(span["utf16_offset"]), self.of_utf16(span["utf16_offset"] + span["utf16_length"])

    def slice(self, span: dict) -> str:
        begin, end = self.bounds(span)
        return self.text[begin:end]
