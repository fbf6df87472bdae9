"""The panels of the reports: the figures of the book, of what the reader gave."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mipbook.base.types import Array
from mipbook.choose.examples import TARGETS
from mipbook.explore import Explorable, LogSlider, Stops
from mipbook.explore.controls.files import FrameFile
from mipbook.explore.signature import declared_controls
from mipbook.figures import game as game_figures
from mipbook.figures import pmp as pmp_figures
from mipbook.figures.frame import finish
from mipbook.figures.looks import DP
from mipbook.figures.marks import curve, reading
from mipbook.figures.roc import SPOKEN, coin, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say
from mipbook.tables.load import frame_text
from mipbook.together.reading import Reading

__all__ = ["pool_panel", "reading_panel", "scores_panel"]

_FPRS = LogSlider(1e-4, 0.5, 0.01, points=38, label="Wrong accusations, FPR")
_TARGETS = 13


def scores_panel(found: dict[str, Any], delta: float, confidence: float) -> Explorable:
    """Return the panel of a file of scores; which way they point is settled."""
    names = {"scores": "score", "member": "member", "other": "other", "canary": "canary"}
    columns = {names[key]: value for key, value in found.items() if key in names}
    file = FrameFile("scores", frame_text(columns))
    figure = inspect.unwrap(game_figures.score_audit)

    def drawn(fpr: float) -> go.Figure:
        return figure(file=file, fpr=fpr, delta=delta, confidence=confidence)

    # What was read is said by the report, and of another file than this one.
    return Explorable(
        _without(drawn, "read", "table"),
        title="What the scores prove",
        name="audit",
        fpr=declared_controls(game_figures.score_audit)["fpr"],
        n_jobs=1,
    )


def pool_panel(records: Array, target: float, clip: float, delta: float) -> Explorable:
    """Return the panel of a pool: the target moves, from a third of the one asked for to thrice."""
    columns = {f"column {place}": column for place, column in enumerate(records.T, start=1)}
    file = FrameFile("pool", frame_text(columns))
    figure = inspect.unwrap(pmp_figures.choose_lab)
    near = sorted({*(t for t in TARGETS if target / 3 <= t <= 3 * target), target})

    def drawn(target: float) -> go.Figure:
        return figure(file=file, mechanism="gaussian", target=target, clip=clip, delta=delta)

    return Explorable(
        _without(drawn, "read", "table"),
        title="What the target costs",
        name="choose",
        target=Stops(near, target, label="Target for ε̃"),
        n_jobs=1,
    )


def _without(drawn: Any, *keys: str) -> Any:
    """Return the figure function whose panel leaves out what the report says below it."""

    def plain(**values: float) -> go.Figure:
        figure = drawn(**values)
        meta = {key: v for key, v in figure.layout.meta.items() if key not in keys}
        figure.layout.meta = meta
        return figure

    return plain


def reading_panel(known: Reading) -> Explorable:
    """Return the panel of a reading: the best attack's curve, read at any FPR."""
    kind = "exact" if known.sharp else "bound"
    name = f"best attack ({kind})"
    x, stops = grid("logarithmic"), np.array(_FPRS.stops)
    best = shown(np.asarray(known.tpr(x)), "logarithmic")
    track = {"x": stops, "y": shown(np.asarray(known.tpr(stops)), "logarithmic")}
    look = DP if known.sharp else DP.bound()

    def drawn(fpr: float) -> go.Figure:
        found, prior = float(known.tpr(fpr)), 0.5
        return finish(
            [
                curve(name, x, best, look, **SPOKEN),
                coin("logarithmic"),
                reading([fpr], shown([found], "logarithmic"), "at your FPR", **SPOKEN),
            ],
            sentence=(
                f"Who accuses {people(fpr)} others finds at most {people(found)} members ({kind}). "
                f"{known.sentence(fpr, prior)}"
            ),
            alt=(
                "ROC plane with logarithmic axes: the curve of the best attack on what is known, "
                f"and the diagonal of a coin. At FPR {say(fpr)} it stands at {say(found)}."
            ),
            headline=f"{percent(found)} found at {percent(fpr)}",
            layout={**rate_axes("logarithmic"), "height": 440},
            probe=[name],
            grab=[{"control": "fpr", "axis": "x", "track": track}],
        )

    return Explorable(drawn, title=known.what, name="translate", fpr=_FPRS, n_jobs=1)
