"""Choose your epsilon: what the target costs on a pool, and what is promised for it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, File, Stops, UploadedFile, declared
from explorable.tables import read_columns
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.choose import Curve, EpsilonChoice, choice_curve
from mipbook.choose import examples as stored
from mipbook.choose.choice import POOL_ROLES
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, level, reading
from mipbook.figures.marks import curve as line
from mipbook.figures.uploads import even_records, repeats
from mipbook.figures.words import percent, say

__all__ = ["EXAMPLE_POOLS", "POOL_ROLES", "choose_lab"]

EXAMPLE_POOLS = stored.EXAMPLES
_MECHANISMS = {"gaussian mean": "gaussian", "exponential choice": "exponential"}
# No epsilon beyond these is drawn.
_NEAREST, _FARTHEST = 1e-6, 1e100
_SYMBOLS = {"epsilon": "ε", "eps~": "ε̃", "eps": "ε", "delta": "δ", "sigma": "σ"}
# The examples' axes stand still, in powers of ten.
_ACROSS, _UP = (-2.0, 2.0), (-2.5, 2.0)


@lru_cache(maxsize=8)
def _read(file: str | UploadedFile) -> tuple[Array, str]:
    """Return the pool, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return stored.example_pool(file), ""
    reading = read_columns(file.text, POOL_ROLES, file.columns)
    reading.check_records(2, 2000)
    records, left = even_records(reading, reading.numbers("columns"), 92)
    return records, reading.say(left, repeats(records))


@lru_cache(maxsize=64)
def _chosen(
    file: str | UploadedFile, mechanism: str, target: float, clip: float, delta: float
) -> tuple[EpsilonChoice, Curve]:
    """Return the answer, and the curve around it."""
    table, _ = _read(file)
    if isinstance(file, UploadedFile):
        answer = stored.chosen(table, mechanism, target, clip, delta)
        curve = None
    else:
        answer = stored.example_choice(file, mechanism, target, clip, delta)
        curve = stored.example_curve(file, mechanism, clip, delta)
    objects = stored.axis_objects(table) if mechanism == "exponential" else None
    return answer, curve or choice_curve(table, answer, clip, objects)


def _curves(curve: Curve, epsilon: Array) -> tuple[list[Trace], list[str]]:
    """Return what the attackers face against the mechanism's epsilon, and what may be read."""
    nominal = looks.LEVEL.with_symbol("line-ns")
    drawn = (
        ("ε itself", epsilon, nominal),
        (f"ε(X), all others known ({curve.kinds[2]})", curve.known, looks.DP),
        (f"ε̃, certain ({curve.kinds[0]})", curve.certain, looks.PMP.with_symbol("circle")),
        (f"ε̃, likely ({curve.kinds[1]})", curve.likely, looks.PMP.estimate().with_symbol("square")),
    )
    traces = [
        line(
            name,
            epsilon,
            np.clip(values, _NEAREST, _FARTHEST),
            look,
            most=9,
            hovertemplate=f"at ε = %{{x:.3g}}, {name}: %{{y:.3g}}<extra></extra>",
        )
        for name, values, look in drawn
    ]
    return traces, [name for name, *_ in drawn[1:]]


def _sentence(answer: EpsilonChoice) -> str:
    noise = f" and σ = {say(answer.sigma, 4, up)}" if answer.mechanism == "gaussian" else ""
    return (
        f"Use ε = {say(answer.epsilon, 4, down)}{noise} (exact, rounded to the safe side). Then ε̃ "
        f"is at most {say(answer.certificate.value, 4, up)} ({answer.certainty}), likely "
        f"{say(answer.likely.value)} ({answer.likely.kind}), and the best practical attacker right "
        f"at most {percent(answer.success, 4, up)} of the time (bound). Clipping shortens "
        f"{answer.clipped} of {answer.records} records."
    )


