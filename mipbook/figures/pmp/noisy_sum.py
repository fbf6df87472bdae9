"""The two distributions of a noisy sum, the hockey-stick between them, and the ladder of bounds."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import pmp
from mipbook.stored.pmp import AREAS, DRAWN, NOISES, PLACES, ladder, ladder_pool

# Outputs in units of the spread of the release without the record, around its mean.
_AT = np.linspace(-4, 8, 49)
_TOP = 0.9
# The rungs of the ladder, by their names in it: who knows everything inside X, then ever closer
# to the truth.
_RUNGS = {
    "inside": ("knows the others", k.DP.with_symbol("diamond"), k.exact, "exact"),
    "bound": ("bound", k.PMP.with_symbol("square"), k.at_most, "bound"),
    "mixed": ("sharper bound", k.PMP.with_symbol("triangle-up"), k.about, "estimate"),
    "exact": ("truth", k.PMP.with_symbol("circle"), k.exact, "exact"),
    "normal": ("normal", k.PMP.with_symbol("x"), k.approximate, "approximation"),
}
# The axis of the ladder, in powers of ten; what is smaller stands at its left end.
_LEFT, _RIGHT = -2, 4
_SMOOTH = {"shape": "spline", "smoothing": 0.8}


@k.few
def _laws(n, noise, place):
    """Return the density of the release with the record in and out, at ``_AT``."""
    spread, values = math.sqrt(noise**2 + n / 2), ladder_pool(n, place)
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
        x2=k.axis("privacy loss ε at δ = 0.01", log=True, dtick=2, range=[_LEFT, _RIGHT]),
        y2=k.axis("", type="category", autorange="reversed"),
        rows=(0.56, 0.17),
        height=440,
        beside=0.56,
        sentence="The shaded area is δ {area} at ε = {epsilon} (exact). At δ = 0.01 a stranger faces at most "
        "ε̃ = {bound} (bound){against}. Somebody who knows all the others faces {inside} (exact).",
        alt="Left, the density of the noisy sum of {n} of {pool} records with the record in (solid) and out "
        "(dashed), and the shaded part, delta {area}, above e^eps times the second. Right, five marks on a "
        "log scale of epsilon: knows the others {inside}, bound {bound}, sharper bound {mixed}, "
        "truth {exact}, normal {normal}.",
    )


def _densities(n, noise, place):
    inside, outside = _laws(n, noise, place)
    return k.part(_smooth("record out", outside, k.OUT), _smooth("record in", inside, k.IN))


def _area(n, noise, place, epsilon):
    """Return the second distribution raised, and what of the first sticks out above it."""
    inside, outside = _laws(n, noise, place)
    raised = np.minimum(math.exp(epsilon) * outside, 2 * _TOP)
    sticks = _smooth(
        "area = δ", np.minimum(raised, inside), k.PMP, fill="tonexty", fillcolor=k.fill(k.PMP.colour)
    )
    delta = float(ladder(n, noise, place).areas[AREAS.index(epsilon)])
    return k.part(
        sticks | {"line": {"width": 0, **_SMOOTH}},
        _smooth("record out, raised", raised, replace(k.LEVEL, dash="dot", width=2.5)),
        headline="δ = {short} at ε = {epsilon}" if delta >= 1e-4 else "δ below 10⁻⁴ at ε = {epsilon}",
        area=k.told("= {delta}", delta=delta) if delta >= 1e-12 else "< 10⁻¹²",
        short=k.exact(delta, digits=2),
        epsilon=epsilon,
    )


def _ladder(n, noise, place):
    """Return the marks of the ladder; the estimate has its interval."""
    found = ladder(n, noise, place)
    names, looks, named, kinds = zip(*_RUNGS.values(), strict=True)
    words = {field: name(getattr(found, field)) for field, name in zip(_RUNGS, named, strict=True)}
    shown = np.clip([word.value for word in words.values()], 10**_LEFT, 10**_RIGHT)
    low, high = max(found.low, 10**_LEFT), min(found.high, 10**_RIGHT)
    above, below = [0.0] * 5, [0.0] * 5
    above[2], below[2] = max(high - shown[2], 0), max(shown[2] - low, 0)
    error = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "color": k.INK}
    marker = {"symbol": [a.symbol for a in looks], "color": [a.colour for a in looks], "size": 12}
    told = [
        k.told(f"{{value}} ({kind})", value=word) for word, kind in zip(words.values(), kinds, strict=True)
    ]
    more = {"marker": marker, "error_x": error, "customdata": told, "hover": "%{y}: %{customdata}"}
    against, times = "; exactly, ε̃ = 0 is enough (exact)", ""
    if found.exact:
        times, near = k.exact(found.bound / found.exact, digits=2), found.bound < 1.005 * found.exact
        against = ", which is exact here" if near else ", {times} times the exact {exact} (exact)"
    return k.part(
        k.points("ε at δ = 0.01", shown, names, k.PMP, lower=True, showlegend=False, **more),
        n=n,
        pool=2 * n,
        against=k.told(against, times=times, exact=found.exact),
        **words,
    )


@k.few
def _tops(n, noise):
    """Return where the top of the first distribution is, for each place of the record."""
    laws = [_laws(n, noise, place)[0] for place in PLACES]
    return [float(_AT[law.argmax()]) for law in laws], [float(min(law.max(), _TOP)) for law in laws]


def _held(n, noise):
    return k.part(grab=k.drag("place", *_tops(n, noise)))


@k.figure
def hockey_stick(
    place: Annotated[float, k.Slider(0.0, 6.0, 2.0, step=0.25, label="Place of the record", unit="sd")] = 2.0,
    n: Annotated[int, k.Choice(DRAWN, label="Records drawn, n")] = 6,
    noise: Annotated[float, k.Choice(NOISES, label="Noise on the sum, σ")] = 1.0,
    epsilon: Annotated[float, k.Choice(AREAS, label="ε")] = 0.5,
):
    """Draw the release with and without a record, the hockey-stick area, and the bounds.

    The other 2n - 1 records are normal numbers of spread 1; the release is the sum with noise.

    References
    ----------
    PMP paper, Lemma 11 and Proposition 12, for a sum in one dimension.

    Examples
    --------
    >>> "The shaded area is δ = " in hockey_stick().layout.meta["sentence"]
    True
    """
    return _frame, _densities, _area, _ladder, _held
