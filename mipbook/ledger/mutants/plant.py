"""Put an altered function in the place of a function, wherever the package holds it."""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mipbook.ledger.mutants.chapter import Called

__all__ = ["Lost", "Watch", "attribute", "plain", "planted"]

Function = Callable[..., Any]


class Lost(BaseException):
    """A run that shows nothing: the altered function refuses, or the time is over.

    No ``Exception``, so that no ``except`` of a cell or of the package takes it.
    """


class Watch:
    """Ends a planted run that takes too long, and notes whether the error changed any value.

    Processor time is counted, so that a busy machine gives the same verdicts.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.changed = False
        self._done = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> Watch:
        self._end = time.process_time() + self.seconds
        self._thread = threading.get_ident()
        threading.Thread(target=self._wait, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._done.set()

    def _wait(self) -> None:
        while not self._done.wait(0.2):
            if time.process_time() > self._end:
                with self._lock:
                    if not self._done.is_set():
                        # The one way to stop a loop that no longer ends, on every system.
                        identifier = ctypes.c_ulong(self._thread)
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(
                            identifier, ctypes.py_object(Lost)
                        )
                        self._done.set()


def attribute(called: Called) -> tuple[Any, str, Any]:
    """Return where a function is held, under which name, and what is held there."""
    owner, name = called.owner, called.name.split(".")[-1]
    if inspect.isclass(owner):
        owner = next(c for c in owner.__mro__ if name in vars(c))
    return owner, name, vars(owner)[name]


def plain(held: Any) -> Function:
    """Return the function inside a property, a class method or a cache."""
    if isinstance(held, property):
        return held.fget  # type: ignore[return-value]
    if isinstance(held, functools.cached_property):
        return held.func
    function: Function = getattr(held, "__func__", held)
    return function


def _clothed(held: Any, function: Function) -> Any:
    if isinstance(held, property | functools.cached_property):
        return property(function)
    if isinstance(held, classmethod | staticmethod):
        return type(held)(function)
    return function


def _modules() -> list[types.ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.split(".")[0] == "mipbook"]


def _forget() -> None:
    """Empty the package's caches; the data it reads never changes and stays."""
    for module in _modules():
        if not module.__name__.startswith(("mipbook.data", "mipbook.runs.store")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def planted(called: Called, altered: Function, space: dict[str, Any]) -> Iterator[None]:
    """Replace a function in the package and in ``space``; put it back at the end."""
    owner, name, held = attribute(called)
    new = _clothed(held, altered)
    if inspect.isclass(owner):
        places: list[tuple[Any, str]] = [(owner, name)]
    else:
        places = [(m, n) for m in _modules() for n, v in list(vars(m).items()) if v is held]
        space.update({n: new for n, v in space.items() if v is held})
    _forget()
    try:
        for holder, attr in places:
            setattr(holder, attr, new)
        yield
    finally:
        for holder, attr in places:
            setattr(holder, attr, held)
        _forget()
