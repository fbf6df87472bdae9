"""Compare every figure of the book with what it was: the same data, the same words.

    python tools/compare_figures.py keep before.json.gz      # on the commit to compare with
    python tools/compare_figures.py compare before.json.gz   # on another one

Each panel of the chapters and apps is drawn in nine of its states, spread from the first to the
last.  ``compare`` draws the same states again and lists what differs: a trace's name, a number by
more than a billionth, a word of the sentence or of the alt text.  Looks are left out.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import jupytext
import numpy as np

from explorable import panels as explore
from explorable.panels.pack import plain

BOOK = Path(__file__).parent.parent / "book"
STATES = 9


class _Found(explore.Explorable):
    """Notes each panel that a page makes."""

    panels: ClassVar[list[explore.Explorable]] = []

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.panels.append(self)


def panels(only: str) -> Iterator[tuple[str, explore.Explorable]]:
    """Yield the panels of the pages whose name holds ``only``; of their cells, these are run."""
    explore.Explorable = _Found
    for path in sorted(p for p in BOOK.rglob("*.*") if p.suffix in (".md", ".ipynb")):
        if only not in str(path) or "Explorable" not in path.read_text():
            continue
        book = jupytext.read(path, fmt="md:myst" if path.suffix == ".md" else None)
        cells = [c.source for c in book.cells if c.cell_type == "code"]
        room: dict[str, Any] = {}
        for cell in cells:
            if re.search(r"^(import|from) |Explorable\(", cell, re.MULTILINE):
                _Found.panels.clear()
                try:
                    exec(compile(cell, str(path), "exec"), room)
                except NameError:
                    continue  # a check, which stands on cells before it
                yield from ((str(path.relative_to(BOOK)), p) for p in list(_Found.panels))


def spread(panel: explore.Explorable) -> list[dict[str, Any]]:
    """Return nine states of a panel, every control moving."""
    stops = [control.stops for control in panel.controls.values()]
    count = math.prod(map(len, stops))
    at = np.unique(np.linspace(0, count - 1, STATES).round().astype(int))
    every = list(product(*stops)) if count < 2_000_000 else []
    return [dict(zip(panel.controls, every[i], strict=True)) for i in at]


def drawn(function: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return a state's numbers and words."""
    tree: Any
    try:
        tree = plain(function(**values).to_dict())
        tree = json.loads(json.dumps(tree, default=lambda array: array.tolist()))
    except ValueError as error:
        return {"error": str(error)}
    keep = ("name", "x", "y", "z", "text", "customdata")
    meta = tree["layout"].get("meta", {})
    return {
        "traces": [{k: t[k] for k in keep if k in t} for t in tree["data"]],
        "words": {k: meta.get(k) for k in ("sentence", "alt")},
    }


def _is_gap(value: Any) -> bool:
    """Tell whether plotly draws nothing there."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield where two trees differ."""
    numbers = isinstance(old, int | float) and isinstance(new, int | float)
    if numbers and math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
        return
    if _is_gap(old) and _is_gap(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{path}[{i}]")
    elif old != new:
        yield f"{path}: {str(old)[:300]} -> {str(new)[:300]}"


def keep(path: Path, only: str) -> None:
    """Write the states of all panels to a file."""
    kept = []
    for page, panel in panels(only):
        name = f"{panel.function.__module__}:{panel.function.__name__}".split(".", 2)[2]
        print(page, name, flush=True)
        states = [[values, drawn(panel.function, values)] for values in spread(panel)]
        kept.append({"page": page, "figure": name, "states": states})
    path.write_bytes(gzip.compress(json.dumps(kept, default=np.generic.item).encode()))


def compare(path: Path, only: str) -> int:
    """Print what differs; return how many states do."""
    from importlib import import_module

    bad = 0
    for panel in json.loads(gzip.decompress(path.read_bytes())):
        if only not in panel["figure"]:
            continue
        name = panel["figure"].split(":")[1]
        function = getattr(import_module(f"mipbook.figures.{panel['figure'].split('.')[0]}"), name)
        for values, old in panel["states"]:
            found = list(differences(old, drawn(function, values)))
            bad += bool(found)
            for line in found[:5]:
                print(f"{panel['figure']} {values}{line}", flush=True)
    print(f"{bad} states differ")
    return bad


if __name__ == "__main__":
    run = {"keep": keep, "compare": compare}[sys.argv[1]]
    sys.exit(bool(run(Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")))
