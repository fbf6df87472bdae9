"""The ratios of the PMP paper's Figures 1 to 6: how they are drawn, and the lab that draws any setting."""

import math
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook import pmp
from mipbook.base.rounding import mean_band
from mipbook.stored.pmp import COUNTED, FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, WALKED

# The ratios of the exponential mechanism: what they are called, and how they look.
SIDES = {
    "pool": ("ε̃ / ε(X)", k.PUBLISHED.with_symbol("square")),
    "all": ("ε̃ / ε", k.DP),
    "exact": ("ε̃ / exact ε(X)", k.PMP),
}

Average = Annotated[str, k.Choice({"mean": "mean", "worst data set": "worst"}, label="Of the data sets")]


def varied(names, stops, starts):
    """Return the menu of what is varied, and the slider over its values."""
    menu = k.Choice({names[name][0]: name for name in stops}, label="Vary")
    return menu, k.Along("vary", stops, starts, "n", label="Set it to")


def with_band(mean, half):
    """Tell an estimate with its band."""
    return k.told("{mean} ± {half}", mean=k.about(mean), half=k.about(half, digits=2))


def over_band(name, look, middle, half, kind, at, drawn, **more):
    """Return a ratio along an axis over its band, with a gap where it is not known.

    The ``kind`` is an estimate or a bound; ``half`` is the half width of the band, None without
    one; ``drawn`` makes of numbers what a logarithmic axis takes.
    """
    known = np.isfinite(middle)
    area = [()] * 3
    if half is not None:
        area = [np.array(at)[known], *(drawn(middle + side * half)[known] for side in (-1, 1))]
    own = look.estimate() if kind == "estimate" else look.bound()
    y = k.kept(drawn(middle), known)
    return [
        k.band(f"95% band of {name}", *area, look, showlegend=False),
        k.curve(f"{name} ({kind})", list(at), y, own, marked=True, **more),
    ]


_SETTING = {
    "n": ("n", 6.0, ("n",), "records drawn"),
    "d": ("dimension", 1.0, ("d", "dimension"), "dimension"),
    "m": ("objects", 0.0, ("m", "objects"), "objects to choose from"),
    "C": ("clip", 10.0, ("c", "clip"), "clip threshold"),
    "sigma": ("sigma", 1.0, ("sigma", "σ"), "spread"),
    "epsilon": ("epsilon", 5.0, ("epsilon", "ε", "eps"), "what is held fixed"),
    "outliers": ("outliers", 0.0, ("outliers",), "outliers"),
    "factor": ("factor", 100.0, ("factor",), "what scales them"),
    "delta": ("delta", 0.01, ("delta", "δ"), "δ"),
    "T": ("trials", 10.0, ("t", "trials"), "data sets"),
}
_WHOLE = ("n", "dimension", "objects", "outliers", "trials")
_ROLES = tuple(
    Role(name, name, f"is {does}", f"is {does}", optional=True, known=known)
    for name, (_, _, known, does) in _SETTING.items()
)
# The settings of the paper's figures, a column a parameter.
_EXAMPLES = {
    **{f"Figure {i}": {**f.paper, f.along: f.stops} for i, f in enumerate((FIGURE_1, FIGURE_2, FIGURE_3), 1)},
    "Figure 4": {**FIGURE_4.own, FIGURE_4.along: (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)},
    "Figure 5": {**FIGURE_5.own, FIGURE_5.along: (20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0)},
    "Figure 6": {**FIGURE_6.own, FIGURE_6.along: (1, 2, 5, 10, 20, 50, 100)},
}
_FILE = k.File(list(_EXAMPLES), roles=_ROLES, label="Settings")
_SENSITIVITY = k.Choice({"(C + 1)/n, noise 2C/n": "first", "2C/n, noise C/n": "second"}, label="Sensitivity")
_MOST_SETTINGS, _MOST_TRIALS = 200, 10_000


