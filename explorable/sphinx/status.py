"""What the build tells of itself: the page of the last execution, and the page of speed.

Nothing on them is typed. Where ``SOURCE_DATE_EPOCH`` asks for a build that can be repeated byte
for byte, what depends on the machine and the hour is left out.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from joblib import cpu_count
from sphinx.util.docutils import SphinxDirective

from explorable import sources
from explorable.sphinx import records
from explorable.sphinx.records import Record

__all__ = ["RATIOS", "connect", "ratio_text", "status_text"]

RATIOS = Path("tests", "benchmarks", "ratios.csv")
# How many comparisons stand beside each other, and how many of the largest panels are shown.
_NEWEST, _LARGEST = 4, 12
_FIXED = "This build can be repeated byte for byte, so times and the machine are left out."


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; all columns but the first hold numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def _kilobytes(size: int) -> str:
    return f"{size / 1000:,.0f}"


def _row(name: str, record: Record, executed: set[str], fixed: bool) -> list[object]:
    row: list[object] = [f"{{doc}}`/{name}`", len(record.panels), f"{record.states:,}"]
    row.append(_kilobytes(record.size))
    if not fixed:
        other = record.beside - 1
        told = f"{record.seconds:.1f}", f"{other} other{'s' * (other != 1)}"
        row += [*told, "this build" if name in executed else "an earlier build"]
    return row


def status_text(known: dict[str, Record], executed: set[str], *, fixed: bool) -> str:
    """Return the status page's tables in Markdown.

    Parameters
    ----------
    known : dict of str to Record
        The pages in the order in which they are to stand.
    executed : set of str
        Those that were executed in this build; the others came from the cache.
    fixed : bool
        Whether all that differs between two builds of the same sources is left out.
    """
    head = ["Page", "Panels", "States", "Kilobytes"]
    head += [] if fixed else ["Seconds", "Executed beside", "In"]
    rows = [_row(name, record, executed, fixed) for name, record in known.items()]
    panels = [
        (panel, name, states, size)
        for name, record in known.items()
        for panel, (states, size) in record.panels.items()
    ]
    panels.sort(key=lambda panel: (-panel[3], panel[0]))
    largest = [
        (f"`{panel}`", f"{{doc}}`/{name}`", f"{states:,}", _kilobytes(size))
        for panel, name, states, size in panels[:_LARGEST]
    ]
    states, size = sum(p[2] for p in panels), sum(p[3] for p in panels)
    total = f"{len(panels)} panels hold {states:,} states in {_kilobytes(size)} kilobytes."
    if fixed:
        times = _FIXED
    else:
        cores = {record.cores for record in known.values()} or {cpu_count()}
        told = " or ".join(map(str, sorted(cores))) + (" core" if cores == {1} else " cores")
        times = (
            f"{len(executed & set(known))} of {len(known)} pages were executed in this build, the "
            "others are from the cache, and their seconds are of an earlier build. Executed on a "
            f"machine with {told}; a page's seconds begin with the start of its kernel, and "
            "checks whose code changed are judged meanwhile."
        )
    versions = _table(["Library", "Version"], sources.versions().items())
    parts = [f"{total} {times}", _table(head, rows), "The largest panels:"]
    parts += [_table(["Panel", "Page", "States", "Kilobytes"], largest), versions]
    return "\n\n".join(parts)


def ratio_text(path: Path) -> str:
    """Return the table of the newest comparisons in Markdown, from a file of ratios."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    steps = list(dict.fromkeys((row["old"], row["new"]) for row in rows))[-_NEWEST:]
    found = {(row["benchmark"], row["old"], row["new"]): row for row in rows}
    head = ["Benchmark", *(f"{old} to {new}" for old, new in steps)]

    def cell(name: str, step: tuple[str, str]) -> str:
        row = found.get((name, *step))
        if row is None:
            return "–"
        return f"{float(row['ratio']):.2f} ({float(row['low']):.2f} to {float(row['high']):.2f})"

    names = dict.fromkeys(row["benchmark"] for row in rows)
    return _table(head, ([name, *(cell(name, step) for step in steps)] for name in names))


class _Status(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        # All pages have been executed, or taken from the cache, before the first is read.
        self.env.note_reread()
        app: Any = self.env.app
        folder = Path(app.config.nb_execution_cache_path)
        kept = records.load(folder)
        known = {name: kept[name] for name in app.config.external_site_map if name in kept}
        fixed = "SOURCE_DATE_EPOCH" in os.environ
        text = status_text(known, getattr(app, "mipbook_executed", set()), fixed=fixed)
        return self.parse_text_to_nodes(text)


class _Ratios(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        path = Path(self.env.app.confdir) / RATIOS
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(ratio_text(path))


def connect(app: Any) -> None:
    """Register the two directives."""
    app.add_directive("build-status", _Status)
    app.add_directive("benchmark-ratios", _Ratios)
