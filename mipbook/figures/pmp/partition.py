"""Two releases that say nothing about anybody, and together say everything."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, pmp
from mipbook.mechanisms import exponential_probabilities, randomised_response

_MEMBERS = mip.subsets(6)
_NAMES = "ABCDEF"
PARTITION_HALVES = tuple("".join(_NAMES[i] for i in np.flatnonzero(row)) for row in _MEMBERS)
# The twenty draws stand in five columns, the first on top.
_COLUMN, _ROW = np.arange(20) % 5, 3 - np.arange(20) // 5
_SAYS = {
    "nothing": "Nothing is released: {left} of 20 possible draws {fits} (exact). Every chance is one half, ε "
    "is 0.",
    "the two groups": "The two groups are printed, not which one was drawn: {left} of 20 possible draws "
    "{fits} (exact). Yet every chance is still one half: this release is 0-PMP (exact).",
    "the bit": "One bit is printed, whether the three form a block; it says {bit}: {left} of 20 possible "
    "draws {fits} (exact). Every chance is still one half: this release is 0-PMP (exact).",
    "both": "The two groups are printed, and one bit, which says {bit}: {left} of 20 possible draws {fits} "
    "(exact). Each release alone is 0-PMP. Together the chances are 0 and 1, and ε is infinite (exact).",
}


@k.cache
def _posterior(draw, seen):
    """Return each person's chance after the release, and which draws fit it."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    table = {"nothing": np.ones((20, 1)), "the two groups": split, "the bit": bit, "both": both}[seen]
    output = int(table[draw - 1].argmax())
    return np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T]), table[:, output] > 0


def _draws(draw, fits):
    """Return the twenty draws: the true one, those that still fit, those ruled out."""
    names = np.array(PARTITION_HALVES)
    for name, those, look, size, width in (
        ("ruled out", ~fits, k.LEVEL.with_symbol("x-thin-open"), 26, 1),
        ("still possible", fits, k.PMP.with_symbol("circle-open"), 30, 2.5),
        ("the true draw", np.arange(20) == draw - 1, k.IN.with_symbol("square-open"), 38, 2.5),
    ):
        more = {"text": names[those].tolist(), "textfont": {"color": k.INK}, "hover": f"%{{text}}: {name}"}
        more["mode"] = "markers" if name == "the true draw" else "markers+text"
        mark = k.points(name, _COLUMN[those], _ROW[those], look, size=size, **more)
        # Thin enough to read the names of those that are crossed out.
        mark["marker"]["line"]["width"] = width
        yield mark


def _people(chances, half, grouped):
    """Return the frames around the people, and a mark for each, by what is known of him or her."""
    frames = ((0.56, 1.44), (-0.44, 0.44)) if grouped else ((-0.44, 1.44),) * 2
    # The pool has its frame twice, to keep two traces.
    names = ("one group", "the other group") if grouped else ("the pool", "the pool's edge")
    more = {"lower": True, "showlegend": False}
    for (low, high), name in zip(frames, names, strict=True):
        outline = [-0.5, 2.5, 2.5, -0.5, -0.5], [low, low, high, high, low]
        yield k.level(name, *outline, replace(k.LEVEL, dash="dash", width=2), **more)
    # In the order of the names, or in the two groups, A's above.
    first = [i for i, c in enumerate(_NAMES) if (c in half) == ("A" in half)] if grouped else [0, 1, 2]
    second = [i for i in range(6) if i not in first]
    x, y = np.empty(6), np.empty(6)
    x[first + second], y[first + second] = [0, 1, 2] * 2, [1] * 3 + [0] * 3
    for name, those, look, chance in (
        ("surely drawn", chances > 0.999, k.IN.with_symbol("square"), "1"),
        ("surely not drawn", chances < 0.001, k.OUT.with_symbol("x"), "0"),
        ("either, at even odds", np.abs(chances - 0.5) < 0.499, k.LEVEL, "½"),
    ):
        text = {
            "mode": "markers+text",
            "text": [f"{_NAMES[i]}: {chance}" for i in np.flatnonzero(those)],
            "textposition": "top center",
            "textfont": {"color": k.INK, "size": 15},
            "customdata": chances[those].tolist(),
            "hover": f"%{{text}}, {name}",
        }
        yield k.points(name, x[those], y[those] - 0.12, look, size=16, lower=True, **text)


