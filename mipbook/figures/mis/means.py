"""One record in a mean: how far it slides, on what Delta depends, and a mean whose digits leak."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.mis.means import many_coordinates_delta, many_coordinates_records
from mipbook.stored.limits import DIGITS, SIZES, known_digit_delta

_delta = k.cache(mis.gaussian_mean_delta)

# --- One known record slides the mean -----------------------------------------------------------

_SLIDE_SIZES = [
    *(2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 25, 32, 40, 50, 65, 80),
    *(100, 160, 250, 400, 650, 1000, 3000, 10_000),
]
_POINTS = np.linspace(-4.5, 4.5, 109)
_WITHOUT = np.exp(-(_POINTS**2) / 2) / math.sqrt(2 * math.pi)
_DISTANCE = k.Slider(0.0, 3.0, step=0.125, label="Distance of the record")
# Where the record stands in the picture: just above the axis.
_GROUND = 0.02


def _slide_frame():
    limit, name = mis.universal_constant("gaussian"), "√n Δ (exact)"
    scaled = np.sqrt(_SLIDE_SIZES) * [_delta(n) for n in _SLIDE_SIZES]
    over = "%{x:,} records: √n Δ = %{y:.3f}"
    return k.part(
        k.curve("the record is out", _POINTS, _WITHOUT, k.OUT, hoverinfo="skip"),
        k.curve(name, _SLIDE_SIZES, scaled, k.MIS, hover=over, lower=True),
        k.level("limit 1/π (exact)", [1, 10_000], limit, lower=True),
        x=k.axis("standard deviations", range=[-4.5, 4.5]),
        y=k.axis("density of the mean", range=[0, 0.6]),
        x2=k.axis("records, n", log=True, range=[0, 4]),
        y2=k.axis("√n Δ", range=[0, 0.5], nticks=4),
        rows=(0.56, 0.22),
        height=430,
        beside=0.6,
        grab=k.drag("distance", _DISTANCE.stops, [_GROUND] * len(_DISTANCE.stops)),
        probe=[name],
        headline="Best attack is right {right} of the time",
        sentence="One record at distance {distance} among n = {n} moves the mean by a total variation of "
        "{apart} (exact); Proposition 25 allows {bound} (bound). Averaged over all records Δ = {delta}, and "
        "√n Δ = {scaled} comes close to 1/π = {limit} as n grows (exact).",
        alt="Two bells along the record's direction: out, standard and dashed; in, solid, centred at "
        "{centre} with variance {variance}, the excess shaded. Below them a diamond, the record, at "
        "{distance}. Beside them √n Δ against n goes from {first} to a flat line at {limit}.",
        first=scaled[0],
        limit=limit,
    )


def _bells(n, distance):
    """Draw the mean with the record in, and where it is the likelier one."""
    centre, variance = distance / math.sqrt(n), 1 - 1 / n
    given = np.exp(-((_POINTS - centre) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    # Down to the trace below it in this picture, which is the bell without the record.
    area = {"fill": "tonexty", "fillcolor": k.fill(k.IN.colour), "line": {"width": 0}, "hoverinfo": "skip"}
    return k.part(
        k.curve("gain", _POINTS, np.maximum(given, _WITHOUT), k.IN, **area),
        k.curve("the record is in", _POINTS, given, k.IN, hoverinfo="skip"),
        centre=centre,
        variance=variance,
        apart=mis.near_gaussians_tv(n, distance),
        bound=k.at_most(mis.near_gaussians_bound(n, distance)),
    )


def _record(distance):
    over = "the record, at distance %{x}"
    mark = k.points("the record", distance, _GROUND, k.READING, size=13, hover=over)
    return k.part(mark, distance=distance)


def _many(n):
    delta, scaled = _delta(n), math.sqrt(n) * _delta(n)
    mark, right = k.reading(n, scaled, "this n", lower=True), k.exact((1 + delta) / 2, k.percent)
    return k.part(mark, n=n, delta=delta, scaled=scaled, right=right)


@k.figure
def mean_slide(
    n: Annotated[int, k.Count(_SLIDE_SIZES, label="Records, n", play=True)] = 10,
    distance: Annotated[float, _DISTANCE] = 1.5,
):
    """Draw the distribution of the mean given one record, and sqrt(n) Delta against n.

    Notes
    -----
    Limits paper, Theorem 13 and Proposition 25.

    Examples
    --------
    >>> "Δ = 0.107" in mean_slide(10).layout.meta["sentence"]
    True
    """
    return _slide_frame, _bells, _record, _many


# --- Many coordinates ---------------------------------------------------------------------------

_SHOWN = (5, 20, 100, 1000)
_COUNTS = [
    *(5, 6, 7, 8, 10, 13, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250),
    *(320, 400, 500, 650, 800, 1000),
]
_DIMENSIONS = [
    *(1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700),
    *(1000, 1500, 2000, 3000, 4000, 5000),
]


def _one_curve():
    ratios = np.geomspace(0.001, 1000, 120)
    limit = many_coordinates_delta(ratios)
    traces = [k.curve("many coordinates (approximation)", ratios, limit, k.MIS.estimate(), hoverinfo="skip")]
    for n, look in zip(_SHOWN, k.SERIES, strict=True):
        # At whole d near each ratio.
        d = np.unique(np.maximum(1, np.round(np.geomspace(0.001, 100, 21) * n)).astype(int))
        exact, over = np.array([_delta(n, each) for each in d.tolist()]), "d/n = %{x:.3g}: Δ = %{y:.3f}"
        traces.append(k.points(f"n = {n:,} (exact)", d / n, exact, look, hover=over))
    return k.part(
        *traces,
        x=k.axis("coordinates over records, d/n", log=True, range=[-3, 3]),
        y=k.axis("Δ", range=[0, 1.03]),
        height=420,
        headline="Best attack is right {right} of the time",
        sentence="With n = {n} records of {dimension} coordinate{plural}, d/n = {ratio} and Δ = {delta} "
        "(exact); 2Φ(½√(d/n)) − 1 gives {near} (approximation). A Δ of about 0.1 takes {records} records "
        "(approximation, for many coordinates), in proportion to d.",
        alt="Delta against d/n on a log axis for n = 5, 20, 100 and 1,000: all marks lie near one rising "
        "S-shaped curve; the diamond at d/n = {ratio} has height {delta}.",
    )


def _records(n):
    """Let d be dragged along the values at this n."""
    d = np.array(_DIMENSIONS)
    return k.part(n=n, grab=k.drag("dimension", d / n, [_delta(n, each) for each in _DIMENSIONS]))


def _coordinates(dimension):
    records = k.approximate(many_coordinates_records(0.1, dimension))
    return k.part(dimension=dimension, plural="s" if dimension > 1 else "", records=records)


def _both(n, dimension):
    delta, ratio = _delta(n, dimension), dimension / n
    return k.part(
        k.reading(ratio, delta, "this n and d"),
        ratio=ratio,
        delta=delta,
        near=k.approximate(mis.gaussian_mean_delta_approximation(n, dimension)),
        right=k.exact((1 + delta) / 2, k.percent),
    )


@k.figure
def mean_dimension(
    n: Annotated[int, k.Count(_COUNTS, label="Records, n", play=True)] = 100,
    dimension: Annotated[int, k.Count(_DIMENSIONS, label="Coordinates, d")] = 100,
):
    """Draw Delta of the Gaussian mean against d/n for several n.

    Notes
    -----
    Limits paper, Theorem 13: the constant in front of 1/sqrt(n) hides the dimension.

    Examples
    --------
    >>> "0.384 (exact)" in mean_dimension(100, 100).layout.meta["sentence"]
    True
    """
    return _one_curve, _records, _coordinates, _both


# --- Digits that add up -------------------------------------------------------------------------

# Games that are drawn, of each kind, and how much evidence has a place in the picture.
_GAMES, _REACH = 10, 8.0


@k.cache
def _evidence(n):
    """Return the evidence in the drawn games, with the target in and out, digit by digit."""
    rng = np.random.default_rng((131, n))
    return [mis.digit_evidence(n, DIGITS[-1], _GAMES, side, rng) for side in (True, False)]


def _walks(name, evidence, digits, look):
    """Draw the games so far; what leaves the picture goes on out of sight."""
    read = [*(j for j in DIGITS if j < digits), digits]
    steps = np.clip(evidence[:, np.array(read) - 1], -_REACH - 1, _REACH + 1).round(2)
    # A gap after each game.
    x = [j for _ in steps for j in (*read, None)]
    y = [value for game in steps.tolist() for value in (*game, None)]
    return k.curve(name, x, y, replace(look, width=1.5), hoverinfo="skip")


def _read(n, digits):
    (inside, out), delta = _evidence(n), known_digit_delta(n, digits)
    named = k.exact if digits == 1 else k.approximate
    return k.part(
        _walks("target out (simulated)", out, digits, k.OUT),
        _walks("target in (simulated)", inside, digits, k.IN),
        k.reading(digits, 1 - delta, "this n and J", lower=True),
        n=n,
        digits=digits,
        seen="the first digit sum" if digits == 1 else k.told("{digits} digit sums", digits=digits),
        won=int((inside[:, digits - 1] > 0).sum() + (out[:, digits - 1] <= 0).sum()),
        all=2 * _GAMES,
        security=named(1 - delta),
        kind="exact" if digits == 1 else "approximation",
        right=named((1 + delta) / 2, k.percent),
    )


def _digits_frame():
    over = "%{x:,} digits: security %{y:.3f}"
    lower = [
        k.curve(
            f"n = {n:,}", DIGITS, 1 - np.array([known_digit_delta(n, j) for j in DIGITS]), look, hover=over
        )
        for n, look in zip(SIZES, k.SERIES, strict=True)
    ]
    return k.part(
        k.level("as likely in as out", [1, DIGITS[-1]], 0),
        [trace | k.LOWER for trace in lower],
        x=k.axis("digits read, J", log=True, range=[0, 4]),
        y=k.axis("evidence", range=[-_REACH, _REACH]),
        x2=k.axis("digits read, J", log=True, range=[0, 4]),
        y2=k.axis("security", range=[0, 1.03], nticks=4),
        rows=(0.52, 0.22),
        height=430,
        beside=0.56,
        grab=k.drag("digits", DIGITS, [0.0] * len(DIGITS)),
        probe=[trace["name"] for trace in lower],
        headline="Right in {right} of all games",
        sentence="From the mean of n = {n} records the attacker has read {seen} and is right in {won} of "
        "these {all} games. So the security is at most {security} ({kind}); with more digits it goes to 0, "
        "whatever n is.",
        alt="Paths of the evidence against the number of digits read, {games} games with the target in, "
        "drifting up, and {games} with it out, drifting down. Beside them the security against the number of "
        "digits for four n: all curves fall to 0; the diamond is at J = {digits} and {security}.",
        games=_GAMES,
    )


@k.figure
def digit_leak(
    n: Annotated[int, k.Count(SIZES, label="Records, n")] = 20,
    digits: Annotated[int, k.Count(DIGITS, label="Digits, J", play=True)] = 100,
):
    """Draw the evidence that digits of the mean add up to, and the security against their number.

    Notes
    -----
    Limits paper, Theorem 13: what goes wrong without its hypothesis.

    Examples
    --------
    >>> "10 digit sums" in digit_leak(5, 10).layout.meta["sentence"]
    True
    """
    return _read, _digits_frame
