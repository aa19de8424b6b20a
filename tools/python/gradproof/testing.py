"""The pytest plugin: a kernel becomes one test for each type, contract and sample.

import gradproof as gp

@gp.testing.kernel(like="layer_norm")
def test_my_layer_norm():
    return MyLayerNorm                      # or (forward, backward)

pytest -k "float32 and gradient"            # test_my_layer_norm[float32-gradient-rows] ...
pytest --gradproof-seed 7                   # other numbers; a failure says which seed it had
"""

import functools

from . import _prototype, kernels
from ._kernel_report import MEANING
from ._plan import dtypes_of
from .derivations import SEED

try:
    import pytest
except ImportError:  # the package is used without it
    pytest = None

_PER_SAMPLE = ("value", "gradient")
_REST = [contract for contract in MEANING if contract not in _PER_SAMPLE]


class _Case:
    """One test: a contract at one type, on one sample or, where sample is None, on all."""

    def __init__(self, dtype, contract, sample):
        self.dtype, self.contract, self.sample = dtype, contract, sample

    @property
    def id(self):
        parts = [self.dtype, self.contract, self.sample]
        return "-".join(part.replace(" ", "_") for part in parts if part)


def _pair(given):
    return given if isinstance(given, tuple) else (given, None)


class _Kernel:
    """What a decorated function returns, and the reports on it."""

    def __init__(self, function, how):
        self.function, self.how = function, how
        self.dtypes = dtypes_of(how.get("dtype"))
        if "signature" in how:
            self.dtypes = [_prototype.read(how["signature"])[0].arrays[0].type]
        self.report = functools.cache(self._report)

    def cases(self, seed):
        """Errors: what the function raises, and those of check_kernel for wrong arguments."""
        samples = kernels.sample_names(*_pair(self.function()), seed=seed, **self.how)
        out = []
        for dtype in self.dtypes:
            out += [_Case(dtype, contract, sample) for contract in _PER_SAMPLE for sample in samples]
            asked = [c for c in _REST if c != "special values" or self.how.get("conventions")]
            out += [_Case(dtype, contract, None) for contract in asked]
        return out

    def _report(self, dtype, seed):
        return kernels.check_kernel(*_pair(self.function()), **(self.how | {"dtype": dtype, "seed": seed}))

    def run(self, case, seed):
        report = self.report(case.dtype, seed)
        data = report.to_dict()
        contract = next(c for c in data["contracts"] if c["name"] == case.contract)
        samples = [s for s in contract["samples"] if case.sample is None or s["sample"] in (case.sample, "all samples")]
        judged = [s for s in samples if not s["excused"]]
        if not judged:
            left_out = (
                text for text in data["not_asked"] if case.sample and text.startswith((case.sample + ":", case.sample + " ("))
            )
            why = samples[0].get("reason", contract["told"]) if samples else next(left_out, contract["told"])
            pytest.skip(f"not asked: {why}")
        bad = next((s for s in judged if s["verdict"] != "right"), None)
        if bad is not None:
            text = f'{case.contract}, sample "{bad["sample"]}": {bad["verdict"]}: {bad.get("reason", "")}'
            pytest.fail(f"{text}\n\n{report}\nagain by: --gradproof-seed {seed}", pytrace=False)


def kernel(**how):
    """Makes a test function that returns a kernel into the tests of it. Arguments as of check_kernel."""

    def decorate(function):
        held = _Kernel(function, how)

        def test(gradproof_case, request):
            held.run(gradproof_case, request.config.getoption("--gradproof-seed"))

        test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
        test.__qualname__ = function.__qualname__
        test.gradproof = held
        return test

    return decorate


def pytest_addoption(parser):
    parser.addoption("--gradproof-seed", type=int, default=SEED, help="the seed of the numbers that kernels are tested with")


def pytest_generate_tests(metafunc):
    held = getattr(metafunc.function, "gradproof", None)
    if not isinstance(held, _Kernel):
        return
    cases = held.cases(metafunc.config.getoption("--gradproof-seed"))
    metafunc.parametrize("gradproof_case", cases, ids=[case.id for case in cases])
