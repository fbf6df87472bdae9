"""Calls of functions that a reader gives: what fails is named."""

from __future__ import annotations

import io
import logging
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from mipbook.base import private

__all__ = ["attempt", "unheard"]


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
        raise ValueError(
            f"{name} = {shown}: failed {what}: {type(error).__name__}: {error}"
        ) from error


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


class _Silence:
    """The one silence of this process, which threads share: who comes last gives it back."""

    lock = threading.Lock()
    callers = 0
    kept: ExitStack
    heard: list[warnings.WarningMessage]


@contextmanager
def unheard() -> Iterator[list[warnings.WarningMessage]]:
    """Keep what is printed, logged or warned inside from being heard; the warnings are listed."""
    with _Silence.lock:
        if _Silence.callers == 0:
            _Silence.kept = ExitStack()
            heard = _Silence.kept.enter_context(warnings.catch_warnings(record=True))
            _Silence.heard = heard if heard is not None else []
            _Silence.kept.enter_context(redirect_stdout(_Nowhere()))
            _Silence.kept.enter_context(redirect_stderr(_Nowhere()))
            _Silence.kept.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.CRITICAL)
        _Silence.callers += 1
    try:
        yield _Silence.heard
    finally:
        with _Silence.lock:
            _Silence.callers -= 1
            if _Silence.callers == 0:
                _Silence.kept.close()
