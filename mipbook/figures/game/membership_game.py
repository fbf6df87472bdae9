"""The ROC curves of two mechanisms with one advantage, and of one mechanism in two games."""

from typing import Annotated

import numpy as np

from mipbook import game, tradeoff
from mipbook.figures import kit
from mipbook.figures.roc import SPOKEN, Axes, coin, grid, rate_axes, shown
from mipbook.mechanisms import sampling_mechanism

_FPRS = kit.LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR", play=True)
_ADVANTAGES = kit.LogSlider(0.01, 0.5, 0.1, points=17, label="TPR − FPR of the best attacker")
_NOISE, _TRUTH = "noise for everybody (exact)", "the truth about a few (exact)"
# At this FPR the two games are compared in words.
_FPR = 0.01
# Thresholds, in standard deviations of the statistic on random data.
_THRESHOLDS = np.linspace(-6, 6, 73)
_WORST, _RANDOM = "worst case, best attacker (exact)", "random data, tracer (exact)"


@kit.cache
def _sigma(advantage):
    """Return the noise with this advantage: the delta of a mechanism at epsilon 0."""
    return float(tradeoff.gaussian_sigma(0.0, delta=advantage))


def _two_mechanisms(advantage, axes):
    """Return both curves; the FPR is dragged along that of the few."""
    x, stops, revealing = grid(axes), np.array(_FPRS.stops), sampling_mechanism(advantage)
    noisy = tradeoff.gaussian_tpr(x, _sigma(advantage))
    return kit.part(
        kit.curve(_NOISE, x, shown(noisy, axes), kit.SERIES[0], **SPOKEN),
        kit.curve(_TRUTH, x, shown(game.finite_tpr(x, revealing), axes), kit.SERIES[1], **SPOKEN),
        coin(axes),
        layout=rate_axes(axes),
        height=440,
        headline="{noisy} or {few}",
        sentence="Both best attackers are right {right} of the time (exact). But if you may wrongly accuse "
        "{accused} others, you find {noisy} members through the noise, and {few} when a few records leak "
        "(exact): {times} times more.",
        alt=f"ROC plane with {axes} axes. The solid curve of the noisy mechanism bends smoothly from "
        "corner to corner, the dashed one jumps to {advantage} at FPR 0 and goes straight to the corner. "
        "At FPR {fpr} they stand at {low} and {high}.",
        probe=[_NOISE, _TRUTH],
        grab=kit.drag("fpr", stops, shown(game.finite_tpr(stops, revealing), axes)),
        advantage=advantage,
        right=kit.exact(0.5 + advantage / 2, kit.percent),
    )


def _at_fpr(advantage, fpr):
    noisy = tradeoff.gaussian_tpr(fpr, _sigma(advantage))
    few = game.finite_tpr(fpr, sampling_mechanism(advantage))
    return kit.part(
        kit.reading([fpr, fpr], [noisy, few], "at your FPR", **SPOKEN),
        **kit.words(kit.exact, kit.people, accused=fpr, noisy=noisy, few=few),
        **kit.words(times=few / noisy, fpr=fpr, low=noisy, high=few),
    )


@kit.figure
def same_advantage(
    fpr: Annotated[float, _FPRS] = 0.01, advantage: Annotated[float, _ADVANTAGES] = 0.1, axes: Axes = "linear"
):
    """Draw the ROC curves of two mechanisms whose best attackers have the same advantage.

    Notes
    -----
    Lecture notes, section 3, on success metrics.

    Examples
    --------
    >>> [trace.name for trace in same_advantage().data][:2]
    ['noise for everybody (exact)', 'the truth about a few (exact)']
    """
    return _two_mechanisms, _at_fpr


@kit.cache
def _tracer(k, n, sigma):
    """Return FPR and TPR along the tracer's curve on random data, and its TPR at `_FPR`."""
    attack = game.CoinTracing(k, n, sigma)
    centre = k / (8 * n)
    at = centre + (np.hypot(attack.spread, np.sqrt(k / n) / 4) + centre / 6) * _THRESHOLDS
    return attack.fpr(at), attack.tpr(at), attack.tpr_at(_FPR)


def _plane(axes):
    return kit.part(coin(axes), layout=rate_axes(axes), height=440, probe=[_WORST, _RANDOM])


def _in_both_games(k, n, sigma, axes):
    sensitivity = game.TracingAttack(k, n, sigma).sensitivity
    fpr, tpr, typical = _tracer(k, n, sigma)
    x, worst = grid(axes), tradeoff.gaussian_tpr(_FPR, sigma, sensitivity)
    best = tradeoff.gaussian_tpr(x, sigma, sensitivity)
    return kit.part(
        kit.curve(_WORST, x, shown(best, axes), kit.BEST, **SPOKEN),
        kit.curve(_RANDOM, shown(fpr, axes), shown(tpr, axes), kit.SERIES[1], **SPOKEN),
        kit.reading([_FPR] * 2, shown([worst, typical], axes), "at FPR 1%", **SPOKEN),
        headline="{worst} against {typical}",
        sentence="If you may wrongly accuse {accused} others, you find {worst} members in the worst case, "
        "and {typical} on random data (both exact; one of {n} records is replaced, {k} bits each).",
        alt=f"ROC plane with {axes} axes. The worst-case curve for k = {{k}}, n = {{n}} and σ = {{sigma}} "
        "lies above the curve of the game on random data. At FPR {fpr} they stand at {high} and {low}.",
        **kit.words(kit.exact, kit.people, accused=_FPR, worst=worst, typical=typical),
        **kit.words(n=n, k=k, sigma=sigma, fpr=_FPR, high=worst, low=typical),
    )


@kit.figure
def two_games(
    k: Annotated[int, kit.Count([20, 100, 400], label="Bits a record has, k")] = 100,
    n: Annotated[int, kit.Count([10, 20, 50], label="Records, n")] = 20,
    sigma: Annotated[float, kit.LogSlider(0.05, 2, 0.3, points=25, label="Noise, σ", play=True)] = 0.3,
    axes: Axes = "linear",
):
    """Draw what the best attacker gets in the worst case, and what a tracer gets on random data.

    Notes
    -----
    Lecture notes, section 3, where one of n records is replaced.  In the worst case the attacker
    picks all-zero records and an all-one target; in the other game all records are fair coins,
    and the attacker sees the release and the target only.

    Examples
    --------
    >>> two_games(20, 20).data[1].name
    'worst case, best attacker (exact)'
    """
    return _plane, _in_both_games