def _symbols(text: str) -> str:
    """Write the symbols that a report in plain letters spells out."""
    for spelt, symbol in _SYMBOLS.items():
        text = text.replace(spelt, symbol)
    return text


def _table(answer: EpsilonChoice) -> list[list[str]]:
    """Return the whole answer, what it does not promise among it."""
    limits = "a second release, side knowledge, records outside the pool"
    rows = [*answer.rows(), *(("note", note) for note in answer.notes), ("not promised", limits)]
    return [["quantity", "value"], *([_symbols(name), value] for name, value in rows)]


def _axes(epsilon: Array, own: bool) -> dict[str, Any]:
    """Return the axes: of the examples they stand still, of a reader's own pool they fit."""
    across = _ACROSS
    if own:
        across = (math.log10(epsilon.min()) - 0.05, math.log10(epsilon.max()) + 0.05)
    upward = {} if own else {"range": list(_UP)}
    return {
        "xaxis": axis("ε of the mechanism", log=True, range=list(across)),
        "yaxis": axis("privacy", log=True, **upward),
        "height": 430,
    }


@declared
def choose_lab(
    file: Annotated[str | UploadedFile, File(EXAMPLE_POOLS, roles=POOL_ROLES, label="Pool")] = EXAMPLE_POOLS[
        0
    ],
    mechanism: Annotated[str, Choice(_MECHANISMS, label="Mechanism")] = "gaussian",
    target: Annotated[float, Stops(stored.TARGETS, label="Target for ε̃")] = 0.1,
    clip: Annotated[float, Stops(stored.CLIPS, label="Clip threshold, C")] = 5.0,
    delta: Annotated[float, Stops(stored.DELTAS, label="δ")] = 1e-3,
) -> go.Figure:
    """Draw how eps~ depends on epsilon on a pool, and what meets the target.

    A file of one's own holds 2 to 2,000 records; of an odd number one, drawn at random, is left
    out, and equal ones count as different persons.  The exponential mechanism chooses the
    nearest signed coordinate axis.

    References
    ----------
    PMP paper, section on the Gaussian mechanism, "Our approach", and its conclusion.

    Examples
    --------
    >>> choose_lab().layout.meta["table"][0]
    ['quantity', 'value']
    """
    own = isinstance(file, UploadedFile)
    # The exponential mechanism has no delta; one entry of the cache then serves all of them.
    gaussian = mechanism == "gaussian"
    answer, curve = _chosen(file, mechanism, target, clip, delta if gaussian else 0.0)
    epsilon = np.clip(curve.epsilon, _NEAREST, _FARTHEST)
    chosen = float(np.clip(answer.epsilon, _NEAREST, _FARTHEST))
    ends = [float(epsilon.min()), float(epsilon.max())] if own else [10**e for e in _ACROSS]
    traces, probe = _curves(curve, epsilon)
    grab: dict[str, Any] = {"control": "target", "axis": "y", "at": chosen}
    if not own:
        grab["track"] = {"x": epsilon, "y": curve.certain}
    meta = {"moving_axes": "a pool of the reader's own has its own scale"} if own else {}
    return finish(
        [
            *traces,
            level("target", ends, target, replace(looks.READING, dash="dashdot", width=1.5)),
            reading([chosen], [answer.certificate.value], "chosen", showlegend=True),
        ],
        sentence=_sentence(answer),
        alt=(
            f"Log-log curves against epsilon from {say(float(epsilon.min()))} to "
            f"{say(float(epsilon.max()))}: epsilon itself, below it eps(X), below that the certain "
            f"and the likely eps~. They cross the target {say(target)} at epsilon = "
            f"{say(answer.epsilon)}, marked by a diamond."
        ),
        layout=_axes(epsilon, own),
        table=_table(answer),
        read=_read(file)[1],
        headline=f"use ε = {say(answer.epsilon, to=down)} for ε̃ ≤ {say(target)}",
        probe=probe,
        grab=[grab],
        **meta,
    )
