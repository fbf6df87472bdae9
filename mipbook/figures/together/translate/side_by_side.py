"""Two releases and a table of outputs, side by side: typed numbers, a reader's own table."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from explorable import validate
from explorable.panels import Choice, File, LogSlider, Part, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.figures.looks import SERIES, Look
from mipbook.figures.marks import curve
from mipbook.figures.roc import SPOKEN, coin, grid, rate_axes, shown
from mipbook.figures.together.translate.releases import PAIR, RELEASES, kind, known
from mipbook.figures.words import percent, say

__all__ = ["EXAMPLE_OUTPUTS", "OUTPUT_ROLES", "side_by_side"]

# For each example the chances of the outputs, with the record in and out.
EXAMPLE_OUTPUTS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "three answers": ((0.6, 0.3, 0.1), (0.1, 0.3, 0.6)),
    "1% told": ((0.01, 0.99, 0.0), (0.0, 0.99, 0.01)),
    "a cut count": ((0.05, 0.15, 0.3, 0.3, 0.2), (0.2, 0.3, 0.3, 0.15, 0.05)),
}
OUTPUT_ROLES = (
    Role("inside", "In", "holds the chances with the record in", "has the record in", otherwise="place"),
    Role("outside", "Out", "holds the chances with it out", "has it out", otherwise="place"),
)
_MOST_OUTPUTS = 10_000
_SIZES = LogSlider(0.01, 50, 3.0, points=16, label="First: its ε, μ or ρ")
_OTHERS = LogSlider(0.01, 50, 1.0, points=16, label="Second: its ε, μ or ρ")
_DELTAS = LogSlider(1e-12, 0.1, 1e-5, points=3, label="δ")
_LOOKS = {"first": SERIES[0], "second": SERIES[1], "table": SERIES[2]}
# All but the security is at most so much.  No blank that may break: numbers that are marked as
# changed are wider, and rows keep their height.
_HEAD = ["release", "right", *(f"TPR\u00a0at\u00a0{x}" for x in ("1%", "0.1%"))]
_HEAD += ["ε\u00a0at\u00a0δ", "AUC", "η", "security", "kind"]


def _made(release: str, size: float, delta: float) -> accounting.Reading:
    """Return the reading; the pair takes the reader's own delta."""
    return _pair(size, delta) if release == PAIR else known(release, size)


_pair = lru_cache(maxsize=256)(accounting.from_dp)


class _Numbers(NamedTuple):
    """What a row of the table says at any delta, and the curve."""

    tpr: Array
    right: float
    often: float
    rarely: float
    auc: float
    eta: float
    mis: float


@lru_cache(maxsize=1024)
def _numbers(found: accounting.Reading) -> _Numbers:
    """Read a release once, not again at each delta and for the other of the two."""
    return _Numbers(
        np.asarray(found.tpr(grid("logarithmic"))),
        float(found.accuracy()),
        float(found.tpr(0.01)),
        float(found.tpr(0.001)),
        found.auc.value,
        found.eta.value,
        found.mis.value,
    )


@lru_cache(maxsize=16)
def _read(file: str | UploadedFile) -> tuple[accounting.Reading, str]:
    """Return the reading of a table, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return accounting.from_table(*map(np.array, EXAMPLE_OUTPUTS[file])), ""
    read = read_columns(file.text, OUTPUT_ROLES, file.columns)
    read.check_records(2, _MOST_OUTPUTS)
    chances = read.numbers("inside", "outside")
    for place, column in zip((0, 1), ("inside", "outside"), strict=True):
        name = read.columns[column][0]
        bad = np.flatnonzero((chances[:, place] < 0) | (chances[:, place] > 1))
        if bad.size:
            cell = read.table.column(name)[int(bad[0])]
            read.table.refuse_cell(name, int(bad[0]), f"'{cell}' is no chance from 0 to 1")
        total = float(chances[:, place].sum())
        if abs(total - 1.0) > 1e-6:
            validate.refuse(f"column '{name}'", f"a sum of {total:g}", "chances that add up to 1")
    chances /= chances.sum(axis=0)
    return accounting.from_table(chances[:, 0], chances[:, 1]), read.say()


def _drawn(which: str, told: str, found: accounting.Reading, delta: float) -> Part:
    """Return a release's curve and its row of the table."""
    look: Look = _LOOKS[which]
    read, x = _numbers(found), grid("logarithmic")
    drawn = curve(which, x, shown(read.tpr, "logarithmic"), look, **SPOKEN)
    row = [
        which,
        *(percent(rate, to=up) for rate in (read.right, read.often, read.rarely)),
        *(say(value, to=up) for value in (float(found.epsilon(delta)), read.auc, read.eta)),
        f"≥ {say(1 - read.mis, to=down)}",
        kind(found),
    ]
    row = [cell.replace(" ", "\u00a0") for cell in row]
    words = {
        which: told,
        f"{which}Found": percent(read.often, to=up),
        f"{which}Kind": kind(found),
        f"{which}Eta": say(read.eta, to=up),
    }
    return Part([drawn], words=words, meta={"table": [row]})


