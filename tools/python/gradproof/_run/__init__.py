"""A program in a process of its own: what its lines compute, for what is compared with the reading of them."""

import subprocess
import sys
import tempfile

_BEGIN = "import json, sys; from gradproof._run import main; main.serve(json.load(sys.stdin), int(sys.argv[1]))"


def in_python(asked: str, time_limit: float) -> str:
    """The answer to a request, both JSON (main.py). Errors: RuntimeError."""
    with tempfile.TemporaryFile() as answer:
        descriptor = answer.fileno()
        try:
            ended = subprocess.run(
                [sys.executable, "-c", _BEGIN, str(descriptor)],
                input=asked.encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[descriptor],
                start_new_session=True,
                timeout=time_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"the program runs for more than {time_limit:g} s (time_limit)") from None
        answer.seek(0)
        text = answer.read().decode()
    if not text:
        raise RuntimeError(f"Python ended with exit status {ended.returncode} and no answer")
    return text
