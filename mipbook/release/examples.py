"""Releases of made-up tables, as the app shows them; what takes half a minute is stored."""

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.checked import Number, OneOf, checked
from mipbook import mip
from mipbook.base.types import Array
from mipbook.release.attack import measure_attack
from mipbook.stored.store import load

EXAMPLES = ("incomes", "age and blood pressure", "small study with an outlier")
STATISTICS = ("mean", "median", "standard deviation", "line through two columns")
ETAS = tuple(round(0.05 + 0.025 * i, 3) for i in range(17))
SETTINGS: dict[str, Any] = {
    "version": 1,
    "examples": EXAMPLES,
    "statistics": STATISTICS,
    "etas": ETAS,
    "fits": 1600,
    "pilot": 100,
    "confidence": 0.999,
    "shown": 80,
    "seed": 80,
}
# Numbers of halves that are gathered at a time.
_CELLS = 1 << 21


class Trial(NamedTuple):
    """What a promise costs, and how far an attack gets.

    Attributes
    ----------
    deviations : ndarray
        The noise's standard deviation on each parameter; a bound.
    attack : ndarray
        How often the attack was right, and the ends of its 95% interval; estimates.
    halves, released : ndarray
        The first parameter on some random halves, without noise and with it.
    """

    deviations: Array
    attack: Array
    halves: Array
    released: Array


def example_table(name: str) -> Array:
    """Return a built-in table of made-up numbers.

    Parameters
    ----------
    name : str
        One of ``EXAMPLES``.

    Notes
    -----
    MIP paper, section 3.2, for the second.

    Examples
    --------
    >>> example_table("incomes").shape
    (200, 2)
    """
    name = validate.choice("name", name, EXAMPLES)
    rng = np.random.default_rng(SETTINGS["seed"])
    if name == EXAMPLES[0]:
        income = np.round(rng.lognormal(3.5, 0.5, 200), 1)
        return np.column_stack([income, np.round(0.3 * income + rng.normal(0, 4, 200), 1)])
    if name == EXAMPLES[1]:
        age = rng.integers(20, 80, 120).astype(float)
        return np.column_stack([age, np.round(100 + 0.6 * age + rng.normal(0, 9, 120), 1)])
    first = np.append(np.round(rng.normal(10, 1, 19), 2), 40.0)
    return np.column_stack([first, np.round(2 * first + rng.normal(0, 1, 20), 2)])


def statistics_of(halves: Array, statistic: str) -> Array:
    """Return the parameters of a statistic on each half.

    Parameters
    ----------
    halves : ndarray of shape (count, records, columns)
        For a line the first column is x, the second y.
    statistic : str
        One of `STATISTICS`.

    Examples
    --------
    >>> statistics_of(np.array([[[1.0, 5.0], [3.0, 9.0]]]), "line through two columns").tolist()
    [[2.0, 3.0]]
    """
    halves = validate.array("halves", halves, ndim=3)
    if validate.choice("statistic", statistic, STATISTICS) != STATISTICS[-1]:
        how: Any = {"mean": np.mean, "median": np.median, "standard deviation": np.std}[statistic]
        return np.asarray(how(halves[..., 0], axis=1))[:, None]
    x, y = halves[..., 0], halves[..., 1]
    middle = x.mean(axis=1)
    spread = x - middle[:, None]
    if not np.any(spread, axis=1).all():
        raise ValueError("file: a line needs an x that varies, and this column is constant")
    slope = (spread * y).sum(axis=1) / (spread**2).sum(axis=1)
    # Slope, and height in the middle of all data's range, which noise may shift apart.
    return np.stack([slope, y.mean(axis=1) - slope * middle], axis=1)


@lru_cache(maxsize=4)
def _fits(table: bytes, columns: int, statistic: str) -> tuple[Array, NDArray[np.bool_]]:
    """Return the statistic on random halves, and who was in each."""
    records = np.frombuffer(table).reshape(-1, columns)
    rng, n = np.random.default_rng(SETTINGS["seed"] + 1), len(records)
    count = SETTINGS["fits"] + SETTINGS["pilot"]
    order = np.argsort(rng.random((count, n)), axis=1)[:, : n // 2]
    members = np.zeros((count, n), dtype=bool)
    np.put_along_axis(members, order, True, axis=1)
    parts = np.array_split(order, 1 + order.size // _CELLS)
    fits = np.concatenate([statistics_of(records[part], statistic) for part in parts])
    first = fits[: SETTINGS["pilot"]]
    if not (np.abs(first - np.median(first, axis=0)).mean(axis=0) > 0).all():
        raise ValueError("file: the statistic is the same on every half, so nothing can be told")
    return fits, members


@checked
def tried(
    table: Array,
    statistic: Annotated[str, OneOf(STATISTICS)],
    eta: Annotated[float, Number(ETAS[0], ETAS[-1])],
) -> Trial:
    """Calibrate Gaussian noise for a table, release with it, and attack the releases.

    Parameters
    ----------
    table : ndarray of shape (records, columns)
        An even number of records.
    statistic : str
        One of `STATISTICS`.

    Notes
    -----
    The corrected Algorithm 1 of the MIP paper: `mipbook.mip.scale_from_fits`.

    Examples
    --------
    >>> tried(np.arange(12.0)[:, None], "mean", 0.2).released.shape
    (80,)
    """
    table = np.ascontiguousarray(validate.array("table", table, ndim=2))
    every, members = _fits(table.tobytes(), table.shape[1], statistic)
    first, fits = every[: SETTINGS["pilot"]], every[SETTINGS["pilot"] :]
    noise = mip.scale_from_fits(first, fits, eta, confidence=SETTINGS["confidence"], noise="gaussian")
    attacked, drawn = (np.random.default_rng(SETTINGS["seed"] + i) for i in (2, 3))
    report = measure_attack(fits, members[SETTINGS["pilot"] :], noise, attacked)
    shown = fits[: SETTINGS["shown"]]
    return Trial(
        noise.scale * np.sqrt(noise.weights.size) * noise.weights,
        np.array([report.accuracy, report.low, report.high]),
        shown[:, 0],
        noise.release(shown, drawn)[:, 0],
    )


def columns_of(name: str, statistic: str) -> Array:
    """Return the columns of an example that a statistic reads."""
    table = example_table(name)
    return table if statistic == STATISTICS[-1] else table[:, :1]


def example_trial(name: str, statistic: str, eta: float) -> Trial:
    """Return `tried` on an example, read where it is stored.

    Parameters
    ----------
    name : str
        One of ``EXAMPLES``.
    statistic, eta
        As in `tried`.

    Examples
    --------
    >>> trial = example_trial("incomes", "mean", 0.1)
    >>> bool(5 < trial.deviations[0] < 6)
    True
    """
    columns = columns_of(name, statistic)
    if eta not in ETAS:
        return tried(columns, statistic, eta)
    place = EXAMPLES.index(name), STATISTICS.index(statistic), ETAS.index(eta)
    found = load("release", SETTINGS).arrays
    trial = Trial(*(found[field][place] for field in Trial._fields))
    # A single parameter has 0 for the second.
    return trial._replace(deviations=trial.deviations[: 2 if statistic == STATISTICS[-1] else 1])