def _frame() -> Part:
    """Return the axes and the words around the numbers."""
    layout = {**rate_axes("logarithmic"), "height": 430}
    sentence = (
        "Accusing 1% of the others finds at most {firstFound} of the members by the first release "
        "({firstKind}), {secondFound} by the second ({secondKind}), {tableFound} by the table "
        "(exact). The first is {first}, the second {second}, the table {table}; η is at most "
        "{firstEta}, {secondEta} and {tableEta} (all exact). Neighbours: replace one record; of a "
        "sample, add or remove one."
    )
    alt = (
        "Three ROC curves on logarithmic axes: at FPR 1% the solid one stands at "
        "{firstFound}, the dashed one at {secondFound}, the dotted one at {tableFound}."
    )
    meta: dict[str, Any] = {
        "headline": "{firstFound}, {secondFound}, {tableFound} found",
        "sentence": sentence,
        "alt": alt,
        "probe": list(_LOOKS),
        "table": [_HEAD],
    }
    return Part([coin("logarithmic")], layout, meta=meta)


def _first(first: str, first_size: float, delta: float) -> Part:
    found = _made(first, first_size, delta)
    told = f"({say(first_size)}, {say(delta)})-DP" if first == PAIR else None
    return _drawn("first", told or RELEASES[first].told(first_size), found, delta)


def _second(second: str, second_size: float, delta: float) -> Part:
    found = _made(second, second_size, delta)
    told = f"({say(second_size)}, {say(delta)})-DP" if second == PAIR else None
    return _drawn("second", told or RELEASES[second].told(second_size), found, delta)


def _outputs(file: str | UploadedFile, delta: float) -> Part:
    found, read = _read(file)
    told = "your table" if isinstance(file, UploadedFile) else file
    part = _drawn("table", told, found, delta)
    return Part(part.traces, words=part.words, meta={**part.meta, **({"read": read} if read else {})})


@declared
def side_by_side(
    first: Annotated[str, Choice(list(RELEASES), label="First release")] = PAIR,
    first_size: Annotated[float, _SIZES] = 3.0,
    second: Annotated[str, Choice(list(RELEASES), "Gaussian", label="Second release")] = "Gaussian",
    second_size: Annotated[float, _OTHERS] = 1.0,
    delta: Annotated[float, _DELTAS] = 1e-5,
    file: Annotated[
        str | UploadedFile, File(list(EXAMPLE_OUTPUTS), roles=OUTPUT_ROLES, label="Table of outputs")
    ] = "three answers",
) -> go.Figure:
    """Draw three releases in every reading: two by a number, and one by a table of outputs.

    A file holds two columns of chances, one row an output, of 2 to 10,000 outputs: how often
    each comes with the record in, and with the record out.

    Examples
    --------
    >>> side_by_side().layout.meta["headline"]
    '20.1%, 9.24%, 6% found'
    """
    return stacked(
        layer(_frame),
        layer(_first, first=first, first_size=first_size, delta=delta),
        layer(_second, second=second, second_size=second_size, delta=delta),
        layer(_outputs, file=file, delta=delta),
    )
