"""Put altered functions in the place of functions, wherever the package holds them."""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from explorable.checks.mutants.chapter import Called

__all__ = ["Lost", "Watch", "attribute", "forget", "modules", "plain", "planted"]

Function = Callable[..., Any]

# Their caches hold data, which never change.
_KEPT = ("mipbook.data", "mipbook.stored.store")


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
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(identifier, ctypes.py_object(Lost))
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


def modules() -> list[types.ModuleType]:
    """Return the package's modules that are loaded."""
    return _modules(len(sys.modules))


# Asked twice for every planted error; another answer comes with another module.
@functools.lru_cache(maxsize=1)
def _modules(loaded: int) -> list[types.ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.split(".")[0] == "mipbook"]


# Asked while nothing stands in the place of a function, so none of its caches is left out.
@functools.lru_cache(maxsize=2)
def _caches(kept: tuple[str, ...], loaded: int) -> list[Any]:
    return [
        value
        for module in _modules(loaded)
        if module is not sys.modules[__name__] and not module.__name__.startswith(kept)
        for value in vars(module).values()
        if hasattr(value, "cache_clear")
    ]


def forget(kept: tuple[str, ...] = _KEPT) -> None:
    """Empty the package's caches, but those of some modules."""
    for cache in _caches(kept, len(sys.modules)):
        cache.cache_clear()


@contextmanager
def planted(altered: Iterable[tuple[Called, Function]], space: dict[str, Any]) -> Iterator[None]:
    """Replace functions in the package and in ``space``; put them back at the end."""
    places: list[tuple[Any, str, Any, Any]] = []
    new: dict[int, Any] = {}
    for called, function in altered:
        owner, name, held = attribute(called)
        if inspect.isclass(owner):
            places.append((owner, name, held, _clothed(held, function)))
        else:
            new[id(held)] = _clothed(held, function)
    for module in modules():
        found = [(n, v) for n, v in list(vars(module).items()) if id(v) in new]
        places += [(module, n, v, new[id(v)]) for n, v in found]
    space.update({n: new[id(v)] for n, v in space.items() if id(v) in new})
    forget()
    try:
        for holder, name, _, made in places:
            setattr(holder, name, made)
        yield
    finally:
        for holder, name, held, _ in places:
            setattr(holder, name, held)
        forget()
