"""The program beside which the package is tested: $GRADPROOF, or that of build/release."""

import os
import pathlib
import subprocess

import pytest

_PATH = pathlib.Path(os.environ.get("GRADPROOF") or pathlib.Path(__file__).parents[2] / "build/release/gradproof")


def program(*arguments, expect=0):
    """What the program prints; the test is skipped where there is none."""
    if not _PATH.exists():
        pytest.skip(f"{_PATH} is not built")
    done = subprocess.run([_PATH, *map(str, arguments)], capture_output=True, text=True, errors="replace")
    assert done.returncode == expect, done.stderr
    return done.stdout
