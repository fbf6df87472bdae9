"""The guesses of all chapters that a class can be polled on: ``{list-of-polls}``.

A link opens the page so that it counts the codes of a class; `poll.js` says how.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from explorable.outputs.chapter.files import NOTIONS
from explorable.outputs.teach.links import page_place
from explorable.sphinx.words import page_link

__all__ = ["COUNT", "connect", "polls_of"]

# What the address of a page that counts asks for.
COUNT = "?poll=count"
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?::[^\n]*\n)*(.*?)^```$", flags=re.M | re.S)


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


class _List(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        root = Path(self.env.app.confdir)
        listed = nodes.bullet_list()
        for path in (p for notion in NOTIONS for p in sorted((root / "book" / notion).glob("*.md"))):
            page = path.relative_to(root).with_suffix("").as_posix()
            self.env.note_dependency(str(path))
            found = list(polls_of(path.read_text(encoding="utf-8")))
            if found:
                line = nodes.paragraph("", "", page_link(page, self.env.docname), nodes.Text(": "))
                for i, (name, label) in enumerate(found):
                    line += nodes.Text("; " if i else "")
                    line += page_place([nodes.Text(label)], page, f"{COUNT}#{name}")
                listed += nodes.list_item("", line)
        return [listed]


def connect(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("list-of-polls", _List)
