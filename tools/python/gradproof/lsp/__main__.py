"""Starts the language server on standard input and output."""

import argparse
import sys


def main():
    parser = argparse.ArgumentParser(prog="python -m gradproof.lsp", description="A language server for derivations.")
    parser.add_argument("--stdio", action="store_true", help="speak on standard input and output, which it does in any case")
    parser.parse_args()
    try:
        from .server import make
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        print('gradproof.lsp: it needs pygls: pip install "gradproof[lsp]"', file=sys.stderr)
        return 2
    make().start_io()
    return 0


if __name__ == "__main__":
    sys.exit(main())
