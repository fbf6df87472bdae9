"""The labs of PMP: choose your epsilon on a pool; the paper's simulations at any setting."""

import math
from typing import Annotated, Any

import numpy as np

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook import data, pmp
from mipbook.base.rounding import mean_band
from mipbook.choose import examples as stored
from mipbook.choose.choice import POOL_ROLES
from mipbook.figures.pmp.chosen import (
    ROUND_AXES,
    flat,
    noise_of,
    pool_and_circle,
    room,
    room_axes,
    rounds,
    rounds_below,
)
from mipbook.figures.words import even_records, repeats
from mipbook.stored.pmp import COUNTED, FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, WALKED

EXAMPLE_POOLS = stored.EXAMPLES
_TARGETS = [t for t in stored.TARGETS if t not in (0.012, 0.025, 0.035, 0.06, 0.085, 0.35, 0.6, 0.85)]


@k.few
def _read(file):
    """Return the pool, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return stored.example_pool(file), ""
    reading = read_columns(file.text, POOL_ROLES, file.columns)
    reading.check_records(2, 2000)
    records, left = even_records(reading, reading.numbers("columns"), 92)
    return records, reading.say(left, repeats(records))


@k.few
def _chosen(file, mechanism, target, clip, delta):
    """Return the answer; the exponential mechanism has no delta, so one entry serves all of them."""
    given = mechanism, target, clip, delta if mechanism == "gaussian" else 0.0
    if isinstance(file, k.UploadedFile):
        return stored.chosen(_read(file)[0], *given)
    return stored.example_choice(file, *given)


_LIMITS = "a second release, side knowledge, records outside the pool"


def _off(table, clip, sigma):
    """Return how far the noise, the lot and the circle put what is published off the pool's mean, RMS."""
    counts = data.clip_norm(table, clip)
    lot = math.sqrt(counts.var(axis=0, ddof=1).sum() / len(counts))
    return sigma * math.sqrt(table.shape[1]), lot, float(np.linalg.norm((counts - table).mean(axis=0)))


def _table(answer, off):
    """Return what else the answer tells, what it does not promise among it."""
    names = ("off by the noise, in all columns", "off by who is drawn", "off by the circle")
    rows = zip(names, map(k.exact, off), strict=True) if off else answer.utility.items()
    told = [*rows, ("ε(X), if he knows all others, at most", k.at_most(answer.subset_epsilon.value))]
    if off:
        told.append(("ε on DP's label, at most", k.at_most(answer.epsilon)))
    told += [*(("note", note) for note in answer.notes), ("not promised", _LIMITS)]
    return [["quantity", "value"], *map(list, told)]


def _wide(file, clip, delta, sigma):
    """Return how far the picture goes: as far as an example's noise at ε̃ = 0.1, or as one's own."""
    if not isinstance(file, k.UploadedFile):
        sigma = _chosen(file, "gaussian", 0.1, clip, delta).sigma
    return max(room(_read(file)[0], clip), 1.2 * sigma)


def _room(file, clip, delta):
    """Draw the people, the circle that can be pulled, and beside them a hundred rounds."""
    table, read = _read(file)
    held = np.minimum(stored.CLIPS, 0.9 * room(table, clip))
    grab = k.drag("clip", [0] * len(held), held, along="y")
    if not isinstance(file, k.UploadedFile):
        x, y = flat(table, data.clip_norm(table, clip)).mean(axis=0)
        sigmas = [_chosen(file, "gaussian", target, clip, delta).sigma for target in _TARGETS]
        edge = x + np.minimum(sigmas, 0.9 * _wide(file, clip, delta, 0.0))
        grab = [*k.drag("target", edge, [y] * len(edge)), *grab]
    return k.part(pool_and_circle(table, clip), rounds_below(), read=read, grab=grab)


def _answered(file, target, clip, delta, mechanism="gaussian"):
    """Draw the noise that is enough, and how often a spy is then right."""
    answer, (table, _) = _chosen(file, mechanism, target, clip, delta), _read(file)
    gaussian, columns = answer.mechanism == "gaussian", table.shape[1]
    off = _off(table, clip, answer.sigma) if gaussian else ()
    each = " in each of the {columns} columns" if columns > 1 else ""
    several = {"columns": columns} if columns > 1 else {}
    noise = {"sigma": k.at_most(answer.sigma), "off": k.exact(math.hypot(*off)), "delta": float(delta)}
    return k.part(
        noise_of(flat(table, data.clip_norm(table, clip)).mean(axis=0), answer.sigma) if gaussian else [],
        rounds(answer.success),
        **room_axes(table, clip, _wide(file, clip, delta, answer.sigma) if gaussian else 0.0),
        **ROUND_AXES,
        table=_table(answer, off),
        headline="The mean is off by {off}" if gaussian else "A choice at ε = {use}",
        sentence=f"{f'Noise of {{sigma}}{each}: a' if gaussian else 'A'} spy is right {{right}} at most"
        f"{', with δ = {delta} counted in' * gaussian} (bounds). "
        "{clipped} of {records} people are pulled in to the circle"
        f"{'; what is published is off the mean of all by {off}, RMS' * gaussian} (exact).",
        alt="People as dots in a dashed circle"
        f"{', around their mean a disk of radius {sigma}' if gaussian else ''}. Beside them a hundred rounds "
        "in rows of ten; a spy is right {right} at most.",
        **k.words(clipped=k.exact(answer.clipped, "d"), records=k.exact(answer.records, "d")),
        right=k.at_most(answer.success, k.in_100),
        **(noise | several if gaussian else {"use": k.at_least(answer.epsilon)}),
    )


