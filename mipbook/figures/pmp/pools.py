"""How eps~ depends on the size of the pool: for the exponential mechanism, and for a noisy mean."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.stored.pmp import EPSILONS, POOLS, SCALING_POOLS, SCALING_SIZES, SIZES, growth, scaling

_EXACT, _ESTIMATE = "ε̃ (exact)", "ε̃ (estimate)"


def _halves(n):
    """Tell how many halves a pool of 2n records has."""
    if n < 400:
        return k.exact(math.exp(math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1)))
    return k.told("more than {many}", many=k.at_least(float(f"1e{int(2 * n * math.log10(2) - 2)}")))


def _value(value, low, high):
    """Tell a value, with its band where it is an estimate."""
    if low == high:
        return k.told("{value} (exact)", value=value)
    ends = {"value": k.about(value), "low": k.about(low), "high": k.about(high)}
    return k.told("{value} (estimate, 95% band {low} to {high})", **ends)


def _marks(name, symbol, sizes, values, low, high):
    """Return eps~ at some sizes; of one pool for each n, so marks next to each other are not joined."""
    told = [
        k.told("n = {n}, {halves} halves: ε̃ = {value}", n=n, halves=_halves(n), value=_value(*ends))
        for n, *ends in zip(*(side.tolist() for side in (sizes, values, low, high)), strict=True)
    ]
    bars = k.error_bars(values, low, high, color=k.PMP.colour, visible=name == _ESTIMATE)
    more = {"error_y": bars, "customdata": told, "hover": "%{customdata}"}
    return k.points(name, sizes, values, k.PMP.with_symbol(symbol), size=9, **more)


@k.figure
def pmp_growth(pool: Annotated[str, k.Choice(tuple(POOLS), label="Pool")] = "one dimension"):
    """Draw eps~ against n, exact as far as it goes, then estimated, with its band.

    The pools are those of Figures 1, 2 and 3 of the paper; its eps(X) is 5, 10 and 2.

    References
    ----------
    PMP paper, Proposition 9 and the remark after Figure 2 that larger n should help.

    Examples
    --------
    >>> "exact" in pmp_growth("one dimension").layout.meta["sentence"]
    True
    """
    found = growth(pool)
    sizes, known = np.array(SIZES), found[:, 1] == found[:, 2]
    values, low, high, caps, odds = found.T
    held, alone = POOLS[pool]["held"], replace(k.PMP, dash="dashdot")
    n, said = SIZES[-1], "%{y:.3g} at n = %{x}"
    names = "cap (bound)", "odds alone (approximation)"
    return k.part(
        _marks(_EXACT, "circle", sizes[known], *found[known, :3].T),
        _marks(_ESTIMATE, "circle-open", sizes[~known], *found[~known, :3].T),
        k.curve(names[0], SIZES, caps, k.PMP.bound(), hover=f"no attacker exceeds {said}"),
        k.curve(names[1], SIZES, odds, alone, hover=f"the odds alone say {said}"),
        k.level("the paper's ε(X)", [SIZES[0], n], held, replace(k.PUBLISHED, dash="longdash", width=1.5)),
        x=k.axis("records drawn, n", log=True, range=[0.2, 2.8]),
        y=k.axis("ε̃", log=True, range=[-1.2, 1.2]),
        height=440,
        probe=[_EXACT, _ESTIMATE, *names],
        headline="ε̃ = {last} with {records} records",
        sentence="From n = 6 to {n}, with {halves} halves, ε̃ goes from {six} (exact) to {end} on one pool "
        "each; the cap is {cap} (bound). The odds alone, {odds} (approximation), hardly depend on n.",
        alt="The PMP parameter against n from 2 to 500 on a log axis, for {pool}, with the paper's eps(X) "
        "held at {held}. It goes from {first} at n = 2 to {last} at n = 500, below a cap between {least} and "
        "{most}.",
        n=n,
        records=2 * n,
        halves=_halves(n),
        pool=pool,
        held=held,
        first=values[0],
        six=values[SIZES.index(6)],
        last=k.about(values[-1]),
        end=_value(values[-1], low[-1], high[-1]),
        cap=k.at_most(caps[-1]),
        least=caps.min(),
        most=caps.max(),
        odds=k.approximate(odds[-1]),
    )


@k.figure
def gaussian_scaling(epsilon: Annotated[float, k.Choice(EPSILONS, label="ε(X), by the noise")] = 10.0):
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    References
    ----------
    PMP paper, Proposition 12, for the mean of normal data in one dimension; delta = 0.01.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0).data][1:3]
    ['Prop. 12 (bound)', 'ε̃ (exact)']
    """
    sizes = list(SCALING_SIZES)
    bound, exact, normal = scaling(epsilon).T
    few, many = sizes.index(6), sizes.index(100)
    names, said = ["Prop. 12 (bound)", "ε̃ (exact)"], "%{y:.3g} at n = %{x}"
    known = np.full(len(sizes), epsilon)
    crosses = k.READING.with_symbol("x")
    return k.part(
        k.curve("ε(X) (exact)", sizes, known, k.DP, marked=True, hover=f"who knows all others faces {said}"),
        k.curve(names[0], sizes, bound, k.PMP.bound(), marked=True, hover=f"Proposition 12 certifies {said}"),
        k.curve(names[1], sizes, exact, k.PMP, marked=True, hover=f"the truth is {said}"),
        k.points(
            "normal (approximation)", sizes, normal, crosses, size=9, hover=f"the normal curve says {said}"
        ),
        x=k.axis("records drawn, n", log=True, range=[-0.05, 2.4]),
        y=k.axis("privacy at δ = 0.01", log=True, range=[-1, 1.1]),
        height=420,
        probe=names,
        headline="n = 100: bound {bound}, truth {truth}",
        sentence="At n = 100 Proposition 12 certifies {bound} (bound); the truth is {truth} (exact), {loose} "
        "times less. At n = 6 it is {loose_six} times less. With one record drawn all are {epsilon} (exact). "
        "Means over {pools} pools.",
        alt="Three curves against n from 1 to 200 on log scales, all starting at {epsilon}. The attacker who "
        "knows all others stays there; the bound ends at {bound_end}; the exact value falls to {end}, with "
        "crosses of the normal curve on it.",
        epsilon=epsilon,
        bound=k.at_most(bound[many]),
        truth=exact[many],
        loose=k.exact(bound[many] / exact[many], digits=2),
        loose_six=k.exact(bound[few] / exact[few], digits=2),
        bound_end=k.at_most(bound[-1]),
        end=exact[-1],
        pools=SCALING_POOLS,
    )
