"""An app's notebook as its page needs it: words, and panels."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorable import validate
from explorable.panels import Explorable
from explorable.panels.controls import Control
from explorable.serve.web.titles import title

__all__ = ["App", "panels", "read_app"]


@dataclass(frozen=True)
class App:
    """An app, as data that a page can be made from.

    Attributes
    ----------
    title : str
        Its question.
    parts : tuple of str or dict
        Its Markdown cells and its panels, in order; a panel is what the script needs to draw it.
    controls : dict
        For each panel its controls, by name.
    """

    title: str
    parts: tuple[str | dict[str, Any], ...]
    controls: dict[str, dict[str, Control]]


def _shown(code: str, names: dict[str, Any], where: str) -> Explorable | None:
    """Run a cell, as a notebook does, and return the panel that it shows."""
    body = ast.parse(code, where).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), where, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    found = eval(compile(ast.Expression(last.value), where, "eval"), names)
    if not isinstance(found, Explorable):
        allowed = "a cell that shows a panel; python -m mipbook apps serves notebooks of any kind"
        validate.refuse("folder", where, allowed)
    return found


def _parts(path: Path) -> list[str | Explorable]:
    names: dict[str, Any] = {"__name__": "__main__"}
    parts: list[str | Explorable] = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        elif cell["cell_type"] == "code":
            panel = _shown(text, names, f"{path.name}, cell {number}")
            parts.extend([panel] if panel else [])
    return parts


def panels(path: Path) -> dict[str, Explorable]:
    """Return the panels of an app, by name.

    Parameters
    ----------
    path : pathlib.Path
        The notebook; its code is run.

    Raises
    ------
    ValueError
        If a cell shows something else than a panel.
    """
    return {part.name: part for part in _parts(path) if isinstance(part, Explorable)}


def read_app(path: Path) -> App:
    """Return what the page of an app needs.

    Parameters
    ----------
    path : pathlib.Path
        The notebook; its code is run.

    Raises
    ------
    ValueError
        If a cell shows something else than a panel, or two panels have one name.
    """
    parts: list[str | dict[str, Any]] = []
    controls = {}
    names = []
    for part in _parts(path):
        if isinstance(part, str):
            parts.append(part)
            continue
        parts.append({**part.describe(live=True), "face": "http"})
        controls[part.name] = part.controls
        names.append(part.name)
    for name in names:
        if names.count(name) > 1:
            validate.refuse("folder", path.name, f"an app whose panels have names; two are {name}")
    words = [{"source": part} for part in parts if isinstance(part, str)]
    return App(title(words, path.stem), tuple(parts), controls)
