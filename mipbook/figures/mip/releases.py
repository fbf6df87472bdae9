"""Release with MIP, ten numbers or a table: the noise a promise costs, the utility lost, the attack tried."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook import mip
from mipbook.figures.words import even_records
from mipbook.release import examples
from mipbook.release.examples import ETAS, STATISTICS, example_table

_VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
_AGAINST = Role("against", "Against, for a line", "is x of the line", "is x of the line", otherwise="place")
# Only a line needs the second one; of two columns it takes the first as x.
TABLE_ROLES = (_VALUE, _AGAINST._replace(optional=True))
_FILE = k.File(examples.EXAMPLES, roles=TABLE_ROLES, label="Table")


@k.few
def _read(file, statistic):
    """Return the records, for a line x before y, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return example_table(file), ""
    line = statistic == STATISTICS[-1]
    roles = (_AGAINST, _VALUE) if line else (_VALUE,)
    wanted = [pair for pair in file.columns if line or pair[0] != _AGAINST.name]
    reading = read_columns(file.text, roles, wanted)
    reading.check_records(4, 2000)
    records, left = even_records(reading, reading.numbers(*(role.name for role in roles)), 84)
    return records, reading.say(left)


def _trial(file, statistic, eta):
    """Return the noise, the attack and some releases, of an example as stored; and the truth."""
    records, _ = _read(file, statistic)
    own = isinstance(file, k.UploadedFile)
    trial = (examples.tried if own else examples.example_trial)(records if own else file, statistic, eta)
    return trial, float(examples.statistics_of(records[None], statistic)[0, 0])


# A hundred rounds in columns of five, the first ones on the left.
_ROUNDS = np.array(np.divmod(np.arange(100), 5)) * np.array([[5.0], [1.0]]) + np.array([[2.5], [0.0]])
# So far apart lie the marks of a pile, at the most; a pile is no higher than 1.
_APART, _COLUMNS = 0.07, 44


def _piled(name, values, middle, reach, side, look):
    """Pile up values, a mark each, on one side of the line; who is beyond the picture, at its edge."""
    column = np.rint(np.clip((values - middle) / reach, -1, 1) * _COLUMNS)
    place = np.array([np.count_nonzero(column[:i] == each) for i, each in enumerate(column)])
    height = side * (0.12 + min(_APART, 0.9 / max(place.max(), 1)) * place)
    return k.points(
        name, np.round(middle + reach * column / _COLUMNS, 4), height, look, size=6, lower=True, **k.QUIET
    )


def _scale(file, statistic):
    """Return the answer on all the data, and how far to its sides the picture goes."""
    widest, truth = _trial(file, statistic, ETAS[0])
    # Nearly all releases lie within it, also with the widest noise of the slider.
    return truth, 1.6 * float(widest.deviations[0]) + float(np.ptp(widest.halves))


def _before(file, statistic):
    """Return the halves before noise, and the promise that the attack is held against."""
    records, read = _read(file, statistic)
    truth, reach = _scale(file, statistic)
    clean = _trial(file, statistic, ETAS[0])[0].halves
    what = "slope" if statistic.startswith("line") else statistic
    ends = truth - reach, truth + reach
    paper = np.array(ends)[[0, 1, 1, 0, 0]]
    return k.part(
        k.area("what is published", paper, [0, 0, -1.2, -1.2, 0], k.SERIES[0], lower=True),
        k.level("on all the data (exact)", truth, [-1.2, 1.2], lower=True),
        _piled("halves, before noise", clean, truth, reach, 1, k.LEVEL),
        k.text("which pile", ends[0], [1.02, -1.02], _PILES, textposition="middle right", lower=True),
        k.points("a hundred rounds", *_ROUNDS, k.LEVEL, size=4, **k.QUIET),
        x=k.axis("rounds that the attack wins", {0: "0", 50: "50, a coin", 100: "100"}, range=[-2, 102]),
        y=k.unseen(-1.7, 5.8),
        x2=k.axis(f"the {what}", range=list(ends)),
        y2=k.unseen(-1.2, 1.2),
        rows=(0.44, 0.2),
        height=500,
        grab=k.drag("eta", 50 + 100 * np.array(ETAS), [5.1] * len(ETAS)),
        moving_axes="tables and statistics have units of their own",
        **k.words(read=read, what=what, records=k.exact(len(records), ".0f")),
    )


_PILES = [f"\u2002<b>{each}</b>" for each in ("kept back", "published")]


