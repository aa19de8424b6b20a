"""The element types that a kernel may compute in, and how arrays of NumPy hold their values.

NumPy has no bfloat16 of its own: its values are held as float32, and its bits as int16.
"""

import numpy as np


class ElementType:
    """A floating type: eps is its rounding, least and largest are its smallest and largest number, held is a type of NumPy."""

    def __init__(self, name, eps, least, largest, held):
        self.name, self.eps, self.least, self.largest, self.held = name, eps, least, largest, np.dtype(held)

    @property
    def is_half(self):
        return self.eps > 1e-5

    def round(self, a):
        """The nearest values of this type; infinite beyond its range."""
        with np.errstate(over="ignore"):
            out = np.asarray(a).astype(np.float32 if self.name == "bfloat16" else self.held)
        return self._of_bits(self._bits(out)) if self.name == "bfloat16" else out

    def fits(self, a):
        """Whether the values lie within its range."""
        return a is None or not np.isfinite(a).any() or float(np.abs(a[np.isfinite(a)]).max()) <= self.largest

    def stored(self, a):
        """Values as they lie in memory."""
        return self._bits(np.asarray(a, np.float32)) if self.name == "bfloat16" else np.asarray(a, self.held)

    def of_numpy(self, a):
        """What lies in memory as an array of NumPy of this type."""
        return a.view(_ml_dtypes().bfloat16) if self.name == "bfloat16" else a

    @staticmethod
    def _bits(a):
        """The upper halves of float32, rounded to the nearest and to even."""
        words = np.ascontiguousarray(a).reshape(a.shape).view(np.uint32)
        rounded = words + np.uint32(0x7FFF) + ((words >> np.uint32(16)) & np.uint32(1))
        return np.where(np.isnan(a), np.int16(0x7FC0), (rounded >> np.uint32(16)).astype(np.uint16).view(np.int16))

    @staticmethod
    def _of_bits(bits):
        return (bits.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def _of_numpy(name):
    info = np.finfo(name)
    return ElementType(name, float(info.eps), float(info.smallest_subnormal), float(info.max), name)


TYPES = {name: _of_numpy(name) for name in ("float64", "float32", "float16")}
TYPES["bfloat16"] = ElementType("bfloat16", 2.0**-7, 2.0**-133, 2.0**127 * (2 - 2.0**-7), np.float32)


def name_of(dtype):
    """The name of an element type of NumPy, PyTorch or JAX, or of a text."""
    text = dtype if isinstance(dtype, str) else str(dtype)
    if text.startswith("torch.") or text in TYPES:
        return text.removeprefix("torch.")
    return np.dtype(dtype).name


def _ml_dtypes():
    try:
        import ml_dtypes
    except ImportError:
        raise ValueError("check_kernel: NumPy has bfloat16 only with the package ml_dtypes, which is not installed") from None
    return ml_dtypes


def integers_of(given):
    """An input of integers or booleans, or a key of JAX, which is handed over as it is; None for anything else."""
    if isinstance(given, (bool, int)):
        return given
    name = str(getattr(given, "dtype", "")).removeprefix("torch.")
    if name.startswith("key<"):
        return given
    if not name.startswith(("int", "uint", "bool")):
        return None
    return given.detach() if hasattr(given, "detach") else np.asarray(given)


APART = "a function of the arrays in it takes them apart, lambda w, b: f((w, b))"


def values(given, what):
    """Inputs that the user gives, as float64. Errors: TypeError for what is no array of floats in this machine's memory."""
    device = getattr(given, "device", "cpu")
    if "cpu" not in str(device).lower():
        raise TypeError(f"check_kernel: {what} is on {device}, expected an array in this machine's memory")
    if hasattr(given, "dtype"):
        name = str(given.dtype).removeprefix("torch.")
        if name not in TYPES:
            raise TypeError(f"check_kernel: {what} has elements of type {name}, expected floats or integers")
        return np.array(given.detach().double() if hasattr(given, "detach") else given, np.float64)
    try:
        out = np.asarray(given)
    except ValueError:  # arrays of different shapes
        out = None
    if out is None or out.dtype.kind == "O":
        raise TypeError(f"check_kernel: {what} is a {type(given).__name__}, expected an array; {APART}")
    if out.dtype.kind not in "fiu":
        raise TypeError(f"check_kernel: {what} has elements of type {out.dtype}, expected floats")
    return out.astype(np.float64)
