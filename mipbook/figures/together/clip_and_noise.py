"""What clip and noise cost a step and buy a run, steps as they come out, and the divisor's secret."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.dpsgd.clipping import (
    best_pareto_clip,
    divisor_advantage,
    drawn_error,
    pareto_clip_error,
    pareto_mean,
)
from mipbook.dpsgd.contour import training_delta
from mipbook.stored.accounting import DELTAS, SIGMAS, SWEPT, cost

_ALPHA = 2.5
_CLIPS = [float(f"{c:.3g}") for c in np.geomspace(1.0, 128.0, 29)]
_RECORDS = [round(float(f"{n:.2g}")) for n in np.geomspace(1e3, 1e5, 17)]
_BUDGETS = [0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0]
_X = np.geomspace(1.0, 128.0, 43)
_TOTAL, _COST = "error in all (exact)", "ε that can be promised (bound)"
_cost = k.cache(cost)


def _error(clip, n, sigma):
    return pareto_clip_error(clip, int(n), sigma, _ALPHA, SWEPT["sampling"])


def _axes():
    bias = [abs(_error(clip, 1000, 1.0).bias) for clip in _X]
    return k.part(
        k.curve("bias (exact)", _X, np.round(bias, 6), k.PUBLISHED.exact(), hoverinfo="skip"),
        x=k.axis("clip C", log=True, range=[-0.02, 2.13]),
        y=k.axis("error of a step", log=True, range=[-4.2, 1.5]),
        x2=k.axis("noise σ, in clips", log=True, range=[-0.33, 1.25]),
        y2=k.axis("ε of the run", log=True, range=[-1.0, 2.0]),
        rows=(0.5, 0.2),
        height=460,
        beside=0.5,
        ghost=[_TOTAL],
        headline="off by {error}; ε ≤ {high}",
        sentence="At clip {clip} a step's mean gradient is off by {error}: bias {bias}, records {spread}, "
        "noise {noise} (all exact). The best clip, {best}, would leave {least} (exact). Whatever the clip, ε "
        "of the whole run at δ = {delta} lies between {low} and {high} (bounds). For a budget of ε = "
        "{budget}, {needs}.",
        alt="Left, the error of a step over the clip, both logarithmic: bias falls, noise and the records' "
        "spread rise, and the error in all is least at {best}; yours is {error} at {clip}. "
        "Right, ε of the run falls with the noise; at σ = {sigma} it is at most "
        "{high}, and a level marks the budget of {budget}.",
    )


def _errors(n, sigma):
    """Return the error over the clip, its parts, and where it is least."""
    errors = [_error(clip, n, sigma) for clip in _X]
    spread, total = np.array([[float(f"{v:.3g}") for v in (e.spread, e.rmse)] for e in errors]).T
    best = best_pareto_clip(int(n), sigma, _ALPHA, SWEPT["sampling"])
    least = _error(best, n, sigma).rmse
    star = ([best], [least]) if best >= 1.0 else ([None], [None])
    look = k.READING.with_symbol("star")
    ends = [errors[0].noise, errors[-1].noise]
    return k.part(
        k.curve("noise (exact)", _X[[0, -1]], ends, k.SERIES[2], hoverinfo="skip"),
        k.curve("the records' spread (exact)", _X, spread, k.SERIES[3], hoverinfo="skip"),
        k.curve(_TOTAL, _X, total, k.BEST, hover="C = %{x:.3g}: off by %{y:.3g}"),
        k.points("the best clip (exact)", *star, look, size=15, hover="the best clip, %{x:.3g}"),
        grab=k.drag("clip", _CLIPS, [float(f"{_error(clip, n, sigma).rmse:.3g}") for clip in _CLIPS]),
        probe=[_TOTAL],
        best=best,
        least=least,
    )


def _clipped(clip, n, sigma):
    found = _error(clip, n, sigma)
    parts = {"error": found.rmse, "bias": abs(found.bias), "spread": found.spread, "noise": found.noise}
    return k.part(k.reading(clip, found.rmse, "at your clip"), clip=clip, **parts)


def _bought(delta):
    """Return epsilon over the noise at a delta."""
    high = _cost()[:, DELTAS.index(delta), 1]
    drawn = np.ceil(1e4 * high) / 1e4
    return k.part(
        k.curve(_COST, SIGMAS, drawn, k.DP.bound(), hover="σ = %{x}: ε = %{y:.3g}", lower=True),
        grab=k.drag("sigma", SIGMAS, [float(f"{h:.4g}") for h in high], along="x2"),
        probe=[_COST],
        delta=delta,
    )


def _paid(sigma, delta):
    low, high = _cost()[SIGMAS.index(sigma), DELTAS.index(delta)]
    mark = k.reading(sigma, high, "at your noise", lower=True)
    return k.part(mark, sigma=sigma, low=k.at_least(low), high=k.at_most(high))


def _budget(epsilon, delta):
    """Return the budget's level, and the least noise of those tried that keeps it."""
    enough = np.flatnonzero(_cost()[:, DELTAS.index(delta), 1] <= epsilon)
    needs = "none of the noises tried keeps it"
    if enough.size:
        needs = k.told(
            "of the noises tried, {enough} clips is the least that keeps it", enough=SIGMAS[enough[0]]
        )
    square = {"size": 12, "lower": True, "showlegend": False}
    return k.part(
        k.level("your budget", [0.47, 17.5], epsilon, lower=True),
        k.points("your budget, to drag", 0.52, epsilon, k.LEVEL.with_symbol("square"), **square),
        grab=k.drag("epsilon", along="y2", at=0.52),
        budget=epsilon,
        needs=needs,
    )


