"""The simulations behind Figures 1 to 3 of the PMP paper."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from mipbook import pmp
from mipbook.base.rounding import mean_band
from mipbook.base.types import Array
from mipbook.stored.pmp import COUNTED, FIGURE_1, FIGURE_2, FIGURE_3, HELD, WALKED, Varied
from mipbook.stored.store import Arrays
from studies.run import Run


def varied(figure: Varied) -> Arrays:
    """Run the trials at the paper's setting, and those with one parameter varied, with progress bars."""
    drawn = _three_ways(figure, figure.paper, figure.trials)
    rows = []
    for name, values in figure.varied.items():
        for value in values:
            # What the paper has is read from its own trials.
            empty = value == figure.paper[name]
            case = {**figure.paper, name: value}
            found = None if empty else _three_ways(figure, case, figure.count(name, value))
            rows.append(_summary(figure, case, found))
    return {"drawn": drawn.astype(np.float32), "varied": _short(np.array(rows))}


def _three_ways(figure: Varied, case: Mapping[str, Any], trials: int) -> Array:
    """Return eps~, the pool's share and the exact eps(X) for each of ``HELD``, stop and trial."""
    known = case["n"] <= WALKED or case.get("dimension") == 1
    cases = [
        {**case, figure.along: stop, "held": held, "convention": how, "subset": known, "counted": COUNTED}
        for held, how in HELD
        for stop in figure.stops
    ]
    drawn = pmp.sweep(three_values, cases, trials=trials, seed=figure.seed)
    return np.moveaxis(np.reshape(drawn, (len(HELD), len(figure.stops), trials, 3)), -1, 1)


def three_values(*, rng: np.random.Generator, **case: Any) -> tuple[float, float, float]:
    """Return eps~, the pool's share of the sensitivity and the exact eps(X) of one data set.

    Nothing but zeros where all records are clipped to one point, so that no eps(X) can be held.

    Examples
    --------
    >>> three_values(rng=np.random.default_rng(0), held="epsilon", epsilon=1.0, sigma=0.0)
    (0.0, 0.0, 0.0)
    """
    try:
        found = pmp.exponential_trial(**case, rng=rng)
    except ValueError as error:
        if "eps(X) is 0" not in str(error):
            raise
        return 0.0, 0.0, 0.0
    return found.pmp, found.surrogate / found.epsilon, found.subset or 0.0


def _summary(figure: Varied, case: Mapping[str, Any], found: Array | None) -> Array:
    """Return mean, half width and largest of the three ratios, for each of ``HELD`` and stop."""
    if found is None:
        return np.full((len(HELD), 3, 3, len(figure.stops)), -1.0)
    rows = []
    for (held, _), (drawn, share, exact) in zip(HELD, found, strict=True):
        inside = case["epsilon"] * np.where(share > 0, share if held == "epsilon" else 1.0, math.nan)
        known = np.where(exact > 0, exact, math.nan)
        ratios = np.stack([drawn / inside, drawn / inside * share, drawn / known])
        rows.append([_each(ratios, mean_band), _each(ratios, mean_band, 1), _each(ratios, np.max)])
    return np.array(rows)


def _each(ratios: Array, of: Any, take: int = 0) -> Array:
    """Return a number of each row's known ratios, or -1 where fewer than two are known."""
    found = np.full(ratios.shape[:2], -1.0)
    for at in np.ndindex(*found.shape):
        known = ratios[at][np.isfinite(ratios[at])]
        if len(known) > 1:
            told = of(known)
            found[at] = told[take] if isinstance(told, tuple) else told
    return found


def _short(values: Array) -> Array:
    """Return numbers of single precision with twelve digits of two, which pack well."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 4096) / 4096, exponent).astype(np.float32)


RUNS = tuple(
    Run(figure.name, figure.settings, partial(varied, figure)) for figure in (FIGURE_1, FIGURE_2, FIGURE_3)
)
