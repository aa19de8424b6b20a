"""What several of the tests use: two right kernels, what a report says, programs that are run apart."""

import itertools
import resource
import subprocess
import sys

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def softmax_back(dy, x):
    y = softmax(x)
    return y * (dy - (dy * y).sum(-1, keepdims=True))


def tanh_back(dy, x):
    return dy * (1 - np.tanh(x) ** 2)


def contract(report, name):
    return next(c for c in report.to_dict()["contracts"] if c["name"] == name)


def broken(report):
    """The names of the contracts that are broken."""
    return [c["name"] for c in report.to_dict()["contracts"] if c["verdict"] == "wrong"]


def run_python(*arguments, **how):
    """This Python in a process of its own."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **how)


def run_interrupted(program, **how):
    """A program that Ctrl-C ends, also where the tests themselves run in the background, which does not hear it."""
    heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    return run_python("-c", heard + program, **how)


def growth(step):
    """By how many kB the process grows in a round of the same work: the least of three, since other things grow once."""
    step()
    sizes = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
    for _ in range(3):
        step()
        sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return min(later - earlier for earlier, later in itertools.pairwise(sizes))
