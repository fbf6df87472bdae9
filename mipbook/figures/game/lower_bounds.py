"""The tracing attack: a live one over its theorem, what it reaches, and the lecture's picture for print."""

from typing import Annotated, Any

import numpy as np

from explorable import validate
from mipbook import game, tradeoff
from mipbook.figures import kit

_DELTA = 1e-5
_RECORDS = 100
# Squares, so that the attack feels few different signals, each packed once.
_ROOTS = (5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40)
_GAMES = [0, *range(1, 10), 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 600, 800, 1000]
_THRESHOLDS = np.linspace(-1, 4, 41)
# Where the densities are drawn, in standard deviations; every threshold is among them.
_Z = np.linspace(-4, 8, 97)
_BINS = np.linspace(-4, 8, 41)
_RATES = np.concatenate([np.geomspace(1e-5, 0.5, 90), np.linspace(0.52, 1, 13)])
_COARSE = np.concatenate([np.geomspace(1e-5, 0.5, 34), np.linspace(0.6, 1, 5)])
_TOP = 0.43
_UNNAMED = {"showlegend": False}
_SPOKEN = "accuse %{x:.2%}, find %{y:.1%}"
# With the target out and in: the density, the area under it, what was played, and the look.
_SIDES = (
    ("Zoe is out (exact)", "FPR: out, but accused", "played, Zoe out (estimate)", kit.OUT, "/"),
    ("Zoe is in (exact)", "TPR: in, and found", "played, Zoe in (estimate)", kit.IN, "."),
)


@kit.cache
def _alike(signal):
    """Return the attack on one query that feels as much; measured in its own noise it is equal."""
    return game.TracingAttack(1, 1, 1 / signal)


def _signal(k, sigma):
    return round(game.TracingAttack(k, _RECORDS, sigma).signal, 12)


def _densities(signal, z):
    """Return the densities of the statistic, in standard deviations, without the target and with it."""
    return np.asarray(_alike(signal).densities(z / signal)) / signal


def _plane(k, sigma):
    """Return both bells, the ROC curve, the mechanism's own epsilon, and the axes."""
    signal = _signal(k, sigma)
    attack, at = _alike(signal), _THRESHOLDS / signal
    densities = zip(_SIDES, _densities(signal, _Z), strict=True)
    best = tradeoff.gaussian_tpr(_RATES, 1 / signal)
    return kit.part(
        [kit.curve(name, _Z, law, look, hover=name) for (name, _, _, look, _), law in densities],
        kit.curve("best attack (exact)", _RATES, best, kit.BEST, hover=_SPOKEN, lower=True),
        kit.level("a coin toss (exact)", _RATES, _RATES, **_UNNAMED, lower=True),
        x=kit.axis("the sum z, in its standard deviations", range=[-3.6, 7.6], dtick=2),
        y=kit.axis("density", range=[0, 0.46], dtick=0.1),
        x2=kit.axis("accused, FPR", log=True, range=[-5, 0.05], dtick=2),
        y2=kit.axis("found, TPR", range=[-0.02, 1.02], dtick=0.25),
        rows=(0.5, 0.24),
        barmode="overlay",
        bargap=0,
        height=420,
        headline="{found} found",
        sentence="The spy finds {found} members and wrongly accuses {accused} others (exact). So "
        "ε ≥ {proven} (bound). The mechanism's own ε is {own} (exact), both at δ = {delta}.",
        alt="Two bell curves of the statistic, in standard deviations: one around 0, one around {signal}. "
        "Right of the threshold {threshold} lie {fpr} of the first and {tpr} of the second. Beside them the "
        "ROC curve with that point, the edge of DP through it, and the band of the games that were played.",
        beside=0.54,
        probe=["best attack (exact)"],
        grab=[*kit.drag("threshold", at=_TOP), *kit.drag("threshold", attack.fpr(at), attack.tpr(at), "x2")],
        **kit.words(own=attack.epsilon(_DELTA), delta=_DELTA, signal=signal),
    )


def _games(k, sigma, games):
    """Return what was played: the games piled up under the bells, and their ROC curve."""
    signal = _signal(k, sigma)
    # The first so many of always the same games.
    played = _alike(signal).play(_GAMES[-1], np.random.default_rng(40))
    scores, member = played.scores[:games] * signal, played.member[:games]
    traces = []
    for side, (_, _, name, look, pattern) in enumerate(_SIDES):
        counts, _ = np.histogram(scores[member == bool(side)], _BINS)
        # All games together fill both bells.
        heights = counts / (_GAMES[-1] / 2 * (_BINS[1] - _BINS[0]))
        more = {"customdata": counts, "hover": "%{customdata} games", **_UNNAMED}
        pile = kit.bars(name, (_BINS[1:] + _BINS[:-1]) / 2, heights, look, pattern, **more)
        pile["marker"]["color"] = kit.fill(look.colour)
        traces.append(pile)
    at, found, low, high = [], [], [], []
    # One side alone has no curve.
    if 0 < member.sum() < member.size:
        curve, at = game.roc(scores, member), _COARSE
        found, (low, high) = curve.tpr_at(at), curve.tpr_band(at, simultaneous=True)
    look = kit.ATTACK.estimate()
    return kit.part(
        traces,
        kit.band("95% band of the games", at, low, high, look, **_UNNAMED, lower=True),
        kit.curve("games played (estimate, 95% band)", at, found, look, lower=True),
    )


