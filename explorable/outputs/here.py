"""Whether a site holds Python for its own pages: what the panels' *Compute exactly here* needs.

``python -m mipbook lite`` puts Pyodide and its packages below ``lite``; what a panel loads of it is
read off what lies there, so that no page offers what it cannot do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "LIST", "engine", "list_engine"]

FOLDER = "lite/static/pyodide"
LIST = "mipbook-here.js"  # a script, as the list of the PDFs
LOCK = "pyodide-lock.json"
MODULES = ("pyodide.mjs", "pyodide.asm.mjs")
RUNTIME = ("pyodide.asm.wasm", "python_stdlib.zip", LOCK)
# What every figure needs; the rest of what our package names is loaded by who imports it.
START = ("lazy-loader", "mipbook", "numpy", "plotly", "scipy")


def _needed(packages: Mapping[str, Any]) -> list[str]:
    """Return the files of what every figure needs; none where one of them is missing."""
    names: set[str] = set()
    left = list(START)
    while left:
        name = left.pop()
        if name not in packages:
            return []
        if name not in names:
            names.add(name)
            left += packages[name]["depends"] if name != "mipbook" else []
    return [str(packages[name]["file_name"]) for name in sorted(names)]


def engine(html: Path) -> dict[str, Any] | None:
    """Return what a page needs to know of the Python that lies beside it; none if it is not whole.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.

    Returns
    -------
    dict, optional
        The ``folder`` as the ``_static`` folder sees it, the ``packages`` to load at the start,
        and the ``bytes`` that they have together with the runtime.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(engine(Path(folder)))
    None
    """
    folder = html / FOLDER
    if not (folder / LOCK).is_file():
        return None
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    packages = _needed(lock["packages"])
    files = [folder / name for name in [*RUNTIME, *packages]]
    there = all(path.is_file() for path in (*(folder / name for name in MODULES), *files))
    # A site without numpy for browsers says so, and computes nothing.
    if lock.get("missing") or not packages or not there:
        return None
    size = sum(path.stat().st_size for path in files)
    return {"folder": f"../{FOLDER}/", "packages": list(START), "bytes": size}


def list_engine(html: Path) -> None:
    """Write down for the pages which Python they may load, or that there is none.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.
    """
    told = json.dumps(engine(html))
    path = html / "_static" / LIST
    path.write_text(f"globalThis.mipbookHere = {told};\n", encoding="utf-8")
