"""Small questions about arrays: those of other frameworks as NumPy's, and several by name."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

Arrays = Mapping[str, ArrayLike]  # by name


def detached(given):
    """A tensor of PyTorch in this machine's memory, without its graph; anything else as it is."""
    return given.detach().cpu() if hasattr(given, "detach") else given


def named(arrays, caller):
    """[(name, array)] of a dictionary; arrays of any framework, in this machine's memory."""
    if not hasattr(arrays, "items"):
        raise TypeError(f"{caller}: got a {type(arrays).__name__}, expected a dictionary of arrays by name")
    return [(str(name), _plain(array, name, caller)) for name, array in arrays.items()]


def _plain(given, name, caller):
    given = detached(given)
    if str(getattr(given, "dtype", "")) == "torch.bfloat16":
        return given.contiguous()  # NumPy has no such type
    out = np.asarray(given)
    if out.dtype.kind not in "fiub" or out.dtype.itemsize > 8:
        raise TypeError(f"{caller}: {name} has elements of type {out.dtype}, expected floats, integers or booleans")
    return np.ascontiguousarray(out).reshape(out.shape)


def each(function, arrays):
    """The function of each array; None where one is absent."""
    return [None if a is None else function(a) for a in arrays]


def is_special(a):
    return a.size == 0 or not np.isfinite(a).all()


def wide(a):
    """As float64 in row-major order, every NaN the same one."""
    if a is None:
        return None
    out = np.array(a, np.float64, order="C")
    out[np.isnan(out)] = np.nan
    return out


def same(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is not None and b is not None and np.array_equal(a, b)
    return a == b