def _beyond(k, sigma, threshold):
    """Return the areas beyond the threshold, the point on the curve, and what it proves."""
    signal = _signal(k, sigma)
    attack, at = _alike(signal), threshold / signal
    fpr, tpr, proven = attack.fpr(at), attack.tpr(at), attack.certified_epsilon(at, _DELTA)
    beyond = np.concatenate([[threshold], _Z[threshold < _Z]])
    areas = []
    for (_, area, _, look, shape), law in zip(_SIDES, _densities(signal, beyond), strict=True):
        filled = {"fill": "tozeroy", "fillcolor": kit.fill(look.colour), "line": {"width": 0}}
        filled["fillpattern"] = {"shape": shape, "fgcolor": look.colour, "size": 8, "solidity": 0.25}
        areas.append(kit.curve(area, beyond, law, look, hoverinfo="skip", **filled, **_UNNAMED))
    edge = tradeoff.dp_tpr(_COARSE, proven, _DELTA)
    return kit.part(
        areas,
        kit.level("threshold", [threshold, threshold], [0, _TOP], **_UNNAMED),
        kit.curve("DP with the ε proven (bound)", _COARSE, edge, kit.DP.bound(), lower=True),
        kit.reading(fpr, tpr, "your threshold", hover=_SPOKEN, lower=True),
        **kit.words(kit.exact, kit.people, found=tpr, accused=fpr),
        **kit.words(kit.exact, kit.percent, tpr=tpr, fpr=fpr),
        **kit.words(proven=kit.at_least(proven), threshold=threshold),
    )


@kit.figure
def tracing(
    threshold: Annotated[float, kit.Stops(_THRESHOLDS.tolist(), label="Say “in” from z =", play=True)] = 2.0,
    k: Annotated[int, kit.Count([root**2 for root in _ROOTS], label="Averages, k")] = 400,
    sigma: Annotated[float, kit.Stops([0.1, 0.2, 0.4], label="Noise, σ")] = 0.1,
    games: Annotated[int, kit.Count(_GAMES, label="Games played", play=True)] = 0,
):
    """Draw the tracing attack: both densities, its ROC curve, and the epsilon it certifies.

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4, for 100 records of which one is
    replaced; delta is 1e-5.  The statistic is drawn in units of its own standard deviation,
    so that only r = sqrt(k) / (n sigma) moves the picture.

    Examples
    --------
    >>> "ε ≥ 3.09 (bound)" in tracing().layout.meta["sentence"]
    True
    """
    return _plane, _games, _beyond


_QUERIES = np.unique(np.round(np.geomspace(1, 100_000, 101)).astype(int))
_BUDGETS = kit.LogSlider(0.1, 100, 1.0, points=31, label="Budget, ε", play=True)
_FIXED = "fixed noise: the mechanism's ε (exact)"
_PROVEN = "fixed noise: what the attack proves (bound)"
_TOLD = "%{x:,.0f} queries: ε = %{y:.3g}"


def _proven(signal):
    """Return what the attack proves at its threshold, the statistic's mean with the target."""
    attack = _alike(signal)
    return float(attack.certified_epsilon(attack.shift, _DELTA))


@kit.cache
def _fixed(precision):
    """Return the mechanism's epsilon at each number of queries, and what the attack proves.

    The attack feels ``sqrt(k) / precision``, where the precision is n sigma.
    """
    signals = np.sqrt(_QUERIES) / precision
    own = np.asarray(tradeoff.gaussian_epsilon(_DELTA, sigma=1.0, sensitivity=signals))
    return own, np.array([_proven(float(signal)) for signal in signals])


@kit.cache
def _factor(epsilon):
    """Return the noise, in units of the sensitivity, that spends just this epsilon."""
    return float(tradeoff.gaussian_sigma(epsilon, delta=_DELTA))


def _frame():
    return kit.part(
        x=kit.axis("counting queries, k", log=True, range=[0, 5]),
        y=kit.axis("ε", log=True, range=[-2, 4]),
        height=420,
        probe=[_FIXED, _PROVEN],
        grab=kit.drag("epsilon", along="y"),
    )


