"""Lessons: steps with their minutes, and links that open a panel in a given state.

A ``lesson`` of so many ``minutes`` holds blocks ``lesson-step`` with theirs, which must add up.
What a step shows, asks and expects stands in a definition list: *Show*, *Ask*, *Expect*, *Watch*.
The role ``show`` is a link to a panel in a state: ``{show}`mip/noise#noise-lab: eta=0.1 | words```.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from explorable import validate
from explorable.outputs.teach.links import page_place
from explorable.sphinx import words as prose

__all__ = ["Show", "clock", "connect"]

_logger = logging.getLogger(__name__)
_TARGET = re.compile(r"([\w/-]+)#([A-Za-z][\w-]*)\s*(?::(.*))?", flags=re.S)


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


def connect(app: Sphinx) -> None:
    """Register the role and the blocks."""
    app.add_node(_LessonStep)
    app.add_role("show", _Show())
    app.add_directive("lesson-step", _StepDirective)
    app.add_directive("lesson", _LessonDirective)
