"""Release with MIP: the noise a promise costs, the utility lost, and the attack that was tried."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.base import validate
from mipbook.base.types import Array
from mipbook.explore import Choice, File, Part, Slider, UploadedFile, declared, layer, stacked
from mipbook.figures.frame import LOWER, axis, placed
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
_LEAST = 0.05
_FITS, _PILOT, _CONFIDENCE = 1600, 100, 0.999
_SHOWN = 80
# Half of these are attacked, half known to the attacker.
_ATTACKED = 1000
_CELLS = 1 << 21


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


def _fits(halves: Array, statistic: str) -> Array:
    """Return the statistic of each half; halves have the shape (count, records, columns)."""
    if statistic == "mean":
        return np.asarray(halves[..., 0].mean(axis=1))[:, None]
    if statistic == "median":
        return np.asarray(np.median(halves[..., 0], axis=1))[:, None]
    if statistic == "standard deviation":
        return np.asarray(halves[..., 0].std(axis=1))[:, None]
    x, y = halves[..., 0], halves[..., 1]
    middle = x.mean(axis=1)
    spread = x - middle[:, None]
    if not np.any(spread, axis=1).all():
        raise ValueError("file: a line needs an x that varies, and this column is constant")
    slope = (spread * y).sum(axis=1) / (spread**2).sum(axis=1)
    # Slope, and height in the middle of all data's range, which noise may shift apart.
    return np.stack([slope, y.mean(axis=1) - slope * middle], axis=1)


@lru_cache(maxsize=16)
def _halves(file: str | UploadedFile, statistic: str) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the table, fits on random halves, and who was in each."""
    table, _ = _read(file, statistic)
    rng = np.random.default_rng(81)
    n, count = len(table), _FITS + _PILOT
    order = np.argsort(rng.random((count, n)), axis=1)[:, : n // 2]
    members = np.zeros((count, n), dtype=bool)
    np.put_along_axis(members, order, True, axis=1)
    # A few halves at a time: of 2,000 records all of them would fill a gigabyte.
    parts = np.array_split(order, 1 + order.size // _CELLS)
    fits = np.concatenate([_fits(table[part], statistic) for part in parts])
    if not (np.abs(fits[:_PILOT] - np.median(fits[:_PILOT], axis=0)).mean(axis=0) > 0).all():
        raise ValueError("file: the statistic is the same on every half, so nothing can be told")
    return table, fits, members


@lru_cache(maxsize=512)
def _noise(file: str | UploadedFile, statistic: str, eta: float) -> mip.Calibration:
    _, fits, _ = _halves(file, statistic)
    first, rest = fits[:_PILOT], fits[_PILOT:]
    return mip.scale_from_fits(first, rest, eta, confidence=_CONFIDENCE, noise="gaussian", M=2.0)


@lru_cache(maxsize=512)
def _attack(file: str | UploadedFile, statistic: str, eta: float) -> AttackReport:
    _, fits, members = _halves(file, statistic)
    noise, rng = _noise(file, statistic, eta), np.random.default_rng(82)
    return measure_attack(fits[-_ATTACKED:], members[-_ATTACKED:], noise, rng)


def _truth(file: str | UploadedFile, statistic: str) -> float:
    """Return the statistic on all the data."""
    table, _, _ = _halves(file, statistic)
    return float(_fits(table[None], statistic)[0, 0])


def _deviations(noise: mip.Calibration) -> Array:
    """Return the noise's standard deviation on each parameter."""
    return np.asarray(noise.scale * np.sqrt(noise.weights.size) * noise.weights)


def _row_of_marks(name: str, values: Array, height: float, look: Look) -> Trace:
    wave = 0.25 * np.sin(np.arange(values.size) * 2.4)
    return points(name, np.round(values, 4), height + wave, look, hoverinfo="skip", **LOWER)


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


def _what(statistic: str) -> str:
    return "slope" if statistic.startswith("line") else statistic


def _before(file: str | UploadedFile, statistic: str) -> Part:
    """Return the halves before noise, and the promise that the attack is held against."""
    table, fits, _ = _halves(file, statistic)
    truth = _truth(file, statistic)
    clean = fits[_PILOT : _PILOT + _SHOWN, 0]
    # All releases but few lie within the widest noise of the slider.
    reach = 3 * float(_deviations(_noise(file, statistic, _LEAST))[0]) + np.ptp(clean)
    traces = [
        _row_of_marks("halves, before noise", clean, 1.0, LEVEL.with_symbol("circle-open")),
        level("on all the data (exact)", truth, [-0.5, 1.5], **LOWER),
        curve("promised, 1/2 + η (bound)", [0.0, 0.5], [0.5, 1.0], MIP.bound()),
    ]
    what = _what(statistic)
    layout = {
        "xaxis": axis("η", range=[0, 0.47]),
        "yaxis": axis("how often the attack is right", range=[0.45, 1.0]),
        "xaxis2": axis(f"the {what}", range=[truth - reach, truth + reach]),
        "yaxis2": {"visible": False, "range": [-0.6, 1.6]},
        "rows": (0.55, 0.2),
        "height": 400,
    }
    read = _read(file, statistic)[1]
    meta: dict[str, Any] = {
        "beside": 0.5,
        "grab": [{"control": "eta", "axis": "x"}],
        "moving_axes": "tables and statistics have units of their own",
        **({"read": read} if read else {}),
    }
    return Part(traces, placed(layout), {"what": what, "records": str(len(table))}, meta)


def _after(file: str | UploadedFile, statistic: str, eta: float) -> Part:
    """Return the releases with noise, and how far the attack gets."""
    _, fits, _ = _halves(file, statistic)
    noise, attack = _noise(file, statistic, eta), _attack(file, statistic, eta)
    truth, shown = _truth(file, statistic), fits[_PILOT : _PILOT + _SHOWN]
    noisy = noise.release(shown, np.random.default_rng(83))[:, 0]
    spread = _deviations(noise)
    lost, before = (float(np.sqrt(np.mean((v - truth) ** 2))) for v in (noisy, shown[:, 0]))
    traces = [
        _row_of_marks("releases, with noise", noisy, 0.0, SERIES[0].with_symbol("x-thin-open")),
        points(
            "attack measured (estimate, 95%)",
            eta,
            attack.accuracy,
            ATTACK.with_symbol("square"),
            size=10,
            error_y=error_bars([attack.accuracy], [attack.low], [attack.high]),
        ),
    ]
    deviation = say(float(spread[0]))
    sentence = (
        f"To release the {{what}} of a random half of {{records}} records with η = {say(eta)}, "
        f"noise of standard deviation {deviation} is added (bound, with 99.9% confidence): it is "
        f"then off by {say(lost, 2)}, not {say(before, 2)} (estimates). The attack is right "
        f"{percent(attack.accuracy)} of the time (estimate, 95% band {percent(attack.low)} to "
        f"{percent(attack.high)}); {percent(0.5 + eta)} was promised."
    )
    alt = (
        f"The measured accuracy of an attack at eta = {say(eta)}, with its band, under the line "
        f"one half plus eta. Beside it two rows of marks: {_SHOWN} halves before noise and as many "
        f"releases with noise, around a line at {say(truth)}."
    )
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"noise of {deviation}, for η = {say(eta)}",
        "table": _table(eta, attack, spread, lost, before),
    }
    return Part(traces, meta=meta)


@declared
def release_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_TABLES, roles=TABLE_ROLES, label="Table")
    ] = "incomes",
    statistic: Annotated[str, Choice(STATISTICS, label="What to release")] = "mean",
    eta: Annotated[float, Slider(_LEAST, 0.45, step=0.025, label="Promise, η")] = 0.1,
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
    return stacked(
        layer(_before, file=file, statistic=statistic),
        layer(_after, file=file, statistic=statistic, eta=eta),
    )
