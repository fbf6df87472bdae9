"""Release with MIP: the noise a promise costs, the utility lost, and the attack that was tried."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mip
from mipbook.base import validate
from mipbook.base.types import Array
from mipbook.explore import Choice, File, Slider, UploadedFile, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import ATTACK, LEVEL, MIP, SERIES, Look
from mipbook.figures.marks import Trace, curve, error_bars, level, points
from mipbook.figures.uploads import even_records
from mipbook.figures.words import percent, say
from mipbook.release import AttackReport, measure_attack
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_TABLES", "TABLE_ROLES", "example_table", "release_lab"]

EXAMPLE_TABLES = ("incomes", "age and blood pressure", "small study with an outlier")
STATISTICS = ("mean", "median", "standard deviation", "line through two columns")
_VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
_AGAINST = Role(
    "against", "Against, for a line", "is x of the line", "is x of the line", otherwise="place"
)
# Only a line needs the second one; of two columns it takes the first as x.
TABLE_ROLES = (_VALUE, _AGAINST._replace(optional=True))
_ETAS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4]
_FITS, _PILOT, _CONFIDENCE = 1600, 100, 0.999
_SHOWN = 80


def example_table(name: str) -> Array:
    """Return a built-in table of made-up numbers.

    Parameters
    ----------
    name : str
        One of `EXAMPLE_TABLES`.

    Notes
    -----
    MIP paper, section 3.2, for the second.

    Examples
    --------
    >>> example_table("incomes").shape
    (200, 2)
    """
    return _example(validate.choice("name", name, EXAMPLE_TABLES))


@lru_cache(maxsize=8)
def _example(name: str) -> Array:
    rng = np.random.default_rng(80)
    if name == "incomes":
        income = np.round(rng.lognormal(3.5, 0.5, 200), 1)
        return np.column_stack([income, np.round(0.3 * income + rng.normal(0, 4, 200), 1)])
    if name == "age and blood pressure":
        age = rng.integers(20, 80, 120).astype(float)
        return np.column_stack([age, np.round(100 + 0.6 * age + rng.normal(0, 9, 120), 1)])
    first = np.append(np.round(rng.normal(10, 1, 19), 2), 40.0)
    return np.column_stack([first, np.round(2 * first + rng.normal(0, 1, 20), 2)])


@lru_cache(maxsize=8)
def _read(file: str | UploadedFile, statistic: str) -> tuple[Array, str]:
    """Return the records, for a line x before y, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return example_table(file), ""
    line = statistic == STATISTICS[-1]
    roles = (_AGAINST, _VALUE) if line else (_VALUE,)
    wanted = [pair for pair in file.columns if line or pair[0] != _AGAINST.name]
    reading = read_columns(file.text, roles, wanted)
    reading.check_records(4, 2000)
    records, left = even_records(reading, reading.numbers(*(role.name for role in roles)), 84)
    return records, reading.say(left)


def _fit(table: Array, statistic: str) -> Array:
    if statistic == "mean":
        return np.array([table[:, 0].mean()])
    if statistic == "median":
        return np.array([np.median(table[:, 0])])
    if statistic == "standard deviation":
        return np.array([table[:, 0].std()])
    x, y = table.T
    spread = x - x.mean()
    if not np.any(spread):
        raise ValueError("file: a line needs an x that varies, and this column is constant")
    slope = float((spread * y).sum() / (spread**2).sum())
    # Slope, and height in the middle of all data's range, which noise may shift apart.
    return np.array([slope, y.mean() - slope * x.mean()])


