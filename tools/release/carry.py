#!/usr/bin/env python3
"""Copies the shared libraries that programs need beside them: carry.py FOLDER FILE ...

Those that every Debian has (the C and C++ runtime) stay out. Each file then looks for libraries beside itself, in FOLDER first.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

EVERYWHERE = re.compile(r"(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so(\.|$)")


def needed(file):
    """The libraries that a file is loaded with, by name. Errors: SystemExit for one that is not found."""
    out = {}
    for line in subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout.splitlines():
        name, _, place = line.strip().partition(" => ")
        if not place or EVERYWHERE.match(name):
            continue
        if place.startswith("not found"):
            sys.exit(f"carry.py: {file} needs {name}, which is not found")
        out[name] = pathlib.Path(place.split(" ")[0])
    return out


def carry(folder, files):
    folder = folder.resolve()
    there = {}
    for file in files:
        there |= needed(file)
    for name, place in there.items():
        if place.resolve().parent != folder:
            shutil.copyfile(place.resolve(), folder / name)
            os.chmod(folder / name, 0o644)
    for file in [*files, *(folder / name for name in there)]:
        beside = os.path.relpath(folder, file.resolve().parent)
        path = "$ORIGIN" if beside == "." else f"$ORIGIN/{beside}"
        if not file.is_symlink():
            subprocess.run(["patchelf", "--set-rpath", path, file], check=True)


if __name__ == "__main__":
    carry(pathlib.Path(sys.argv[1]), [pathlib.Path(f) for f in sys.argv[2:]])
