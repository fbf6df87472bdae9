"""Put listeners in the place of the public functions that a cell may call, while it runs."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mipbook
from mipbook.ledger.mutants.chapter import Called
from mipbook.ledger.mutants.plant import Function, clothed, modules, plain

__all__ = ["listening"]

# What draws, compares or refuses makes no claim of its own.
_NO_CLAIM = ("mipbook.figures", "mipbook.explore", "mipbook.ledger", "mipbook.base.validate")
# What no cell may call; it is slow to load.
_APART = ("mipbook.explore", "mipbook.publish", "mipbook.commands", "mipbook.__main__")
# Data that a claim is tried on: it holds for other data just as well.
_DATA = {
    "Table1.clusters",
    "Table1.sizes",
    "gaussian_pool",
    "linear_data",
    "load",
    "ladder",
    "sine_data",
    "sphere_points",
    "subsets",
    "table1",
}


def _claim(held: Any) -> Called | None:
    """Return the public function that is held, if it makes a claim."""
    function = plain(held)
    if hasattr(function, "cache_clear"):
        function = inspect.unwrap(function)
    if not isinstance(function, types.FunctionType):
        return None
    module, name = str(function.__globals__.get("__name__")), function.__code__.co_qualname
    hidden = any(part.startswith(("_", "<")) for part in name.split("."))
    silent = module.startswith(_NO_CLAIM) or name in _DATA or hidden
    return Called(module, name) if module.startswith("mipbook.") and not silent else None


@functools.cache
def _load() -> None:
    """Load the package: what is loaded while somebody listens would take the listeners over."""
    for found in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        if not found.name.startswith(_APART):
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                getattr(module, name)  # some are taken from where they are at the first use


def _holders() -> Iterator[Any]:
    """Yield the package's modules and their classes."""
    for module in modules():
        yield module
        for value in list(vars(module).values()):
            if inspect.isclass(value) and value.__module__ == module.__name__:
                yield value


@contextmanager
def listening(
    listener: Callable[[Called, Function], Function], names: set[str], space: dict[str, Any]
) -> Iterator[None]:
    """Replace public functions, in the package and in ``space``; put them back at the end.

    Parameters
    ----------
    listener : callable
        Given a function's name and the function, what is to be called in its place.
    names : set of str
        Only functions of these names are replaced.
    space : dict
        The names of a cell.
    """
    _load()
    heard: dict[int, Any] = {}
    places = []
    for holder in _holders():
        for name, held in list(vars(holder).items()):
            asked = name in names and id(held) not in heard
            if asked and (called := _claim(held)):
                heard[id(held)] = _worn(held, listener(called, plain(held)), name)
            if id(held) in heard:
                places.append((holder, name, held))
    space.update({n: heard[id(v)] for n, v in space.items() if id(v) in heard})
    try:
        for holder, name, held in places:
            setattr(holder, name, heard[id(held)])
        yield
    finally:
        for holder, name, held in places:
            setattr(holder, name, held)


def _worn(held: Any, function: Function, name: str) -> Any:
    """Return a listener as a property, a class method or the like, as what it stands for."""
    if not isinstance(held, functools.cached_property):
        return clothed(held, function)
    kept: functools.cached_property[Any] = functools.cached_property(function)
    kept.__set_name__(type(None), name)
    return kept
