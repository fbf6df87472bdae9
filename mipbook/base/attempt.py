"""Calls of functions that a reader gives: what fails is named."""

from __future__ import annotations

import io
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from explorable import private


def attempt(name: str, value: Any, what: str, call: Callable[..., Any], *given: Any) -> Any:
    """Return ``call(*given)``; a failure becomes a ``ValueError`` that names the argument.

    Where records are hidden the call is not heard, and of a failure only the kind is told: its
    words may hold a record.
    """
    if private.is_private():
        return _in_private(name, value, what, call, *given)
    try:
        return call(*given)
    except Exception as error:
        if private.own_words(error) is not None:
            raise
        shown = " ".join(repr(value).split())[:80]
        raise ValueError(f"{name} = {shown}: failed {what}: {type(error).__name__}: {error}") from error


def _in_private(name: str, value: Any, what: str, call: Callable[..., Any], *given: Any) -> Any:
    with unheard():
        try:
            return call(*given)
        except Exception as error:
            failed = private.own_words(error) or (
                f"{name} = {private.shown(name, value)}: failed {what} ({type(error).__name__}); "
                "call it yourself to read what it says, which may hold records"
            )
    raise private.told(failed)


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
