"""The first state of each panel, drawn while the book is built, so that it is there when the page is.

The panel's own script draws it, with plotly, in a document that has no browser (`linkedom`, vendored;
letters are as wide as in the book's face).  What a reader is shown before any script runs, and on
paper where none does, is therefore what the script shows; it takes over without a move.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging

from explorable import node, palette
from explorable.panels.static import PANEL, PLOTLY, asset

__all__ = ["digest", "draw_pictures", "with_picture"]

_HERE = Path(__file__).parent
_GUESS = re.compile(r'data-asked="guess"[^>]*><script[^>]*>(.*?)</script>', re.DOTALL)
_logger = logging.getLogger(__name__)


def digest() -> str:
    """Return what changes with all that draws: the pictures that are kept are then drawn anew."""
    told = hashlib.sha256(asset("explorable.js").encode() + PLOTLY.read_bytes())
    for path in sorted(_HERE.iterdir()):
        if path.is_file():
            told.update(path.read_bytes())
    return told.hexdigest()


def with_picture(panel: str, script: Path, guesses: Sequence[Any] = ()) -> str:
    """Return a panel's HTML with the picture, the words and the controls of its first state.

    What its guesses ask for is drawn too, and seen by those who cannot guess: on paper, without a script.

    Parameters
    ----------
    panel : str
        What `Explorable.html` returns.
    script : pathlib.Path
        The panels' script.
    guesses : sequence of dict, optional
        What is asked about the panel.

    Raises
    ------
    ValueError
        If there is no picture of the first state.
    """
    task = {"html": panel, "colours": palette.variables(), "guesses": guesses}
    drawn = node.ask(task, str(_HERE / "draw.mjs"), str(PLOTLY), str(script))
    told = ' data-face="static" data-drawn'
    if guesses:
        posed = html.escape(json.dumps(guesses[0].get("state") or {}))
        told += f' data-posed="{posed}" data-waits'
    panel = panel.replace(' data-face="static"', told, 1)
    return panel.replace("</p><script", f"</p>{drawn}<script", 1)


def _name_cell(asked: nodes.raw, seated: bool) -> None:
    """Say which cell asks; one whose guess has its seat beside a picture leaves no gap."""
    cell = asked.parent
    while cell is not None and cell.get("nb_element") != "cell_code":
        cell = cell.parent
    if cell is not None:
        alone = "tag_remove-input" in cell["classes"] and list(cell.findall(nodes.raw)) == [asked]
        cell["classes"].append("mb-seated" if seated and alone else "mb-asks")


def draw_pictures(app: Any, document: nodes.document) -> None:
    """Draw the panels of a page that was read."""
    told = [raw for raw in document.findall(nodes.raw) if 'class="mb-' in raw.astext()]
    for raw in told:
        raw["classes"].append("mb-output")
    script = Path(app.outdir) / "_static" / "explorable.js"
    if not script.is_file():
        return

    asked = {raw: json.loads(found[1]) for raw in told if (found := _GUESS.search(raw.astext()))}
    guesses = asked.values()

    def drawn(match: re.Match[str]) -> str:
        try:
            return with_picture(match[0], script, [spec for spec in guesses if match[1] in spec["panels"]])
        except ValueError as error:
            _logger.warning("picture of the panel %s: %s", match[1], error, location=document["source"])
            return match[0]

    for raw in told:
        if 'class="mb-asked"' in raw.astext():
            _name_cell(raw, seated=bool(asked.get(raw, {}).get("panels")))
        raw.children = [nodes.Text(PANEL.sub(drawn, raw.astext()))]
