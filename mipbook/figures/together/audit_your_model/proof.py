"""What right guesses about the canaries of one run prove, by three methods."""

from __future__ import annotations

from typing import Annotated, Any

import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, Slider, declared, layer, stacked
from mipbook import audit
from mipbook.audit.examples import TABLE, proof_table
from mipbook.base.rounding import down
from mipbook.figures.frame import axis
from mipbook.figures.looks import BEST, PUBLISHED, SERIES
from mipbook.figures.marks import curve, points, reading
from mipbook.figures.words import say

__all__ = ["CANARIES", "one_run_proof"]

CANARIES = Count(TABLE["canaries"], 1000, label="Canaries, m", play=True)
_RIGHT = Slider(50, 100, 80, step=1, label="Right guesses", unit="%", play=True)
_SHARP, _PUBLISHED = "sharp (bound)", "as published (bound)"
_GAUSSIAN = "for Gaussian privacy alone (bound)"
_TOP = 14.0
_SPOKEN: dict[str, Any] = {"hovertemplate": "%{x}% right: ε at least %{y:.2f}<extra></extra>"}


def _frame() -> Part:
    sentence = (
        "{right} of {guesses} guesses are right, on {canaries} canaries: ε is at least {sharp} "
        "(bound, 95%, δ = 10⁻⁵, a canary added or removed). The published formula proves "
        "{published}; for a run that hides like Gaussian noise, and for no other, it is at least "
        "{gaussian} (bounds). All right would prove {ceiling} (exact)."
    )
    alt = (
        "The ε that is proved against the share of right guesses, from 50% to 100%, for {guesses} "
        "guesses on {canaries} canaries. Three curves rise from 0, slowly and then steeply at the "
        "right end: sharp and published lie nearly on each other and end at {ceiling} and "
        "{formula}; the one for Gaussian privacy is above them. At {share}% they are at {sharp}, "
        "{published} and {gaussian}."
    )
    layout = {
        "xaxis": axis("right guesses, %", range=[49, 101]),
        "yaxis": axis("ε that is proved", range=[-0.3, _TOP]),
        "height": 420,
    }
    meta = {"sentence": sentence, "alt": alt, "probe": [_SHARP, _PUBLISHED, _GAUSSIAN]}
    return Part(layout=layout, meta={**meta, "headline": "ε is at least {sharp}"})


def _curves(canaries: int, guessed: float) -> Part:
    table, shares = proof_table(canaries, guessed), list(TABLE["right"])
    traces = [
        curve(_GAUSSIAN, shares, table.gaussian, SERIES[3], **_SPOKEN),
        curve(_PUBLISHED, shares, table.published, PUBLISHED, most=9, **_SPOKEN),
        curve(_SHARP, shares, table.sharp, BEST.bound(), **_SPOKEN),
    ]
    track = {"x": shares, "y": table.sharp.tolist()}
    words = {
        "guesses": f"{table.guesses:,}",
        "canaries": f"{canaries:,}",
        "ceiling": say(float(audit.canary_ceiling(table.guesses, TABLE["delta"], canaries))),
        "formula": say(float(table.published[-1])),
    }
    grab = [{"control": "right", "axis": "x", "track": track}]
    return Part(traces, words=words, meta={"grab": grab})


def _here(right: int, canaries: int, guessed: float) -> Part:
    table, at = proof_table(canaries, guessed), TABLE["right"].index(right)
    found = {m: float(getattr(table, m)[at]) for m in ("sharp", "published", "gaussian")}
    words = {name: say(value, to=down) for name, value in found.items()}
    words |= {"right": f"{int(table.right[at]):,}", "share": str(right)}
    others = [v for v in (found["published"], found["gaussian"]) if v <= _TOP]
    look = SERIES[3].with_symbol("circle-open")
    marks = [
        points("the other methods", [right] * len(others), others, look, showlegend=False),
        reading(right, found["sharp"], "at your share", **_SPOKEN),
    ]
    return Part(marks, words=words)


@declared
def one_run_proof(
    right: Annotated[int, _RIGHT] = 80,
    canaries: Annotated[int, CANARIES] = 1000,
    guessed: Annotated[float, Choice({"all": 1.0, "a fifth": 0.2}, label="Guessed")] = 1.0,
) -> go.Figure:
    """Draw the epsilon that one run proves against the share of right guesses.

    Notes
    -----
    At delta = 1e-5 and 95% confidence; `mipbook.audit.canary_epsilon` and `canary_mu`, stored.

    Examples
    --------
    >>> one_run_proof().layout.meta["headline"]
    'ε is at least 1.25'
    """
    return stacked(
        layer(_frame),
        layer(_curves, canaries=canaries, guessed=guessed),
        layer(_here, right=right, canaries=canaries, guessed=guessed),
    )
