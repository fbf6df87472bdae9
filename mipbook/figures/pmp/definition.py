"""Two pages about six people, remainders of sums, and what each form of PMP allows."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, pmp, tradeoff

_MEMBERS = mip.subsets(6)
_CAST = ("Anna", "Ben", "Carla", "Dev", "Eva", "Finn")
PARTITION_HALVES = tuple("".join(_CAST[i][0] for i in np.flatnonzero(row)) for row in _MEMBERS)
_BIT, _WORD = "one bit (on a list?)", "a noisy word"
# How often the word comes, of 21 times, if it is true and if not.
_TRUE, _FALSE = 11, 10
_SAYS = {
    "nothing": "Nothing is printed.",
    "the two groups": "The two groups are printed, but not which was studied.",
    _BIT: "Is the study on a list of ten cards? The bit says {bit}.",
    _WORD: "The word is that Anna was {word}; {true} times in {all} it is true.",
    "both": "Struck / by the groups, \\ by the bit: one card escapes both.",
}
# Those with Anna stand on the left, each across from the card with the other three.
_CARDS, _FIRST = np.arange(20), np.arange(20) < 10
_ACROSS, _UP = _CARDS % 2 + 2.28 * ~_FIRST, -(np.minimum(_CARDS, _CARDS[::-1]) // 2)
_FACES, _CORNERS = np.array([-0.3, 0.0, 0.3]), k.SQUARE * [[0.465], [0.41]]
# The table on which the cards of a side lie: its middle, and its corners from there.
_TABLES, _TABLE = (0.5, 2.78), k.SQUARE * [[1.08], [2.56]]
# How the groups, and the bit, strike a card out.
_STRUCK = {
    "the two groups": (k.LEVEL.but(dash="solid", width=1.5), [-0.3, 0.3]),
    _BIT: (k.PMP.but(width=2.5), [0.3, -0.3]),
}
_SIDES = (k.IN.but(width=2), "with Anna"), (k.OUT.but(width=2), "without her")


@k.cache
def _posterior(draw, seen):
    """Return each person's chance after the release, and which draws fit it."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    word = np.where(_MEMBERS[:, :1], [_TRUE, _FALSE], [_FALSE, _TRUE]) / (_TRUE + _FALSE)
    table = dict(zip(_SAYS, (np.ones((20, 1)), split, bit, word, both), strict=True))[seen]
    output = int(table[draw - 1].argmax())
    return np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T]), table[:, output] > 0


