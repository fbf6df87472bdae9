"""The words of the ideas, in the colours that the ideas have in the pictures.

In headings, in the titles of boxes and in the heads of chapters the four notions are marked; in
the text *in* and *out*, where an author stresses them.  Colour never stands alone: the words say
what they mean, and are heavier.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes

from explorable.palette import DARK_TWIN, IDEAS, sheet

__all__ = ["connect", "mark", "style"]

_SIDES = {"in", "out"}
_NOTIONS = {name.upper() for name in IDEAS} - {side.upper() for side in _SIDES}
_WORD = re.compile(rf"\b({'|'.join(sorted(_NOTIONS))})\b")
_OTHERS = (nodes.literal, nodes.math, nodes.raw, nodes.reference)
# Of a statement, whose paper it is; "MIP paper" speaks of no notion.
_SOURCE = "mb-source"


def _classes(word: str) -> list[str]:
    return ["mb-idea", f"mb-{word.lower()}"]


def _marked(text: nodes.Text) -> list[nodes.Node]:
    """Cut a text into its words of ideas, marked, and what stands between them."""
    parts = _WORD.split(text.astext())
    return [
        nodes.inline("", part, classes=_classes(part)) if i % 2 else nodes.Text(part)
        for i, part in enumerate(parts)
        if part
    ]


def _ancestors(node: nodes.Node, top: nodes.Element) -> list[nodes.Node]:
    found = []
    while node is not top:
        found.append(node)
        node = node.parent
    return found


def _unmarked(node: Any) -> bool:
    return isinstance(node, _OTHERS) or (isinstance(node, nodes.Element) and _SOURCE in node["classes"])


def mark(doctree: nodes.document) -> None:
    """Mark the words of the ideas on a page, in place.

    Parameters
    ----------
    doctree : docutils.nodes.document
        A page that is about to be written.
    """
    for stressed in doctree.findall(nodes.emphasis):
        if stressed.astext() in _SIDES:
            stressed["classes"] += _classes(stressed.astext())
    heads = [n for n in doctree.findall(nodes.container) if "mb-head" in n["classes"]]
    for place in [*doctree.findall(nodes.title), *heads]:
        for text in list(place.findall(nodes.Text)):
            if _WORD.search(text) and not any(map(_unmarked, _ancestors(text, place))):
                text.parent.replace(text, _marked(text))


def style() -> str:
    """Return the CSS that gives the ideas their colours in the text, as ``var(--idea-mip)``.

    Examples
    --------
    >>> f"--idea-mip: {IDEAS['mip']};" in style()
    True
    """
    pairs = {name: (colour, DARK_TWIN[colour]) for name, colour in IDEAS.items()}
    words = "".join(f".mb-{name} {{ color: var(--idea-{name}); }}\n" for name in IDEAS)
    return sheet("idea", pairs) + words


def _style(app: Any) -> None:
    if app.builder.format == "html":
        path = Path(app.outdir) / "_static" / "ideas.css"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(style(), encoding="utf-8")


def connect(app: Any) -> None:
    """Register with Sphinx."""
    app.add_css_file("ideas.css")
    app.connect("builder-inited", _style)
    # After what other parts make of titles.
    app.connect("doctree-resolved", lambda app, doctree, page: mark(doctree), priority=900)
