"""What a class does with the chapters: exercises, lessons, polls.

The role ``effort`` says beside an exercise what it takes: ``{effort}`2, 10, break``` is level 2, ten
minutes, something to break. The directive ``list-of-exercises`` is a table of all of them by level.

A ``lesson`` of so many ``minutes`` holds blocks ``lesson-step`` with theirs, which must add up.
What a step shows, asks and expects stands in a definition list: *Show*, *Ask*, *Expect*, *Watch*.
The role ``show`` is a link to a panel in a state: ``{show}`mip/noise#noise-lab: eta=0.1 | words```.

The directive ``list-of-polls`` names the guesses of all chapters that a class can be polled on; a
link opens the page so that it counts the codes of a class, and `poll.js` says how.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from explorable import validate
from explorable.outputs.new_chapter import all_chapters
from explorable.sphinx import words as prose
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
        root, found = Path(self.env.app.confdir), read_exercises(Path(self.env.app.confdir))
        for page in {one.page for one in found}:
            self.env.note_dependency(str(root / f"{page}.md"))
        told: list[nodes.Node] = []
        for level, words in LEVELS.items():
            here = [(one, one.effort) for one in found if one.effort and one.effort.level == level]
            minutes = sum(effort.minutes for _, effort in here)
            head = f"Level {level}: {words}. {len(here)} exercises, {minutes} minutes."
            heads = {"exercise": 5, "chapter": 5, "minutes": 2, "kind": 3}
            lines = [self._line(*each) for each in here]
            told += [nodes.paragraph("", "", nodes.strong("", head)), table(heads, lines)]
        return told

    def _line(self, one: Exercise, effort: Effort) -> list[list[nodes.Node]]:
        title, messages = self.state.inline_text(one.title, self.lineno)
        link = page_place([*title, *messages], one.page, f"#{one.label}")
        chapter = page_link(one.page, self.env.docname)
        return [[link], [chapter], [nodes.Text(str(effort.minutes))], [nodes.Text(effort.kind)]]


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


_TARGET = re.compile(r"([\w/-]+)#([A-Za-z][\w-]*)\s*(?::(.*))?", flags=re.S)

# What the address of a page that counts asks for.
COUNT = "?poll=count"
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?::[^\n]*\n)*(.*?)^```$", flags=re.M | re.S)


@dataclass(frozen=True)
class Show:
    """A panel in a state: its page, its name, the stops by control, the words of the link.

    Examples
    --------
    >>> shown = Show.of("mip/noise#noise-lab: eta=0.1 | more noise")
    >>> shown.page, shown.panel, shown.values, shown.words
    ('book/mip/noise', 'noise-lab', {'eta': '0.1'}, 'more noise')
    >>> shown.query
    '?noise-lab.eta=0.1#noise-lab'
    """

    page: str
    panel: str
    values: dict[str, str]
    words: str

    @classmethod
    def of(cls, text: str) -> Show:
        """Return what a role's text shows; refuse what names no panel."""
        told, bar, words = (part.strip() for part in text.partition("|"))
        found = _TARGET.fullmatch(told)
        if not (found and bar and words):
            validate.refuse("show", text, "'page#panel: control=stop; other=stop | words'")
        moves = (found[3] or "").strip()
        try:
            values = prose.parse(f"{moves} | {words}")[1] if moves else {}
        except prose.Mistake as mistake:
            raise ValueError(f"show = {text!r}: {mistake}") from None
        return cls(f"book/{found[1]}", found[2], values, words)

    @property
    def query(self) -> str:
        """What stands behind the page's address."""
        asked = {f"{self.panel}.{control}": stop for control, stop in self.values.items()}
        return f"{'?' if asked else ''}{urlencode(asked)}#{self.panel}"


def clock(minutes: int) -> str:
    """Return a time of the lesson as a clock shows it.

    Examples
    --------
    >>> clock(0), clock(95)
    ('0:00', '1:35')
    """
    return f"{minutes // 60}:{minutes % 60:02}"


