"""The pytest plugin: a kernel becomes one test for each type, contract and sample.

import gradproof as gp

@gp.testing.kernel(like="layer_norm")
def test_my_layer_norm():
    return MyLayerNorm                      # or (forward, backward)

pytest -k "float32 and gradient"            # test_my_layer_norm[float32-gradient-rows] ...
pytest --gradproof-seed 7                   # other numbers; a failure says which seed it had
"""

import difflib
import inspect

from . import _prototype, kernels
from ._kernel_report import MEANING, about
from ._plan import dtypes_of
from .derivations import SEED

try:
    import pytest
except ImportError:  # the package is used without it
    pytest = None

_PER_SAMPLE = ("value", "gradient")
_FURTHER = "further sizes"  # all samples that are not listed when the tests are collected
_REST = [contract for contract in MEANING if contract not in _PER_SAMPLE]


class _Case:
    """One test: a contract at one type, on one sample or, where sample is None, on all."""

    def __init__(self, dtype, contract, sample):
        self.dtype, self.contract, self.sample = dtype, contract, sample

    @property
    def id(self):
        parts = [self.dtype, self.contract, self.sample]
        return "-".join(part.replace(" ", "_") for part in parts if part)


def _pair(given, name):
    """forward and backward. Errors: TypeError where the function returns nothing."""
    if given is None:
        raise TypeError(f"{name} returns nothing, expected the kernel: return MyFunction, or return forward, backward")
    return given if isinstance(given, tuple) else (given, None)


def _any_kernel(*x, **attrs):
    """In the place of a kernel that is made from fixtures, and so not known yet: asked with all samples there are."""


_ARGUMENTS = [name for name in inspect.signature(kernels.check_kernel).parameters if name not in ("forward", "backward", "seed")]
_OF_COLLECTION = (Exception, *((pytest.skip.Exception, pytest.fail.Exception) if pytest else ()))


def _is_hidden(raised):
    """Whether a frame of this file is left out of a traceback: a failure of one line has none."""
    return not raised.errisinstance(pytest.fail.Exception)


class _Kernel:
    """What a decorated function returns, and the reports on it."""

    def __init__(self, function, how):
        self.function, self.how, self.found, self.listed = function, how, {}, set()
        self.parameters = list(inspect.signature(function).parameters.values())

    def expect_arguments(self):
        """Errors: TypeError for an argument that check_kernel does not have."""
        for name in self.how:
            if name not in _ARGUMENTS:
                near = difflib.get_close_matches(name, _ARGUMENTS, 1)
                raise TypeError(
                    f"gradproof.testing.kernel has no argument {name!r}" + (f", did you mean {near[0]}?" if near else "")
                )

    def types(self):
        if "signature" in self.how:
            return [_prototype.read(self.how["signature"])[0].arrays[0].type]
        return dtypes_of(self.how.get("dtype"))

    def cases(self, seed):
        """A single one where they cannot be told: it says why when it runs."""
        try:
            self.expect_arguments()
            dtypes = self.types()
            if self.parameters:
                how = {name: value for name, value in self.how.items() if name not in ("signature", "framework")}
                samples = kernels.sample_names(_any_kernel, _any_kernel, seed=seed, **how)
            else:
                samples = kernels.sample_names(*_pair(self.function(), self.function.__name__), seed=seed, **self.how)
        except _OF_COLLECTION:
            return [_Case(None, "kernel", None)]
        out, self.listed = [], {*samples, "all samples"}
        for dtype in dtypes:
            out += [_Case(dtype, contract, sample) for contract in _PER_SAMPLE for sample in [*samples, _FURTHER]]
            asked = [c for c in _REST if c != "special values" or self.how.get("conventions")]
            out += [_Case(dtype, contract, None) for contract in asked]
        return out

    def report(self, dtype, seed, which, make):
        """The report on the kernel that make() returns; `which` tells apart those of one function. Errors: Failed."""
        __tracebackhide__ = _is_hidden
        key = dtype, seed, which
        if key not in self.found:
            given = make()
            try:
                self.expect_arguments()
                how = self.how | ({"dtype": dtype} if dtype else {})
                self.found[key] = kernels.check_kernel(*_pair(given, self.function.__name__), **how, seed=seed)
            except Exception as error:  # wrong arguments, wrong use: one line
                self.found[key] = f"{type(error).__name__}: {error}"
        if isinstance(self.found[key], str):
            pytest.fail(self.found[key], pytrace=False)
        return self.found[key]

    def run(self, case, seed, which, make):
        __tracebackhide__ = _is_hidden
        report = self.report(case.dtype, seed, which, make)
        if case.dtype is None:
            pytest.fail("what is asked of the kernel could not be told when the tests were collected", pytrace=False)
        data = report.to_dict()
        contract = next(c for c in data["contracts"] if c["name"] == case.contract)
        samples = [s for s in contract["samples"] if case.sample is None or s["sample"] in (case.sample, "all samples")]
        if case.sample == _FURTHER:
            samples = [s for s in contract["samples"] if s["sample"] not in self.listed]
        judged = [s for s in samples if not s["excused"]]
        if not judged:
            left_out = (
                text
                for text in data["not_asked"]
                if case.sample and text.startswith((case.sample + ":", case.sample + " (", case.sample + ","))
            )
            why = samples[0].get("reason", contract["told"]) if samples else next(left_out, contract["told"])
            pytest.skip(f"not asked: {why}")
        bad = next((s for s in judged if s["verdict"] != "right"), None)
        if bad is not None:
            pytest.fail(f"{about(data, case.contract, bad)}again by: --gradproof-seed {seed}", pytrace=False)


def kernel(function=None, /, **how):
    """Makes a test function that returns a kernel into the tests of it. Arguments as of check_kernel."""

    def decorate(function):
        held = _Kernel(function, how)
        wanted = [p.name for p in held.parameters]

        def test(*instance, gradproof_case, request, **given):
            __tracebackhide__ = _is_hidden
            if "request" in wanted:
                given["request"] = request

            def make():
                __tracebackhide__ = _is_hidden
                return function(*instance, **given)

            chosen = {name: i for name, i in request.node.callspec.indices.items() if name != "gradproof_case"}
            seed = request.config.getoption("--gradproof-seed")
            held.run(gradproof_case, seed, repr(chosen), make)

        own = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in ("gradproof_case", "request") if n not in wanted]
        test.__signature__ = inspect.Signature([*(p for p in held.parameters if p.kind is not p.VAR_KEYWORD), *own])
        test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
        test.__qualname__ = function.__qualname__
        test.__dict__.update(function.__dict__)  # marks
        test.gradproof = held
        return test

    return decorate if function is None else decorate(function)


def pytest_addoption(parser):
    parser.addoption("--gradproof-seed", type=int, default=SEED, help="the seed of the numbers that kernels are tested with")


def pytest_generate_tests(metafunc):
    held = getattr(metafunc.function, "gradproof", None)
    if not isinstance(held, _Kernel):
        return
    cases = held.cases(metafunc.config.getoption("--gradproof-seed"))
    metafunc.parametrize("gradproof_case", cases, ids=[case.id for case in cases])
