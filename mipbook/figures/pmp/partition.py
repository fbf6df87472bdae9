"""Two releases that say nothing about anybody, and together say everything."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip, pmp

_MEMBERS = mip.subsets(6)
_CAST = ("Anna", "Ben", "Carla", "Dev", "Eva", "Finn")
PARTITION_HALVES = tuple("".join(_CAST[i][0] for i in np.flatnonzero(row)) for row in _MEMBERS)
_BIT = "one bit (on a list?)"
_SAYS = {
    "nothing": "Nothing is printed.",
    "the two groups": "The two groups are printed, but not which was studied.",
    _BIT: "Are the three on a list of ten? The bit says {bit}.",
    "both": "Groups and bit are printed.",
}
# So many cards stand in a row; where a card's three faces are, and its corners.
_ROW, _FACES = 4, np.array([-0.29, 0.0, 0.29])
_CORNERS = np.array([[-0.45, 0.45, 0.45, -0.45, -0.45], [-0.38, -0.38, 0.38, 0.38, -0.38]])


@k.cache
def _posterior(draw, seen):
    """Return each person's chance after the release, and which draws fit it."""
    split, bit = pmp.partition_mechanism(3), pmp.design_bit()
    both = (split[:, :, None] * bit[:, None, :]).reshape(20, -1)
    table = dict(zip(_SAYS, (np.ones((20, 1)), split, bit, both), strict=True))[seen]
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
    >>> partition_picture("both", 14).layout.meta["headline"]
    '1 of 20 cards left'
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
    named = {
        "the two groups": f"{', '.join(np.array(_CAST)[~apart])} or the others: {{left}} cards",
        _BIT: "The bit says {bit}: {left} cards left",
    }
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
        k.text("their chance", place, [-1.2] * 6, sure, textfont={"size": 22, "color": k.INK}, lower=True),
        k.text("what they say", [2.75], [-2.2], ["how likely it is that they took part"], lower=True),
        x={"visible": False, "range": [-0.55, _ROW - 0.45]},
        y={"visible": False, "range": [-4.5, 0.5]},
        x2={"visible": False, "range": [-0.6, 6.1]},
        y2={"visible": False, "range": [-2.5, 0.7]},
        rows=(0.72, 0.06),
        height=480,
        ghost=[],
        headline=named.get(seen, "{left} of 20 cards left"),
        sentence=f"{_SAYS[seen]} Anna is on {{hers}} of {{left}}: a spy is right about her "
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
