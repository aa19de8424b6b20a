"""State that calls leave behind: whether a program computes the same when its functions were called before, with other inputs."""

import copy
import re

# What is drawn anew at each call is another each time.
_DRAWS = re.compile(r"rand|default_rng|bernoulli|dropout|multinomial|\.normal|\.uniform")


def differing(run, alone):
    """The lines of gradients that compute something else than `alone`, the values of a first call; [] where they are drawn.

    Gradients that are added to themselves are none of them: `self.dW += ...` is emptied elsewhere.
    """
    if _DRAWS.search(run.text):
        return []
    out = set()
    for again in (_called_before, _called_between):
        try:
            left = again(run)
        except BaseException:  # the first call has told it
            continue
        for line in run.case["gradient_lines"]:
            first, before, second = (_last(values, line) for values in (alone, left, run.told.values))
            if first is None or second is None or not (_numbers(first) and _numbers(second)):
                continue
            adds = before and _numbers(before) and _is_added_to_itself(run.text, line) and _agree(second, first, before)
            if not _agree(second, first) and not adds:
                out.add(line)
    return sorted(out)


def _called_before(run):
    """All is called with other inputs, and then with its own; the values of the other ones."""
    _load(run)
    run.caller.use(_other(run.case))
    run.call_all()
    left = copy.deepcopy(run.told.values)
    run.caller.use(run.case)
    run.call_all()
    return left


def _called_between(run):
    """Another object, or another call, goes forth between the forward and the backward; no values."""
    _load(run)
    other = run.caller.beside(_other(run.case))
    run.caller.between = other.forth
    for function in run.functions:
        if not run.caller.goes_back(function):
            run.told.begin()
            run.caller.call(function)
    run.told.pause()
    for function in run.functions:
        if not run.caller.goes_back(function):
            other.forth(function)
    run.told.resume()
    for function in run.functions:
        if run.caller.goes_back(function):
            run.told.begin()
            run.caller.call(function)
    return {}


def _load(run):
    """Objects are made once, and keep what calls leave in them."""
    run.load()
    run.functions = [function for function in run.functions if function.node.name != "__init__"]


def _other(case):
    """The same with twice the inputs that have gradients, and twice the gradients that come in."""
    out = copy.deepcopy(case)
    for given in [*out["inputs"].values(), *out["incoming"].values(), *([out["cotangent"]] if out["cotangent"] else [])]:
        if given["differentiable"] or given not in out["inputs"].values():
            given["values"] = [2 * value for value in given["values"]]
    return out


def _is_added_to_itself(text, line):
    """Of `self.dW += g` and `self.dW = self.dW + g`, by where in the text it begins, in bytes."""
    target, _, value = text.encode()[line:].decode().split("\n")[0].partition("=")
    return target.endswith("+") or target.strip() in value


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