def _rising(n, sigma):
    own, proven = _fixed(round(n * sigma, 9))
    look = kit.BEST.bound().with_symbol("circle-open")
    return kit.part(
        kit.curve(_FIXED, _QUERIES, own, kit.BEST, hover=_TOLD),
        kit.curve(_PROVEN, _QUERIES, proven, look, hover=_TOLD),
        **kit.words(sigma=sigma, last=own[-1]),
    )


def _budget(epsilon):
    """Return the two level lines of noise that spends the budget at every number of queries."""
    factor, ends = _factor(epsilon), [1, 100_000]
    proven, bound = _proven(1 / factor), kit.DP.bound()
    return kit.part(
        kit.level("noise that keeps pace: its ε, your budget (exact)", ends, epsilon, kit.DP),
        kit.level("noise that keeps pace: what the attack proves (bound)", ends, proven, bound),
        **kit.words(epsilon=epsilon, factor=factor, proven=kit.at_least(proven)),
    )


def _answered(n, sigma, epsilon):
    """Return how many queries the budget pays for with this noise."""
    k = int((n * sigma / _factor(epsilon)) ** 2)
    drawn = np.array([k] if 1 <= k <= _QUERIES[-1] else [])
    told = kit.exact(k, kit.count if k < 10**6 else kit.say)
    return kit.part(
        kit.reading(drawn, np.full(drawn.shape, epsilon), "where the budget is spent", hover=_TOLD),
        headline="{queries} answered",
        sentence="With σ = {sigma} fixed, ε = {epsilon} pays for {queries} (exact; δ = {delta}, one of {n} "
        "records replaced). Noise of {factor} √k / n stays at that ε for every k; the attack proves only "
        "{proven} (bound).",
        alt="ε against the number of queries k on logarithmic axes, for n = {plain}. Two curves rise for "
        "noise fixed at {sigma}: the mechanism's ε, {last} at the right end, and below it what the attack "
        "proves. Two level lines for noise that grows like the square root of k stand at {epsilon} and "
        "{proven}; the first is met at k = {k}.",
        **kit.words(k=told, queries="1 query" if k == 1 else kit.told("{k} queries", k=told), n=n),
        **kit.words(plain=kit.exact(n, ".0f"), delta=_DELTA),
    )


@kit.figure
def tracing_law(
    epsilon: Annotated[float, _BUDGETS] = 1.0,
    sigma: Annotated[float, kit.LogSlider(0.001, 1, 0.1, points=31, label="Fixed noise, σ", play=True)] = 0.1,
    n: Annotated[int, kit.Count([10, 100, 1000, 10_000], label="Records, n")] = 100,
):
    """Draw epsilon against the number of queries, for fixed noise and for noise that keeps pace.

    Notes
    -----
    Lecture notes, Theorem 2, for a record replaced and delta = 1e-5.  The growing noise is the
    least that keeps the budget, a constant times ``sqrt(k) / n``.

    Examples
    --------
    >>> len(tracing_law().data)
    5
    """
    return _frame, _rising, _budget, _answered


def tracing_print(k: int = 400, n: int = 100, sigma: float = 0.1, threshold: float = 3.0):
    """Draw the lecture's figure for print: the statistic with and without the target.

    Parameters
    ----------
    k, n : int
        Queries and records, each in [1, 100,000].
    threshold : float
        Where the attacker begins to say *in*, in the statistic's own units.

    Notes
    -----
    Lecture notes, figure of section 4; replace-one neighbours.

    Examples
    --------
    >>> len(tracing_print().axes[0].lines)
    3
    """
    # Only print pictures need matplotlib, which is slow to import.
    from mipbook.figures.printed import PrintFigure

    k = validate.integer("k", k, 1, 100_000)
    n = validate.integer("n", n, 1, 100_000)
    sigma = validate.number("sigma", sigma, 0.001, 100.0)
    threshold = validate.number("threshold", threshold)
    attack = game.TracingAttack(k, n, sigma)
    z = np.linspace(-4 * attack.spread, attack.shift + 4 * attack.spread, 401)
    out, inside = attack.densities(z)
    picture = PrintFigure(figsize=(6.4, 3.2), dpi=160, layout="constrained")
    plane = picture.subplots()
    plane.plot(z, out, "--", color=kit.OUT.colour, label="b = 0, target out: N(0, kσ²)")
    plane.plot(z, inside, color=kit.IN.colour, label="b = 1, target in: N(k/n, kσ²)")
    for law, look, hatch, name in ((inside, kit.IN, "..", "TPR"), (out, kit.OUT, "//", "FPR")):
        shade: dict[str, Any] = {"color": look.colour, "alpha": 0.25, "hatch": hatch, "label": name}
        plane.fill_between(z, law, where=z >= threshold, **shade)
    plane.axvline(threshold, color=kit.LEVEL.colour, linestyle=":", label="threshold τ")
    plane.set(xlabel="statistic z = ⟨y, x⟩", ylabel="density", ylim=(0, None))
    plane.legend(frameon=False, fontsize=8)
    return picture
