"""The panels of the reports: the figures of the book, of what the reader gave."""

import numpy as np
import plotly.graph_objects as go

import mipbook.figures.kit as k
from explorable.panels import Explorable, Stops, protocol
from explorable.panels.controls import FrameFile
from explorable.tables.read import frame_text
from mipbook.accounting.reading import Reading
from mipbook.audit.scores import ScoresAudit
from mipbook.base.types import Array
from mipbook.figures.game import scores_lab
from mipbook.figures.game.plane import SPOKEN, coin, grid, rate_axes, shown
from mipbook.figures.pmp.choose import pool_choice

_TARGETS = 25


def scores_panel(audit: ScoresAudit) -> Explorable:
    """Return the panel of a file of scores, read at any FPR."""
    plane, words = scores_lab.plane_of(audit), scores_lab.words_of(audit)

    def drawn(fpr: float) -> go.Figure:
        return protocol.drawn(plane, scores_lab.rates_at(audit, fpr), words)

    fprs = scores_lab.FPRS
    return Explorable(drawn, title="What the scores prove", name="audit", fpr=fprs, n_jobs=1)


def pool_panel(records: Array, mechanism: str, target: float, clip: float, delta: float) -> Explorable:
    """Return the panel of a pool: the target moves, from a third of the one asked for to thrice."""
    columns = {f"column {place}": column for place, column in enumerate(records.T, start=1)}
    file = FrameFile("pool", frame_text(columns))
    wide = np.geomspace(target / 3, min(3 * target, 100.0), _TARGETS)
    near = sorted({*(float(f"{t:.2g}") for t in wide), target})

    def drawn(target: float) -> go.Figure:
        return pool_choice(file, target, clip, delta, mechanism)

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
    x, stops, axes = grid("logarithmic"), np.array(scores_lab.FPRS.stops), "logarithmic"
    best, look = shown(known.tpr(x), axes), k.DP if known.sharp else k.DP.bound()
    grab = k.drag("fpr", stops, shown(known.tpr(stops), axes))

    def drawn(fpr: float) -> go.Figure:
        found = float(known.tpr(fpr))
        part = k.part(
            k.curve(name, x, best, look, **SPOKEN),
            coin(axes),
            k.reading([fpr], shown([found], axes), "at your FPR", **SPOKEN),
            layout=rate_axes(axes),
            height=440,
            headline="at most {share} found at {fpr}",
            sentence=f"If you may wrongly accuse {{accused}} others, you find at most {{found}} members "
            f"({kind}). {{more}}",
            alt="ROC plane with logarithmic axes: the curve of the best attack on what is known, and the "
            "diagonal of a coin. At FPR {rate} it stands at {tpr}.",
            probe=[name],
            grab=grab,
            **k.words(share=k.at_most(found, k.percent), fpr=k.exact(fpr, k.percent), rate=fpr),
            **k.words(accused=k.exact(fpr, k.people), found=k.at_most(found, k.people)),
            **k.words(tpr=k.at_most(found), more=known.sentence(fpr, 0.5)),
        )
        return protocol.drawn(part)

    return Explorable(drawn, title=known.what, name="translate", fpr=scores_lab.FPRS, n_jobs=1)
