"""Choose your epsilon: what the target costs on a pool, and what is promised for it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import data, pmp, tradeoff, validate
from mipbook.choose import EpsilonChoice, choose_epsilon
from mipbook.explore.controls import UploadedFile
from mipbook.figures.style import axis, finish
from mipbook.figures.uploads import even_records, repeats
from mipbook.figures.words import percent, say
from mipbook.palette import BLUE, GREEN, GREY, INK, ORANGE
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_POOLS", "POOL_ROLES", "choose_lab"]

Array = NDArray[np.float64]
EXAMPLE_POOLS = ("200 people, five scores", "20 people, one score", "two outliers among 60")
POOL_ROLES = (
    Role("columns", "Columns", "", "make up a record", many=True, otherwise="rest", most=20),
)
MECHANISMS = ("gaussian mean", "exponential choice")
# More halves than so many records have are not counted while a slider moves.
_COUNTED = 24
_STEPS = np.geomspace(0.2, 5.0, 9)


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
) -> tuple[EpsilonChoice, Array]:
    """Return the answer, and the curve around it: epsilon, eps~ certain, eps~ likely, eps(X)."""
    table, _ = _read(file)
    n = len(table) // 2
    short = data.clip_norm(table, clip)
    curve = []
    if mechanism == MECHANISMS[0]:
        answer = choose_epsilon(table, target, clip=clip, delta=delta, by_index=True)
        values = short / n
        reach = pmp.diameter(values)
        for factor in _STEPS:
            sigma = answer.sigma / float(factor)
            curve.append(
                (
                    tradeoff.gaussian_epsilon(delta, sigma, sensitivity=2 * clip / n),
                    pmp.gaussian_epsilon_bound(values, sigma, delta),
                    pmp.gaussian_epsilon_normal(values, sigma, delta),
                    tradeoff.gaussian_epsilon(delta, sigma, sensitivity=reach),
                )
            )
        return answer, np.array(curve, dtype=float)
    axes = np.eye(table.shape[1])
    objects = np.concatenate([axes, -axes])
    losses, sensitivity = pmp.norm_losses(short, objects), pmp.norm_sensitivity(n, clip)
    counted = len(table) <= _COUNTED
    # Where halves cannot be counted while a slider moves, the cap certifies: it is
    # proportional to epsilon, so the largest epsilon that it certifies is known.
    cap = pmp.epsilon_cap(losses, 1.0, sensitivity)
    answer = choose_epsilon(
        table,
        target,
        mechanism="exponential",
        clip=clip,
        objects=objects,
        by_index=True,
        largest=1000.0 if counted else min(1000.0, 0.999999 * target / max(cap, 1e-9)),
        budget=20.0 if counted else 1e-9,
        rng=np.random.default_rng(91),
    )
    for factor in _STEPS:
        epsilon = answer.epsilon * float(factor)
        known = pmp.epsilon_cap(losses, epsilon, sensitivity)
        certain = pmp.exponential_epsilon(losses, epsilon, sensitivity) if counted else known
        odds = certain if counted else pmp.exponential_epsilon_odds(losses, epsilon, sensitivity)
        curve.append((epsilon, certain, min(odds, certain), known))
    return answer, np.array(curve)


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
    epsilon, certain, likely, known = curve.T
    counted = not gaussian and answer.records <= _COUNTED
    figure = go.Figure()
    for name, values, colour, dash, symbol in (
        ("epsilon itself", epsilon, GREY, "longdash", "line-ns"),
        (
            f"eps(X), all others known ({'exact' if gaussian else 'bound'})",
            known,
            GREEN,
            "dash",
            "triangle-up",
        ),
        (f"eps~, certain ({'exact' if counted else 'bound'})", certain, ORANGE, "solid", "circle"),
        (
            f"eps~, likely ({'exact' if counted else 'approximation'})",
            likely,
            BLUE,
            "dot",
            "square",
        ),
    ):
        figure.add_scatter(
            x=epsilon,
            y=np.maximum(values, 1e-6),
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
        x=[answer.epsilon],
        y=[answer.certificate.value],
        mode="markers",
        name="chosen",
        marker={"color": INK, "size": 13, "symbol": "diamond"},
    )
    noise = f" and sigma = {say(answer.sigma)}" if gaussian else ""
    sort = answer.certainty
    low, high = math.log10(epsilon.min()), math.log10(epsilon.max())
    return finish(
        figure,
        sentence=(
            f"Use epsilon = {say(answer.epsilon)}{noise} (exact). Then eps~ is "
            f"{say(answer.certificate.value)} at most ({sort}), and likely "
            f"{say(answer.likely.value)} ({answer.likely.kind}); the best practical attacker is "
            f"right at most {percent(answer.success)} of the time ({answer.certainty}). Clipping "
            f"shortens {answer.clipped} of {answer.records} records (exact). Nothing is promised "
            f"for a second release, for side knowledge, or for records outside the pool."
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