class _Show(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            shown = Show.of(self.text)
        except ValueError as mistake:
            _logger.warning("%s", mistake, location=self.get_location())
            return [nodes.Text(self.text)], []
        root = Path(self.env.app.confdir)
        if not any((root / f"{shown.page}{end}").is_file() for end in (".md", ".ipynb")):
            _logger.warning("show: no page %s", shown.page, location=self.get_location())
            return [nodes.Text(shown.words)], []
        return [page_place([nodes.Text(shown.words)], shown.page, shown.query, ["mb-show"])], []


class _LessonStep(nodes.General, nodes.Element):
    """A step, until its lesson knows when it begins."""


class _StepDirective(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"minutes": directives.positive_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        if "minutes" not in self.options:
            _logger.warning("lesson-step: give it minutes, such as 10", location=self.get_location())
        title, messages = self.state.inline_text(self.arguments[0], self.lineno)
        step = _LessonStep(minutes=self.options.get("minutes", 0), title=[*title, *messages])
        step += self.parse_content_to_nodes()
        return [step]


class _LessonDirective(SphinxDirective):
    has_content = True
    option_spec = {"minutes": directives.positive_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        lesson = nodes.enumerated_list(classes=["mb-lesson"], enumtype="arabic", prefix="", suffix=".")
        begun = 0
        for step in self.parse_content_to_nodes():
            if not isinstance(step, _LessonStep):
                _logger.warning("lesson: holds steps alone", location=self.get_location())
                continue
            minutes = step["minutes"]
            told = f" {clock(begun)}–{clock(begun + minutes)}, {minutes} minutes"
            head = nodes.paragraph("", "", nodes.strong("", "", *step["title"]))
            head += nodes.inline("", told, classes=["mb-step-time"])
            for link in [link for link in step.findall(_PagePlace) if "mb-show" in link["classes"]][:1]:
                panel = link["behind"].partition("#")[2]
                self.env.note_dependency(str(self.env.doc2path(link["page"])))
                step.insert(0, nodes.container(classes=["mb-thumb"], page=link["page"], panel=panel))
            lesson += nodes.list_item("", head, *step.children, classes=["mb-step"])
            begun += minutes
        asked = self.options.get("minutes", 0)
        if begun != asked:
            _logger.warning(
                "lesson: its steps take %s minutes, not %s", *(begun, asked), location=self.get_location()
            )
        return [lesson]


def polls_of(text: str) -> Iterator[tuple[str, str]]:
    r"""Return name and label of each guess in the source of a page; drawn ones have no code.

    Parameters
    ----------
    text : str
        MyST Markdown.

    Examples
    --------
    >>> list(polls_of("```{code-cell} python\ng = Guess(1, label=\"How many?\")\ng\n```\n"))
    [('guess', 'How many?')]
    """
    for cell in _CELL.findall(text):
        if "Guess(" not in cell:
            continue
        for node in ast.walk(ast.parse(cell)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Guess":
                values = {k.arg: k.value for k in node.keywords}
                told = {k: str(v.value) for k, v in values.items() if isinstance(v, ast.Constant)}
                yield told.get("name", "guess"), told.get("label", "Your guess")


class _Polls(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        root = Path(self.env.app.confdir)
        listed = nodes.bullet_list()
        for chapter in all_chapters(root):
            page = f"book/{chapter.name}"
            self.env.note_dependency(str(root / chapter.page))
            found = list(polls_of((root / chapter.page).read_text(encoding="utf-8")))
            if found:
                line = nodes.paragraph("", "", page_link(page, self.env.docname), nodes.Text(": "))
                for i, (name, label) in enumerate(found):
                    line += nodes.Text("; " if i else "")
                    line += page_place([nodes.Text(f"{label} …")], page, f"{COUNT}#{name}")
                listed += nodes.list_item("", line)
        return [listed]


def connect(app: Sphinx) -> None:
    """Register the roles, the blocks, the lists and the links."""
    app.add_node(_PagePlace)
    app.connect("doctree-resolved", _resolve)
    app.add_node(_LessonStep)
    app.add_role("effort", _Effort())
    app.add_role("show", _Show())
    app.add_directive("list-of-exercises", _List)
    app.add_directive("lesson-step", _StepDirective)
    app.add_directive("lesson", _LessonDirective)
    app.add_directive("list-of-polls", _Polls)
