"""State that calls leave behind: whether a program computes the same when its functions were called before, with other inputs."""

import copy
import re

# What is drawn anew at each call is another each time.
_DRAWS = re.compile(r"rand|default_rng|bernoulli|dropout|multinomial|\.normal|\.uniform")


def differing(run, alone):
    """The lines of gradients that compute something else than `alone`, the values of a first call; [] where they are drawn.

    Gradients that are added to what the call before left are none of them: `self.dW += ...` is emptied elsewhere.
    """
    if _DRAWS.search(run.text):
        return []
    try:
        run.load()
        run.caller.use(_other(run.case))
        run.call_all()
        before = copy.deepcopy(run.told.values)
        run.caller.use(run.case)
        run.call_all()
    except BaseException:  # the first call has told it
        return []
    out = []
    for line in run.case["gradient_lines"]:
        first, left, second = (_last(values, line) for values in (alone, before, run.told.values))
        if first is None or left is None or second is None or not (_numbers(first) and _numbers(left) and _numbers(second)):
            continue
        if not _agree(second, first) and not _agree(second, first, left):
            out.append(line)
    return out


def _other(case):
    """The same with twice the inputs that have gradients, and twice the gradients that come in."""
    out = copy.deepcopy(case)
    for given in [*out["inputs"].values(), *out["incoming"].values(), *([out["cotangent"]] if out["cotangent"] else [])]:
        if given["differentiable"] or given not in out["inputs"].values():
            given["values"] = [2 * value for value in given["values"]]
    return out


def _last(values, line):
    return values[line]["times"][-1] if line in values else None


def _numbers(array):
    return all(isinstance(value, float) for value in array["values"])


def _agree(a, b, added=None):
    if a["shape"] != b["shape"]:
        return False
    sums = b["values"] if added is None else [x + y for x, y in zip(b["values"], added["values"], strict=False)]
    largest = max((abs(value) for value in sums), default=0)
    return all(abs(x - y) <= 1e-8 * largest for x, y in zip(a["values"], sums, strict=False))
