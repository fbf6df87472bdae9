"""Release with MIP, ten numbers or a table: the noise a promise costs, the utility lost, the attack tried."""

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


# A hundred rounds in rows of ten, the first ones lowest.
_ROUNDS = np.array(np.divmod(np.arange(100), 10))[::-1] + np.array([[0.0], [0.5]])


def _row_of_marks(name, values, height, look):
    wave = 0.25 * np.sin(np.arange(values.size) * 2.4)
    return k.points(name, np.round(values, 4), height + wave, look, lower=True, **k.QUIET)


def _before(file, statistic):
    """Return the halves before noise, and the promise that the attack is held against."""
    records, read = _read(file, statistic)
    widest, truth = _trial(file, statistic, ETAS[0])
    clean, what = widest.halves, "slope" if statistic.startswith("line") else statistic
    # All releases but few lie within the widest noise of the slider.
    reach = 3 * float(widest.deviations[0]) + float(np.ptp(clean))
    return k.part(
        _row_of_marks("halves, before noise", clean, 1.0, k.LEVEL.with_symbol("circle-open")),
        k.level("on all the data (exact)", truth, [-0.5, 1.5], lower=True),
        k.points("a hundred rounds", *_ROUNDS, k.LEVEL, size=3, **k.QUIET),
        x=k.unseen(-1.8, 10.8),
        y=k.axis("rounds won", {0: "0", 5: "50", 10: "100"}, range=[-0.3, 10.3]),
        x2=k.axis(f"the {what}", range=[truth - reach, truth + reach]),
        y2=k.axis("", {0: "noisy", 1: "halves"}, range=[-0.6, 1.6], showgrid=False),
        rows=(0.6, 0.14),
        height=470,
        beside=0.5,
        grab=k.drag("eta", [10.2] * len(ETAS), 5 + 10 * np.array(ETAS), along="y"),
        moving_axes="tables and statistics have units of their own",
        **k.words(read=read, what=what, records=k.exact(len(records), ".0f")),
    )


def _after(file, statistic, eta):
    """Return the releases with noise, and how far the attack gets."""
    trial, truth = _trial(file, statistic, eta)
    right, low, high = trial.attack.tolist()
    lost, before = (np.sqrt(np.mean((values - truth) ** 2)) for values in (trial.released, trial.halves))
    mark = {"size": 10, "error_y": k.error_bars([10 * right], [10 * low], [10 * high])}
    found, won = k.about(right, k.in_100), _ROUNDS[:, : round(100 * right)]
    intercept = k.told(" (of the intercept {other})", other=trial.deviations[-1])
    return k.part(
        _row_of_marks("releases, with noise", trial.released, 0.0, k.SERIES[0].with_symbol("x-thin-open")),
        k.points("won", *won, k.ATTACK, size=8, **k.QUIET),
        k.level("promised (bound)", [-0.6, 10.2], 5 + 10 * eta, k.MIP.bound()),
        k.points("attack measured (estimate, 95%)", -1.2, 10 * right, k.ATTACK.with_symbol("square"), **mark),
        headline="noise of {deviation} is added",
        sentence="Noise of standard deviation {deviation}{second} gives η = {promise} (bound, with 99.9% "
        "confidence). The {what} of a random half of {records} records is then off by {lost}, not {drawn} "
        "(estimates). The attack is right {right} (estimate, 95% band {low} to {high}); {promised} were "
        "promised.",
        alt="A hundred rounds, so many of them filled as an attack wins, with its band; a line at one half "
        "plus η = {eta}. Beside them two rows of marks, {halves} halves before noise and as many releases "
        "with noise, around a line at {truth}.",
        second=intercept if statistic == STATISTICS[-1] else "",
        **k.words(deviation=trial.deviations[0], right=found, eta=eta, truth=truth, promise=k.at_most(eta)),
        **k.words(k.about, low=100 * low, high=100 * high),
        **k.words(lost=k.about(lost, digits=2), drawn=k.about(before, digits=2)),
        **k.words(promised=50 + 100 * eta, halves=k.exact(trial.halves.size, ".0f")),
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
_PROMISES = k.promise(0.01, 0.45)
_DRAWN = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])
_ROUTES = {
    "corrected, average sensitivity (bound)": k.MIP.bound(),
    "smallest sufficient (exact)": k.MIP,
    "through DP (bound)": k.DP,
}


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
    """Return the published, corrected, exact and DP scales."""
    answers, members, average, largest = _query(values, query)
    return (
        float(mip.noise_scale(eta, M=2, as_published=True)) * float(answers.std()),
        float(mip.scale_from_distance(average, eta)),
        mip.minimal_laplace_scale(answers, members, eta),
        float(mip.laplace_dp_scale(eta, largest)),
    )


def _routes(numbers, query):
    """Return what each route asks for, along all of eta."""
    values, read = _numbers_of(numbers)
    # The published scale would hide what the others differ by: the sentence tells it.
    curves, exact = (
        np.array([_scales(values, query, eta) for eta in etas]).T[1:] for etas in (_DRAWN, _PROMISES.stops)
    )
    seen = np.log10(curves[curves > 1e-4 * curves.max()])
    ends = [float(np.floor(seen.min())), float(np.ceil(seen.max()))] if seen.size else [-1.0, 1.0]
    hover, names = "η = %{x}: a scale of %{y:.3g}", list(_ROUTES)
    return k.part(
        [
            k.curve(name, _DRAWN, scale, look, marked=True, hover=hover)
            for (name, look), scale in zip(_ROUTES.items(), curves, strict=True)
        ],
        x=k.axis("η, the edge over a coin toss", range=[0, 0.47]),
        y=k.axis("Laplace scale of the noise", log=True, range=ends),
        height=400,
        probe=names,
        ghost=names[1:2],
        grab=k.drag("eta", _PROMISES.stops, np.maximum(exact[1], 10 ** ends[0])),
        moving_axes="numbers and queries have units of their own",
        **k.words(read=read, people=len(values)),
    )


def _at_eta(numbers, query, eta):
    """Return what each route asks for at the reader's eta."""
    published, corrected, exact, dp = scales = _scales(_numbers_of(numbers)[0], query, eta)
    return k.part(
        k.reading(eta, scales[1:], "at your η"),
        headline="a scale of {exact} is enough",
        sentence=f"For the {query} of a random half of these {{people}} numbers at η = {{eta}}, a Laplace "
        "scale of {exact} is enough and no smaller one is (exact). The corrected bound needs {corrected}, DP "
        "needs {dp}, the published bound {published} (bounds). Neighbours: replace one record.",
        alt="Noise scale on a logarithmic axis against eta. At eta = {eta}: DP {dp}, corrected {corrected}, "
        "smallest sufficient {exact}. Where the exact need is 0, its curve leaves the picture.",
        **k.words(k.at_most, published=published, corrected=corrected, dp=dp),
        **k.words(eta=eta, exact=exact),
    )


@k.figure
def noise_lab(
    numbers: Annotated[str | k.UploadedFile, _NUMBERS] = "ranks",
    query: Annotated[str, k.Choice(list(_QUERIES), label="Query")] = "mean",
    eta: Annotated[float, _PROMISES] = 0.1,
):
    """Draw the Laplace scale that four routes ask for, on the reader's own numbers.

    A file holds 4 to 14 numbers; of an odd number one, drawn at random, is left out.

    Notes
    -----
    MIP paper, Theorem 9 and Corollary 14, with the corrected constant; replace-one
    neighbours among the halves.

    Examples
    --------
    >>> len(noise_lab("ranks").data)
    4
    """
    return _routes, _at_eta
