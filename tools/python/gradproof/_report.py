"""Reports: a verdict, the text that the program prints, the JSON, and HTML for notebooks."""

import json

from . import _html


class Report:
    """What a check found.

    ``bool(report)`` is True if everything is right. ``str(report)`` is the text of the command line program, and the failure
    message of ``assert report, report``. In a notebook it is shown with typeset formulas.
    """

    def __init__(self, verdict, text, data, source=None):
        self._verdict, self._text, self._data, self._source = verdict, text, data, source

    @property
    def verdict(self) -> str:
        """ "right", "wrong", "cannot tell", or "not read" for a text that is no derivation."""
        return self._verdict

    def __bool__(self) -> bool:
        return self._verdict == "right"

    def __str__(self) -> str:
        return self._text

    def __repr__(self):
        return str(self).rstrip("\n")

    def to_dict(self) -> dict:
        """The JSON object of the program's ``--json`` as a dictionary; ``schema`` is its version."""
        return self._data

    def _repr_html_(self) -> str:
        return _html.page(self)


def of_strings(found, source=None):
    """A Report of what the module returns: {"verdict", "text", "json"}."""
    return Report(found["verdict"], found["text"], json.loads(found["json"]), source)