@k.figure
def partition_picture(
    seen: Annotated[str, k.Choice(tuple(_SAYS), label="Released")] = "the two groups",
    draw: Annotated[int, k.Slider(1, 20, step=1, play=True, label="Draw, 1 to 20")] = 1,
):
    """Draw six people, what is released about who was drawn, and what it says of each.

    The draws are numbered in the order of ``PARTITION_HALVES``, from 1.

    References
    ----------
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> "1 of 20" in partition_picture("both", 14).layout.meta["sentence"]
    True
    """
    (chances, fits), half = _posterior(draw, seen), PARTITION_HALVES[draw - 1]
    grouped, left = seen in ("the two groups", "both"), int(fits.sum())
    known = "all six named" if seen == "both" else "everybody at ½"
    hidden = {"visible": False}
    listed = ", ".join(f"{name} {{{name}}}" for name in _NAMES)
    return k.part(
        _draws(draw, fits),
        _people(chances, half, grouped),
        x=hidden | {"range": [-0.6, 4.6]},
        y=hidden | {"range": [-0.6, 3.6]},
        x2=hidden | {"range": [-0.7, 2.7]},
        y2=hidden | {"range": [-0.6, 1.6]},
        rows=(0.55, 0.06),
        height=400,
        beside=0.55,
        # Beside the name, so that it can be read.
        grab=k.drag("draw", _COLUMN - 0.42, _ROW),
        headline=f"{{left}} of 20 draws left, {known}",
        sentence=_SAYS[seen],
        alt="Left, the twenty possible draws, {left} of them marked as still possible, the true one, {half}, "
        "framed. Right, the six people A to F, "
        f"{'in two dashed groups of three' if grouped else 'in one dashed frame'}; the chance that each was "
        f"drawn is {listed}.",
        left=left,
        fits="fits" if left == 1 else "fit",
        bit="yes" if pmp.design_bit()[draw - 1, 1] == 1 else "no",
        half=half,
        **dict(zip(_NAMES, chances.round(3), strict=True)),
    )


# --- The sum modulo 2n: how often each remainder comes up with a record in, and with it out -------

_SIZES = range(3, 28)
_counts = k.cache(pmp.modular_sum)


def _loose(counts):
    """Return the logarithm of the tallest bar over the shortest, at whatever remainders."""
    top, bottom = counts.loose_odds
    return math.log1p((top - bottom) / bottom)


