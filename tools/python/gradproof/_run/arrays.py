"""Arrays of NumPy, PyTorch and JAX: drawn ones in, and what a program computed out as shapes with lists of numbers."""

import math
import sys


def plain(value):
    """{"shape", "values", "narrow"} of an array of real numbers, a number, or a list of such; None of all else.

    It is a copy. `narrow` says that its numbers are of fewer bits than a double.
    """
    import numpy as np

    if isinstance(value, tuple):
        return None
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu().resolve_conj().resolve_neg().numpy()
        elif isinstance(value, list):
            parts = [plain(part) for part in value]
            if not parts or any(part is None or part["shape"] != parts[0]["shape"] for part in parts):
                return None
            return {
                "shape": [len(parts), *parts[0]["shape"]],
                "values": [number for part in parts for number in part["values"]],
                "narrow": any(part["narrow"] for part in parts),
            }
        array = np.asarray(value)
        narrow = array.dtype.kind == "f" and array.dtype.itemsize < 8
        if array.dtype.kind not in "fiub" and "float" not in array.dtype.name:
            return None
        values = array.astype(np.float64).ravel().tolist()
        return {"shape": list(array.shape), "values": [_number(v) for v in values], "narrow": narrow}
    except Exception:  # a tracer, a ragged list, an object: nothing that can be compared
        return None


def _number(value):
    """JSON has no NaN and no infinity."""
    return value if math.isfinite(value) else str(value)


def same(a, b):
    return a["shape"] == b["shape"] and a["values"] == b["values"]


def drawn(given, library):
    """An array of that library ("numpy", "torch", "jax") from {"shape", "values", "whole"}."""
    import numpy as np

    array = np.array(given["values"], dtype=np.int64 if given["whole"] else np.float64).reshape(given["shape"])
    if not given["shape"] and not given.get("differentiable"):
        return array.item()
    if library == "torch":
        return sys.modules["torch"].tensor(array)
    if library == "jax":
        return sys.modules["jax"].numpy.asarray(array)
    return array if array.shape else array[()]


def are_one(a, b):
    """Whether two arrays of NumPy or PyTorch share memory, as weights that are tied do."""
    import numpy as np

    try:
        first, second = (x.detach().cpu().numpy() if hasattr(x, "detach") else x for x in (a, b))
        return bool(np.shares_memory(first, second))
    except TypeError:
        return a is b
