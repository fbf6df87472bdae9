"""Records that no message may hold: what a refusal says while they are worked on.

A function under `private` names settings, shapes and counts, and nothing else.  What leaves it is
a new exception: no chain to one with other words, and no frame but those of whoever called.  The
calls of functions that a reader gives are made here too: what fails is named.
"""

from __future__ import annotations

import functools
import inspect
import io
import logging
import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_MARK, _HIDES = "_mipbook_told", "_mipbook_hides"


# The settings of the call, whose values a message may show; None where nothing is hidden.
_NOW: ContextVar[frozenset[str] | None] = ContextVar("private", default=None)


def is_private() -> bool:
    """Tell whether records are being worked on that no message may hold."""
    return _NOW.get() is not None


def told(message: str) -> ValueError:
    """Return a ``ValueError``; one that was made where values are hidden is let pass there."""
    error = ValueError(message)
    if is_private():
        setattr(error, _MARK, True)
    return error


def own_words(error: BaseException) -> str | None:
    """Return the message of an exception that hides all values, None of any other."""
    return str(error) if getattr(error, _MARK, False) else None


def hides(function: object) -> bool:
    """Tell whether a function is marked with `private`."""
    return hasattr(function, _HIDES)


def private(*data: str, also: tuple[str, ...] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function whose arguments ``data`` are nobody's to read.

    The values of its other arguments, and of those named in ``also``, are settings: they are shown.
    An exception that is not in our own words becomes a ``RuntimeError`` with its type and place.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        settings = frozenset(inspect.signature(function).parameters) - set(data) | set(also)

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            before = _NOW.get()
            token = _NOW.set(settings if before is None else settings & before)
            try:
                return function(*args, **kwargs)
            except Exception as error:
                clean = _clean(error, function.__qualname__, sys.modules[function.__module__.split(".")[0]])
            finally:
                _NOW.reset(token)
            # Out of the handler, or the old exception would hang on the new one as its context.
            raise clean

        setattr(wrapper, _HIDES, True)
        return wrapper

    return decorate


def _clean(error: Exception, where: str, package: ModuleType) -> Exception:
    # Of a package; a script has no places that a caller could look up.
    roots = tuple(getattr(package, "__path__", ()))
    words = own_words(error)
    if words is not None:
        clean = ValueError(words)
        setattr(clean, _MARK, True)
        return clean
    if isinstance(error, MemoryError):
        return MemoryError(where)
    place, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(roots):
            place = f" at {Path(file).name}:{step.tb_lineno}"
        step = step.tb_next
    kind = type(error).__name__
    return RuntimeError(f"{where} failed ({kind}{place}); what it says may hold records")


def shown(name: str, value: object) -> str:
    """Return what a message shows of the value of an argument."""
    settings = _NOW.get()
    # Records in the place of a setting are records all the same.
    single = value is None or isinstance(value, Real | str)
    if settings is not None and not (single and name in settings):
        return _kind(value)
    try:
        words = repr(value)
    except Exception:  # an integer of thousands of digits, or an object whose repr is broken
        words = f"a {type(value).__name__}"
    return words if len(words) <= 80 else words[:77] + "..."


def _kind(value: Any) -> str:
    """Return what a value is, without telling it."""
    kind = type(value).__name__
    try:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return str(value)
        if isinstance(value, type) or inspect.isroutine(value):
            return str(value.__name__)
        if isinstance(getattr(value, "shape", None), tuple) and value.shape:
            return f"{kind} of shape {tuple(map(int, value.shape))}"
        if isinstance(value, str | bytes | list | tuple | dict | set):
            return f"{kind} of length {len(value)}"
    except Exception:  # whatever a reader's object may raise
        pass
    return kind


def attempt(name: str, value: Any, what: str, call: Callable[..., Any], *given: Any) -> Any:
    """Return ``call(*given)``; a failure becomes a ``ValueError`` that names the argument.

    Where records are hidden the call is not heard, and of a failure only the kind is told: its
    words may hold a record.
    """
    try:
        with unheard() if is_private() else nullcontext():
            return call(*given)
    except Exception as error:
        own, kind = own_words(error), type(error).__name__
        if not is_private():
            if own is not None:
                raise
            words = " ".join(repr(value).split())[:80]
            raise ValueError(f"{name} = {words}: failed {what}: {kind}: {error}") from error
        failed = own or (
            f"{name} = {shown(name, value)}: failed {what} ({kind}); "
            "call it yourself to read what it says, which may hold records"
        )
    # Out of the handler, so that nothing hangs on it.
    raise told(failed)


class _Nowhere(io.TextIOBase):
    """A stream that forgets what is written."""

    def write(self, text: str) -> int:
        return len(text)


_NOWHERE = _Nowhere()


class _Silence:
    """The one silence of this process, which threads share: who comes last gives it back."""

    lock = threading.Lock()
    callers = 0
    before: tuple[Any, Any, int]
    caught: warnings.catch_warnings[Any]
    heard: list[warnings.WarningMessage]


@contextmanager
def unheard() -> Iterator[list[warnings.WarningMessage]]:
    """Keep what is printed, logged or warned inside from being heard; the warnings are listed."""
    with _Silence.lock:
        if _Silence.callers == 0:
            _Silence.before = sys.stdout, sys.stderr, logging.root.manager.disable
            _Silence.caught = warnings.catch_warnings(record=True)
            heard = _Silence.caught.__enter__()
            assert heard is not None
            _Silence.heard = heard
            sys.stdout = sys.stderr = _NOWHERE
            logging.disable(logging.CRITICAL)
        _Silence.callers += 1
    try:
        yield _Silence.heard
    finally:
        with _Silence.lock:
            _Silence.callers -= 1
            if _Silence.callers == 0:
                sys.stdout, sys.stderr, level = _Silence.before
                logging.disable(level)
                _Silence.caught.__exit__(None, None, None)
