"""The unit square of an event's two probabilities, and what each form of PMP allows in it."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mip, pmp, tradeoff

_ALONE, _SPLIT = "tell the truth", "print two groups"
_TOLD = k.Slider(0.0, 1.0, 0.2, step=0.04, label="Chance of the truth")


def _region(name, epsilon, delta, look):
    """Return the region that (epsilon, delta) allows: a polygon, by its corners."""
    x = np.array([0.0, (1 - delta) / (1 + math.exp(epsilon)), 1 - delta, 1.0])
    upper = np.asarray(tradeoff.dp_tpr(x, epsilon, delta))
    # Turned around the middle of the square, the upper border is the lower one.
    around = np.concatenate([x, 1 - x]), np.concatenate([upper, 1 - upper])
    return k.curve(name, *around, look, fill="toself", hoverinfo="skip")


def _regions(epsilon, delta):
    """Return what each form allows, and how strong the posterior form is."""
    posterior, printed = float(pmp.epsilon_from_posterior(epsilon, delta)), min(1.0, 2 * delta)
    return k.part(
        _region("as printed, 2δ", epsilon, printed, k.PUBLISHED),
        _region("PMP, δ (bound)", epsilon, delta, k.PMP),
        _region("posterior form (1)", posterior, 0.0, k.SERIES[2]),
        k.level("nothing told", [0.0, 1.0], [0.0, 1.0]),
        x=k.axis("chance of the event, record out", range=[-0.03, 1.03]),
        y=k.axis("chance, record in", range=[-0.03, 1.03]),
        height=440,
        alt="The unit square, the chance of an event with the record out against in. A solid region around "
        "the diagonal that starts at height {low}, a dashed one around it that starts at {high}, a dotted "
        "lens inside that starts at the corner. A diamond at ({pair_out}, {pair_in}), a ring at ({out}, "
        "{inside}).",
        **k.words(posterior=posterior, e=epsilon, low=delta, high=printed),
    )


@k.cache
def _mechanism(told, example):
    """Return the event that tells most, on average and of neighbours, and the delta of PMP and of DP.

    An event is its chance with the record out, and in.
    """
    table, members, average, pair = (
        (np.array([[told, 1 - told], [0.0, 1.0]]), mip.subsets(2), (0.0, told), (0.0, told))
        if example == _ALONE
        else (pmp.partition_mechanism(3), mip.subsets(6), (0.1, 0.1), (0.0, 1.0))
    )
    # Where one side has chance 0, delta is the same at any epsilon.
    needed = (each(table, members, 0.0) for each in (pmp.finite_pmp_delta, pmp.finite_dp_delta))
    return average, pair, *(round(float(delta), 12) for delta in needed)


def _verdict(delta, told, example):
    """Say which promises the mechanism keeps."""
    *_, by_pmp, by_dp = _mechanism(told, example)
    needs = "At every ε the mechanism is (ε, {by_pmp})-PMP and -DP, for no smaller δ (exact). "
    if example == _SPLIT:
        headline = "0-PMP, and no DP"
        needs = "Every event is as likely with the record in as out, so this is 0-PMP (exact). "
        verdict = "Neighbours give different groups: only (ε, {by_dp})-DP holds (exact)."
    elif by_pmp <= delta:
        headline, verdict = "δ = {by_pmp}: promise kept", "The point is inside the solid region."
    elif by_pmp <= 2 * delta:
        headline, verdict = "δ = {by_pmp}, not {low}", "Corollary 4 as printed calls it (ε, {low})-DP."
    else:
        headline, verdict = "δ = {by_pmp}: all broken", "The point is outside of all regions."
    posterior = "The posterior form with ε = {e}, δ = {low} is pure {posterior}-PMP (exact)."
    return k.part(headline=headline, sentence=f"{needs}{verdict} {posterior}", by_pmp=by_pmp, by_dp=by_dp)


def _point(told, example):
    """Return the mechanism's event, and where it may be dragged."""
    average, pair, *_ = _mechanism(told, example)
    ring = k.PMP.with_symbol("circle-open")
    held = k.drag("told", [0.0] * len(_TOLD.stops), _TOLD.stops, "y") if example == _ALONE else []
    return k.part(
        k.reading([pair[0]], [pair[1]], "neighbours (DP)", showlegend=True),
        k.points("averages (PMP)", [average[0]], [average[1]], ring, size=20),
        grab=held,
        **k.words(pair_out=pair[0], pair_in=pair[1], out=average[0], inside=average[1]),
    )


@k.figure
def pmp_square(
    told: Annotated[float, _TOLD] = 0.2,
    delta: Annotated[float, k.Slider(0.0, 0.5, step=0.02, label="δ")] = 0.1,
    epsilon: Annotated[float, k.Slider(0.0, 3.0, step=0.125, label="ε")] = 0.5,
    example: Annotated[str, k.Choice([_ALONE, _SPLIT], label="Example")] = _ALONE,
):
    """Draw the events that (epsilon, delta) allows, those that 2 delta allows, and an example.

    References
    ----------
    PMP paper, Lemma 3 and Corollary 4, with their correction.

    Examples
    --------
    >>> "(ε, 0.2)-PMP and -DP" in pmp_square().layout.meta["sentence"]
    True
    """
    return _regions, _verdict, _point
