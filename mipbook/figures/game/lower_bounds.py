"""The tracing attack: hints added up, what it reaches, and the lecture's picture for print."""

from typing import Annotated

import numpy as np

from explorable import validate
from mipbook import game, tradeoff
from mipbook.figures import kit

_DELTA = 1e-5
_RECORDS = 100
# Squares, so that both bells widen evenly while hints are added.
_HINTS = [root**2 for root in range(1, 21)]
# So many walks of each kind, drawn at so many hints each; and where a bell is drawn, in deviations.
_WALKS, _STEPS = 6, np.arange(0, _HINTS[-1] + 1, 4)
_WIDTHS = np.linspace(-2.6, 2.6, 49)
# How wide a bell is drawn behind the end of its walks, and how many of a thousand stand in a column.
_BULGE, _HIGH = 105, 13
_UNNAMED = {"showlegend": False}
# With Zoe out and in: the walks, the bell where they end, what of it is beyond the line, and the look.
_SIDES = (
    ("hints without Zoe", "Zoe is out (exact)", "FPR: out, but accused", kit.OUT, "/"),
    ("hints with Zoe", "Zoe is in (exact)", "TPR: in, and found", kit.IN, "."),
)


@kit.cache
def _walks(sigma):
    """Return the sums of the hints, a walk a row: without Zoe pure noise, with her a drift as well."""
    noise = np.random.default_rng(1013).standard_normal((2, _WALKS, _HINTS[-1]))
    sums = np.cumsum(sigma * noise + np.array([0, 1 / _RECORDS])[:, None, None], axis=2)
    return np.concatenate([np.zeros((2, _WALKS, 1)), sums], axis=2)


def _field(many):
    """Return where so many of the thousand strangers stand, the accused first."""
    return np.divmod(np.arange(many), _HIGH) * np.array([[1], [-1]])


def _stage(sigma):
    """Return the axes, as far as the bells go with this noise, and the thousand others."""
    far, place = max(2.6 * sigma * _HINTS[-1] ** 0.5, 4.2), {"xanchor": "left", "yanchor": "bottom"}
    # Above the picture and at its foot, where no line of the spy comes.
    words = [
        kit.note("<b>six walks with Zoe</b>", 0, 1, yref="paper", font={"color": kit.IN.colour}, **place)
    ]
    words += [kit.note("<b>six without her</b>", 2, -far, font={"color": kit.OUT.colour}, **place)]
    place |= {"xref": "x2", "yref": "y2", "yanchor": "top"}
    return kit.part(
        kit.heads(
            "a thousand strangers", *_field(1000), kit.LEVEL, size=1.2, opacity=0.6, **_UNNAMED, lower=True
        ),
        x=kit.axis("", {0: "0", 200: "200", 400: "400 hints"}, range=[-4, 525], showgrid=False),
        y=kit.axis("the hints, added up: z", range=[-far, far + _HINTS[-1] / _RECORDS], dtick=4),
        x2=kit.unseen(-1, 79),
        y2=kit.unseen(-_HIGH - 3.5, 4),
        rows=(0.6, 0.1),
        moving_axes="twice the noise strays twice as far",
        height=510,
        layout={"margin": {"t": 34, "b": 12}},
        annotations=[kit.note("a thousand strangers", -0.5, -_HIGH, **place), *words],
        showlegend=False,
        ghost=[],
        grab=kit.drag("threshold", at=480, along="y"),
        headline="{accused} accused",
        sentence="With Zoe the spy says “in” {found} (exact){often}. That proves {proven}; "
        "in truth ε is {own} (exact, δ = {delta}).",
        alt="Twelve jagged walks, the sums of {k} hints: six without Zoe stray around 0, six with her drift "
        "towards {shift}. At their ends stand two bells. Above the line {threshold} lie {tpr} of the bell "
        "with Zoe and {fpr} of the one without her; of a field of a thousand others as many are marked.",
    )