@k.few
def _settings(file):
    """Return the settings, a row each, and what was read of an own file."""
    if isinstance(file, k.UploadedFile):
        reading = read_columns(file.text, _ROLES, file.columns)
        reading.check_records(1, _MOST_SETTINGS)
        said = reading.say()
        if not reading.columns:
            raise ValueError(f"The file names none of {', '.join(_SETTING)}.")
        columns = {_SETTING[name][0]: reading.numbers(name).ravel() for name in reading.columns}
    else:
        columns, said = _EXAMPLES[file], ""
    usual = {name: value for name, value, *_ in _SETTING.values()}
    arrays = np.broadcast_arrays(*map(np.atleast_1d, (usual | columns).values()))
    rows = [dict(zip(usual, map(float, row), strict=True)) for row in zip(*arrays, strict=True)]
    for row in rows:
        for symbol, (name, *_) in _SETTING.items():
            if name in _WHOLE:
                if not row[name].is_integer():
                    raise ValueError(f"{symbol} = {row[name]:g} must be a whole number")
                row[name] = int(row[name])
        if not 2 <= row["trials"] <= _MOST_TRIALS:
            raise ValueError(f"T = {row['trials']} must be from 2 to {_MOST_TRIALS:,} data sets")
    return rows, said


def _case(row, fixed, sensitivity):
    """Return the trial of one setting, and its arguments."""
    case, inside, first = {**row}, fixed == "inside", sensitivity == "first"
    del case["trials"], case["delta" if row["objects"] else "objects"]
    if row["objects"]:
        case |= {"held": "surrogate" if inside else fixed, "convention": "attained" if first else "triangle"}
        subset = row["n"] <= WALKED or row["dimension"] == 1
        return pmp.exponential_trial, case | {"counted": COUNTED, "subset": subset}
    case |= {"held": "subset" if inside else fixed, "sensitivity": "2C/n" if first else "C/n"}
    return pmp.gaussian_trial, case


@k.few
def _swept(file, fixed, sensitivity):
    """Return the ratios of each setting and data set, not a number where one is not known."""
    rows, _ = _settings(file)
    functions, cases = zip(*(_case(row, fixed, sensitivity) for row in rows), strict=True)
    if len(set(functions)) > 1:
        raise ValueError("column 'm' must be above 0 in all rows, or in none")
    trials = max(row["trials"] for row in rows)
    drawn = pmp.sweep(functions[0], list(cases), trials=trials, seed=FIGURE_1.seed)
    return np.array([[_three(trial) for trial in each] for each in drawn]).transpose(2, 0, 1)


def _three(trial):
    """Return eps~ of a trial over the eps(X) of the figures, over eps, over the exact eps(X)."""
    if isinstance(trial, pmp.GaussianTrial):
        found = trial.epsilon_pmp
        return found / max(trial.epsilon_subset, 1e-300), found / trial.epsilon, math.nan
    exact = trial.pmp / trial.subset if trial.subset else math.nan
    return trial.pmp / trial.surrogate, trial.pmp / trial.epsilon, exact


def _axis_of(rows):
    """Return the name and the values of what differs from row to row, else the rows' numbers."""
    moving = [(symbol, name) for symbol, (name, *_) in _SETTING.items() if len({r[name] for r in rows}) > 1]
    if len(moving) != 1:
        return "row of the file", list(range(1, len(rows) + 1))
    [(symbol, name)] = moving
    said = {"sigma": "σ", "epsilon": "what is held", "delta": "δ"}.get(symbol, symbol)
    return said, [row[name] for row in rows]


def _cell(middle, half, is_mean):
    """Write a ratio of the table, the mean with its band."""
    if not math.isfinite(middle):
        return "not counted"
    return with_band(middle, half) if is_mean else k.about(middle)


def _above_none(values):
    return np.maximum(values, 1e-12)


