"""Two releases that say nothing about anybody, and together say everything."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, pmp
from mipbook.mechanisms import exponential_probabilities, randomised_response

_MEMBERS = mip.subsets(6)
_CAST = ("Anna", "Ben", "Carla", "Dev", "Eva", "Finn")
PARTITION_HALVES = tuple("".join(_CAST[i][0] for i in np.flatnonzero(row)) for row in _MEMBERS)
_SAYS = {
    "nothing": "Nothing is printed, and all {left} studies are possible.",
    "the two groups": "The two groups are printed, but not which was studied: {left} of 20 studies fit.",
    "the bit": "One bit is printed, and it says {bit}: {left} of 20 studies fit.",
    "both": "Groups and bit are printed: {left} of 20 studies fits.",
}
# So many cards stand in a row; where a card's three faces are, and its corners.
_ROW, _FACES = 5, np.array([-0.29, 0.0, 0.29])
_CORNERS = np.array([[-0.45, 0.45, 0.45, -0.45, -0.45], [-0.38, -0.38, 0.38, 0.38, -0.38]])


@k.cache
def _posterior(draw, seen):
    """Return each person's chance after the release, and which draws fit it."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    table = {"nothing": np.ones((20, 1)), "the two groups": split, "the bit": bit, "both": both}[seen]
    output = int(table[draw - 1].argmax())
    return np.array([game.posterior(table, flags)[output] for flags in _MEMBERS.T]), table[:, output] > 0