@k.figure
def partition_picture(
    seen: Annotated[str, k.Choice(tuple(_SAYS), label="Printed")] = "the two groups",
    draw: Annotated[int, k.Draws(20, label="Draw again")] = 1,
):
    """Draw a card for each of the twenty studies that six people may have been in.

    The studies stand in the order of ``PARTITION_HALVES``, from 1; those that fit what is printed
    are lit.  Where groups are printed, the people stand in them, Anna's first.  A noisy word rules no
    card out; each side then says how much its cards count.

    References
    ----------
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> partition_picture("both", 14).layout.meta["headline"]
    '1 of 20 cards left'
    """
    chances, fits = _posterior(draw, seen)
    left, drawn = int(fits.sum()), _MEMBERS[draw - 1]
    # The group of Anna, who is the first of all.
    apart = (drawn != drawn[0]) & (seen in ("the two groups", "both"))
    place = np.argsort(np.argsort(apart, kind="stable")) + (0.5 * apart if apart.any() else 0.25)
    study, person = np.nonzero(_MEMBERS)
    across, up = _ACROSS[study] + np.tile(_FACES, 20), _UP[study]
    who, lit = np.array(_CAST)[person], fits[study]
    # Anna's odds, and how much a card of each side counts.
    noisy, weights = seen == _WORD, (_TRUE, _FALSE) if drawn[0] else (_FALSE, _TRUE)
    frames, counted, white = [], [], {"fill": "toself", "fillcolor": k.BACKGROUND[0], **k.QUIET}
    halves = fits & _FIRST, fits & ~_FIRST
    for (look, side), middle, some, weight in zip(_SIDES, _TABLES, halves, weights, strict=True):
        corners = np.array([_ACROSS[some], _UP[some]])[..., None] + _CORNERS[:, None]
        frames.append(k.area(f"table, {side}", middle + _TABLE[0], _TABLE[1] - 2, look))
        frames.append(k.curve(f"possible, {side}", *map(k.gapped, corners), look, **white))
        times, count = (" × {weight}", {"weight": weight}) if noisy else ("", {})
        counted.append(k.told(f"<b>{{number}}{times}</b> {side}", number=int(some.sum()), **count))
    strokes = []
    for printed, (look, slant) in _STRUCK.items():
        gone = ~_posterior(draw, printed)[1]
        ends = np.add.outer(_ACROSS[gone], [-0.36, 0.36]), np.add.outer(_UP[gone], slant)
        shown = {"opacity": float(seen == "both"), **k.QUIET}
        strokes.append(k.curve(f"struck by {printed}", *map(k.gapped, ends), look, **shown))
    # The card that was drawn, which the spy does not know.
    own = np.array([_ACROSS[draw - 1], _UP[draw - 1]])[:, None] + 1.06 * _CORNERS
    heads = {"size": 16, "color": [look.colour for look, _ in _SIDES]}
    plain = ("1" if c > 0.99 else "0" if c < 0.01 else "½" for c in chances)
    sure = [f"<b>{c:.3f}</b>" for c in chances] if noisy else [f"<b>{c}</b>" for c in plain]
    listed = ", ".join(f"{name} {{{name}}}" for name in _CAST)
    odds = {"true": _TRUE, "all": _TRUE + _FALSE, "odds_in": weights[0], "odds_out": weights[1]}
    large = {"size": 16 if noisy else 22, "color": k.INK}
    # Beside each other on a phone, too.
    quiet, small = {"showlegend": False}, {"showlegend": False, "size": 18}
    # What is printed: the two groups, or the list of all.
    printed_in = [[-0.45, 2.45], [3.05, 5.95]] if apart.any() else [[-0.2, 5.7]]
    boxes = [[low, high, high, low] for low, high in printed_in], [[-0.8, -0.8, 0.8, 0.8]] * len(printed_in)
    return k.part(
        frames,
        k.text("how many cards", _TABLES, [0.88] * 2, counted, textfont=heads),
        k.cast(across, up, who, name="all twenty studies", opacity=0.15, **small),
        k.cast(across[lit], up[lit], who[lit], name="who would be in each study", **small),
        strokes,
        k.curve("the study", *own, k.READING.but(width=2.5), **k.QUIET),
        k.area("who is printed together", *map(k.gapped, boxes), k.LEVEL, lower=True),
        k.cast(place, np.zeros(6), _CAST, name="the six", size=30, **quiet) | k.LOWER,
        k.text("their chance", place, [-1.35] * 6, sure, textfont=large, lower=True),
        k.text("asked", place, [-1.35] * 6, ["<b>?</b>"] * 6, meta="asked", textfont=large, lower=True),
        k.text("what they say", [2.75], [-2.15], ["how likely it is that they took part"], lower=True),
        **k.stage((-0.6, 3.88), (-4.6, 1.2), rows=(0.7, 0.02), height=480, ghost=[]),
        x2={"visible": False, "range": [-0.6, 6.1]},
        y2={"visible": False, "range": [-2.5, 0.95]},
        headline="Anna's odds: {odds_in} to {odds_out}" if noisy else "{left} of 20 cards left",
        sentence=f"{_SAYS[seen]} {'No card has gone' if noisy else 'Anna is on {hers} of {left}'}: "
        "a spy is right about her {right} (exact). The frame is round the study that was drawn.",
        alt="Twenty cards with three faces each, on the left those with Anna, on the right the others; the "
        f"drawn one has a frame; lit: {{left}}"
        f"{', the others struck out by the groups, the bit or both' * (seen == 'both')}. "
        "Below them the six people"
        f"{', in two groups of three' if apart.any() else ''}, and their chances: {listed}.",
        left=left,
        bit="yes" if pmp.design_bit()[draw - 1, 1] == 1 else "no",
        hers=int(_MEMBERS[fits, 0].sum()),
        word="in" if drawn[0] else "out",
        **k.words(**(odds if noisy else {})),
        right=k.exact(max(chances[0], 1 - chances[0]), k.in_100),
        **dict(zip(_CAST, chances.round(7), strict=True)),
    )  # fmt: skip


# --- The sum modulo 2n: how often each remainder comes up with a record in, and with it out -------

_counts = k.cache(pmp.modular_sum)


def _loose(counts):
    """Return the logarithm of the tallest bar over the shortest, at whatever remainders."""
    top, bottom = counts.loose_odds
    return math.log1p((top - bottom) / bottom)