def _ends(k, sigma):
    """Return the walks as far as they have come, and the bells in which they end."""
    attack, steps = game.TracingAttack(k, _RECORDS, sigma), np.append(_STEPS[k > _STEPS], k)
    own, traces = kit.exact(attack.epsilon(_DELTA)), []
    for (name, bell, _, look, _), sums, centre in zip(_SIDES, _walks(sigma), (0, attack.shift), strict=True):
        dash = "7px,2px" if look is kit.OUT else "solid"
        x, y = kit.gapped([steps] * _WALKS), kit.gapped(kit.short(sums[:, steps]))
        traces.append(kit.curve(name, x, y, look.but(width=1.5, dash=dash), hoverinfo="skip", opacity=0.7))
        heights, places = _bell(attack, centre, -np.inf)
        traces.append(kit.curve(bell, k + heights, places, look, hover=bell, fill="toself", **_UNNAMED))
    return kit.part(traces, k=k, own=own, **kit.words(delta=_DELTA, shift=attack.shift))


def _bell(attack, centre, low):
    """Return how far a bell bulges at each place from ``low`` on, and the places."""
    places = centre + _WIDTHS * attack.spread
    places = places if np.isinf(low) else np.concatenate([[low], places[places > low]])
    return _BULGE * np.exp(-(((places - centre) / attack.spread) ** 2) / 2), places


def _of_1000(rate):
    """Write a rate as people of the field."""
    return f"{count} of 1,000" if (count := round(1000 * rate)) else "below 1 of 1,000"


def _seldom(rate):
    """Write how often Zoe is found, of very rarely as once in so many times."""
    return kit.in_100(rate) if rate > 0.01 else f"once in {kit.say(1 / rate)} times"


def _beyond(k, sigma, threshold):
    """Return what of the bells is beyond the spy's line, the others accused, and what it proves."""
    attack, areas = game.TracingAttack(k, _RECORDS, sigma), []
    fpr, tpr = attack.fpr(threshold), attack.tpr(threshold)
    proven = float(attack.certified_epsilon(threshold, _DELTA))
    for (_, _, area, look, shape), centre in zip(_SIDES, (0, attack.shift), strict=True):
        heights, places = _bell(attack, centre, threshold)
        x, y = np.concatenate([[k], k + heights, [k]]), np.concatenate([[threshold], places, places[-1:]])
        pattern = {"shape": shape, "fgcolor": look.colour, "size": 8, "solidity": 0.25}
        areas.append(kit.area(area, x, y, look, fillpattern=pattern))
    sides = zip(_field(round(1000 * fpr)), 0.37 * kit.SQUARE, strict=True)
    squares, filled = (kit.gapped(np.add.outer(*each)) or [None] for each in sides), kit.OUT.colour
    often = ""
    if proven:
        # What he says of one side proves more.
        said_in, said_out = tpr / fpr, (1 - fpr) / (1 - tpr)
        often = ", {times} times as often as without her"
        often = often if said_in >= said_out else ", and “out” {times} times as seldom as without her"
        often = kit.told(often, times=kit.exact(max(said_in, said_out)))
    at, side = (2, "left") if k > 150 else (460, "right")  # beside the walks, while they are short
    return kit.part(
        areas,
        kit.level("the line of the spy", [-4, 525], threshold, kit.READING),
        kit.area("accused, though they took no part", *squares, kit.OUT, fillcolor=filled, lower=True),
        annotations=[kit.note("he says “in” above", at, threshold, xanchor=side, yanchor="bottom")],
        accused=kit.exact(fpr, _of_1000),
        found=kit.exact(tpr, _seldom) if tpr >= 5e-4 else "hardly ever",
        often=often,
        proven=kit.told("ε ≥ {least} (bound)", least=kit.at_least(proven)) if proven else "nothing",
        **kit.words(kit.exact, kit.percent, tpr=tpr, fpr=fpr),
        **kit.words(threshold=threshold),
    )


