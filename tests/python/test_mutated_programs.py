"""Right programs with one slip: differences decide which of them give a wrong gradient, and none of those is called right.

A sample of them is tried; with GRADPROOF_EVERY=1 all are.
"""

import os
import random

import gradproof as gp
import mutants
import pytest
from by_differences import PROGRAMS, gradients_are_right, is_called_right, text_of


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_with_a_slip_is_not_called_right(name):
    text = text_of(name)
    assert gradients_are_right(name, text)
    assert is_called_right(gp.check_python(text))
    texts = sorted({*mutants.of_parts(text), *mutants.of_lines(text)})
    random.Random(name).shuffle(texts)
    tried, found = 0, []
    for other in texts:
        if not os.environ.get("GRADPROOF_EVERY") and tried == 6:
            break
        if gradients_are_right(name, other) is not False:
            continue
        tried += 1
        if is_called_right(gp.check_python(other)):
            found.append(other)
    print(f"{name}: {tried} programs that give a wrong gradient")
    assert tried > 5
    assert not found, f"{len(found)} of {tried}, the first of them:\n{found[0]}"
