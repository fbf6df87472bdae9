"""Release with MIP: the noise a promise costs, the utility lost, and the attack that was tried."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook.figures.uploads import even_records
from mipbook.release import examples
from mipbook.release.examples import ETAS, STATISTICS, example_table

EXAMPLE_TABLES = examples.EXAMPLES
_VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
_AGAINST = Role("against", "Against, for a line", "is x of the line", "is x of the line", otherwise="place")
# Only a line needs the second one; of two columns it takes the first as x.
TABLE_ROLES = (_VALUE, _AGAINST._replace(optional=True))
_FILE = k.File(EXAMPLE_TABLES, roles=TABLE_ROLES, label="Table")


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


def _row_of_marks(name, values, height, look):
    wave = 0.25 * np.sin(np.arange(values.size) * 2.4)
    return k.points(name, np.round(values, 4), height + wave, look, hoverinfo="skip", lower=True)


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
        k.curve("promised, 1/2 + η (bound)", [0.0, 0.5], [0.5, 1.0], k.MIP.bound()),
        x=k.axis("η", range=[0, 0.47]),
        y=k.axis("attack right", range=[0.45, 1.0]),
        x2=k.axis(f"the {what}", range=[truth - reach, truth + reach]),
        y2={"visible": False, "range": [-0.6, 1.6]},
        rows=(0.5, 0.32),
        height=400,
        beside=0.5,
        grab=k.drag("eta", ETAS, 0.5 + np.array(ETAS)),
        moving_axes="tables and statistics have units of their own",
        read=read,
        what=what,
        records=k.exact(len(records), ".0f"),
    )


def _after(file, statistic, eta):
    """Return the releases with noise, and how far the attack gets."""
    trial, truth = _trial(file, statistic, eta)
    right, low, high = trial.attack.tolist()
    lost, before = (np.sqrt(np.mean((values - truth) ** 2)) for values in (trial.released, trial.halves))
    square, bars = k.ATTACK.with_symbol("square"), k.error_bars([right], [low], [high])
    found, lowest, highest = (k.about(each, k.percent) for each in (right, low, high))
    return k.part(
        _row_of_marks("releases, with noise", trial.released, 0.0, k.SERIES[0].with_symbol("x-thin-open")),
        k.points("attack measured (estimate, 95%)", eta, right, square, size=10, error_y=bars),
        headline="noise of {deviation} is added",
        sentence="Noise of standard deviation {deviation} gives η = {promise} (bound, with 99.9% "
        "confidence). The {what} of a random half of {records} records is then off by {lost}, not {before} "
        "(estimates). The attack is right {right} of the time (estimate, 95% band {low} to {high}); "
        "{promised} was promised.",
        alt="The measured accuracy of an attack at eta = {eta}, with its band, under the line one half plus "
        "eta. Beside it two rows of marks, {halves} halves before noise and as many releases with noise, "
        "around a line at {truth}.",
        table=[
            ["quantity", "value", "band", "kind"],
            [
                "best attack tried, accuracy",
                found,
                k.told("{low} to {high}", low=lowest, high=highest),
                "estimate",
            ],
            ["promised accuracy", k.at_most(0.5 + eta, k.percent), "at most", "bound"],
            ["noise, standard deviation", "; ".join(map(k.say, trial.deviations)), "", "bound"],
            ["error of a release, root mean square", k.about(lost), "", "estimate"],
            ["error of a half without noise", k.about(before), "", "estimate"],
        ],
        **k.words(deviation=trial.deviations[0], right=found, low=lowest, high=highest, eta=eta, truth=truth),
        promise=k.at_most(eta),
        **k.words(lost=k.about(lost, digits=2), before=k.about(before, digits=2)),
        **k.words(promised=k.exact(0.5 + eta, k.percent), halves=k.exact(trial.halves.size, ".0f")),
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
    >>> release_lab(eta=0.1).layout.meta["table"][2]
    ['promised accuracy', '60%', 'at most', 'bound']
    """
    return _before, _after
