"""Arrays in files: .npy, .npz and .safetensors are read, .npz and .safetensors written."""

import os

import numpy as np

from . import _core
from ._arrays import Arrays, named


def load(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """The arrays of a file by name, as NumPy arrays; bfloat16 comes as float32. Errors: OSError for a file that is damaged."""
    return _core.read_arrays(os.fspath(path))


def save(path: str | os.PathLike, arrays: Arrays) -> None:
    """Writes arrays by name, by the end of the path as .npz or .safetensors. The file is there whole or not at all.

    Errors: ValueError for another ending; OSError where it cannot be written.
    """
    path, given = os.fspath(path), named(arrays, "save")
    if path.endswith(".npz"):
        _core.write_npz(path, given)
    elif path.endswith(".safetensors"):
        _core.write_safetensors(path, given)
    else:
        raise ValueError(f"save: {path} does not end in .npz or .safetensors")