def pool_choice(file, target, clip, delta, mechanism):
    """Draw any pool and target, by either mechanism; the exponential one chooses a signed axis."""
    answered = k.layer(_answered, file=file, target=target, clip=clip, delta=delta, mechanism=mechanism)
    return k.stacked(k.layer(_room, file=file, clip=clip, delta=delta), answered)


@k.figure
def choose_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_POOLS, roles=POOL_ROLES, label="I have", elsewhere=True)
    ] = EXAMPLE_POOLS[0],
    target: Annotated[float, k.Stops(_TARGETS, label="The spy may gain, ε̃").safe("down")] = 0.1,
    clip: Annotated[float, k.Stops(stored.CLIPS, label="Clip: dashed circle, C")] = 5.0,
    delta: Annotated[float, k.Stops(stored.DELTAS, label="δ").safe("down")] = 1e-3,
):
    """Draw a pool, the noise for its mean that meets a target, and how often a spy is then right.

    A file of one's own holds 2 to 2,000 records; of an odd number one, drawn at random, is left
    out, and equal ones count as different persons.

    References
    ----------
    PMP paper, section on the Gaussian mechanism, "Our approach", and its conclusion.

    Examples
    --------
    >>> choose_lab().layout.meta["table"][0]
    ['quantity', 'value']
    """
    return _room, _answered


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
SETTING_ROLES = tuple(
    Role(name, name, f"is {does}", f"is {does}", optional=True, known=known)
    for name, (_, _, known, does) in _SETTING.items()
)
EXAMPLE_SETTINGS = tuple(f"Figure {i}" for i in range(1, 7))
_FIXED = k.Choice({"ε(X)": "inside", "ε": "epsilon"}, label="Held fixed")
_SENSITIVITY = k.Choice({"(C + 1)/n, noise 2C/n": "first", "2C/n, noise C/n": "second"}, label="Sensitivity")
_AVERAGE = k.Choice({"mean": "mean", "worst data set": "worst"}, label="Of the data sets")
_MOST_SETTINGS, _MOST_TRIALS = 200, 10_000
_SIDES = (("ε̃ / ε(X)", k.PUBLISHED.with_symbol("square")), ("ε̃ / ε", k.DP), ("ε̃ / exact ε(X)", k.PMP))


def _example(file):
    """Return the settings of one of the paper's figures, a column a parameter."""
    if file in EXAMPLE_SETTINGS[:3]:
        figure = (FIGURE_1, FIGURE_2, FIGURE_3)[EXAMPLE_SETTINGS.index(file)]
        return {**figure.paper, figure.along: figure.stops}
    gaussian, points = {
        "Figure 4": (FIGURE_4, (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)),
        "Figure 5": (FIGURE_5, (20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0)),
        "Figure 6": (FIGURE_6, (1, 2, 5, 10, 20, 50, 100)),
    }[file]
    return {**gaussian.own, gaussian.along: points}


@k.few
def _settings(file):
    """Return the settings, a row each, and what was read of an own file."""
    usual, said = {name: value for name, value, *_ in _SETTING.values()}, ""
    if isinstance(file, k.UploadedFile):
        reading = read_columns(file.text, SETTING_ROLES, file.columns)
        reading.check_records(1, _MOST_SETTINGS)
        said = reading.say()
        if not reading.columns:
            raise ValueError(f"The file names none of {', '.join(_SETTING)}.")
        columns = {_SETTING[name][0]: reading.numbers(name).ravel() for name in reading.columns}
    else:
        columns = _example(file)
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
    case = {name: value for name, value in row.items() if name != "trials"}
    if case["objects"]:
        del case["delta"]
        case |= {"held": "surrogate" if fixed == "inside" else fixed, "counted": COUNTED}
        case |= {"convention": "attained" if sensitivity == "first" else "triangle"}
        case["subset"] = case["n"] <= WALKED or case["dimension"] == 1
        return pmp.exponential_trial, case
    del case["objects"]
    case |= {"held": "subset" if fixed == "inside" else fixed}
    return pmp.gaussian_trial, case | {"sensitivity": "2C/n" if sensitivity == "first" else "C/n"}


