"""Release with MIP: the noise a promise costs, the utility lost, and the attack that was tried."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, File, Part, Slider, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook.base.rounding import up
from mipbook.base.types import Array
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import ATTACK, LEVEL, MIP, SERIES, Look
from mipbook.figures.marks import Trace, curve, error_bars, level, points
from mipbook.figures.uploads import even_records
from mipbook.figures.words import percent, say
from mipbook.release.examples import (
    ETAS,
    EXAMPLES,
    STATISTICS,
    Trial,
    example_table,
    example_trial,
    statistics_of,
    tried,
)

__all__ = ["EXAMPLE_TABLES", "TABLE_ROLES", "example_table", "release_lab"]

EXAMPLE_TABLES = EXAMPLES
_VALUE = Role("value", "To release", "is released", "to release", otherwise="place")
_AGAINST = Role("against", "Against, for a line", "is x of the line", "is x of the line", otherwise="place")
# Only a line needs the second one; of two columns it takes the first as x.
TABLE_ROLES = (_VALUE, _AGAINST._replace(optional=True))


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


def _trial(file: str | UploadedFile, statistic: str, eta: float) -> Trial:
    """Return the noise, the attack and some releases; of an example they are stored."""
    if isinstance(file, UploadedFile):
        return tried(_read(file, statistic)[0], statistic, eta)
    return example_trial(file, statistic, eta)


def _truth(file: str | UploadedFile, statistic: str) -> float:
    """Return the statistic on all the data."""
    return float(statistics_of(_read(file, statistic)[0][None], statistic)[0, 0])


def _row_of_marks(name: str, values: Array, height: float, look: Look) -> Trace:
    wave = 0.25 * np.sin(np.arange(values.size) * 2.4)
    return points(name, np.round(values, 4), height + wave, look, hoverinfo="skip", **LOWER)


def _table(eta: float, trial: Trial, lost: float, before: float) -> Any:
    """Return what the panel lists: the attack, the promise, the noise, the errors."""
    right, low, high = map(percent, trial.attack.tolist())
    band = f"{low} to {high}"
    return [
        ["quantity", "value", "band", "kind"],
        ["best attack tried, accuracy", right, band, "estimate"],
        ["promised accuracy", percent(0.5 + eta, to=up), "at most", "bound"],
        ["noise, standard deviation", "; ".join(map(say, trial.deviations)), "", "bound"],
        ["error of a release, root mean square", say(lost), "", "estimate"],
        ["error of a half without noise", say(before), "", "estimate"],
    ]


def _what(statistic: str) -> str:
    return "slope" if statistic.startswith("line") else statistic


def _before(file: str | UploadedFile, statistic: str) -> Part:
    """Return the halves before noise, and the promise that the attack is held against."""
    table, read = _read(file, statistic)
    truth, widest = _truth(file, statistic), _trial(file, statistic, ETAS[0])
    clean = widest.halves
    # All releases but few lie within the widest noise of the slider.
    reach = 3 * float(widest.deviations[0]) + float(np.ptp(clean))
    traces = [
        _row_of_marks("halves, before noise", clean, 1.0, LEVEL.with_symbol("circle-open")),
        level("on all the data (exact)", truth, [-0.5, 1.5], **LOWER),
        curve("promised, 1/2 + η (bound)", [0.0, 0.5], [0.5, 1.0], MIP.bound()),
    ]
    what = _what(statistic)
    layout = {
        "xaxis": axis("η", range=[0, 0.47]),
        "yaxis": axis("attack right", range=[0.45, 1.0]),
        "xaxis2": axis(f"the {what}", range=[truth - reach, truth + reach]),
        "yaxis2": {"visible": False, "range": [-0.6, 1.6]},
        "rows": (0.5, 0.32),
        "height": 400,
    }
    track = {"x": list(ETAS), "y": [0.5 + eta for eta in ETAS]}
    meta: dict[str, Any] = {
        "beside": 0.5,
        "grab": [{"control": "eta", "axis": "x", "track": track}],
        "moving_axes": "tables and statistics have units of their own",
        **({"read": read} if read else {}),
    }
    return Part(traces, placed(layout), {"what": what, "records": str(len(table))}, meta)


def _after(file: str | UploadedFile, statistic: str, eta: float) -> Part:
    """Return the releases with noise, and how far the attack gets."""
    trial, truth = _trial(file, statistic, eta), _truth(file, statistic)
    right, low, high = trial.attack.tolist()
    lost, before = (
        float(np.sqrt(np.mean((values - truth) ** 2))) for values in (trial.released, trial.halves)
    )
    traces = [
        _row_of_marks("releases, with noise", trial.released, 0.0, SERIES[0].with_symbol("x-thin-open")),
        points(
            "attack measured (estimate, 95%)",
            eta,
            right,
            ATTACK.with_symbol("square"),
            size=10,
            error_y=error_bars([right], [low], [high]),
        ),
    ]
    deviation = say(float(trial.deviations[0]))
    sentence = (
        f"Noise of standard deviation {deviation} gives η = {say(eta, to=up)} (bound, with 99.9% "
        f"confidence). The {{what}} of a random half of {{records}} records is then off by "
        f"{say(lost, 2)}, not {say(before, 2)} (estimates). The attack is right "
        f"{percent(right)} of the time (estimate, 95% band {percent(low)} to {percent(high)}); "
        f"{percent(0.5 + eta)} was promised."
    )
    alt = (
        f"The measured accuracy of an attack at eta = {say(eta)}, with its band, under the line "
        f"one half plus eta. Beside it two rows of marks, {trial.halves.size} halves before noise "
        f"and as many releases with noise, around a line at {say(truth)}."
    )
    meta = {
        "sentence": sentence,
        "alt": alt,
        "headline": f"noise of {deviation} is added",
        "table": _table(eta, trial, lost, before),
    }
    return Part(traces, meta=meta)


@declared
def release_lab(
    file: Annotated[str | UploadedFile, File(EXAMPLE_TABLES, roles=TABLE_ROLES, label="Table")] = "incomes",
    statistic: Annotated[str, Choice(STATISTICS, label="What to release")] = "mean",
    eta: Annotated[float, Slider(ETAS[0], ETAS[-1], step=0.025, label="Promise, η")] = 0.1,
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
        layer(_before, file=file, statistic=statistic), layer(_after, file=file, statistic=statistic, eta=eta)
    )
