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
from collections.abc import Callable
from pathlib import Path
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
                raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        module, inner = names[name]
        if module == package:
            found = importlib.import_module(f"{package}.{inner}")
        else:
            found = getattr(importlib.import_module(module), inner)
        setattr(here, name, found)
        return found

    return get, lambda: sorted(names), sorted(names)
