"""The sum modulo 2n: how often each remainder comes up with a record in, and with it out."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp

_SIZES = range(3, 28)
_counts = k.cache(pmp.modular_sum)


def _loose(counts):
    """Return the logarithm of the tallest bar over the shortest, at whatever remainders."""
    top, bottom = counts.loose_odds
    return math.log1p((top - bottom) / bottom)


def _curves():
    """Return both parameters at each n, the axes, and what is said around the numbers."""
    sizes, found = list(_SIZES), [_counts(n, 0) for n in _SIZES]
    exact, loose = [each.epsilon for each in found], [_loose(each) for each in found]
    name, said = "tallest over shortest bar", "n = %{x}: %{y:.2g}"
    return k.part(
        k.curve("ε̃ (exact)", sizes, exact, k.PMP, marked=True, hover=f"ε̃ at {said}"),
        k.points(f"{name} (bound)", sizes, loose, k.PUBLISHED, hover=f"{name} at {said}"),
        x=k.axis("records drawn, n", range=[2, 28]),
        y=k.axis("ε̃", log=True, range=[-12, 0.3], dtick=3),
        x2=k.axis("remainder over 2n", range=[0, 1]),
        y2=k.axis("× even share", range=[0, 1.5]),
        rows=(0.5, 0.2),
        barmode="group",
        height=430,
        beside=0.46,
        grab=k.drag("n", sizes, exact),
        alt="Left, the PMP parameter against n from 3 to 27 on a log axis: it falls, much deeper at most "
        "even n; a diamond at n = {n}, {epsilon}. Crosses mark the ratio of the tallest to the shortest bar, "
        "{loose} here. Right, pairs of bars for the remainders 0 to {last}: how often each comes up with "
        "record {record} in and out, an even share being 1; all lie between {low} and {high}.",
    )


def _bars(n, record):
    counts = _counts(n, record)
    (top, bottom), (high, low), loose = counts.odds, counts.loose_odds, _loose(counts)
    written = "ln({top}/{bottom}) = " if top < 10**5 else ""
    written_loose = "ln({high_count}/{low_count}) = " if high < 10**4 else ""
    against = (
        "The tallest over the shortest bar gives the same."
        if counts.odds == counts.loose_odds
        else f"The tallest over the shortest bar, {written_loose}{{at_most}} (bound), is {{times}} times "
        "that: this cruder bound compares bars that no attacker would compare."
    )
    # In units of an even share; a remainder's two bars stand in its cell.
    even, at = counts.inside.sum() / (2 * n), (np.arange(2 * n) + 0.5) / (2 * n)
    said = "remainder %{customdata}: %{y:.4g} times an even share"
    more = {"customdata": list(range(2 * n)), "hover": said, "lower": True}
    return k.part(
        k.reading([n], [counts.epsilon], "your n"),
        k.bars("record in", at, counts.inside / even, k.IN, **more),
        k.bars("record out", at, counts.outside / even, k.OUT, "/", **more),
        headline="ε̃ = {epsilon}, without any noise",
        sentence=f"At no remainder do the two bars differ by more than ε̃ = {written}{{epsilon}} (exact). "
        f"{against} The best attack is right {{right}} of the time (exact).",
        epsilon=counts.epsilon,
        top=k.exact(top, "d"),
        bottom=k.exact(bottom, "d"),
        high_count=k.exact(high, "d"),
        low_count=k.exact(low, "d"),
        loose=loose,
        at_most=k.at_most(loose),
        times=k.exact(loose / counts.epsilon),
        right=k.exact(counts.accuracy, k.percent, 7),
        n=n,
        record=record,
        last=2 * n - 1,
        low=low / even,
        high=high / even,
    )


@k.figure
def modular_sum_bars(
    n: Annotated[int, k.Slider(3, 27, step=1, play=True, label="Records drawn, n")] = 6,
    record: Annotated[int, k.Choice([0, 1, 2, 3], label="Record in question")] = 0,
):
    """Draw the shares of each remainder with the record in and out, and eps~ against n.

    Record i has the label i.

    References
    ----------
    PMP paper, Proposition 5 and the remark on n = 6.

    Examples
    --------
    >>> "38/37" in modular_sum_bars(6).layout.meta["sentence"]
    True
    """
    return _curves, _bars
