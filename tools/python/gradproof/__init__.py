"""gradproof: proofreads gradients, in derivations as they are written on paper and in kernels of your own.

import gradproof as gp
gp.check_proof("attention.proof")                      # a report: true if right, str(report) says what is wrong
gp.check_kernel(my_forward, my_backward, like="softmax")
"""

from . import ops, pictures, testing
from ._board import Board, board
from ._core import ProofError, TapeError
from ._core import version as __version__
from ._experiments import ExperimentResult, experiments, run_experiment
from ._report import Report
from .derivations import (
    attention_mistakes,
    check_markdown,
    check_proof,
    check_python,
    check_tex,
    compare,
    derive,
    exercises,
    explain,
    judge_exercise,
)
from .files import load, save
from .kernels import check_kernel
from .tensor import Tape, Tensor, grad, hvp, jvp, tensor, vjp
from .training import Training, generate, train

__all__ = [
    "Board",
    "ExperimentResult",
    "ProofError",
    "Report",
    "Tape",
    "TapeError",
    "Tensor",
    "Training",
    "__version__",
    "attention_mistakes",
    "board",
    "check_kernel",
    "check_markdown",
    "check_proof",
    "check_python",
    "check_tex",
    "compare",
    "derive",
    "exercises",
    "experiments",
    "explain",
    "generate",
    "grad",
    "hvp",
    "judge_exercise",
    "jvp",
    "load",
    "ops",
    "pictures",
    "run_experiment",
    "save",
    "tensor",
    "testing",
    "train",
    "vjp",
]
