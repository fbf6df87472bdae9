"""Choose your epsilon: what the target costs on a pool, and what is promised for it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import data
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.base.rounding import down, up
from mipbook.choose import Curve, EpsilonChoice, choice_curve, choose_epsilon
from mipbook.explore.controls import UploadedFile
from mipbook.figures.frame import axis, finish
from mipbook.figures.uploads import even_records, repeats
from mipbook.figures.words import percent, say
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_POOLS", "POOL_ROLES", "choose_lab"]

Array = NDArray[np.float64]
EXAMPLE_POOLS = ("200 people, five scores", "20 people, one score", "two outliers among 60")
POOL_ROLES = (
    Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),
)
MECHANISMS = ("gaussian mean", "exponential choice")
# Seconds that halves may be counted while a slider moves.
_COUNTING = 2.0
# No epsilon beyond these is drawn.
_NEAREST, _FARTHEST = 1e-6, 1e100


@lru_cache(maxsize=8)
def _example(name: str) -> Array:
    rng = np.random.default_rng(90)
    if name == "200 people, five scores":
        return rng.normal(size=(200, 5))
    if name == "20 people, one score":
        return rng.normal(size=(20, 1))
    return data.scale_outliers(rng.normal(size=(60, 3)), 2, 20.0, rng)


@lru_cache(maxsize=8)
def _read(file: str | UploadedFile) -> tuple[Array, str]:
    """Return the pool, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return _example(file), ""
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
    if mechanism == MECHANISMS[0]:
        answer = choose_epsilon(table, target, clip=clip, delta=delta, by_index=True)
        return answer, choice_curve(table, answer, clip)
    axes = np.eye(table.shape[1])
    objects = np.concatenate([axes, -axes])
    answer = choose_epsilon(
        table,
        target,
        mechanism="exponential",
        clip=clip,
        objects=objects,
        by_index=True,
        budget=_COUNTING,
    )
    return answer, choice_curve(table, answer, clip, objects)


def choose_lab(
    file: str | UploadedFile = EXAMPLE_POOLS[0],
    mechanism: str = MECHANISMS[0],
    target: float = 0.1,
    clip: float = 5.0,
    delta: float = 1e-3,
) -> go.Figure:
    """Draw how eps~ depends on epsilon on a pool, and what meets the target.

    Parameters
    ----------
    file : str or UploadedFile
        A built-in pool, or a CSV file of numbers with up to 20 columns for `POOL_ROLES` and 2
        to 2,000 records; of an odd number one, drawn at random, is left out, and equal ones
        count as different persons.
    mechanism : {"gaussian mean", "exponential choice"}
        A mean with Gaussian noise, or the choice of the nearest signed coordinate axis.
    target : float
        Largest PMP parameter, in [0.01, 5].
    clip : float
        Largest length of a record, in [0.01, 10000].
    delta : float
        For the Gaussian mechanism, in [1e-9, 0.1].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range, or a file that cannot be used.

    Notes
    -----
    PMP paper, section on the Gaussian mechanism, "Our approach", and its conclusion.

    Examples
    --------
    >>> choose_lab().layout.meta["table"][0]
    ['quantity', 'value']
    """
    if not isinstance(file, UploadedFile):
        validate.choice("file", file, EXAMPLE_POOLS)
    mechanism = validate.choice("mechanism", mechanism, MECHANISMS)
    target = validate.number("target", target, 0.01, 5.0)
    clip = validate.number("clip", clip, 0.01, 1e4)
    delta = validate.number("delta", delta, 1e-9, 0.1)
    gaussian = mechanism == MECHANISMS[0]
    # The exponential mechanism has no delta; one entry of the cache then serves all of them.
    answer, curve = _chosen(file, mechanism, target, clip, delta if gaussian else 0.0)
    epsilon = np.clip(curve.epsilon, _NEAREST, _FARTHEST)
    figure = go.Figure()
    for name, values, colour, dash, symbol in (
        ("epsilon itself", epsilon, GREY, "longdash", "line-ns"),
        (
            f"eps(X), all others known ({curve.kinds[2]})",
            curve.known,
            GREEN,
            "dash",
            "triangle-up",
        ),
        (f"eps~, certain ({curve.kinds[0]})", curve.certain, ORANGE, "solid", "circle"),
        (f"eps~, likely ({curve.kinds[1]})", curve.likely, BLUE, "dot", "square"),
    ):
        figure.add_scatter(
            x=epsilon,
            y=np.clip(values, _NEAREST, _FARTHEST),
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 7},
        )
    figure.add_scatter(
        x=[float(epsilon.min()), float(epsilon.max())],
        y=[target, target],
        mode="lines",
        name="target",
        line={"color": INK, "dash": "dashdot", "width": 1.5},
    )
    figure.add_scatter(
        x=[float(np.clip(answer.epsilon, _NEAREST, _FARTHEST))],
        y=[answer.certificate.value],
        mode="markers",
        name="chosen",
        marker={"color": INK, "size": 13, "symbol": "diamond"},
    )
    noise = f" and sigma = {say(up(answer.sigma), 4)}" if gaussian else ""
    low, high = math.log10(epsilon.min()), math.log10(epsilon.max())
    return finish(
        figure,
        sentence=(
            f"Use epsilon = {say(down(answer.epsilon), 4)}{noise} (exact, rounded to the safe "
            f"side). Then eps~ is {say(up(answer.certificate.value), 4)} at most "
            f"({answer.certainty}), and likely {say(answer.likely.value)} ({answer.likely.kind}); "
            f"the best practical attacker is right at most {percent(up(answer.success), 4)} of the "
            f"time (bound). Clipping shortens {answer.clipped} of {answer.records} records "
            f"(exact). {' '.join(answer.notes)} Nothing is promised for a second release, for side "
            f"knowledge, or for records outside the pool."
        ),
        alt=(
            f"Log-log curves against epsilon from {say(10**low)} to {say(10**high)}: epsilon "
            f"itself, below it eps(X), below that the certain and the likely eps~. They cross "
            f"the target {say(target)} at epsilon = {say(answer.epsilon)}, marked by a diamond."
        ),
        layout={
            "xaxis": axis("epsilon of the mechanism", log=True, range=[low - 0.05, high + 0.05]),
            "yaxis": axis("privacy parameter", log=True),
            "height": 440,
        },
        table=[["quantity", "value"], *([name, value] for name, value in answer.rows())],
        read=_read(file)[1],
    )