@k.figure
def partition_picture(
    seen: Annotated[str, k.Choice(tuple(_SAYS), label="Printed")] = "the two groups",
    draw: Annotated[int, k.Draws(20, label="Draw again")] = 1,
):
    """Draw a card for each of the twenty studies that six people may have been in.

    The studies stand in the order of ``PARTITION_HALVES``, from 1; those that fit what is printed
    are lit.  Where groups are printed, the people stand in them, Anna's first.

    References
    ----------
    New: PMP, also with epsilon 0, does not compose (`mipbook.pmp.partition_mechanism` and
    `mipbook.pmp.design_bit`).

    Examples
    --------
    >>> "1 of 20" in partition_picture("both", 14).layout.meta["sentence"]
    True
    """
    chances, fits = _posterior(draw, seen)
    left, drawn = int(fits.sum()), _MEMBERS[draw - 1]
    # The group of Anna, who is the first of all.
    apart = (drawn != drawn[0]) & (seen in ("the two groups", "both"))
    place = np.empty(6)
    place[np.argsort(apart, kind="stable")] = np.arange(6.0)
    place += 0.5 * apart
    study, person = np.nonzero(_MEMBERS)
    across, up = study % _ROW + np.tile(_FACES, 20), -(study // _ROW)
    who, lit = np.array(_CAST)[person], fits[study]
    # A card is closed by itself, and a gap follows.
    middles = np.array([np.flatnonzero(fits) % _ROW, -(np.flatnonzero(fits) // _ROW)])
    x, y = (
        [each for at in side.tolist() for each in (*(at + corner).tolist(), None)]
        for side, corner in zip(middles, _CORNERS, strict=True)
    )
    sure = [f"<b>{'1' if c > 0.99 else '0' if c < 0.01 else '½'}</b>" for c in chances]
    listed = ", ".join(f"{name} {{{name}}}" for name in _CAST)
    # Beside each other on a phone, too.
    quiet, small = {"showlegend": False}, {"showlegend": False, "size": 19}
    return k.part(
        k.curve("still possible", x, y, k.PMP, fill="toself", hoverinfo="skip", **quiet),
        k.cast(across, up, who, name="all twenty studies", opacity=0.15, **small),
        k.cast(across[lit], up[lit], who[lit], name="who would be in each study", **small),
        k.cast(place, np.zeros(6), _CAST, name="the six", size=28, **quiet) | k.LOWER,
        k.text("their chance", place, [-1.0] * 6, sure, textfont={"size": 22, "color": k.INK}, lower=True),
        k.text("what they say", [2.75], [-1.8], ["how likely it is that they took part"], lower=True),
        x={"visible": False, "range": [-0.55, _ROW - 0.45]},
        y={"visible": False, "range": [-3.5, 0.5]},
        x2={"visible": False, "range": [-0.6, 6.1]},
        y2={"visible": False, "range": [-2.1, 0.7]},
        rows=(0.72, 0.06),
        height=430,
        ghost=[],
        headline="Right about Anna {right}",
        sentence=f"{_SAYS[seen]} Anna is in {{hers}} of them: a spy is right about her "
        "{right} (exact).",
        alt=f"Twenty cards with three faces each; {{left}} are lit. Below them the six people"
        f"{', in two groups of three' if apart.any() else ''}, and their chances: {listed}.",
        left=left,
        bit="yes" if pmp.design_bit()[draw - 1, 1] == 1 else "no",
        hers=int(_MEMBERS[fits, 0].sum()),
        right=k.exact(max(chances[0], 1 - chances[0]), k.in_100),
        **dict(zip(_CAST, chances.round(3), strict=True)),
    )  # fmt: skip


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


# --- How often the best attacker is right, against the epsilon that promises it -------------------

_MECHANISMS = ("one noisy answer", "a noisy sum", "a noisy choice")
_EPSILON = k.Slider(0.0, 8.0, 3.0, step=0.25, label="Promised ε")
_GRID = np.linspace(0, 8, 65)
_TENTHS = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
_SPIES = {"knows all but one": k.DP.with_symbol("square"), "has only the list": k.PMP.with_symbol("circle")}


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
def _measured(name, epsilon):
    """Return how often the two spies are right."""
    table, members = _mechanism(name, epsilon)
    known = float(pmp.success_bound(0.0, pmp.finite_dp_delta(table, members, 0.0)))
    return known, float(mip.record_accuracies(table, members).max())


def _bound():
    """Return what an epsilon allows, and the track of the reader's epsilon on it."""
    name, said = "all that ε allows (bound)", "ε = %{x:.3g} allows to be right %{y:.1%}"
    return k.part(
        k.curve(name, _GRID, np.asarray(pmp.success_bound(_GRID)), k.PMP.bound(), hover=said),
        k.text("what the curve is", [0], [0.998], ["what ε allows"], textposition="bottom right",
               textfont={"color": k.PURPLE, "size": 15}),
        x=k.axis("promised ε", range=[-0.15, 8.1]),
        y=k.axis(
            "right in 100", range=[0.48, 1.02], tickvals=_TENTHS, ticktext=[f"{100 * t:.0f}" for t in _TENTHS]
        ),
        height=430,
        showlegend=False,
        probe=[name],
        grab=k.drag("epsilon", _EPSILON.stops, pmp.success_bound(_EPSILON.stops)),
    )  # fmt: skip


def _spies(mechanism):
    """Return what the two spies get, whatever is promised, each named at its end."""
    heights = np.array([_measured(mechanism, float(epsilon)) for epsilon in _GRID[::2]]).T
    # Where they end together, one name speaks for both.
    together = abs(heights[0, -1] - heights[1, -1]) < 0.02
    traces = []
    for right, (who, look), said in zip(
        heights, _SPIES.items(), ("both spies", "") if together else _SPIES, strict=True
    ):
        traces.append(
            k.curve(f"{who}, for every promise (exact)", _GRID[::2], k.short(right), look, hoverinfo="skip")
        )
        # Below what the promise allows, if it is as high.
        y, side = (right[-1] - 0.04, "bottom left") if right[-1] > 0.9 else (right[-1] + 0.012, "top left")
        named = {"textposition": side, "textfont": {"color": look.colour, "size": 15}}
        traces.append(k.text(f"{who}, named", [8], [y], [said], **named))
    return k.part(traces)


def _attackers(mechanism, epsilon):
    """Return where the promise and the two spies stand."""
    known, right = _measured(mechanism, epsilon)
    promised = float(pmp.success_bound(epsilon))
    dots = (
        k.points(f"{name} (exact)", epsilon, height, look, size=13, hover=f"{name}: right %{{y:.1%}}")
        for height, (name, look) in zip((known, right), _SPIES.items(), strict=True)
    )
    return k.part(
        k.reading(epsilon, promised, "the promise (bound)"),
        dots,
        headline="List alone: right {right}",
        sentence="The promise ε = {epsilon} allows {promised} (bound). A spy who knows all but one is "
        "right {known} (exact).",
        alt="Three curves against the promise, from 0 to 8: what it allows, and below it what two spies get "
        "of {mechanism}. At epsilon {epsilon} they stand at {promised}, {known} for the spy who knows all "
        "but one record, and {right} for the one who has the list.",
        **k.words(mechanism=mechanism, epsilon=epsilon, right=k.exact(right, k.in_100)),
        **k.words(promised=k.at_most(promised, k.in_100), known=k.exact(known, k.in_100)),
    )


@k.figure
def success_against_epsilon(
    mechanism: Annotated[str, k.Choice(_MECHANISMS, label="What is released")] = _MECHANISMS[2],
    epsilon: Annotated[float, _EPSILON] = 3.0,
):
    """Draw the bound on a spy's success, and what two spies get of a mechanism.

    References
    ----------
    PMP paper, Lemma 6.

    Examples
    --------
    >>> "(bound)" in success_against_epsilon().layout.meta["sentence"]
    True
    """
    return _bound, _spies, _attackers
