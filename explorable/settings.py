"""What a book tells the engine of itself.

The engine knows no subject.  A book's package has a module whose ``BOOK`` is a `Book`, and names it
once: its ``__init__.py`` calls `use`, and so does the Sphinx extension for ``explorable_book`` in
``_config.yml``.  Kernels and workers inherit the name by the environment.
"""

import os
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from explorable.palette import BLUE, ORANGE

# Names the module that has the book's settings.
NAME = "EXPLORABLE_BOOK"


@dataclass(frozen=True, kw_only=True)
class Planted:
    """What the errors that are planted under checks have to know of a book's package.

    Attributes
    ----------
    bounds : mapping
        The functions, or fields of what they give, that are proven bounds: ``"upper"`` or
        ``"lower"``, and the value that says nothing.
    easy : mapping
        Arguments that a planted error ignores, each with its easy case; None for the smallest seen.
    apart : tuple of str
        Modules that claim nothing, and are slow to load.
    kept : tuple of str
        Modules whose caches hold data, which never change.
    data : frozenset of str
        Functions that give data on which a claim is tried: it holds for other data just as well.
    """

    bounds: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    easy: Mapping[str, float | None] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    data: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Book:
    """A book: its names, its parts, its words, and what its checks are about.

    Attributes
    ----------
    title : str
        The book's name.
    package : str
        Its Python package, which is documented, followed and planted in.
    install : str
        What pip installs for who takes a chapter away as a notebook.
    about : str
        What the book is about, in a sentence.
    picture : str
        What the picture for a link to the book shows, in words.
    mark : tuple of str
        The colours of the two halves of its mark; of the palette.
    results : pathlib.Path, optional
        The table of the numbered results: id, source, kind, number, title, chapter.
    parameters : pathlib.Path, optional
        The table of what these results vary: result, parameter, values, control, why.
    symbols : mapping of str to str
        The parameters that have a column of their own in the page of parameters, and their signs.
    sources : mapping of str to str
        The titles of the documents that the results are from.
    parts : mapping
        The folders of chapters, each with the document that it tells of and the name of its idea.
    homes : mapping of str to str
        Of a part whose mathematics is not in the room of its name, that room.
    ideas : mapping of str to str
        The colour that an idea has everywhere, in pictures and in words; of the palette.
    sides : frozenset of str
        The ideas that are marked only where an author stresses their words.
    people : mapping of str to str
        The cast: the colour of each person's dot, by the name; of the palette.
    arguments : mapping
        What an argument means wherever a docstring does not say otherwise: its kind, its meaning.
    rooms : tuple of str
        The packages that the reference shows, in their order.
    planted : Planted
        What planted errors have to know.
    """

    title: str
    package: str
    install: str = ""
    about: str = ""
    picture: str = ""
    mark: tuple[str, str] = (BLUE, ORANGE)
    results: Path | None = None
    parameters: Path | None = None
    symbols: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)
    ideas: Mapping[str, str] = field(default_factory=dict)
    sides: frozenset[str] = frozenset()
    people: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rooms: tuple[str, ...] = ()
    planted: Planted = Planted()

    @property
    def command(self) -> str:
        """How its commands are called in a terminal."""
        return f"python -m {self.package or 'explorable'}"


def use(module: str) -> None:
    """Name the module that has the book's settings, here and in all processes started from here."""
    os.environ[NAME] = module


def book() -> Book:
    """Return the settings of the book; of none, where there is none."""
    return _loaded(os.environ.get(NAME, ""))


@cache
def _loaded(module: str) -> Book:
    found = import_module(module).BOOK if module else Book(title="explorable", package="")
    assert isinstance(found, Book)
    return found


def modules() -> Iterator[str]:
    """Yield the names of the modules of the book's own package, without those that stand apart."""
    own = book()
    if own.package:
        found = pkgutil.walk_packages(import_module(own.package).__path__, f"{own.package}.")
        yield from (one.name for one in found if not one.name.startswith(own.planted.apart))


def name() -> str:
    """Return the name of the book's package, without loading it."""
    return os.environ.get(NAME, "").split(".")[0] or "explorable"


def variable(kind: str) -> str:
    """Return the full name of an environment variable: each book has its own.

    Examples
    --------
    >>> variable("STATIC").endswith("_STATIC")
    True
    """
    return f"{name()}_{kind}".upper()


def told(kind: str) -> str:
    """Return the value of one of the book's environment variables; nothing if it has none."""
    return os.environ.get(variable(kind), "")


def tell(kind: str, value: str) -> None:
    """Set one of the book's environment variables."""
    os.environ[variable(kind)] = value