def _after(file, statistic, eta):
    """Return the releases with noise, and how far the attack gets."""
    trial, truth = _trial(file, statistic, eta)
    right, low, high = trial.attack.tolist()
    # The noise is drawn anew for each, so the squares of the two errors add up.
    before = np.sqrt(np.mean((trial.halves - truth) ** 2))
    lost = np.hypot(before, trial.deviations[0])
    mark = {"size": 11, "error_x": k.error_bars([100 * right], [100 * low], [100 * high])}
    found, won = k.about(right, k.in_100), _ROUNDS[:, : round(100 * right)]
    intercept = k.told(" (of the intercept {other})", other=trial.deviations[-1])
    most = 50 + 100 * eta
    return k.part(
        _piled("releases, with noise", trial.released, *_scale(file, statistic), -1, k.SERIES[0]),
        k.area("what the promise allows", [0, most, most, 0, 0], [-0.7, -0.7, 5.1, 5.1, -0.7], k.MIP),
        k.points("won", *won, k.ATTACK, size=11, **k.QUIET),
        k.level("promised (bound)", most, [-0.7, 5.1], k.MIP.bound()),
        k.points(
            "attack measured (estimate, 95%)", 100 * right, -1.2, k.ATTACK.with_symbol("square"), **mark
        ),
        headline="noise of {deviation} is added",
        sentence="The {what} of a random half of {records} records is then off by {lost}, not {drawn} "
        "(estimates). Noise of standard deviation {deviation}{second} keeps η = {promise} (bound, with 99.9% "
        "confidence): {promised} times in 100. The attack is right {right} (estimate, 95% band {low} to "
        "{high}).",
        alt="A hundred rounds, so many of them filled as an attack wins, with its band; an area up to one "
        "half plus η = {eta}. Below, {halves} halves before noise are piled up on a line, and as many "
        "releases with noise hang from it, around {truth}.",
        second=intercept if statistic == STATISTICS[-1] else "",
        **k.words(deviation=trial.deviations[0], right=found, eta=eta, truth=truth, promise=k.at_most(eta)),
        **k.words(k.about, low=100 * low, high=100 * high),
        **k.words(lost=k.about(lost, digits=2), drawn=k.about(before, digits=2)),
        **k.words(promised=most, halves=k.exact(trial.halves.size, ".0f")),
    )


@k.figure
def release_lab(
    file: Annotated[str | k.UploadedFile, _FILE] = "incomes",
    statistic: Annotated[str, k.Choice(STATISTICS, label="What to release")] = "mean",
    eta: Annotated[float, k.Slider(ETAS[0], ETAS[-1], step=0.025, label="Promise, η")] = 0.1,
):
    """Draw releases with the noise that eta-MIP asks for, and how far an attack gets.

    A file holds 4 to 2,000 records; of an odd number one, drawn at random, is left out.  For
    a line the column to release is y.

    Notes
    -----
    The corrected Algorithm 1 of the MIP paper: `mipbook.mip.scale_from_fits`.

    Examples
    --------
    >>> release_lab(eta=0.1).layout.meta["headline"]
    'noise of 5.5 is added'
    """
    return _before, _after


EXAMPLE_NUMBERS = {
    "ranks": tuple(float(i) for i in range(10)),
    "incomes": (31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0),
    "two camps": (0.0, 0.1, 0.2, 0.3, 0.4, 9.6, 9.7, 9.8, 9.9, 10.0),
}
NUMBER_ROLES = (Role("value", "Numbers", "is used", "to use", otherwise="place"),)
_NUMBERS = k.File(EXAMPLE_NUMBERS, roles=NUMBER_ROLES, label="Numbers")
_QUERIES = {"mean": np.mean, "median": np.median, "maximum": np.max, "variance": np.var}
_QUERIES["one over the sum"] = lambda halves, axis: 1 / halves.sum(axis=axis)
# From 0.2223 on the mean of the ranks needs no noise.
_PROMISES = k.Stops(sorted([*k.promise(0.01, 0.45).stops, 0.225]), label="Promise, η").safe("down")
_ROUTES = {
    "what DP asks for (bound)": k.DP,
    "an easy bound (bound)": k.MIP.bound(),
    "just enough (exact)": k.MIP,
}
_SAID = [f"<b>{each}</b>" for each in ("answers of<br>all halves", "noise<br>on one answer")]
# Where noise may land, in its scales: a hill's points, the denser the nearer to its top.
_LANDS = np.sign(np.linspace(-1, 1, 61)) * 8 * np.linspace(-1, 1, 61) ** 2
# How far the picture goes, in scales of what DP asks for at this promise.
_SHOWN_AT, _SCALES = 0.1, 3.0


def _named(query):
    return query if query == "one over the sum" else f"the {query}"


@k.few
def _numbers_of(numbers):
    """Return the numbers, and what was read of an own file."""
    if not isinstance(numbers, k.UploadedFile):
        return EXAMPLE_NUMBERS[numbers], ""
    reading = read_columns(numbers.text, NUMBER_ROLES, numbers.columns)
    reading.check_records(4, 14)
    values, left = even_records(reading, reading.numbers("value")[:, 0], 85)
    return tuple(values.tolist()), reading.say(left)


@k.few
def _query(values, query):
    """Return the answers, the halves, and the average and the largest change of a swap."""
    members = mip.subsets(len(values))
    halves = np.stack([np.array(values)[row] for row in members])
    if query == "one over the sum" and np.any(halves.sum(axis=1) == 0):
        raise ValueError("numbers: some half sums to 0, and one over it is infinite")
    answers = _QUERIES[query](halves, axis=1)
    average = float(mip.average_sensitivity(answers, members).max())
    return answers, members, average, mip.largest_sensitivity(answers, members)