@k.few
def _swept(file, fixed, sensitivity):
    """Return the ratios of each setting and data set, not a number where one is not known."""
    rows, _ = _settings(file)
    trials = max(row["trials"] for row in rows)
    function, _ = _case(rows[0], fixed, sensitivity)
    cases = [_case(row, fixed, sensitivity) for row in rows]
    if any(each is not function for each, _ in cases):
        raise ValueError("column 'm' must be above 0 in all rows, or in none")
    drawn = pmp.sweep(function, [case for _, case in cases], trials=trials, seed=FIGURE_1.seed)
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
    moving = [name for name in rows[0] if len({row[name] for row in rows}) > 1]
    symbols = {name: symbol for symbol, (name, *_) in _SETTING.items()}
    if len(moving) == 1:
        name = {"sigma": "σ", "epsilon": "what is held", "delta": "δ"}.get(moving[0], symbols[moving[0]])
        return name, [row[moving[0]] for row in rows]
    return "row of the file", list(range(1, len(rows) + 1))


@k.figure
def ratio_lab(
    file: Annotated[
        str | k.UploadedFile, k.File(EXAMPLE_SETTINGS, roles=SETTING_ROLES, label="Settings")
    ] = EXAMPLE_SETTINGS[0],
    fixed: Annotated[str, _FIXED] = "inside",
    sensitivity: Annotated[str, _SENSITIVITY] = "first",
    average: Annotated[str, _AVERAGE] = "mean",
):
    """Draw the ratios of the PMP paper's simulations at any settings, a row of a file each.

    A file of one's own has up to 200 rows with the columns n, d, m, C, sigma, epsilon, outliers,
    factor, delta, T; what is missing is as in Figure 1, and without a column m the mechanism is
    the noisy mean.  The data sets are drawn and counted here, by ``joblib``.

    References
    ----------
    PMP paper, Figures 1 to 6.

    Examples
    --------
    >>> ratio_lab("Figure 2").layout.meta["table"][0][:2]
    ['C', 'ε̃ / ε(X)']
    """
    rows, read = _settings(file)
    found = _swept(file, fixed, sensitivity)
    name, x = _axis_of(rows)
    is_mean, is_bound = average == "mean", not rows[0]["objects"]
    middle, half = mean_band(found) if is_mean else (found.max(axis=-1), np.zeros(found.shape[:2]))
    shown = [side for side, values in enumerate(middle) if np.isfinite(values).any()]
    trials, kind = found.shape[-1], "bound" if is_bound else "estimate"
    cells = [[_cell(*pair, is_mean) for pair in zip(middle[s], half[s], strict=True)] for s in shown]
    table = [[f"{at:g}", *row] for at, *row in zip(x, *cells, strict=True)]
    own = isinstance(file, k.UploadedFile)
    log = min(x) > 0 and max(x) > 20 * min(x)
    ends = np.log10([min(x), max(x)]) if log else np.array([min(x), max(x)])
    room = max(0.05 * np.ptp(ends), 0.05)
    across = {} if own else {"range": [ends[0] - room, ends[1] + room]}
    return k.part(
        [_ratio_traces(side, x, middle[side], half[side], kind, name) for side in shown],
        x=k.axis(name, log=log, **across),
        y=k.axis("ratio", log=True, **({} if own else {"range": [-4.5, 0.3]})),
        height=430,
        probe=[f"{_SIDES[side][0]} ({kind})" for side in shown],
        table=[[name, *(_SIDES[side][0] for side in shown)], *table],
        read=read,
        headline="ε̃/ε = {first} to {last}",
        sentence="Over {many} settings, ε̃/ε goes from {first} to {last} and ε̃/ε(X) from {one} to {other} "
        f"({_TOLD[kind]}, {{trials}} data sets, {'95% bands' if is_mean else 'the largest of them'}).",
        alt=f"The ratios of eps~ to eps(X) and to eps at {{many}} settings of {_SPELT.get(name, name)}, on a "
        "log scale: to eps from {first} to {last}, to eps(X) from {one} to {other}.",
        many=k.exact(len(rows), k.count),
        trials=k.exact(trials, k.count),
        **k.words(k.about, first=middle[1][0], last=middle[1][-1], one=middle[0][0], other=middle[0][-1]),
        **(_OWN_SCALE if own else {}),
    )


_TOLD = {"bound": "estimates of the bound", "estimate": "estimates"}
_SPELT = {"σ": "sigma", "δ": "delta"}


# Only an own file moves the axes.
_OWN_SCALE: dict[str, Any] = {"moving_axes": "settings of the reader's own have their own scale"}


def _cell(middle, half, is_mean):
    """Write a ratio of the table, the mean with its band."""
    if not math.isfinite(middle):
        return "not counted"
    if not is_mean:
        return k.about(middle)
    return k.told("{mean} ± {half}", mean=k.about(middle), half=k.about(half, digits=2))


def _ratio_traces(side, x, middle, half, kind, name):
    """Draw a ratio with its band; a gap where it is not known."""
    label, look = _SIDES[side]
    known = np.isfinite(middle)
    ends = (np.maximum(each[known], 1e-12) for each in (middle - half, middle + half))
    y, over = k.kept(np.maximum(middle, 1e-12), known), f"{label} = %{{y:.3g}} at {name} = %{{x}}"
    own = look.estimate() if kind == "estimate" else look.bound()
    return [
        k.band(f"95% band of {label}", np.array(x)[known], *ends, look, showlegend=False),
        k.curve(f"{label} ({kind})", x, y, own, marked=True, hover=over),
    ]
