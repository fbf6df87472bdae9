"""Lessons: steps with their minutes, and links that open a panel in a given state.

A ``lesson`` of so many ``minutes`` holds blocks ``lesson-step`` with theirs, which must add up.
What a step shows, asks and expects stands in a definition list: *Show*, *Ask*, *Expect*, *Watch*.
The role ``show`` is a link to a panel in a state: ``{show}`mip/noise#noise-lab: eta=0.1 | words```.

The directive ``list-of-polls`` names the guesses of all chapters that a class can be polled on; a
link opens the page so that it counts the codes of a class, and `poll.js` says how.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from explorable import validate
from explorable.outputs.exercises import page_place
from explorable.outputs.new_chapter import all_chapters
from explorable.sphinx import words as prose
from explorable.sphinx.words import page_link

_logger = logging.getLogger(__name__)
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
        lesson = nodes.enumerated_list(classes=["mb-lesson"], enumtype="arabic", prefix="")
        lesson["suffix"] = "."
        begun = 0
        for step in self.parse_content_to_nodes():
            if not isinstance(step, _LessonStep):
                _logger.warning("lesson: holds steps alone", location=self.get_location())
                continue
            minutes = step["minutes"]
            told = f" {clock(begun)}–{clock(begun + minutes)}, {minutes} minutes"
            head = nodes.paragraph("", "", nodes.strong("", "", *step["title"]))
            head += nodes.inline("", told, classes=["mb-step-time"])
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
    """Register the role, the blocks and the list."""
    app.add_node(_LessonStep)
    app.add_role("show", _Show())
    app.add_directive("lesson-step", _StepDirective)
    app.add_directive("lesson", _LessonDirective)
    app.add_directive("list-of-polls", _Polls)
