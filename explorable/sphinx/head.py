"""The head of a chapter: its goal, its minutes, what it needs, which neighbours it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from explorable import validate
from explorable.outputs.new_chapter import NOTIONS

__all__ = ["LONGEST_GOAL", "Head", "chapter_heads", "connect", "page_link", "read_head"]

_logger = logging.getLogger(__name__)
LONGEST_GOAL = 140
_BLOCK = re.compile(r"^(:{3,}|`{3,})\{chapter-head\}\s*\n(.*?)^\1\s*$", flags=re.M | re.S)
_OPTION = re.compile(r"^:(\w+):[ \t]*(.*?)[ \t]*$", flags=re.M)


@dataclass(frozen=True)
class Head:
    """What a chapter says of itself before it begins.

    Parameters
    ----------
    goal : str
        What the reader can do afterwards, in Markdown.
    minutes : int
        For reading and playing, without the exercises.
    needs : tuple of str
        The chapters that come before, such as ``"mip/definition"``.
    neighbours : str
        How the data sets differ that the chapter compares; empty where it compares none.
    """

    goal: str
    minutes: int
    needs: tuple[str, ...] = ()
    neighbours: str = ""

    @classmethod
    def of(cls, options: Mapping[str, str], root: Path) -> Head:
        """Return the head of a block's options; refuse what it may not say.

        Parameters
        ----------
        options : mapping
            The texts of ``goal``, ``minutes``, ``needs`` and ``neighbours``.
        root : pathlib.Path
            The repository's folder, which has the chapters.
        """
        goal, minutes = options.get("goal", ""), options.get("minutes", "")
        if not 0 < len(goal) <= LONGEST_GOAL:
            validate.refuse("goal", goal, f"a sentence of at most {LONGEST_GOAL} characters")
        if not re.fullmatch(r"[1-9]\d*", minutes):
            validate.refuse("minutes", minutes, "a whole number, such as 15")
        needs = tuple(filter(None, map(str.strip, options.get("needs", "").split(","))))
        for need in needs:
            part, _, name = need.partition("/")
            if part not in NOTIONS or not (root / "book" / part / f"{name}.md").is_file():
                validate.refuse("needs", need, "a chapter, such as 'mip/definition'")
        return cls(goal, int(minutes), needs, options.get("neighbours", ""))


def read_head(text: str, root: Path) -> Head | None:
    r"""Return the head in the source of a page; None if it has none.

    Parameters
    ----------
    text : str
        MyST Markdown.
    root : pathlib.Path
        The repository's folder, which has the chapters.

    Examples
    --------
    >>> page = ":::{chapter-head}\n:goal: Count.\n:minutes: 5\n:::\n"
    >>> read_head(page, Path())
    Head(goal='Count.', minutes=5, needs=(), neighbours='')
    """
    found = _BLOCK.search(text)
    return Head.of(dict(_OPTION.findall(found[2])), root) if found else None


def chapter_heads(root: Path) -> dict[str, Head]:
    """Return the heads of all chapters that have one, by names such as ``mip/definition``.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    """
    return dict(_heads(root))


def _heads(root: Path) -> Iterator[tuple[str, Head]]:
    for notion in NOTIONS:
        for path in sorted((root / "book" / notion).glob("*.md")):
            head = read_head(path.read_text(encoding="utf-8"), root)
            if head:
                yield f"{notion}/{path.stem}", head


def page_link(page: str, source: str) -> pending_xref:
    """Return a link from a page to another, under its own title."""
    target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{page}", "refdoc": source}
    return pending_xref("", nodes.inline(), refexplicit=False, refwarn=True, **target)


class _Directive(SphinxDirective):
    option_spec = dict.fromkeys(("goal", "minutes", "needs", "neighbours"), directives.unchanged)

    def run(self) -> list[nodes.Node]:
        try:
            head = Head.of(self.options, Path(self.env.app.confdir))
        except ValueError as mistake:
            _logger.warning("chapter-head: %s", mistake, location=self.get_location())
            return []
        goal = self._line("goal", "Goal", self._inline(head.goal))
        minutes = nodes.inline("", f"{head.minutes} minutes", classes=["mb-head-minutes"])
        needs: list[nodes.Node] = []
        for need in head.needs:
            needs += [nodes.Text(", "), page_link(f"book/{need}", self.env.docname)]
        lines = [goal, self._line("needs", "Time", [minutes])]
        if needs:
            lines[1] += [nodes.Text(" "), _name("Needs"), nodes.Text(" "), *needs[1:]]
        if head.neighbours:
            lines.append(self._line("neighbours", "Neighbours", self._inline(head.neighbours)))
        return [nodes.container("", *lines, classes=["mb-head"])]

    def _inline(self, text: str) -> list[nodes.Node]:
        found, messages = self.state.inline_text(text, self.lineno)
        return [*found, *messages]

    def _line(self, kind: str, name: str, words: Any) -> nodes.paragraph:
        line = nodes.paragraph("", "", _name(name), nodes.Text(" "), *words)
        line["classes"].append(f"mb-head-{kind}")
        return line


def _name(text: str) -> nodes.inline:
    return nodes.inline("", text, classes=["mb-head-name"])


def connect(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("chapter-head", _Directive)
