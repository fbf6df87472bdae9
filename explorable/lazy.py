"""Names of a package that load the module behind them when they are first asked for.

A package says what it offers once, where a type checker reads it, too::

    from typing import TYPE_CHECKING

    from explorable import lazy

    if TYPE_CHECKING:
        from mypackage.sums import total, worst

    __getattr__, __dir__, __all__ = lazy.attach(__name__)
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

# What both packages are installed as.
_DISTRIBUTION = "mipbook"


def offered(source: str, package: str = "") -> dict[str, tuple[str, str]]:
    r"""Return the names that a package offers, with the module and the name behind each.

    Parameters
    ----------
    source : str
        The text of its ``__init__.py``.
    package : str
        Its name, for relative imports.

    Examples
    --------
    >>> offered("if TYPE_CHECKING:\n    from a.b import c, d as e")
    {'c': ('a.b', 'c'), 'e': ('a.b', 'd')}
    """
    found: dict[str, tuple[str, str]] = {}
    for block in ast.parse(source).body:
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
            for line in (each for each in block.body if isinstance(each, ast.ImportFrom)):
                module = ".".join(filter(None, [package if line.level else "", line.module]))
                found |= {each.asname or each.name: (module, each.name) for each in line.names}
    return found


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        Its name; what it offers stands under ``if TYPE_CHECKING`` in its ``__init__.py``.
    """
    here = sys.modules[package]
    names = offered(Path(str(here.__file__)).read_text(encoding="utf-8"), package)

    def get(name: str) -> Any:
        if name == "__version__":
            return importlib.metadata.version(_DISTRIBUTION)
        if name not in names:
            try:
                return importlib.import_module(f"{package}.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"{package}.{name}":
                    raise
                return _unlisted(package, name, {home for home, _ in names.values()} - {package})
        module, inner = names[name]
        if module == package:
            found = importlib.import_module(f"{package}.{inner}")
        else:
            found = getattr(importlib.import_module(module), inner)
        setattr(here, name, found)
        return found

    return get, lambda: sorted(names), sorted(names)


def _unlisted(package: str, name: str, homes: set[str]) -> Any:
    """Return what a package does not offer any more, where a module of its own still has it."""
    for home in sorted(homes) if not name.startswith("_") else ():
        found = getattr(importlib.import_module(home), name, None)
        if getattr(found, "__module__", None) == home:
            said = f"{package}.{name} stands in {home} alone; the next version drops the short name"
            warnings.warn(said, DeprecationWarning, stacklevel=3)
            return found
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def renamed(old: str, *places: str) -> None:
    """Let the names of a module that is gone be imported for one more version, with a warning.

    Parameters
    ----------
    old : str
        The module's name.
    *places : str
        The packages where its names are now, each in the first of these that offers it.
    """
    module = ModuleType(old, f"The old name of {', '.join(places)}.")

    def get(name: str) -> Any:
        # Who looks through all modules for one of Python's own names loads nothing.
        for place in map(importlib.import_module, () if name.startswith("_") else places):
            if name in place.__all__:
                said = f"{old}.{name} is {place.__name__}.{name} now; the next version drops the old name"
                warnings.warn(said, DeprecationWarning, stacklevel=2)
                return getattr(place, name)
        raise AttributeError(f"module {old!r} has no attribute {name!r}")

    def listed() -> list[str]:
        return sorted({name for place in places for name in importlib.import_module(place).__all__})

    vars(module).update(__getattr__=get, __dir__=listed)
    sys.modules[old] = module
