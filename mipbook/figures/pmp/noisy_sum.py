"""The two distributions of a noisy sum, the hockey-stick between them, and the ladder of bounds."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp
from mipbook.stored import pmp as stored

# Outputs in units of the spread of the release without the record, around its mean.
_AT = np.linspace(-4, 8, 49)
_TOP = 0.9
# Who knows all others, what is certified of the stranger, and what is true of him.
_FACED = {"inside": k.exact, "bound": k.at_most, "exact": k.exact}
_SMOOTH = {"shape": "spline", "smoothing": 0.8}


@k.few
def _laws(n, noise, place):
    """Return the density of the release with the record in and out, at ``_AT``."""
    spread, values = math.sqrt(noise**2 + n / 2), stored.ladder_pool(n, place)
    at = n * values[1:].mean() + spread * _AT
    return [spread * law for law in pmp.gaussian_densities(values, noise, 0, at)]


def _smooth(name, y, look, **more):
    # What is drawn has the eleven bits of a half float, for the page's weight.
    drawn = np.asarray(y, dtype=np.float16).astype(float)
    trace = k.curve(name, _AT, drawn, look, hoverinfo="skip", **more)
    return trace | {"line": trace["line"] | _SMOOTH}


def _frame():
    return k.part(
        x=k.axis("what is released", range=[-4, 8]),
        y=k.axis("density", range=[0, _TOP]),
        height=440,
        ghost=[],
        sentence="At ε = {epsilon} the shaded area, what sticks out of the solid bell, is δ {area} (exact). "
        "At δ = 0.01 {faced}.",
        alt="The density of the noisy sum of {n} of {pool} records with the record in (solid) and out "
        "(dashed), and the shaded part, delta {area}, above e^eps times the second.",
    )


def _densities(n, noise, place):
    inside, outside = _laws(n, noise, place)
    return k.part(_smooth("record out", outside, k.OUT), _smooth("record in", inside, k.IN))


def _area(n, noise, place, epsilon):
    """Return the second distribution raised, and what of the first sticks out above it."""
    inside, outside = _laws(n, noise, place)
    raised = np.minimum(math.exp(epsilon) * outside, 2 * _TOP)
    sticks = _smooth("area = δ", np.minimum(raised, inside), k.PMP, fill="tonexty")
    delta = float(stored.ladder(n, noise, place).areas[stored.AREAS.index(epsilon)])
    return k.part(
        sticks | {"line": {"width": 0, **_SMOOTH}},
        _smooth("record out, raised", raised, replace(k.LEVEL, dash="dot", width=2.5)),
        headline=f"{'{short}' if delta >= 1e-4 else 'Under 10⁻⁴'} of the solid bell sticks out",
        area=k.told("= {delta}", delta=delta) if delta >= 1e-12 else "< 10⁻¹²",
        short=k.exact(delta, digits=2),
        epsilon=epsilon,
    )


def _faced(n, noise, place):
    """Return what the colleague and the stranger face."""
    found = stored.ladder(n, noise, place)
    words = {field: (k.exact if n == 1 else name)(getattr(found, field)) for field, name in _FACED.items()}
    # With one drawn all three are one number.
    faced = (
        "the stranger and the colleague face the same ε = {inside} (exact)"
        if n == 1
        else "the formula says ε = {bound} at most (bound) for the stranger; in truth it is {exact} (exact). "
        "The colleague faces {inside} (exact)"
    )
    return k.part(**k.words(n=n, pool=2 * n, faced=k.told(faced, **words)))


@k.few
def _tops(n, noise):
    """Return where the top of the first distribution is, for each place of the record."""
    laws = [_laws(n, noise, place)[0] for place in stored.PLACES]
    return [float(_AT[law.argmax()]) for law in laws], [float(min(law.max(), _TOP)) for law in laws]


def _held(n, noise):
    return k.part(grab=k.drag("place", *_tops(n, noise)))


@k.figure
def hockey_stick(
    place: Annotated[float, k.Slider(0.0, 6.0, 2.0, step=0.25, label="Place of the record", unit="sd")] = 2.0,
    n: Annotated[int, k.Choice(stored.DRAWN, label="Records drawn, n")] = 6,
    noise: Annotated[float, k.Choice(stored.NOISES, label="Noise on the sum, σ")] = 1.0,
    epsilon: Annotated[float, k.Choice(stored.AREAS, label="ε")] = 0.5,
):
    """Draw the release with and without a record, the hockey-stick area, and the bounds.

    The other 2n - 1 records are normal numbers of spread 1; the release is the sum with noise.

    References
    ----------
    PMP paper, Lemma 11 and Proposition 12, for a sum in one dimension.

    Examples
    --------
    >>> hockey_stick().layout.meta["headline"]
    '0.21 of the solid bell sticks out'
    """
    return _frame, _densities, _area, _faced, _held


@k.figure
def gaussian_scaling(
    epsilon: Annotated[float, k.Choice(stored.EPSILONS, label="The colleague's ε, by the noise")] = 10.0,
):
    """Draw the bound and the exact PMP parameter against n, at the same eps(X).

    References
    ----------
    PMP paper, Proposition 12, for the mean of normal data in one dimension; delta = 0.01.

    Examples
    --------
    >>> [t.name for t in gaussian_scaling(1.0).data][1:3]
    ['stranger, by the formula (bound)', 'stranger, in truth (exact)']
    """
    sizes = list(stored.SCALING_SIZES)
    bound, exact = stored.scaling(epsilon).T
    many, at = sizes.index(100), sizes.index(25)
    names, said = ["stranger, by the formula (bound)", "stranger, in truth (exact)"], "%{y:.3g} at n = %{x}"
    known = np.full(len(sizes), epsilon)
    by_line = ["the colleague", "as promised (bound)"]
    # Where the dashed line has more room, above or below.
    above = epsilon / bound[4] > bound[-1] / exact[5]
    high = [1.04 * epsilon, 1.06 * bound[4] if above else 0.82 * bound[-1]]
    sides = ["top left", f"{'top' if above else 'bottom'} left"]
    return k.part(
        k.curve("colleague (exact)", sizes, known, k.DP, hover=f"the colleague faces {said}"),
        k.curve(names[0], sizes, bound, k.PMP.bound(), marked=True, hover=f"the formula promises {said}"),
        k.curve(names[1], sizes, exact, k.PMP, marked=True, hover=f"the truth is {said}"),
        k.text("the upper names", [250] * 2, high, by_line, textposition=sides),
        k.text(
            "name of the truth", [19], [exact[at]], ["the stranger, in truth"], textposition="bottom left"
        ),
        x=k.axis("records drawn, n", log=True, exponentformat="none", range=[-0.05, 2.4]),
        y=k.axis("privacy loss at δ = 0.01", log=True, exponentformat="none", range=[-1, 1.1]),
        height=420,
        showlegend=False,
        probe=names,
        headline="The formula says {bound}, the truth is {truth}",
        sentence="With a hundred drawn the formula promises {bound} at most (bound); the truth, {truth} "
        "(exact), is {loose} times less. With one drawn all are {epsilon} (exact).",
        alt="Three curves against n from 1 to 200 on log scales, all starting at {epsilon}. The colleague, "
        "who knows all others, stays there; the bound ends at {bound_end}; the exact value falls to {end}.",
        **k.words(epsilon=epsilon, bound=k.at_most(bound[many], digits=2)),
        **k.words(truth=k.exact(exact[many], digits=2), loose=k.exact(bound[many] / exact[many], digits=2)),
        **k.words(bound_end=k.at_most(bound[-1]), end=exact[-1]),
    )
