"""The exercises of all chapters: how hard each is, how long it takes, what it asks for.

The role ``effort`` says so beside an exercise: ``{effort}`2, 10, break``` is level 2, ten minutes,
something to break. The directive ``list-of-exercises`` is a table of all of them by level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from explorable import validate
from explorable.outputs.new_chapter import all_chapters
from explorable.sphinx.words import page_link, table

_logger = logging.getLogger(__name__)
LEVELS = {1: "one step", 2: "a few steps, or a few lines of code", 3: "an idea of your own"}
KINDS = {
    "compute": "a number, by hand or in Python",
    "explore": "what happens when something is moved",
    "prove": "a reason why it holds",
    "break": "an example that refutes a claim",
    "interpret": "what a number means, and for whom",
}
_BLOCK = re.compile(
    r"^```\{exercise-start\} ?(?P<title>[^\n]*)\n(?P<options>(?::[^\n]*\n)*)```\n"
    r"(?P<body>.*?)^```\{exercise-end\}\n```$",
    flags=re.M | re.S,
)
_LABEL = re.compile(r"^:label: (\S+)$", flags=re.M)
_ROLE = re.compile(r"\{effort\}`([^`]*)`")


@dataclass(frozen=True)
class Effort:
    """What an exercise takes.

    Parameters
    ----------
    level : int
        From 1 to 3, as in `LEVELS`.
    minutes : int
        For a student who has read the chapter.
    kind : str
        One of `KINDS`.
    """

    level: int
    minutes: int
    kind: str

    @classmethod
    def of(cls, text: str) -> Effort:
        """Return the effort of a role's text; refuse what is none.

        Examples
        --------
        >>> print(Effort.of("2, 10, break"))
        Level 2 · 10 minutes · break
        """
        level, minutes, kind, *more = [*(part.strip() for part in text.split(",")), "", "", ""][:4]
        kinds = f"and one of {', '.join(KINDS)}"
        whole = re.fullmatch(r"[1-9]\d?", minutes)
        if level not in map(str, LEVELS) or not whole or kind not in KINDS or any(more):
            validate.refuse("effort", text, f"a level of 1 to 3, minutes up to 99, {kinds}")
        return cls(int(level), int(minutes), kind)

    def __str__(self) -> str:
        return f"Level {self.level} · {self.minutes} minutes · {self.kind}"


@dataclass(frozen=True)
class Exercise:
    """An exercise: where it stands, what it is called, what it takes, if it says so."""

    page: str
    label: str
    title: str
    body: str
    effort: Effort | None


def exercises_of(text: str, page: str) -> Iterator[Exercise]:
    r"""Return the exercises in the source of a page.

    Parameters
    ----------
    text : str
        MyST Markdown.
    page : str
        Its name, such as ``book/mip/noise``.

    Examples
    --------
    >>> source = "```{exercise-start} By hand\n:label: ex-a\n```\n{effort}`1, 5, compute`\n"
    >>> [one] = exercises_of(source + "\nCount.\n```{exercise-end}\n```\n", "book/mip/noise")
    >>> one.label, one.title, one.effort.minutes
    ('ex-a', 'By hand', 5)
    """
    for found in _BLOCK.finditer(text):
        label = _LABEL.search(found["options"])
        said = _ROLE.search(found["body"])
        effort = Effort.of(said[1]) if said else None
        yield Exercise(page, label[1] if label else "", found["title"], found["body"], effort)


def read_exercises(root: Path) -> list[Exercise]:
    """Return the exercises of all chapters, in the order of the notions.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, which has the chapters.
    """
    texts = {f"book/{c.name}": (root / c.page).read_text(encoding="utf-8") for c in all_chapters(root)}
    return [exercise for page, text in texts.items() for exercise in exercises_of(text, page)]


class _Effort(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            told = str(Effort.of(self.text))
        except ValueError as mistake:
            _logger.warning("%s", mistake, location=self.get_location())
            told = self.text
        return [nodes.inline("", told, classes=["mb-effort"])], []


class _List(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        root = Path(self.env.app.confdir)
        found = read_exercises(root)
        for page in {one.page for one in found}:
            self.env.note_dependency(str(root / f"{page}.md"))
        return [
            node
            for level, words in LEVELS.items()
            for node in self._level(level, words, [x for x in found if x.effort and x.effort.level == level])
        ]

    def _level(self, level: int, words: str, found: list[Exercise]) -> list[nodes.Node]:
        minutes = sum(one.effort.minutes for one in found if one.effort)
        told = f"Level {level}: {words}. {len(found)} exercises, {minutes} minutes."
        head = nodes.paragraph("", "", nodes.strong("", told))
        heads = {"exercise": 5, "chapter": 5, "minutes": 2, "kind": 3}
        return [head, table(heads, map(self._line, found))]

    def _line(self, one: Exercise) -> list[list[nodes.Node]]:
        title, messages = self.state.inline_text(one.title, self.lineno)
        link = page_place([*title, *messages], one.page, f"#{one.label}")
        told = [] if one.effort is None else [str(one.effort.minutes), one.effort.kind]
        return [[link], [page_link(one.page, self.env.docname)], *([nodes.Text(x)] for x in told)]


class _PagePlace(nodes.reference):
    """Stands for the link; a reference, so that nobody puts another link into its words."""


def page_place(
    words: Sequence[nodes.Node], page: str, behind: str, classes: Sequence[str] = ()
) -> nodes.reference:
    """Return a link to a page and to what stands behind its address.

    Parameters
    ----------
    words : sequence of nodes
        What is underlined.
    page : str
        Such as ``book/mip/noise``.
    behind : str
        Such as ``#exercises`` or ``?poll#guess``.
    classes : sequence of str
        How it looks.
    """
    told = {"page": page, "behind": behind, "internal": True, "classes": list(classes)}
    return _PagePlace("", "", *words, **told)


def _resolve(app: Any, doctree: nodes.document, page: str) -> None:
    for link in list(doctree.findall(_PagePlace)):
        address = f"{app.builder.get_relative_uri(page, link['page'])}{link['behind']}"
        told = {"refuri": address, "internal": True, "classes": link["classes"]}
        link.replace_self(nodes.reference("", "", *link.children, **told))


def connect(app: Sphinx) -> None:
    """Register the role, the directive and the links."""
    app.add_node(_PagePlace)
    app.connect("doctree-resolved", _resolve)
    app.add_role("effort", _Effort())
    app.add_directive("list-of-exercises", _List)