@k.figure
def clip_balance(
    clip: Annotated[float, k.Stops(_CLIPS, label="Clip, C", play=True)] = 32.0,
    sigma: Annotated[float, k.Stops(list(SIGMAS), label="Noise, σ")] = 2.0,
    n: Annotated[int, k.Stops(_RECORDS, label="Records, n")] = 10_000,
    delta: Annotated[float, k.Stops(list(DELTAS), label="δ")] = 1e-5,
    epsilon: Annotated[float, k.Stops(_BUDGETS, label="Budget, ε")] = 3.0,
):
    """Draw the error of a step as the clip moves, beside what the run's noise promises.

    Gradients with a heavy tail, of which one in ten is drawn for each of 100 steps.

    Notes
    -----
    This book, Theorem 4.5; the accountant's numbers are stored.

    Examples
    --------
    >>> clip_balance(16.0, 2.0, 10_000, 1e-5, 3.0).layout.meta["headline"]
    'off by 0.0697; ε ≤ 2.34'
    """
    return _axes, _errors, _clipped, _bought, _paid, _budget


_N, _RUNS, _SEED = 100, 5000, 17
_EDGES = np.linspace(0.0, 3.5, 71)
_TRUTH = pareto_mean(_ALPHA)


@k.cache
def _gradients():
    rng = np.random.default_rng(_SEED)
    return rng.pareto(_ALPHA, (_RUNS, _N)) + 1.0, rng.standard_normal(_RUNS)


@k.few
def _means(clip):
    return np.minimum(_gradients()[0], clip).mean(axis=1)


def _truth():
    return k.part(
        k.level("the true mean, 1.67", _TRUTH, [0.0, 2900.0]),
        x=k.axis("the step's mean gradient, clipped and noisy", range=[0.0, 3.5]),
        y=k.axis("of 5,000 steps", range=[0, 3000]),
        height=400,
        bargap=0.05,
    )


def _steps(clip, sigma):
    means = _means(clip) + sigma * clip / _N * _gradients()[1]
    counts = np.histogram(np.clip(means, _EDGES[0], _EDGES[-1]), _EDGES)[0]
    square, exact = drawn_error(means, _TRUTH), pareto_clip_error(clip, _N, sigma, _ALPHA)
    middle = _TRUTH + exact.bias
    more = {"width": float(_EDGES[1]), "hover": "around %{x:.2f}: %{y} steps"}
    places = (_EDGES[:-1] + _EDGES[1:]) / 2
    side = "left of" if exact.bias < -0.05 else "around"
    return k.part(
        k.bars("steps drawn (simulation)", places, counts, k.BEST, **more),
        k.points("where clipping moves it (exact)", middle, 0.0, k.READING, size=13),
        headline="off by {exact}",
        sentence="Clipped at {clip}, the means of {n} gradients centre on {middle} instead of {truth} "
        "(exact). Their error is {off} (estimate, {low} to {high} at 95%); the formula says {exact} (exact). "
        "The best clip is {best} (exact).",
        alt=f"A histogram of 5,000 noisy means stands {side} the line of the true mean, {{truth}}; clipped "
        "at {clip} with noise of {sigma} clips it is {wide} wide.",
        clip=clip,
        sigma=sigma,
        n=_N,
        middle=middle,
        truth=_TRUTH,
        exact=exact.rmse,
        best=best_pareto_clip(_N, sigma, _ALPHA),
        wide=k.about(means.std()),
        **{
            w: k.about(v**0.5) for w, v in (("off", square.value), ("low", square.low), ("high", square.high))
        },
    )