@kit.figure
def tracing(
    k: Annotated[int, kit.Count(_HINTS, label="Hints added", play=True)] = 400,
    threshold: Annotated[float, kit.Stops(np.linspace(-2, 8, 41).tolist(), label="Say “in” above z =")] = 4.0,
    sigma: Annotated[float, kit.Stops([0.05, 0.1, 0.2], label="Noise on each, σ")] = 0.1,
):
    """Draw the tracing attack as what it is: hints added up, with Zoe and without her.

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4, for 100 records of which one is
    replaced; delta is 1e-5.

    Examples
    --------
    >>> tracing().layout.meta["headline"]
    '23 of 1,000 accused'
    """
    return _stage, _ends, _beyond


_QUERIES = np.unique(np.round(np.geomspace(1, 100_000, 101)).astype(int))
_FIXED = "fixed noise: the mechanism's ε (exact)"
_PROVEN = "fixed noise: what the attack proves (bound)"
_TOLD = "%{x:,.0f} queries: ε = %{y:.3g}"


def _proven(signal):
    """Return what the attack proves at its threshold, the statistic's mean with the target."""
    # On one query that feels as much, measured in its own noise, the attack is equal.
    attack = game.TracingAttack(1, 1, 1 / signal)
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


def _rising(n, sigma):
    """Return the axes, and the two curves of noise that stays as it is."""
    own, proven = _fixed(round(n * sigma, 9))
    look = kit.BEST.bound().with_symbol("circle-open")
    return kit.part(
        kit.curve(_FIXED, _QUERIES, own, kit.BEST, hover=_TOLD),
        kit.curve(_PROVEN, _QUERIES, proven, look, hover=_TOLD),
        x=kit.axis("counting queries, k", log=True, range=[0, 5]),
        y=kit.axis("ε", log=True, range=[-2, 4]),
        height=420,
        probe=[_FIXED, _PROVEN],
        grab=kit.drag("epsilon", along="y"),
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
        kit.reading(drawn, epsilon, "where the budget is spent", hover=_TOLD),
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
    epsilon: Annotated[float, kit.LogSlider(0.1, 100, 1.0, points=31, label="Budget, ε", play=True)] = 1.0,
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
    return _rising, _budget, _answered


_SMALL, _MOST, _END, _HEAD, _ROW, _BAR = 150, 1000, 1050, 50, -36, -178
# The shoulders of a head, from its middle.
_TURN = np.linspace(0, np.pi, 13)
_SHOULDERS = 19 * np.append(np.cos(_TURN), 1), np.append(52 * np.sin(_TURN), 0) - 82


def _block(count):
    """Return the outline of so many tiles, laid row on column to a block that is about as wide as high."""
    side = int(count**0.5)
    left = count - side**2
    # What is left lies on top; when that row is full, it stands beside the block.
    far, low, back = (side + 1, left - side, side) if left > side else (side, side, left)
    return np.array([[0, far, far, back, back, 0, 0], [0, 0, low, low, side + 1, side + 1, 0]])


@kit.figure
def questions_paid(
    people: Annotated[int, kit.Slider(100, _MOST, 150, step=_HEAD, label="People asked", play=True)] = 150,
    sigma: Annotated[float, kit.Choice([0.05, 0.1], label="Noise on each, σ")] = 0.1,
):
    """Draw how many questions a budget of 1 pays for, a block as wide and as high as the people are many.

    Notes
    -----
    Lecture notes, Theorem 2, for a record replaced and delta = 1e-5.

    Examples
    --------
    >>> questions_paid(300).layout.meta["headline"]
    '64 questions paid for'
    """
    wider = _factor(1.0) / sigma  # with so many people more the block is a tile wider, and higher
    first, count = (int((each / wider) ** 2) for each in (_SMALL, people))
    wall, heads = wider * np.arange(np.ceil(_MOST / wider) + 1), np.arange(_HEAD / 2, people, _HEAD)
    still, along = kit.gapped(np.stack([wall, wall], axis=1)), kit.gapped([wall[[0, -1]]] * wall.size)
    middles = heads, np.full(heads.size, _ROW)
    shoulders = [kit.gapped(np.add.outer(*side)) for side in zip(middles, _SHOULDERS, strict=True)]
    # More than fewer people pay for, it is an outline and hides nothing of that.
    dark = kit.READING.colour if people >= _SMALL else "rgba(0,0,0,0)"
    return kit.part(
        kit.area("not paid for", *wall[[[0, -1, -1, 0], [0, 0, -1, -1]]], kit.LEVEL, opacity=0.6),
        kit.area("questions", *wider * _block(count), kit.IN, fillcolor=kit.IN.colour),
        kit.area("the first questions", *wider * _block(first), kit.READING, fillcolor=dark),
        kit.curve("between", still + along, along + still, kit.Look(kit.BACKGROUND[0]), **kit.QUIET),
        kit.points("the people", heads, _ROW, kit.READING.with_symbol("circle"), size=9, **kit.QUIET),
        kit.area("their shoulders", *shoulders, kit.READING, fillcolor=kit.READING.colour),
        kit.level("their row", [0, people], _BAR, kit.LEVEL.but(dash="solid", width=2), **kit.QUIET),
        x=kit.axis(
            "a head: 50 people; a tile: a question",
            range=[-5, _END],
            showgrid=False,
            dtick=250,
            tickformat=",",
        ),
        y=kit.unseen(-255, _END),
        height=420,
        showlegend=False,
        ghost=[],
        grab=kit.drag("people", at=_BAR),
        headline="{count} paid for",
        sentence="With noise {sigma} on each answer, a budget of ε\u00a0=\u00a01 pays for {count} to "
        "{people} people (exact, δ\u00a0=\u00a0{delta}): the block grows in width "
        "and in height with the row of people.",
        alt="A wall of pale tiles, of which {count} in a corner are lit, a block about as wide as the row of "
        "heads below it, {people} people; a dark block in the corner is what {small} people pay for.",
        **kit.words(people=people, small=_SMALL, sigma=sigma, delta=_DELTA),
        count=kit.exact(count, lambda count: f"{count} question{'s' * (count > 1)}"),
    )


def tracing_print(k: int = 400, n: int = 100, sigma: float = 0.1):
    """Draw the lecture's figure for print: the statistic with and without the target.

    The attacker says *in* from 3 on.

    Parameters
    ----------
    k, n : int
        Queries and records, each in [1, 100,000].

    Notes
    -----
    Lecture notes, figure of section 4; replace-one neighbours.

    Examples
    --------
    >>> len(tracing_print().axes[0].lines)
    3
    """
    k, n = (validate.integer(name, each, 1, 100_000) for name, each in (("k", k), ("n", n)))
    attack, threshold = game.TracingAttack(k, n, validate.number("sigma", sigma, 0.001, 100.0)), 3.0
    z = np.linspace(-4 * attack.spread, attack.shift + 4 * attack.spread, 401)
    out, inside = attack.densities(z)
    picture = kit.print_figure(figsize=(6.4, 3.2), dpi=160, layout="constrained")
    plane = picture.subplots()
    plane.plot(z, out, "--", color=kit.OUT.colour, label="b = 0, target out: N(0, kσ²)")
    plane.plot(z, inside, color=kit.IN.colour, label="b = 1, target in: N(k/n, kσ²)")
    for law, look, hatch, name in ((inside, kit.IN, "..", "TPR"), (out, kit.OUT, "//", "FPR")):
        shade = {"color": look.colour, "alpha": 0.25, "hatch": hatch, "label": name}
        plane.fill_between(z, law, where=z >= threshold, **shade)
    plane.axvline(threshold, color=kit.LEVEL.colour, linestyle=":", label="threshold τ")
    plane.set(xlabel="statistic z = ⟨y, x⟩", ylabel="density", ylim=(0, None))
    plane.legend(frameon=False, fontsize=8)
    return picture
