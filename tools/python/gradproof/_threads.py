"""Long calls: run in a thread of their own, so that Ctrl-C ends them and a kernel that never returns is left behind."""

import contextvars
import ctypes
import threading

from . import _core

_FOR_LIBRARY, _FOR_KERNEL = 0.5, 2.0  # seconds that a call gets to end, once the library was told to, and then its kernel


class TimeLimit(BaseException):
    """Raised inside a kernel that runs too long. Not an Exception, so that a kernel does not catch it by accident."""


class NeverReturned(Exception):
    """A call ran beyond its time limit; its text says which."""


def _raise_in(thread, kind):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(kind))


def run(job, late=lambda: None):
    """The result of job(stop), where `stop` is the flag that the library looks at.

    `late` is asked every twentieth of a second; once it returns a text, the job is ended and NeverReturned raised with it.
    """
    stop, done, result = _core.Stop(), threading.Event(), {}

    def work():
        try:
            result["value"] = job(stop)
        except BaseException as error:  # it is raised in the caller's thread
            result["error"] = error
        finally:
            done.set()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True, name="gradproof")
    thread.start()
    try:
        while not done.wait(0.05):
            if (text := late()) is not None:
                _end(thread, stop, done)
                raise NeverReturned(text)
    except KeyboardInterrupt:
        _end(thread, stop, done)
        raise
    if "error" in result:
        raise result["error"]
    return result["value"]


def call(function, *arguments):
    """The result of a function of the library that takes the flag last."""
    return run(lambda stop: function(*arguments, stop))


def _end(thread, stop, done):
    stop.set()
    if done.wait(_FOR_LIBRARY):
        return
    _raise_in(thread, TimeLimit)
    if not done.wait(_FOR_KERNEL):
        _core.forgive_leaks()