def _ratios(file, fixed, sensitivity, average):
    """Draw the ratios of all settings, and tell them in a table."""
    rows, read = _settings(file)
    found = _swept(file, fixed, sensitivity)
    name, x = _axis_of(rows)
    is_mean, kind = average == "mean", "estimate" if rows[0]["objects"] else "bound"
    middle, half = mean_band(found) if is_mean else (found.max(axis=-1), np.zeros(found.shape[:2]))
    known = np.isfinite(middle).any(axis=1)
    sides = [side for side, seen in zip(SIDES.values(), known, strict=True) if seen]
    ratios = [(*side, *values) for side, *values in zip(sides, middle[known], half[known], strict=True)]
    columns = [[_cell(*pair, is_mean) for pair in zip(*ratio[2:], strict=True)] for ratio in ratios]
    table = [[f"{at:g}", *row] for at, *row in zip(x, *columns, strict=True)]
    said, spelt = f"%{{y:.3g}} at {name} = %{{x}}", {"σ": "sigma", "δ": "delta"}.get(name, name)
    log = min(x) > 0 and max(x) > 20 * min(x)
    # Only an own file moves the axes.
    across, up, moving = {}, {}, {"moving_axes": "settings of the reader's own have their own scale"}
    if not isinstance(file, k.UploadedFile):
        ends = np.log10([min(x), max(x)]) if log else np.array([min(x), max(x)])
        room = max(0.05 * np.ptp(ends), 0.05)
        across, up, moving = {"range": [ends[0] - room, ends[1] + room]}, {"range": [-4.5, 0.3]}, {}
    return k.part(
        [over_band(*ratio, kind, x, _above_none, hover=f"{ratio[0]} = {said}") for ratio in ratios],
        x=k.axis(name, log=log, **across),
        y=k.axis("ratio", log=True, **up),
        height=430,
        probe=[f"{label} ({kind})" for label, *_ in ratios],
        table=[[name, *(label for label, *_ in ratios)], *table],
        read=read,
        headline="ε̃/ε between {least} and {most}",
        sentence="Over {many} settings, ε̃/ε is {least} to {most}, ε̃/ε(X) {one} to {other} "
        f"(estimates{' of the bound' * (kind == 'bound')}, {{trials}} data sets, "
        f"{'95% bands' if is_mean else 'the largest of them'}).",
        alt=f"The ratios of eps~ to eps(X) and to eps at {{many}} settings of {spelt}, on a "
        "log scale: to eps between {least} and {most}, to eps(X) between {one} and {other}.",
        many=k.exact(len(rows), k.count),
        trials=k.exact(found.shape[-1], k.count),
        **k.words(k.about, least=np.nanmin(middle[1]), most=np.nanmax(middle[1])),
        **k.words(k.about, one=np.nanmin(middle[0]), other=np.nanmax(middle[0])),
        **moving,
    )


@k.figure
def ratio_lab(
    file: Annotated[str | k.UploadedFile, _FILE] = "Figure 1",
    fixed: Annotated[str, k.Choice({"ε(X)": "inside", "ε": "epsilon"}, label="Held fixed")] = "inside",
    sensitivity: Annotated[str, _SENSITIVITY] = "first",
    average: Average = "mean",
):
    """Draw eps~ over eps(X) and over eps in the PMP paper's simulations, one setting a row.

    The rows are those of a figure of the paper, ten data sets each, or the 1 to 200 of a file with
    any of the columns n, d, m, C, sigma, epsilon, outliers, factor, delta and T, the number of data
    sets.  A column that is missing holds 6, 1, 0, 10, 1, 5, 0, 100, 0.01 and 10, in this order.
    With m objects the mechanism is the exponential one; with m = 0, in all rows, the noisy mean.
    What is ``fixed`` has a row's epsilon.  Each call draws its data sets anew, by one seed.

    References
    ----------
    PMP paper, Figures 1 to 6.

    Examples
    --------
    >>> ratio_lab("Figure 2").layout.meta["table"][0][:2]
    ['C', 'ε̃ / ε(X)']
    """
    return _ratios
