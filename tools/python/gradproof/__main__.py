"""python -m gradproof: runs the program gradproof, which stands beside the package or on PATH."""

import os
import pathlib
import shutil
import sys


def find():
    """The path of the program: in the package itself, then beside this Python, then on PATH. None where it is in none of them."""
    for folder in (pathlib.Path(__file__).parent / "bin", pathlib.Path(sys.executable).parent):
        if found := shutil.which("gradproof", path=str(folder)):
            return found
    return shutil.which("gradproof")


def main():
    program = find()
    if program is None:
        print(
            "gradproof: the program is not installed: it is neither beside the package nor on PATH; "
            "`cmake --install build/release` of a checkout installs it",
            file=sys.stderr,
        )
        return 2
    asked = sys.argv[1:]
    if "--run" in asked and not any(word.startswith("--python") for word in asked):
        asked += ["--python", sys.executable]
    try:
        os.execv(program, [program, *asked])
    except OSError as error:
        print(f"gradproof: {program} cannot be run: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