def _curves():
    """Return both parameters at each n, the axes, and what is said around the numbers."""
    sizes = list(range(3, 28))
    exact = [_counts(n, 0).epsilon for n in sizes]
    loose = [_loose(_counts(n, 0)) for n in sizes]
    name, said = "tallest over shortest bar", "n = %{x}: %{y:.2g}"
    return k.part(
        k.curve("ε̃ (exact)", sizes, exact, k.PMP, marked=True, hover=f"ε̃ at {said}"),
        k.points(f"{name} (bound)", sizes, loose, k.PUBLISHED, hover=f"{name} at {said}"),
        x=k.axis("records drawn, n", range=[2, 28]),
        y=k.axis("ε̃", log=True, range=[-12, 0.3], dtick=3),
        x2=k.axis("remainder over 2n", range=[0, 1]),
        y2=k.axis("× even share", range=[0, 1.5]),
        rows=(0.5, 0.2),
        barmode="group",
        height=430,
        beside=0.46,
        grab=k.drag("n", sizes, exact),
        alt="Left, the PMP parameter against n from 3 to 27 on a log axis: it falls, much deeper at most "
        "even n; a diamond at n = {n}, {epsilon}. Crosses mark the ratio of the tallest to the shortest bar, "
        "{loose} here. Right, pairs of bars for the remainders 0 to {last}: how often each comes up with "
        "record {record} in and out, an even share being 1; all lie between {low} and {high}.",
    )


def _bars(n, record):
    counts = _counts(n, record)
    (top, bottom), (high, low), loose = counts.odds, counts.loose_odds, _loose(counts)
    written = "ln({top}/{bottom}) = " * (top < 10**5)
    against = "The tallest over the shortest bar gives the same."
    if counts.odds != counts.loose_odds:
        counted = "ln({high_count}/{low_count}) = " * (high < 10**4)
        against = (
            f"The tallest over the shortest bar, {counted}{{at_most}} (bound), is {{times}} times "
            "that: this cruder bound compares bars that no attacker would compare."
        )
    # In units of an even share; a remainder's two bars stand in its cell.
    even, at = counts.inside.sum() / (2 * n), (np.arange(2 * n) + 0.5) / (2 * n)
    said = "remainder %{customdata}: %{y:.4g} times an even share"
    more = {"customdata": list(range(2 * n)), "hover": said, "lower": True}
    return k.part(
        k.reading([n], [counts.epsilon], "your n"),
        k.bars("record in", at, counts.inside / even, k.IN, **more),
        k.bars("record out", at, counts.outside / even, k.OUT, "/", **more),
        headline="ε̃ = {epsilon}, without any noise",
        sentence=f"At no remainder do the two bars differ by more than ε̃ = {written}{{epsilon}} (exact). "
        f"{against} The best attack is right {{right}} times in 100.",
        **k.words(epsilon=counts.epsilon, loose=loose, at_most=k.at_most(loose)),
        **k.words(k.exact, "d", top=top, bottom=bottom, high_count=high, low_count=low),
        **k.words(times=k.exact(loose / counts.epsilon), right=k.exact(100 * counts.accuracy, digits=7), n=n),
        **k.words(record=record, last=2 * n - 1, low=low / even, high=high / even),
    )


@k.figure
def modular_sum_bars(
    n: Annotated[int, k.Slider(3, 27, step=1, play=True, label="Records drawn, n")] = 6,
    record: Annotated[int, k.Choice([0, 1, 2, 3], label="Record in question")] = 0,
):
    """Draw the shares of each remainder with the record in and out, and eps~ against n.

    Record i has the label i.

    References
    ----------
    PMP paper, Proposition 5 and the remark on n = 6.

    Examples
    --------
    >>> "38/37" in modular_sum_bars(6).layout.meta["sentence"]
    True
    """
    return _curves, _bars


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
    """Return what each form allows."""
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
    table, members, average, pair = pmp.partition_mechanism(3), _MEMBERS, (0.1, 0.1), (0.0, 1.0)
    if example == _ALONE:
        table, members = np.array([[told, 1 - told], [0.0, 1.0]]), mip.subsets(2)
        average = pair = (0.0, told)
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
    return k.part(
        k.reading(*pair, "neighbours (DP)", showlegend=True),
        k.points("averages (PMP)", *average, ring, size=20),
        grab=k.drag("told", [0.0] * len(_TOLD.stops), _TOLD.stops, "y") if example == _ALONE else [],
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
