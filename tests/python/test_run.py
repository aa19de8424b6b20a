"""Programs that are run beside their reading: right ones are confirmed, and what is read otherwise than it runs is seen.

Misreadings are planted: a right program is read, and one with a slip, which gives wrong gradients, is run in its place. Those of a
return are left out: a run shows values, and not what they are taken for (test_mutated_programs.py).

A sample is tried; with GRADPROOF_EVERY=1 all are.
"""

import ast
import bisect
import json
import os
import random

import gradproof as gp
import mutants
import pytest
from by_differences import PROGRAMS, gradients_are_right, text_of
from gradproof import _run, derivations
from gradproof._run import instrument, main


def checked(text, run):
    return derivations._check(text, ".py", "test", gp.derivations.SEED, False, None, (), run)


def is_confirmed(report):
    said = report.to_dict()
    others = said["wrong"] + said["cannot_tell"] + said["not_read"] + len(said["run"]["not_compared"])
    return others == 0 and said["run"]["gradients"] == said["right"] > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_program_computes_what_is_read(name):
    if name.startswith(("torch_", "jax_")):
        pytest.importorskip(name.split("_")[0])
    report = gp.check_python(text_of(name), run=True)
    assert is_confirmed(report), report
    assert report.to_dict()["run"]["values"] > 0


def _moved(offset, old, new):
    """A place in a text, as one in another with the same lines."""
    line = bisect.bisect_right(old, offset) - 1
    return new[line] + offset - old[line]


def _differ_in_a_return_alone(text, other):
    pairs = zip(text.split("\n"), other.split("\n"), strict=True)
    return all(b.lstrip().startswith("return ") for a, b in pairs if a != b)


def run_in_place_of(text, other):
    """Runs another text with the same lines, and answers as if the text had been run."""
    old, new = instrument.starts_of_lines(text), instrument.starts_of_lines(other)

    def run(request):
        asked = json.loads(request)
        asked["text"] = other
        for case in asked["cases"]:
            for lines in ("lines", "gradient_lines"):
                case[lines] = [_moved(at, old, new) for at in case[lines]]
        in_process = "torch" not in text and "jax" not in text  # these would change settings of this process
        answers = main.answer(asked) if in_process else json.loads(_run.in_python(json.dumps(asked), 60))
        for answer in answers:
            for lines in ("values", "changed"):
                answer[lines] = {str(_moved(int(at), new, old)): value for at, value in answer[lines].items()}
        return json.dumps(answers)

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_misreading_is_seen(name):
    text = text_of(name).split("\n")[0] + "\n" + ast.unparse(ast.parse(text_of(name))) + "\n"  # as mutants are written
    assert gradients_are_right(name, text)
    others = sorted({other for other in mutants.of_parts(text) if other.count("\n") == text.count("\n")})
    others = [other for other in others if not _differ_in_a_return_alone(text, other)]
    random.Random(name).shuffle(others)
    framework = name.startswith(("torch_", "jax_"))
    most = 10**9 if os.environ.get("GRADPROOF_EVERY") else 3 if framework else 12
    tried, found = 0, []
    for other in others:
        if tried == most:
            break
        if gradients_are_right(name, other) is not False:
            continue
        tried += 1
        if is_confirmed(checked(text, run_in_place_of(text, other))):
            found.append(other)
    print(f"{name}: {tried} misreadings that matter")
    assert tried > 2
    assert not found, f"{len(found)} of {tried}, the first of them:\n{found[0]}"
