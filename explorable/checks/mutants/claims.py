"""Which functions of the package make a claim that a cell may check."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import types
from typing import Any

import mipbook
from explorable import checked
from explorable.checks.mutants.chapter import Called
from explorable.checks.mutants.plant import modules, plain

__all__ = ["claims"]

# What draws, compares or refuses makes no claim of its own.
_NO_CLAIM = ("mipbook.figures", "explorable.panels", "explorable.checks", "explorable.validate")
# They make no claim either, and are slow to load.
_APART = (
    "explorable.panels",
    "explorable.sphinx",
    "explorable.outputs",
    "explorable.serve",
    "mipbook.commands",
    "mipbook.__main__",
)
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
    function = checked.plain(function)
    if not isinstance(function, types.FunctionType):
        return None
    module, name = str(function.__globals__.get("__name__")), function.__code__.co_qualname
    hidden = any(part.startswith(("_", "<")) for part in name.split("."))
    silent = module.startswith(_NO_CLAIM) or name in _DATA or hidden
    return Called(module, name) if module.startswith("mipbook.") and not silent else None


@functools.cache
def _load() -> None:
    """Load the package: what is loaded while listeners stand there would take them over."""
    for found in pkgutil.walk_packages(mipbook.__path__, "mipbook."):
        if not found.name.startswith(_APART):
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                getattr(module, name)  # some are taken from where they are at the first use


def claims(names: set[str]) -> list[Called]:
    """Return the public functions of some names that make a claim, methods among them."""
    _load()
    found = []
    for module in modules():
        inside = list(vars(module).items())
        places = [("", inside)]
        for name, value in inside:
            if inspect.isclass(value) and value.__module__ == module.__name__:
                places.append((f"{name}.", list(vars(value).items())))
        for owner, held in places:
            for name, value in held:
                called = _claim(value) if name in names else None
                if called == Called(module.__name__, owner + name):
                    found.append(called)
    return found