@k.few
def _scales(values, query, eta):
    """Return the corrected, exact and DP scales."""
    answers, members, average, largest = _query(values, query)
    return (
        float(mip.scale_from_distance(average, eta)),
        mip.minimal_laplace_scale(answers, members, eta),
        float(mip.laplace_dp_scale(eta, largest)),
    )


def _answers(numbers, query):
    """Hang below the ground what all halves answer; the hills of the noise stand on it."""
    values, read = _numbers_of(numbers)
    answers = _query(values, query)[0]
    middle, end = float(answers.mean()), _SCALES * _scales(values, query, _SHOWN_AT)[-1]
    edges = middle + end * np.linspace(-1, 1, 62)
    counts = np.histogram(np.clip(answers, edges[0], edges[-1]), edges)[0]
    hanging = np.concatenate([[0], np.repeat(-0.42 * counts / counts.max(), 2), [0]])
    # The hill that is enough is held by its diamond; one that lies outside, at the rim.
    edge = [_scales(values, query, eta)[1] for eta in _PROMISES.stops]
    return k.part(
        k.area("what the halves answer", np.repeat(edges, 2), hanging, k.ATTACK, fillcolor=k.GREY),
        k.level("the ground", [edges[0], edges[-1]], 0, k.LEVEL.but(dash="solid"), showlegend=False),
        k.text("what hangs", edges[0], -0.24, _SAID[0], textposition="middle right"),
        k.text("what stands", edges[0], 0.98, _SAID[1], textposition="middle right"),
        x=k.axis(_named(query), range=[edges[0], edges[-1]]),
        y=k.unseen(-0.46, 1.12),
        height=400,
        probe=list(_ROUTES),
        ghost=[],
        grab=k.drag("eta", middle + np.minimum(edge, 0.98 * end), math.exp(-1)),
        moving_axes="numbers and queries have units of their own",
        **k.words(read=read, people=len(values)),
    )


def _at_eta(numbers, query, eta):
    """Draw the noise that each route asks for at the reader's eta, as a hill of one height."""
    values = _numbers_of(numbers)[0]
    corrected, exact, dp = _scales(values, query, eta)
    middle = float(_query(values, query)[0].mean())
    hills = [
        k.curve(
            name, k.short(middle + scale * _LANDS), np.exp(-np.abs(_LANDS)).round(3), look, fill="tozeroy"
        )
        | {"hovertemplate": f"a scale of {k.say(scale)}<extra></extra>"}
        for (name, look), scale in zip(_ROUTES.items(), (dp, corrected, exact), strict=True)
    ]
    at, height = middle + np.array([exact, dp]), [math.exp(-1)] * 2
    one = k.reading(at, height, "one scale out", customdata=[exact, dp])
    # Near the ground, within the hill that is enough and where DP's goes beyond the others, if there is room.
    wide = 2 * _SCALES * _scales(values, query, _SHOWN_AT)[-1]
    room = np.array([exact, dp - corrected]) * math.log(10) > 0.09 * wide
    named = [name if fits else " " for name, fits in zip(("<b>enough</b>", "<b>DP</b>"), room, strict=True)]
    # Its foot is right of the bound's tail, its head left of DP's hill.
    beyond = middle + np.array([0, (3.5 * corrected + 2.2 * dp) / 2])
    return k.part(
        hills,
        k.text("which hill", beyond, [0.07] * 2, named),
        one | {"hovertemplate": "a scale of %{customdata:.3g}<extra></extra>"},
        headline="a scale of {exact} is enough",
        sentence=f"For {_named(query)} of a random half of these {{people}} numbers at η = {{eta}}, Laplace "
        "noise of scale {exact} is enough and no less is (exact). A bound that is easy to compute asks for "
        "{corrected}, DP for {dp} (bounds). Neighbours: replace one record.",
        alt="What all halves answer, hanging from a line; on it three hills of noise, one over the other: of "
        "DP, of scale {dp}; of the easy bound, {corrected}; and of what is just enough, {exact}. Where "
        "that is 0, its hill is an upright line.",
        **k.words(k.at_most, corrected=corrected, dp=dp),
        **k.words(eta=eta, exact=exact),
    )


@k.figure
def noise_lab(
    numbers: Annotated[str | k.UploadedFile, _NUMBERS] = "ranks",
    query: Annotated[str, k.Choice(list(_QUERIES), label="Query")] = "mean",
    eta: Annotated[float, _PROMISES] = 0.1,
):
    """Draw the Laplace noise that four routes ask for, on the reader's own numbers.

    A file holds 4 to 14 numbers; of an odd number one, drawn at random, is left out.

    Notes
    -----
    MIP paper, Theorem 9 and Corollary 14, with the corrected constant; replace-one
    neighbours among the halves.

    Examples
    --------
    >>> noise_lab("ranks").layout.meta["headline"]
    'a scale of 1.74 is enough'
    """
    return _answers, _at_eta
