"""Where the files of a chapter stand: the same path in four trees."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from explorable import validate

__all__ = ["NOTIONS", "Chapter"]

# Each notion with the document whose results it mostly checks, and the look of its idea.
NOTIONS = {
    "game": ("lecture", "IN"),
    "mip": ("mip", "MIP"),
    "pmp": ("pmp", "PMP"),
    "mis": ("limits", "MIS"),
    "together": ("together", "DP"),
}


@dataclass(frozen=True)
class Chapter:
    """A chapter by its notion and the last part of its address.

    Examples
    --------
    >>> Chapter.named("mis/my-idea").maths.as_posix()
    'mipbook/mis/my_idea.py'
    """

    notion: str
    slug: str

    @classmethod
    def named(cls, name: str) -> Chapter:
        """Return the chapter of a name such as ``mis/my-idea``; refuse one that none can have."""
        notion, _, slug = name.partition("/")
        if notion not in NOTIONS or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
            allowed = f"one of {', '.join(NOTIONS)}, a slash, and words of a-z and 0-9 with hyphens"
            validate.refuse("chapter", name, f"{allowed}, such as 'mis/my-idea'")
        return cls(notion, slug)

    @property
    def name(self) -> str:
        """The name in ``results.csv``, such as ``mis/my-idea``."""
        return f"{self.notion}/{self.slug}"

    @property
    def is_record(self) -> bool:
        """Whether the page stands under a chapter, for the record of what has no place in it."""
        return self.slug.endswith("-record")

    @property
    def stem(self) -> str:
        """The name of its modules."""
        return self.slug.replace("-", "_")

    @property
    def page(self) -> Path:
        """The chapter itself."""
        return Path("book", self.notion, f"{self.slug}.md")

    @property
    def maths(self) -> Path:
        """Its module of maths."""
        return Path("mipbook", self.notion, f"{self.stem}.py")

    @property
    def figure(self) -> Path:
        """Its module of figures."""
        return Path("mipbook", "figures", self.notion, f"{self.stem}.py")

    @property
    def tests(self) -> tuple[Path, Path]:
        """The tests of the maths and of the figure."""
        return (
            Path("tests", self.notion, f"test_{self.notion}_{self.stem}.py"),
            Path("tests", "figures", self.notion, f"test_figures_{self.notion}_{self.stem}.py"),
        )

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are the chapter's own."""
        return (self.maths, self.figure, self.page, *self.tests)