def _curves():
    """Return both parameters at each n, the axes, and what is said around the numbers."""
    sizes, found = list(_SIZES), [_counts(n, 0) for n in _SIZES]
    exact, loose = [each.epsilon for each in found], [_loose(each) for each in found]
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
    written = "ln({top}/{bottom}) = " if top < 10**5 else ""
    written_loose = "ln({high_count}/{low_count}) = " if high < 10**4 else ""
    against = (
        "The tallest over the shortest bar gives the same."
        if counts.odds == counts.loose_odds
        else f"The tallest over the shortest bar, {written_loose}{{at_most}} (bound), is {{times}} times "
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
        f"{against} The best attack is right {{right}} of the time (exact).",
        epsilon=counts.epsilon,
        top=k.exact(top, "d"),
        bottom=k.exact(bottom, "d"),
        high_count=k.exact(high, "d"),
        low_count=k.exact(low, "d"),
        loose=loose,
        at_most=k.at_most(loose),
        times=k.exact(loose / counts.epsilon),
        right=k.exact(counts.accuracy, k.percent, 7),
        n=n,
        record=record,
        last=2 * n - 1,
        low=low / even,
        high=high / even,
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


# --- How often the best attacker is right, against the epsilon that promises it -------------------

_MECHANISMS = ("randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3")
_EPSILON = k.Slider(0.0, 8.0, 3.0, step=0.25, label="Built for ε")
_GRID = np.linspace(0, 8, 65)


def _mechanism(name, epsilon):
    """Return the table on all subsets, and who is in each."""
    if name == _MECHANISMS[0]:
        return randomised_response(epsilon), mip.subsets(2)
    members = mip.subsets(6)
    if name == _MECHANISMS[1]:
        return randomised_response(epsilon, 6)[members @ np.arange(6) % 6], members
    # Six numbers of size at most 3, and three objects: the one closest on average is best.  The
    # largest change by one number is from 0 to 4, over n.
    numbers, objects = np.array([[-3.0], [-1.5], [-0.5], [0.5], [1.5], [3.0]]), np.array([-1.0, 0.0, 1.0])
    return exponential_probabilities(members @ np.abs(numbers - objects) / 3, epsilon, 4 / 3), members


@k.cache
def _measured(name, epsilon, delta):
    """Return epsilon and best accuracy, for the worst-case and for the practical attacker."""
    table, members = _mechanism(name, epsilon)
    known = float(pmp.success_bound(0.0, pmp.finite_dp_delta(table, members, 0.0)))
    right = float(mip.record_accuracies(table, members).max())
    worst = pmp.finite_dp_epsilon(table, members, delta)
    return worst, known, pmp.finite_pmp_epsilon(table, members, delta), right


def _bound(delta):
    """Return what an epsilon allows, and the track of the reader's epsilon on it."""
    name, said = "Lemma 6 (bound)", "ε = %{x:.3g} allows to be right %{y:.1%} of the time"
    return k.part(
        k.curve(name, _GRID, np.asarray(pmp.success_bound(_GRID, delta)), k.PMP.bound(), hover=said),
        x=k.axis("ε", range=[-0.15, 8.1]),
        y=k.axis("best accuracy", range=[0.48, 1.02]),
        height=430,
        probe=[name],
        grab=k.drag("epsilon", _EPSILON.stops, pmp.success_bound(_EPSILON.stops, delta)),
        start=(1 + delta) / 2,
    )


def _attackers(mechanism, epsilon, delta):
    """Return where the promise and the two attackers stand."""
    worst, known, practical, right = _measured(mechanism, epsilon, delta)
    promised, allowed = (float(pmp.success_bound(each, delta)) for each in (epsilon, practical))
    named = "({name}, {delta})" if delta else "{name}"
    reached = "{more} percentage points more" if allowed - right >= 5e-7 else "which is attained"
    headline = "right {short}, where {promised} is allowed"
    if round(promised - right, 9) == 0:
        headline = "right {short}, all that is allowed"
    each, slack = "%{x:.3g}, right %{y:.1%} of the time", replace(k.LEVEL, dash="dot", width=2)
    looks = k.DP.with_symbol("x"), k.PMP.with_symbol("circle")
    hovers = {"hover": f"knows all but one: ε = {each}"}, {"hover": f"knows the pool: ε̃ = {each}"}
    return k.part(
        k.level("slack", [practical, practical], [right, allowed], slack),
        k.reading(epsilon, promised, "built for (bound)", showlegend=True),
        k.points("knows all but one (exact)", worst, known, looks[0], size=13, **hovers[0]),
        k.points("knows the pool (exact)", practical, right, looks[1], size=13, **hovers[1]),
        headline=headline,
        sentence="An attacker who knows only the pool is right {right} of the time (exact); {epsilon}-DP "
        "would allow {promised} (bound). One who knows all but one record is right {known} of the time "
        "(exact). The pool's ε̃ = "
        f"{{practical}} allows {{allowed}} (bound), {reached}.",
        alt="Accuracy against epsilon from 0 to 8: a curve that rises from {start} towards 1, with a diamond "
        "at epsilon {epsilon}. A cross at ({worst}, {known_height}) for the attacker who knows all but one "
        "record of the mechanism '{mechanism}', a dot at ({practical}, {pool_height}) for the one who knows "
        "the pool.",
        mechanism=mechanism,
        epsilon=k.told(named, name=epsilon, delta=delta),
        promised=k.at_most(promised, k.percent, 4),
        known=k.exact(known, k.percent, 4),
        right=k.exact(right, k.percent, 4),
        short=k.exact(right, k.percent),
        practical=round(practical, 12),
        allowed=k.at_most(allowed, k.percent, 4),
        more=k.exact(100 * (allowed - right)),
        worst=round(worst, 12),
        known_height=known,
        pool_height=right,
    )


@k.figure
def success_against_epsilon(
    mechanism: Annotated[str, k.Choice(_MECHANISMS, label="Mechanism")] = _MECHANISMS[2],
    epsilon: Annotated[float, _EPSILON] = 3.0,
    delta: Annotated[float, k.Stops([0.0, 0.05, 0.1], label="δ")] = 0.0,
):
    """Draw the bound on an attacker's success, and where a mechanism's two attackers stand.

    References
    ----------
    PMP paper, Lemma 6, for positive delta too.

    Examples
    --------
    >>> "(bound)" in success_against_epsilon().layout.meta["sentence"]
    True
    """
    return _bound, _attackers
