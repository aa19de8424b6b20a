"""What lines of a program computed, as the instrumented program tells it while it runs."""

from . import arrays

MOST_STEPS = 1000  # of one line in a loop


class Recorder:
    """Keeps what each line computed in the latest call that the runner made; lines are told apart by where they begin.

    `values` maps an offset in the text, in bytes, to {name, times}: what it assigns to, and for each time that it ran a value as
    arrays.plain gives it; `changed` maps one to the return at which its value was another. `inputs`: of the module, by name.
    """

    def __init__(self):
        self.values, self.changed, self.inputs = {}, {}, {}
        self._run, self._listens = 0, True
        self._runs = {}
        self._latest = {}

    def begin(self):
        """The next call of the runner: what lines computed before is forgotten once they run again."""
        self._run += 1
        self._latest = {}

    def pause(self):
        """What runs from here on is not told."""
        self._listens = False

    def resume(self):
        self._listens = True

    def seen(self, offset, value, function=0, where=None):
        """`where`: the expression by which a line of that function assigns, and by which the value can be read again."""
        value = arrays.plain(value) if self._listens else None
        if value is None:
            return
        if self._runs.get(offset) != self._run:
            self._runs[offset] = self._run
            self.values[offset] = {"name": name_of(where or ""), "times": []}
            self.changed.pop(offset, None)
        times = self.values[offset]["times"]
        if len(times) == MOST_STEPS:
            times.pop()
        times.append(value)
        if where is not None:
            self._latest[function, where] = offset, value

    def element(self, offset, value):
        """Of an expression that is returned: told, and handed on."""
        self.seen(offset, value)
        return value

    def ends(self, at, function, scope):
        """A function is about to return, with `scope` as its local values: which of them are no longer what lines assigned."""
        for (of, where), (offset, value) in self._latest.items():
            if of != function or where.split(".")[0].split("[")[0] not in scope:
                continue
            try:
                now = arrays.plain(eval(where, {}, scope))
            except Exception:  # deleted, or kept elsewhere by now
                continue
            if now is not None and not arrays.same(now, value):
                self.changed[offset] = at


def name_of(where):
    """W of self.W and of params["W"]; grad_W of grads["W"]."""
    if not where.endswith("]"):
        return where.rsplit(".", 1)[-1]
    base, key = where.rsplit("[", 1)
    key = key.strip("]'\"")
    return f"grad_{key}" if "grad" in base.lower() and not key.startswith("d") else key
