"""The code cells of a chapter, what a check cell calls, and altered functions in its place."""

from __future__ import annotations

import ast
import copy
import ctypes
import functools
import importlib
import inspect
import io
import re
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorable import checked, settings
from explorable.checks.ledger import Record, apart

CELL = "<cell "
_CODE = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", flags=re.M | re.S)
_OPTIONS = re.compile(r"\A(?:(?::\w[^\n]*\n)+|---\n.*?^---\n)", flags=re.M | re.S)


@dataclass
class Called:
    """A public function, with what it took from a cell and gave it in the true run.

    ``inside`` are the functions that ran while it did, by module and name.
    """

    module: str
    name: str
    arguments: list[dict[str, Any]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    inside: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Cell:
    """One code cell."""

    source: str
    place: str

    @property
    def result(self) -> str | None:
        """The id of the result that the cell checks, if it checks one."""
        found = re.search(r'^with result\("([^"]+)"', self.source, flags=re.M)
        return found[1] if found else None

    def names(self) -> tuple[set[str], set[str]]:
        """Return the names that the cell binds and those that it uses."""
        nodes = list(ast.walk(ast.parse(self.source)))
        names = [n for n in nodes if isinstance(n, ast.Name)]
        bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        bound |= {(n.asname or n.name).split(".")[0] for n in nodes if isinstance(n, ast.alias)}
        return bound, {n.id for n in names} - bound

    def spoken(self) -> set[str]:
        """Return the names of fields that the cell may read: attributes and strings."""
        nodes = list(ast.walk(ast.parse(self.source)))
        attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        return attributes | {str(n.value) for n in nodes if isinstance(n, ast.Constant)}

    def run(self, space: dict[str, Any], misprints: bool = False) -> Record | None:
        """Run the cell in ``space``, in silence; return what it recorded.

        With ``misprints`` errors are planted in the formulas that it reads, too.
        """
        quiet = redirect_stdout(io.StringIO())
        with apart(misprints) as records, quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(self.source, f"{CELL}{self.place}>", "exec"), space)
        return records[-1] if records else None


@dataclass(frozen=True)
class Chapter:
    """The code cells of a page, in order."""

    name: str
    cells: tuple[Cell, ...]

    @property
    def length(self) -> int:
        """How many characters the check cells have."""
        return sum(len(cell.source) for cell in self.cells if cell.result)

    def spoken(self) -> set[str]:
        """Return all names in the code of the checks and of what they need."""
        return set().union(*(cell.spoken().union(*cell.names()) for cell in self.needed()))

    def needed(self) -> list[Cell]:
        """Return the check cells and those that make a name which a later one of them uses."""
        kept: list[Cell] = []
        wanted: set[str] = set()
        for cell in reversed(self.cells):
            bound, used = cell.names()
            if cell.result or bound & wanted:
                wanted |= used
                kept.append(cell)
        return kept[::-1]

    def checks(self) -> Iterator[tuple[Cell, dict[str, Any]]]:
        """Yield each check cell with the namespace before it, then run it if others need it."""
        space: dict[str, Any] = {"__name__": "__main__"}
        cells = self.needed()
        for i, cell in enumerate(cells):
            if cell.result:
                yield cell, space
            if any(cell.names()[0] & later.names()[1] for later in cells[i + 1 :]):
                cell.run(space)


def read_chapter(path: Path) -> Chapter:
    """Return the code cells of a page in MyST Markdown."""
    found = _CODE.findall(path.read_text(encoding="utf-8"))
    cells = tuple(Cell(_OPTIONS.sub("", text), f"{path.stem} {i}") for i, text in enumerate(found))
    return Chapter(f"{path.parent.name}/{path.stem}", cells)


def fresh(space: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a namespace in which a run may change what it likes."""
    made = dict(space)
    for name, value in space.items():
        with suppress(TypeError):  # of a module, for instance
            made[name] = value if callable(value) else copy.deepcopy(value)
    return made


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
            if time.process_time() <= self._end:
                continue
            with self._lock:
                if not self._done.is_set():
                    # The one way to stop a loop that no longer ends, on every system.
                    identifier = ctypes.c_ulong(self._thread)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(identifier, ctypes.py_object(Lost))
                    self._done.set()


def attribute(called: Called) -> tuple[Any, str, Any]:
    """Return where a function is held, under which name, and what is held there."""
    *outer, name = called.name.split(".")
    owner = functools.reduce(getattr, outer, sys.modules[called.module])
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
    return [m for name, m in list(sys.modules.items()) if name.split(".")[0] == settings.book().package]


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


def forget(kept: tuple[str, ...] | None = None) -> None:
    """Empty the package's caches, but those that hold data, or those of some modules."""
    for cache in _caches(settings.book().planted.kept if kept is None else kept, len(sys.modules)):
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
    space |= {n: new[id(v)] for n, v in space.items() if id(v) in new}
    forget()
    try:
        for holder, name, _, made in places:
            setattr(holder, name, made)
        yield
    finally:
        for holder, name, held, _ in places:
            setattr(holder, name, held)
        forget()


# What draws, compares or refuses makes no claim of its own.
_SILENT = ("explorable.panels", "explorable.checks", "explorable.validate")


def _claim(held: Any) -> Called | None:
    """Return the public function that is held, if it makes a claim."""
    function = plain(held)
    function = checked.plain(inspect.unwrap(function) if hasattr(function, "cache_clear") else function)
    if not isinstance(function, types.FunctionType):
        return None
    if str(function.__globals__.get("__name__")).startswith(f"{settings.book().package}."):
        function = inspect.unwrap(function)  # what the book wraps its functions in is no function of its own
    module, name = str(function.__globals__.get("__name__")), function.__code__.co_qualname
    hidden = any(part.startswith(("_", "<")) for part in name.split("."))
    own = settings.book()
    silent = module.startswith(_SILENT) or name in own.planted.data or hidden
    return Called(module, name) if module.startswith(f"{own.package}.") and not silent else None


@functools.cache
def _load() -> None:
    """Load the package: what is loaded while listeners stand there would take them over."""
    for module in map(importlib.import_module, settings.modules()):
        for name in getattr(module, "__all__", ()):
            getattr(module, name)  # some are taken from where they are at the first use


def claims(names: set[str]) -> list[Called]:
    """Return the public functions of some names that make a claim, methods among them."""
    _load()
    found = []
    for module in modules():
        inside = list(vars(module).items())
        classes = [(n, v) for n, v in inside if inspect.isclass(v) and v.__module__ == module.__name__]
        places = [(name, name, value) for name, value in inside]
        places += [(f"{owner}.{n}", n, value) for owner, cls in classes for n, value in vars(cls).items()]
        claimed = ((place, _claim(value)) for place, name, value in places if name in names)
        found += [called for place, called in claimed if called == Called(module.__name__, place)]
    return found
