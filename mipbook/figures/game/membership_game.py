"""The ROC curves of two mechanisms with one advantage, and of one mechanism in two games."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, tradeoff
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
    return float(tradeoff.gaussian_sigma(0.0, advantage))


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


# --- The opening game: guess from a noisy mean whether a record was in the half -------------------

# The cast's made-up yearly incomes in thousands; the last one, Zoe's, stands out.
_INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
# Neighbours stand at other heights, so that each face is seen.
_HEIGHTS = 0.3 * np.array([0, 1, -1, 0, 1, -1, 0, 1, -1, 0])
# One stands out, the other is among many.
_TARGETS = {"Zoe": 9, "Finn": 5}
_SEED = 7
# A class that opens one deck, by its address, meets the same rounds; another is another draw.
_DECKS, _ROUNDS = 15, 16
_SIGMAS = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32]


@k.cache
def _accuracy(target, sigma):
    return mip.noisy_mean_accuracy(_INCOMES, _TARGETS[target], sigma)


@k.cache
def _drawn(round, index, deck):
    """Return the half of a round, and what noise of 1 adds: the same whatever the noise."""
    rng = np.random.default_rng([_SEED, deck, round, index])
    half, released = mip.draw_round(_INCOMES, 1.0, rng)
    return half, released - float(_INCOMES[half].mean())


def _records(target):
    """Return the ten people by their incomes, and the axes."""
    index, mean = _TARGETS[target], float(_INCOMES.mean())
    place = _INCOMES[index], _HEIGHTS[index]
    ring = k.READING.with_symbol("diamond-open")
    return k.part(
        k.points(f"your target, {target}", *place, ring, size=42, hoverinfo="skip"),
        k.cast(
            _INCOMES, _HEIGHTS, size=24, zorder=1, hovertemplate="%{customdata}, %{x} thousand<extra></extra>"
        ),
        k.level("mean of all ten", [mean, mean], [-0.8, 0.8]),
        x=k.axis("income, in thousands", range=[15, 105]),
        y={"visible": False, "range": [-1, 1]},
        height=260,
        headline="{released} thousand published",
        sentence="Five of these ten people took part. What was published is their mean income, plus noise (σ "
        "= {sigma}). If you change your answer at {line}, you are right in {rule} of all rounds (exact).",
        alt="Ten people by their incomes from 31 to 92 thousand, the target {target} at {income} in a "
        "diamond. A thick line marks the noisy mean {released}, a dashed line the mean of all ten, {mean}, a "
        "dotted one your line, {line}.",
        options=[["in", f"{target} was in"], ["out", f"{target} was out"]],
        grab=k.drag("line", at=0.9),
        ghost=[],
        target=target,
        **k.words(income=_INCOMES[index], mean=mean),
    )


def _half(round, target, deck):
    """Return who was in the half, hidden until the reader has answered."""
    index = _TARGETS[target]
    half, _ = _drawn(round, index, deck)
    look = k.IN.with_symbol("circle-open")
    rings = k.points("took part", _INCOMES[half], _HEIGHTS[half], look, size=34, zorder=1, meta="reveal")
    return k.part(rings, answer="in" if half[index] else "out")


def _released(round, sigma, target, deck):
    """Return the published mean, and what the optimal attacker makes of it."""
    index = _TARGETS[target]
    half, noise = _drawn(round, index, deck)
    released = float(_INCOMES[half].mean()) + sigma * noise
    chance = float(mip.noisy_mean_posterior(_INCOMES, index, released, sigma))
    optimal = "in" if chance >= 0.5 else "out"
    told = (
        f"{target} was {'in' if half[index] else 'out'}. From this mean the chance of in is "
        f"{{chance}}, so the optimal attacker says {optimal}."
    )
    line = k.curve("the noisy mean, released", [released, released], [-0.8, 0.8], k.ATTACK)
    reveal = k.told(told, chance=k.exact(chance, ".0%"))
    return k.part(line, released=released, optimal=optimal, reveal=reveal)


def _benchmark(sigma, target):
    best = k.exact(_accuracy(target, sigma), ".1%")
    return k.part(sigma=sigma, benchmark=k.told("In the long run it gets {best} right.", best=best))


def _line(sigma, target, line):
    """Return the reader's line, and how often it is right."""
    right = mip.noisy_mean_line_accuracy(_INCOMES, _TARGETS[target], sigma, line)
    drawn = k.level("your line", [line, line], [-0.9, 0.9], k.LEVEL.estimate())
    return k.part(drawn, line=line, rule=k.exact(right, ".1%"))


@k.figure
def guess_round(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was your target among the five?")] = 0,
    sigma: Annotated[float, k.Stops(_SIGMAS, label="Noise, σ", unit="thousand")] = 4.0,
    target: Annotated[str, k.Choice(_TARGETS.keys(), label="Target")] = "Zoe",
    line: Annotated[float, k.Slider(20, 70, step=1, label="Your line", unit="thousand")] = 50,
    deck: Annotated[int, k.Slider(1, _DECKS, step=1, label="Deck")] = 1,
):
    """Draw one round: ten records, one of them marked, and a noisy mean of a random half.

    Its ``layout.meta`` carries what the guessing game needs.  Each deck is drawn from a seed of
    its own.

    Notes
    -----
    The game of MIP Definition 1 and of the lecture's section 3, on a mean query.

    Examples
    --------
    >>> guess_round(0).layout.meta["answer"] in ("in", "out")
    True
    """
    return _records, _half, _released, _benchmark, _line
