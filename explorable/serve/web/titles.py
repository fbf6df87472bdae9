"""The apps of a folder and their titles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["app_titles", "title"]


def title(cells: Iterable[Mapping[str, Any]], otherwise: str) -> str:
    """Return the first heading of a notebook's cells.

    Parameters
    ----------
    cells : iterable of mapping
        The cells, each with its ``source``, text or lines.
    otherwise : str
        What stands in for a missing heading.

    Returns
    -------
    str
        The heading, without its mark.

    Examples
    --------
    >>> title([{"source": "# Who was in the data?"}], "app")
    'Who was in the data?'
    """
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    return next((line[2:].strip() for line in lines if line.startswith("# ")), otherwise)


def app_titles(folder: Path) -> dict[str, str]:
    """Return each app's file name with its first heading, sorted by name.

    Parameters
    ----------
    folder : pathlib.Path
        Where the app notebooks lie.

    Returns
    -------
    dict
        File name to title; the file name stands in for a missing heading.
    """
    return {
        path.name: title(json.loads(path.read_text(encoding="utf-8"))["cells"], path.stem)
        for path in sorted(folder.glob("*.ipynb"))
    }