@lru_cache(maxsize=32)
def _fits(file: str | UploadedFile, statistic: str) -> tuple[Any, Any, Any, Any]:
    """Return the table, fits on random halves, and who was in each."""
    table, _ = _read(file, statistic)
    rng = np.random.default_rng(81)
    n = len(table)
    order = np.argsort(rng.random((_FITS + _PILOT, n)), axis=1)[:, : n // 2]
    members = np.zeros((_FITS + _PILOT, n), dtype=bool)
    np.put_along_axis(members, order, True, axis=1)
    fits = np.stack([_fit(table[row], statistic) for row in members])
    if not (np.abs(fits[:_PILOT] - np.median(fits[:_PILOT], axis=0)).mean(axis=0) > 0).all():
        raise ValueError("file: the statistic is the same on every half, so nothing can be told")
    return table, fits[:_PILOT], fits[_PILOT:], members[_PILOT:]


@lru_cache(maxsize=256)
def _released(
    file: str | UploadedFile, statistic: str, eta: float
) -> tuple[mip.Calibration, AttackReport]:
    _, first, fits, members = _fits(file, statistic)
    noise = mip.scale_from_fits(first, fits, eta, confidence=_CONFIDENCE, noise="gaussian", M=2.0)
    return noise, measure_attack(fits, members, noise, np.random.default_rng(82))


@lru_cache(maxsize=32)
def _measured(file: str | UploadedFile, statistic: str) -> Trace:
    """Return how often the attack is right, at every eta."""
    reports = [_released(file, statistic, eta)[1] for eta in _ETAS]
    accuracy = [r.accuracy for r in reports]
    return points(
        "attack measured (estimate, 95%)",
        _ETAS,
        accuracy,
        ATTACK.with_symbol("square"),
        size=9,
        error_y=error_bars(accuracy, [r.low for r in reports], [r.high for r in reports]),
        **LOWER,
    )


def _row_of_marks(name: str, values: Array, height: float, look: Look) -> Trace:
    wave = 0.25 * np.sin(np.arange(values.size) * 2.4)
    return points(name, values, height + wave, look)


def _table(eta: float, attack: AttackReport, spread: Array, lost: float, before: float) -> Any:
    """Return what the panel lists: the attack, the promise, the noise, the errors."""
    band = f"{percent(attack.low)} to {percent(attack.high)}"
    return [
        ["quantity", "value", "band", "kind"],
        ["best attack tried, accuracy", percent(attack.accuracy), band, "estimate"],
        ["promised accuracy", percent(0.5 + eta), "at most", "bound"],
        *(
            [f"noise on parameter {i + 1}, standard deviation", say(float(s)), "", "bound"]
            for i, s in enumerate(spread)
        ),
        ["error of a release, root mean square", say(lost), "", "estimate"],
        ["error of a half without noise", say(before), "", "estimate"],
    ]


@declared
def release_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_TABLES, roles=TABLE_ROLES, label="Table")
    ] = "incomes",
    statistic: Annotated[str, Choice(STATISTICS, label="What to release")] = "mean",
    eta: Annotated[float, Slider(0.05, 0.45, points=7, label="Promise, eta")] = 0.1,
) -> go.Figure:
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
    table, _, fits, _ = _fits(file, statistic)
    noise, attack = _released(file, statistic, eta)
    clean = fits[:_SHOWN, 0]
    noisy = noise.release(fits[:_SHOWN], np.random.default_rng(83))[:, 0]
    truth = float(_fit(table, statistic)[0])
    spread = noise.scale * np.sqrt(noise.weights.size) * noise.weights
    lost, before = (float(np.sqrt(np.mean((v - truth) ** 2))) for v in (noisy, clean))
    what = "slope" if statistic.startswith("line") else statistic
    return finish(
        [
            _row_of_marks("halves, before noise", clean, 1.0, LEVEL.with_symbol("circle-open")),
            _row_of_marks("releases, with noise", noisy, 0.0, SERIES[0].with_symbol("x-thin-open")),
            level("on all the data (exact)", truth, [-0.5, 1.5]),
            _measured(file, statistic),
            curve("promised, 1/2 + eta (bound)", [0.0, 0.5], [0.5, 1.0], MIP.bound(), **LOWER),
        ],
        sentence=(
            f"To release the {what} of a random half of {len(table)} records with eta = "
            f"{say(eta)}, Gaussian noise of standard deviation {say(float(spread[0]))} is added "
            f"(bound, with 99.9% confidence). A release is then off by {say(lost, 2)} instead of "
            f"{say(before, 2)} (estimates from {_SHOWN} releases). The attack that was tried is "
            f"right {percent(attack.accuracy)} of the time (estimate, 95% band "
            f"{percent(attack.low)} to {percent(attack.high)}); {percent(0.5 + eta)} was promised."
        ),
        alt=(
            f"Above, two rows of marks: {_SHOWN} halves before noise and as many releases with "
            f"noise, around a line at {say(truth)}. Below, the measured accuracy of an attack "
            f"against eta, with bands, under the line one half plus eta."
        ),
        layout={
            "xaxis": axis(f"the {what}"),
            "yaxis": {"visible": False, "range": [-0.6, 1.6]},
            "xaxis2": axis("eta", range=[0, 0.47]),
            "yaxis2": axis("accuracy", range=[0.45, 1.0]),
            "rows": (0.42, 0.2),
            "height": 600,
        },
        table=_table(eta, attack, spread, lost, before),
        read=_read(file, statistic)[1],
    )
