#!/usr/bin/env python3
"""Writes the licence of gradproof, and those of the libraries in it, into a folder: licences.py FOLDER TREE"""

import pathlib
import shutil
import sys

import parts


def main(folder, tree):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(parts.ROOT / "LICENSE", folder / "copyright")
    with open(folder / "copyright", "a", encoding="utf-8") as file:
        file.write(
            "\nThe licences of the libraries that are compiled in or carried are in the folder licences beside this file.\n"
        )
    (folder / "licences").mkdir(exist_ok=True)
    for package in [*parts.COMPILED_IN, *parts.carried(tree)]:
        shutil.copyfile(parts.copyright_file(package), folder / "licences" / package)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
