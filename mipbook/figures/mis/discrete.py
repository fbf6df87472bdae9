"""Discrete data: signs leak as much as counts, how fast the leak falls, and how diverse data can be."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import over_rows

# --- A table of counts --------------------------------------------------------------------------

# So short that ten of them stand beside each other on a phone.
_CITIES = ("Bari", "Cali", "Faro", "Kiel", "Lille", "Nice", "Oslo", "Pisa", "Riga", "Tula")
_EQUAL = [1 / len(_CITIES)] * len(_CITIES)
_PLACES = np.arange(len(_CITIES))
# Draws none of which is wild, and a map.
_DRAWN, _DRAWS, _MAP = 97425, 20, 3269
# How high the fullest city of all draws is, and the picture, and how deep the earth; up to so many are
# drawn one by one; a flag, and how high its pole is.
_ROOM, _TOP, _EARTH, _HEADS = 8.6, 11.5, 2.2, 60
_FLAG, _POLE = np.array([[0.43], [0.54]]) * k.SQUARE, 1.6
# A hundred people in columns of five.
_HUNDRED = np.array([5 * (np.arange(100) // 5) + 2.5, 2 - np.arange(100) % 5])
_PEOPLE = k.Count([20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 2000], label="Patients")


@k.cache
def _dealt(n, draw):
    """Return the cities' counts."""
    named = np.random.default_rng([_DRAWN, n, draw]).integers(len(_CITIES), size=n)
    return np.bincount(named, minlength=len(_CITIES))


