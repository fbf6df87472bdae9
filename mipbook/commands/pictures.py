"""The panels of the reports: the figures of the book, of what the reader gave."""

from __future__ import annotations

import inspect

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Explorable, Stops
from explorable.panels.controls import FrameFile
from explorable.panels.protocol import composed
from explorable.tables.load import frame_text
from mipbook.accounting.reading import Reading
from mipbook.audit.scores import ScoresAudit
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures.frame import finish
from mipbook.figures.game import scores_lab
from mipbook.figures.looks import DP
from mipbook.figures.marks import curve, reading
from mipbook.figures.pmp import choose_lab
from mipbook.figures.roc import SPOKEN, coin, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say

_TARGETS = 25


def scores_panel(audit: ScoresAudit) -> Explorable:
    """Return the panel of a file of scores, read at any FPR."""
    curves = scores_lab.named(audit.curve, audit.other)
    still = [scores_lab.plane_of(curves, audit.confidence), scores_lab.edge_of(audit)]
    words = scores_lab.words_of(audit)

    def drawn(fpr: float) -> go.Figure:
        parts = [*still, scores_lab.rates_at(curves, audit.confidence, fpr), words]
        tree = composed(part.tree() for part in parts)
        return go.Figure(data=tree["data"], layout=tree["layout"], _validate=False)

    fprs = scores_lab.FPRS
    return Explorable(drawn, title="What the scores prove", name="audit", fpr=fprs, n_jobs=1)


def pool_panel(records: Array, target: float, clip: float, delta: float) -> Explorable:
    """Return the panel of a pool: the target moves, from a third of the one asked for to thrice."""
    columns = {f"column {place}": column for place, column in enumerate(records.T, start=1)}
    file = FrameFile("pool", frame_text(columns))
    figure = inspect.unwrap(choose_lab)
    wide = np.geomspace(target / 3, min(3 * target, 100.0), _TARGETS)
    near = sorted({*(float(f"{t:.2g}") for t in wide), target})

    def drawn(target: float) -> go.Figure:
        return figure(file=file, mechanism="gaussian", target=target, clip=clip, delta=delta)

    return Explorable(
        drawn,
        title="What the target costs",
        name="choose",
        target=Stops(near, target, label="Target for ε̃"),
        n_jobs=1,
    )


def reading_panel(known: Reading) -> Explorable:
    """Return the panel of a reading: the best attack's curve, read at any FPR."""
    kind = "exact" if known.sharp else "bound"
    name = f"best attack ({kind})"
    x, stops = grid("logarithmic"), np.array(scores_lab.FPRS.stops)
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
                f"Who accuses {people(fpr)} others finds at most {people(found, up)} members "
                f"({kind}). {known.sentence(fpr, prior)}"
            ),
            alt=(
                "ROC plane with logarithmic axes: the curve of the best attack on what is known, "
                f"and the diagonal of a coin. At FPR {say(fpr)} it stands at {say(found, to=up)}."
            ),
            headline=f"at most {percent(found, to=up)} found at {percent(fpr)}",
            layout={**rate_axes("logarithmic"), "height": 440},
            probe=[name],
            grab=[{"control": "fpr", "axis": "x", "track": track}],
        )

    return Explorable(drawn, title=known.what, name="translate", fpr=scores_lab.FPRS, n_jobs=1)
