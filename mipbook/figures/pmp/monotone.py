"""eps~ against epsilon: more noise can cost privacy, when the attacker is unsure of the rest."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp

# Six numbers, objects +1, +1 and -1: eps~ rises, falls, and settles.
NOT_MONOTONE = (4.406, -2.497, 0.855, 1.78, -0.236, -1.443)
_OBJECTS = ((1.0,), (1.0,), (-1.0,))
_EPSILON = k.LogSlider(0.1, 1000, 10.0, points=33, label="ε on its label")
# The curves go through the values at which a reader may stop, so each is computed once.
_GRID = np.array(_EPSILON.stops)
# The curve is seen up to here from the first.
_BEGUN = 4.0


@k.cache
def _losses(pool):
    """Return the losses, and the sensitivity: the largest change on this very pool."""
    if pool == "six numbers":
        losses = pmp.norm_losses(np.array(NOT_MONOTONE), _OBJECTS)
    else:
        dimension = 1 if pool == "twelve numbers" else 5
        losses = pmp.draw_pool(6, dimension, 10, 2.0, 50.0, 0, 1.0, np.random.default_rng(3)).losses
    return losses, pmp.local_sensitivity(losses)


@k.cache
def _practical(pool, epsilon):
    """Return eps~ at one epsilon, measured against the pool's own sensitivity."""
    losses, sensitivity = _losses(pool)
    return pmp.exponential_epsilon(losses, epsilon, sensitivity)


def _curves(pool):
    return np.array([_practical(pool, float(epsilon)) for epsilon in _GRID])


@k.few
def _telling(pool, epsilon):
    """Return the chance of the choice that tells most of a record: with it, without."""
    losses, sensitivity = _losses(pool)
    log_in, log_out = pmp.exponential_laws(losses, epsilon, sensitivity)
    record, choice = np.unravel_index(np.abs(log_in - log_out).argmax(), log_in.shape)
    return np.exp(log_in[record, choice]), np.exp(log_out[record, choice])


def _round(name, x, y, **more):
    curve = k.curve(name, x, y, k.PMP, **more)
    return curve | {"line": curve["line"] | {"shape": "spline", "smoothing": 0.8}}


def _frame(pool):
    """Return the curve, its beginning, the axes, and what is said around the numbers."""
    practical = _curves(pool)
    top = int(practical.argmax())
    falls = practical[-1] < practical[top] - 1e-9 and top < len(_GRID) - 1
    shape = (
        "The curve climbs and falls back: a larger ε can be safer."
        if falls
        else "The curve rises up to {end} at ε = 1,000."
    )
    name = "ε̃ (exact)"
    begun = _GRID <= _BEGUN
    return k.part(
        _round("it begins", _GRID[begun], practical[begun], showlegend=False, hoverinfo="skip"),
        _round(name, _GRID, practical, hover="at ε = %{x:.4~g} the spy faces ε̃ = %{y:.3g}"),
        x=k.axis("ε on the label", log=True, range=[-1, 3.05], exponentformat="none"),
        y=k.axis("ε that a spy can use", range=[0, max(2.0, 1.1 * practical.max())]),
        height=430,
        showlegend=False,
        probe=[name],
        ghost=[name],
        grab=k.drag("epsilon", _EPSILON.stops, practical),
        sentence="One slice tells most: it wins {inside} with a certain person, {without} without (exact). "
        f"{shape}",
        alt="A curve against epsilon from 0.1 to 1000, on a log axis: eps~ climbs to {peak} near epsilon = "
        "{at} and ends at {end}. A diamond at epsilon = {epsilon}.",
        **k.words(peak=practical.max(), at=_GRID[top], end=practical[-1]),
    )


def _here(pool, epsilon):
    practical = _practical(pool, epsilon)
    inside, without = _telling(pool, epsilon)
    return k.part(
        k.reading([epsilon], [practical], "your ε"),
        headline="At ε = {epsilon} a spy gets {practical}",
        **k.words(practical=practical, epsilon=epsilon, inside=k.exact(inside, k.in_100)),
        without=k.exact(without, k.in_100),
    )


@k.figure
def not_monotone(
    pool: Annotated[
        str, k.Choice(["six numbers", "twelve numbers", "five dimensions"], label="Pool")
    ] = "six numbers",
    epsilon: Annotated[float, _EPSILON] = 10.0,
):
    """Draw eps~ against epsilon on a small pool.

    References
    ----------
    PMP paper, Proposition 9: the parameter of the exponential mechanism is not monotone.

    Examples
    --------
    >>> [trace.name for trace in not_monotone().data][1]
    'ε̃ (exact)'
    """
    return _frame, _here
