"""Choose your epsilon: what the target costs on a pool, and what is promised for it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import data
from mipbook.base.rounding import down, up
from mipbook.base.types import Array
from mipbook.choose import Curve, EpsilonChoice, choice_curve, choose_epsilon
from mipbook.explore import Choice, File, Stops, UploadedFile, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import Trace, level, reading
from mipbook.figures.marks import curve as line
from mipbook.figures.uploads import even_records, repeats
from mipbook.figures.words import percent, say
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_POOLS", "POOL_ROLES", "choose_lab"]

EXAMPLE_POOLS = ("200 people, five scores", "20 people, one score", "two outliers among 60")
POOL_ROLES = (
    Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),
)
_MECHANISMS = ("gaussian mean", "exponential choice")
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
    if mechanism == _MECHANISMS[0]:
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


def _curves(curve: Curve, epsilon: Array) -> list[Trace]:
    """Return what the attackers face against the mechanism's epsilon."""
    nominal = looks.LEVEL.with_symbol("line-ns")
    drawn = (
        ("epsilon itself", epsilon, nominal),
        (f"eps(X), all others known ({curve.kinds[2]})", curve.known, looks.DP),
        (f"eps~, certain ({curve.kinds[0]})", curve.certain, looks.PMP.with_symbol("circle")),
        (
            f"eps~, likely ({curve.kinds[1]})",
            curve.likely,
            looks.PMP.estimate().with_symbol("square"),
        ),
    )
    return [
        line(name, epsilon, np.clip(values, _NEAREST, _FARTHEST), look, marked=True)
        for name, values, look in drawn
    ]


def _sentence(answer: EpsilonChoice, gaussian: bool) -> str:
    noise = f" and sigma = {say(up(answer.sigma), 4)}" if gaussian else ""
    return (
        f"Use epsilon = {say(down(answer.epsilon), 4)}{noise} (exact, rounded to the safe "
        f"side). Then eps~ is {say(up(answer.certificate.value), 4)} at most "
        f"({answer.certainty}), and likely {say(answer.likely.value)} ({answer.likely.kind}); "
        f"the best practical attacker is right at most {percent(up(answer.success), 4)} of the "
        f"time (bound). Clipping shortens {answer.clipped} of {answer.records} records "
        f"(exact). {' '.join(answer.notes)} Nothing is promised for a second release, for side "
        f"knowledge, or for records outside the pool."
    )


@declared
def choose_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_POOLS, roles=POOL_ROLES, label="Pool")
    ] = EXAMPLE_POOLS[0],
    mechanism: Annotated[str, Choice(_MECHANISMS, label="Mechanism")] = _MECHANISMS[0],
    target: Annotated[float, Stops([0.05, 0.1, 0.5], label="Target for eps~")] = 0.1,
    clip: Annotated[float, Stops([2.0, 5.0, 20.0], label="Clip threshold, C")] = 5.0,
    delta: Annotated[float, Stops([1e-5, 1e-3], label="Delta")] = 1e-3,
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
    gaussian = mechanism == _MECHANISMS[0]
    # The exponential mechanism has no delta; one entry of the cache then serves all of them.
    answer, curve = _chosen(file, mechanism, target, clip, delta if gaussian else 0.0)
    epsilon = np.clip(curve.epsilon, _NEAREST, _FARTHEST)
    low, high = math.log10(epsilon.min()), math.log10(epsilon.max())
    chosen = float(np.clip(answer.epsilon, _NEAREST, _FARTHEST))
    ends = [float(epsilon.min()), float(epsilon.max())]
    return finish(
        [
            *_curves(curve, epsilon),
            level("target", ends, target, replace(looks.READING, dash="dashdot", width=1.5)),
            reading([chosen], [answer.certificate.value], "chosen", showlegend=True),
        ],
        sentence=_sentence(answer, gaussian),
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