def _over(n, draw):
    """Return how many patients the cities above the average have too many."""
    return int(np.maximum(_dealt(n, draw) - n // len(_CITIES), 0).sum())


def _hits(n, draw):
    """Return how many of a hundred people, half of them patients, the spy gets right."""
    return 50 * (1 + _over(n, draw) / n)


def _won(won):
    """Write what he wins, rounded as his hits are."""
    return f"{round(50 + won, 1) - 50:.3g}"


@k.cache
def _one(n):
    """Return how high one person is: the fullest city of all draws fills the room."""
    return _ROOM / max(_dealt(n, draw).max() for draw in range(1, _DRAWS + 1))


def _board(n):
    """Draw the ground, and name the cities."""
    return k.part(
        k.area("the ground", [-0.65, 9.65, 9.65, -0.65], [-0.1, -0.1, -_EARTH, -_EARTH], k.LEVEL),
        k.text("cities", _PLACES, -1.65, _CITIES),
        **k.stage((-0.75, 9.75), (-_EARTH, _TOP)),
        **over_rows(0.74, 0.0, (-4.9, 4.9), height=460, x2=k.unseen(-1, 101)),
        barmode="overlay",
        bargap=0.24,
    )


def _heads(name, one, begin, end, look, **more):
    """Draw people on top of each other, in each city from one place to another."""
    columns = [np.arange(*ends) + 0.5 for ends in np.broadcast(begin, end)]
    x, size = np.repeat(_PLACES, [column.size for column in columns]), min(22, 16 * one)
    return k.points(name, x, one * np.concatenate(columns), look, size=size, **k.QUIET, **more)


def _published(n, draw, published):
    """Draw each city's people, many as a column; or on which side their count is, with them faint."""
    counts, mean, few, one = _dealt(n, draw), n // len(_CITIES), n <= _HEADS, _one(n)
    above, less = counts > mean, np.minimum(counts, mean)
    told: dict[str, Any] = {"customdata": counts}
    if published == "counts":
        said = k.text("count", _PLACES, -0.65, [f"<b>{each}</b>" for each in counts])
        said["textfont"] = {"size": 15}
        held = k.told("The blue cities hold {over} of {n} patients too many: he", over=_over(n, draw), n=n)
        what, faint = "the counts", {"opacity": 1}
        told |= {"text": [*_CITIES], "textposition": "none", "hover": "%{text}: %{customdata} people"}
    else:
        ink = {"size": 26, "color": np.where(above, k.IN.colour, k.OUT.colour).tolist()}
        signs = np.where(above, "▲", "▼").tolist()
        said, held = k.text("▲ or ▼", _PLACES, -0.6, signs, textfont=ink), "He"
        what, faint, told["hoverinfo"] = "▲ and ▼", {"opacity": 0.45}, "skip"
    hidden, behind = ({"opacity": 0} if few else faint), {"opacity": 0 if few else 0.3}
    # At Kiel's foot one person stands out: the reader.
    you, shown = _PLACES[3] + 0.37 * k.SQUARE[0], {"opacity": float(not few)}
    rim = {"color": k.INK, "width": 1.5}
    return k.part(
        k.bars("up to there", _PLACES, one * less, k.LEVEL, **k.QUIET | behind),
        k.bars("above the average", _PLACES, one * (counts - less), k.IN, base=one * less, **told | hidden),
        k.bars("below", _PLACES, one * (mean - less), k.OUT, "/", base=one * less, **told | hidden),
        _heads("up to the average", one, 0, less * few, k.LEVEL, **faint),
        _heads("too many", one, less * few, counts * few, k.IN, **faint),
        _heads("missing", one, less * few, mean * few, k.OUT.with_symbol("circle-open"), **faint),
        k.area("one person", you, one * (k.SQUARE[1] + 1) / 2, k.READING, fillcolor=k.INK, line=rim, **shown),
        k.text("whose height", 3, one + 0.5, " " if few else "<b>you</b>"),
        said,
        what=what,
        held=held,
    )


def _answers(n, draw):
    """Fly a flag over each city with what the spy says there, and light up whom he gets right by that."""
    # At the average either answer is as good: he says the one that goes with a ▼.
    counts, mean, one = _dealt(n, draw), n // len(_CITIES), _one(n)
    above, tops = counts > mean, one * np.maximum(counts, mean) + 0.2
    # The flags are named over the first ones; the fence turns up behind the last ones, to its own name.
    fence, (key, post) = one * mean, [float(some.max()) + _POLE + 0.2 for some in (tops[:3], tops[-3:])]
    says = np.where(above, "<b>in</b>", "<b>out</b>").tolist()
    all_of_them = np.round([_hits(n, each) for each in range(1, _DRAWS + 1)]).astype(int)
    before, hits = all_of_them[: draw - 1], _hits(n, draw)
    # However many fall upon each other, the heap is not higher than its place.
    heap = [int((before[:i] == each).sum()) for i, each in enumerate(before)]
    step, small = min(0.6, 1.8 / np.bincount(all_of_them).max()), {"size": 7, "lower": True, **k.QUIET}
    aside, crowd = {"textposition": "middle right", "lower": True}, {"size": 8, "lower": True, **k.QUIET}
    flags = []
    for word, those, look in (("in", above, k.IN), ("out", ~above, k.OUT)):
        corners = (
            k.gapped(at[those, None] + side)
            for at, side in zip((_PLACES, tops + _POLE - 0.54), _FLAG, strict=True)
        )
        flags.append(k.area(f"flags, {word}", *corners, look, fillcolor=look.colour))
    poles = np.array([_PLACES - 0.43] * 2).T, np.array([0 * tops + fence, tops + _POLE]).T
    ends = (("the hundred", 0, 100, k.LEVEL, 0.25), ("by a coin", 0, 50, k.LEVEL, 1))
    ends += (("the spy is right", 50, round(hits), k.IN, 1),)
    return k.part(
        k.curve(
            "the fence", [-0.65, 9.65, 9.65], [fence, fence, post], k.READING.exact().but(width=3), **k.QUIET
        ),
        k.text("whose flags", -0.65, key + 0.4, "the spy says:", textposition="middle right"),
        k.text("the average", 9.75, post + 0.4, f"average: {mean}", textposition="middle left"),
        k.curve("poles", *map(k.gapped, poles), k.LEVEL.exact().but(width=2), **k.QUIET),
        flags,
        k.text("he says", _PLACES, tops + _POLE - 0.58, says, textfont={"color": k.BACKGROUND[0]}),
        [
            k.points(name, *_HUNDRED[:, begin:end], look, opacity=opacity, **crowd)
            for name, begin, end, look, opacity in ends
        ],
        k.points("earlier draws", before - 0.5, 3 + step * np.array(heap), k.IN, **small),
        k.text("whose dots", before.max(initial=0) + 3, 3.4, "earlier draws" if draw > 1 else " ", **aside),
        k.text("whose hundred", 0, 3.7, "the spy is right", **aside),
        headline="{hits} of 100 right",
        sentence="{held} beats a coin by {won} in 100. Over many draws he is right {right} times in 100 "
        "(exact).",
        alt="Ten cities, each a column of patients, with {what} below it and a flag above it with what the "
        "spy says of who comes from there; a fence stands at the average. Below, a hundred people: he gets "
        "{hits} right, from either; dots stand for the earlier draws.",
        hits=k.exact(hits, digits=3),
        right=k.exact(50 * (1 + float(mis.worst_case_delta(_EQUAL, n))), ".1f"),
        won=k.exact(hits - 50, _won),
    )


@k.figure
def ten_cities(
    published: Annotated[str, k.Choice(["counts", "only ▲▼"], label="Published")] = "counts",
    draw: Annotated[int, k.Draws(_DRAWS, label="Draw again")] = 1,
    n: Annotated[int, _PEOPLE] = 50,
):
    """Draw patients of ten cities, their counts or only the sides, and whom the attacker gets right.

    Notes
    -----
    Limits paper, Theorem 14, with ten equally likely values: the same answers from both.

    Examples
    --------
    >>> [ten_cities(each).layout.meta["headline"] for each in ("counts", "only ▲▼")]
    ['60 of 100 right', '60 of 100 right']
    """
    return _board, _published, _answers


# --- Ever more cities ---------------------------------------------------------------------------

# What a guess may say, and round numbers.
_STOPS = sorted({10, 100, 145, *np.geomspace(2, 300, 31).round().astype(int).tolist()})
_MANY = k.Count(_STOPS, 10, label="Cities", play=True)
# A map of cities of one size, so wide and so high, and a share of each that nobody stands on.
_WIDE, _HIGH, _RIM = 1.4, 1.0, 0.14


@k.cache
def _sure(cities, n):
    """Return how often the best attacker is right, of a hundred times, with cities of one size."""
    return 50 * (1 + float(mis.worst_case_delta([1 / cities] * cities, n)))


def _places(cities):
    """Return the lower left corners of the cities on the map, and how wide and how high each is.

    All are alike, so the last row may be short; the map that is taken is nearly full, of nearly squares.
    """
    rows = np.arange(1, 20)
    beside = -(-cities // rows)
    wide, high = _WIDE / beside, _HIGH / rows
    best = (rows * beside / cities + 0.25 * np.abs(np.log(wide / high))).argmin()
    row, place = np.divmod(np.arange(cities), beside[best])
    sides = np.tile([[wide[best]], [high[best]]], cities)
    return np.array([place, best - row]) * sides, sides


def _rule(n):
    """Draw how often the spy is right, whatever the map."""
    right = [_sure(cities, n) for cities in _MANY.stops]
    under = [*_MANY.stops, *_MANY.stops[::-1]], [*right, *[49] * len(right)]
    over = "%{x} cities: right %{y:.1f} times in 100"
    return k.part(
        k.area("right, of all, under it", *under, k.IN, lower=True),
        k.curve("right, of all", _MANY.stops, right, k.IN, hover=over, lower=True),
        **k.stage((0, _WIDE), (0, _HIGH)),
        x2=k.axis(
            "cities", {each: each for each in (2, 10, 100, 300)}, log=True, range=[0.2, 2.6], showgrid=False
        ),
        y2=k.axis("right in 100", range=[49, 103], tickvals=[50, 75, 100], showgrid=False),
        rows=(0.72, 0.06),
        height=490,
        showlegend=False,
        ghost=[],
        probe=["right, of all"],
        grab=k.drag("cities", _MANY.stops, right, along="x2"),
    )


def _map(cities, n):
    """Draw each patient in a city, and blue where the spy says *in*."""
    counts = np.random.default_rng([_MAP, cities, n]).multinomial(n, [1 / cities] * cities)
    corners, sides = _places(cities)
    above, each = counts * cities > n, np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    # In a city they stand in rows around its middle, as near as the fullest city's.
    row = max(1, round(np.sqrt(counts.max() * (sides[0] / sides[1]).mean())))
    full, own = np.array([[row], [-(-counts.max() // row)]]), (-(-counts // row)).repeat(counts)
    beside = np.where(each // row == own - 1, counts.repeat(counts) - row * (own - 1), row)
    step = (np.array([each % row, each // row]) + 0.5 + (full - [beside, own]) / 2) / full
    size = min(12, 170 * (1 - 2 * _RIM) * float((sides.min(axis=1) / full[:, 0]).min()))
    x, y = corners.repeat(counts, axis=1) + sides.repeat(counts, axis=1) * (_RIM + (1 - 2 * _RIM) * step)
    told = above.repeat(counts)
    x_sides, y_sides = corners[:, :, None] + sides[:, :, None] * (k.SQUARE[:, None] + 1) / 2
    # Between the blocks of a large map there is hardly a street.
    street = {"color": k.BACKGROUND[0], "width": 3 if cities < 100 else 2}
    share, found = float(above.mean()), int(counts[above].sum())
    return k.part(
        k.area("all cities", k.gapped(x_sides), k.gapped(y_sides), k.LEVEL, line=street),
        k.area("he says in", k.gapped(x_sides[above]), k.gapped(y_sides[above]), k.IN, line=street),
        k.points("patients found", x[told], y[told], k.IN, size=size, **k.QUIET),
        k.points("patients missed", x[~told], y[~told], k.OUT, size=size, **k.QUIET),
        k.reading([cities], [_sure(cities, n)], "your cities", lower=True),
        headline="{cities} cities: right {right}",
        sentence="Over many draws he is right {right} (exact). In this one he finds {found} of {n} patients "
        "and accuses {share} of the strangers: so much of the map is blue.",
        alt="A map of {cities} equal cities with {n} patients as dots; blue cities, {share} of all, have "
        "more than the average and hold {found} patients. Below, how often the spy is right rises with the "
        "cities from {least} to {most}; here {right}.",
        **k.words(cities=cities, n=n, found=found, share=k.exact(share, k.percent)),
        **k.words(k.exact, k.in_100, right=_sure(cities, n) / 100),
        **k.words(k.exact, ".3g", least=_sure(_MANY.stops[0], n), most=_sure(_MANY.stops[-1], n)),
    )


@k.figure
def ever_more_cities(
    cities: Annotated[int, _MANY] = 10, n: Annotated[int, k.Choice([100, 400], label="Patients")] = 100
):
    """Draw patients on a map of cities, those where the attacker says *in*, and how often he is right.

    Notes
    -----
    Limits paper, Theorem 14, with equally likely values, balanced.

    Examples
    --------
    >>> ever_more_cities(145).layout.meta["headline"]
    '145 cities: right 75 times in 100'
    """
    return _rule, _map


# --- How fast the leak falls --------------------------------------------------------------------

_N = np.unique(np.round(np.geomspace(10, 1e5, 33)))
_HALVING = (0.5, 0.25, 0.125, 0.0625, 0.0625)
_CHANCES = [*(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99), 0.995, 0.998, 0.999]
_five = k.few(lambda nu: np.asarray(mis.worst_case_delta(_HALVING, _N, nu)))


def _slope(name, delta, look):
    # A logarithmic axis has no place for an underflow; 1e-11 is far below the picture.
    over = f"%{{x:,}} records, {name}: Δ = %{{y:.2g}}"
    return k.curve(name, _N, np.maximum(delta, 1e-11), look, hover=over)


def _at_thousand(delta):
    """Name a curve's value at 1,000 records, where the sentence reads it."""
    found = float(delta[list(_N).index(1000)])
    return k.exact(found) if found > 1e-300 else "less than 10⁻³⁰⁰"


def _slopes():
    five = _five(0.5)
    return k.part(
        _slope("five values", five, k.SERIES[0]),
        x=k.axis("records, n", log=True, range=[1, 5]),
        y=k.axis("Δ of the learner", log=True, range=[-8, 0], dtick=2),
        height=420,
        probe=["infinitely many", "five values", "five, your ν", "product learner"],
        headline="Exponent {exponent} against 0.5",
        sentence="At n = 1,000 the worst learner has Δ = {heavy} on infinitely many values, with exponent "
        "{exponent}{logarithm} in the end, and {five} on five, with exponent 0.5{mix}; the product learner "
        "has {product} (all exact).",
        alt="Delta against n from 10 to 100,000 on logarithmic axes. Two nearly straight lines fall, for "
        "infinitely many values with exponent {exponent} in the end, for five with exponent 0.5; the product "
        "learner's curve bends down and out of the picture, and that of five values at your ν {bend}. At n = "
        "1,000: {heavy}, {five}, {product} and {mixed}.",
        five=_at_thousand(five),
    )


def _heavy(alpha):
    # Between two bounds that agree to eight digits.
    delta = np.array([mis.power_law_delta(int(n), alpha).low for n in _N])
    return k.part(
        _slope("infinitely many", delta, k.SERIES[3]),
        heavy=_at_thousand(delta),
        exponent=mis.power_law_exponent(alpha),
        logarithm=" up to a logarithm" if alpha == 2 else "",
    )


def _mixed(nu):
    delta, mix, bend = _five(nu), "", "lies on that of five"
    mixed = _at_thousand(delta)
    if nu != 0.5:
        mix = k.told(", but {mixed} at ν = {nu}, where no power of n rules", mixed=mixed, nu=nu)
        bend = "bends down, below that of five"
    return k.part(_slope("five, your ν", delta, k.SERIES[2]), mix=mix, mixed=mixed, bend=bend)


def _product(p):
    delta = np.asarray(mis.product_delta(p, _N))
    return k.part(_slope("product learner", delta, k.SERIES[1]), product=_at_thousand(delta))


@k.figure
def three_slopes(
    alpha: Annotated[float, k.Slider(1.1, 3.5, step=0.05, label="Tail exponent, α")] = 1.25,
    p: Annotated[float, k.Stops(_CHANCES, label="Product learner, p")] = 0.9,
    nu: Annotated[float, k.Slider(0.3, 0.5, step=0.01, label="Share of fresh points, ν")] = 0.45,
):
    """Draw Delta against n for finitely many values, a heavy tail, and the product learner.

    Notes
    -----
    Limits paper, Corollary 15 and Lemmas 20 and 22.  On the infinite distribution p_k is
    proportional to k^-alpha; the product learner multiplies records that are 1 with chance p.

    Examples
    --------
    >>> "exponent 0.2" in three_slopes().layout.meta["sentence"]
    True
    """
    return _heavy, _slopes, _mixed, _product


# --- How diverse the data can be ----------------------------------------------------------------

_PLACE = k.Slider(0.0, 1.0, points=25, label="From uniform (0) to one value (1)")


def _largest(K, place):
    return np.minimum(1 / K + (1 - 1 / K) * place, 1.0)


def _band(K):
    x = _largest(K, np.linspace(0, 1, 121))
    low, high = map(np.asarray, mis.diversity_range(K, x))
    # Each entropy is largest where all other values are alike.
    flattest = np.column_stack([x, np.repeat((1 - x[:, None]) / (K - 1), K - 1, axis=1)])
    gini = [2 * mis.gini_simpson(p) for p in flattest]
    shannon = [mis.shannon_entropy(p) / mis.SHANNON_FACTOR for p in flattest]
    over = "largest probability %{x:.3f}: "
    most = {"customdata": [k.up(v, 3) for v in high], "hover": f"{over}C(K) is at most %{{customdata:.3g}}"}
    least = {"customdata": [k.down(v, 3) for v in low], "fill": "tonexty"}
    least["hover"] = f"{over}C(K) is at least %{{customdata:.3g}}"
    places = _largest(K, np.linspace(0, 1, len(_PLACE.stops)))
    return k.part(
        k.curve("most", x, high, k.MIS, **most),
        k.curve("least", x, low, k.MIS.bound(), **least),
        k.curve("2 Gini–Simpson", x, gini, k.SERIES[2], hover=f"{over}Gini–Simpson promises %{{y:.3f}}"),
        k.curve("Shannon × 2/ln 5", x, shannon, k.SERIES[3], hover=f"{over}Shannon promises %{{y:.3f}}"),
        x=k.axis("largest probability", range=[0, 1.02]),
        y=k.axis("diversity, C(K)", range=[0, 4.05]),
        height=420,
        grab=k.drag("place", places, mis.diversity_range(K, places)[1]),
        sentence="With {K} values, the likeliest of them of probability {largest}, {verdict}.",
        alt="A band against the largest probability from {start} to 1 for {K} values. Its upper edge falls "
        "from {top} to 0, its lower edge touches it at both ends and has kinks at 1/2, 1/3 and so on. Two "
        "dotted entropy curves lie below the upper edge. At {largest} the band goes from {least} to {most}.",
        **k.words(K=K, start=1 / K, top=high[0]),
    )


def _in_band(K, place):
    largest = float(_largest(K, place))
    least, most = (float(end) for end in mis.diversity_range(K, largest))
    single, thin = most - least < 1e-9, replace(k.READING, width=1)
    which = "one distribution is" if largest < 1 else "the case of a single value is"
    verdict, factor = f"only {which} possible, with C(K) = {{most}} (exact)", ""
    if not single:
        factor = k.exact((most / least) ** 2)
        verdict = (
            "C(K) lies between {least} and {most}, both attained (exact), so a factor of {factor} in the "
        )
        verdict += "records needed stays open"
    return k.part(
        k.curve("at your place", [largest] * 2, [least, most], thin, marked=True, showlegend=False),
        headline="C(K) = {most}" if single else "C(K): {least} to {most}",
        **k.words(largest=largest, least=least, most=most),
        verdict=k.told(verdict, least=least, most=most, factor=factor),
    )


@k.figure
def diversity_band(
    K: Annotated[int, k.Slider(2, 17, step=1, label="Values, K", play=True)] = 5,
    place: Annotated[float, _PLACE] = 0.25,
):
    """Draw the band of C_K against the largest probability, with what two entropies promise.

    Notes
    -----
    Limits paper, Lemmas 23 and 24 and Appendix C.2.

    Examples
    --------
    >>> "between 1.38 and 1.92" in diversity_band(5).layout.meta["sentence"]
    True
    """
    return _band, _in_band
