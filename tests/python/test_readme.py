"""What the README shows runs, and prints what stands there."""

import pathlib
import re

from shared import run_python

README = pathlib.Path(__file__).parents[2] / "tools/python/README.md"


def test_the_first_example_prints_what_stands_below_it(tmp_path):
    code, printed = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", README.read_text(), re.DOTALL).groups()
    (tmp_path / "kernel.py").write_text(code)
    done = run_python("kernel.py", cwd=tmp_path)
    assert done.stdout.rstrip() == printed.rstrip(), done.stderr


def test_the_lines_about_derivations_run():
    """With arrays that fit the names used there."""
    code = re.search(r"## Derivations.*?```python\n(.*?)```", README.read_text(), re.DOTALL)[1]
    set_up = """
import numpy as np
import gradproof as gp
random = np.random.default_rng(0)
q, k, v, do = (random.standard_normal(s) for s in ((5, 2), (8, 2), (8, 3), (5, 3)))
dq, array, dy = np.zeros((5, 2)), np.ones((3, 4)), np.ones((3, 4))
"""
    code = code.replace('gp.check_proof("attention.proof")', 'gp.check_proof("attention")')
    heads = "q4, k4, v4, dy4, dq4 = (a[None, None] for a in (q, k, v, do, dq))\n"
    shown, run = 'gp.attention_mistakes(q, k, v, dy, {"dq": dq}', 'gp.attention_mistakes(q4, k4, v4, dy4, {"dq": dq4}'
    assert shown in code
    code = code.replace(shown, heads + run)
    done = run_python("-c", set_up + code)
    assert done.returncode == 0, done.stderr