@k.figure
def clipped_means(
    clip: Annotated[
        float, k.Stops([float(f"{c:.3g}") for c in np.geomspace(2.0, 32.0, 25)], label="Clip, C", play=True)
    ] = 2.83,
    sigma: Annotated[float, k.Choice([0.5, 1.0, 2.0, 4.0], label="Noise, σ")] = 1.0,
):
    """Draw noisy means of a hundred clipped gradients, beside the mean that was asked for.

    Notes
    -----
    This book, Proposition 4.4: a simulation beside the formula.

    Examples
    --------
    >>> clipped_means(3.0, 1.0).layout.meta["headline"]
    'off by 0.144'
    """
    return _truth, _steps


_PUBLISHED = {"steps": 14_062, "sigma": 1.1, "sampling": 256 / 60_000}
_SIZES = [m * 10**e for e in range(1, 9) for m in (1, 2, 5)] + [10**9]
_PEOPLE = sorted([m * 10**e for e in range(3, 8) for m in (1, 2, 5)] + [60_000, 10**8])
_WIDTH = "right by the width of the noise (exact)"
_SPOKEN = "%{x:,} numbers: right in %{y:.1f}%"


def _right(parameters, n):
    return 50 + 50 * np.asarray(
        divisor_advantage(n, _PUBLISHED["steps"] * np.asarray(parameters, dtype=float))
    )


def _allowed():
    allowed = 50 + 50 * training_delta(_PUBLISHED["sampling"], _PUBLISHED["sigma"], _PUBLISHED["steps"], 0.0)
    return k.part(
        k.level("all that the theorem allows (exact)", [_SIZES[0], _SIZES[-1]], allowed, k.DP),
        x=k.axis("numbers in the model, d", log=True, range=[0.9, 9.1]),
        y=k.axis("right, in percent", range=[49, 101]),
        height=340,
        headline="{right} right, where {allowed} are allowed",
        sentence="{n} people, a model of {parameters} numbers, {steps} steps divided by the number of "
        "people: the width of the noise alone lets an attacker be right {right} of the time (exact). The "
        "theorem allows {allowed} in all, at σ = {sigma} and a divisor that is no secret (exact).",
        alt="How often an attacker is right, from 50% to 100%, over the numbers in the model on a "
        "logarithmic axis. A curve rises from 50% to 100%; at {parameters} it is at {right}. A level line "
        "stands at {allowed}, what the theorem allows.",
        probe=[_WIDTH],
        allowed=k.exact(allowed / 100, k.percent),
        steps=_PUBLISHED["steps"],
        sigma=_PUBLISHED["sigma"],
    )


def _widths(n):
    right = _right(_SIZES, n)
    line = k.curve(_WIDTH, _SIZES, right, k.BEST, hover=_SPOKEN)
    return k.part(line, grab=k.drag("parameters", _SIZES, right), ghost=[_WIDTH], n=n)


def _model(parameters, n):
    right = float(_right(parameters, n))
    mark = k.reading(parameters, right, "at your model", hover=_SPOKEN)
    return k.part(mark, parameters=parameters, right=k.exact(right / 100, k.percent))


@k.figure
def divisor_leak(
    parameters: Annotated[int, k.Count(_SIZES, label="Numbers in the model, d", play=True)] = 100_000,
    n: Annotated[int, k.Count(_PEOPLE, label="People, n")] = 60_000,
):
    """Draw how often pure noise, divided by the data's own number, tells whether one is missing.

    Notes
    -----
    Exact: `mipbook.dpsgd.divisor_advantage`; the level is Theorem 4.1 for a published run.

    Examples
    --------
    >>> divisor_leak().layout.meta["headline"]
    '67.1% right, where 61.2% are allowed'
    """
    return _allowed, _widths, _model
