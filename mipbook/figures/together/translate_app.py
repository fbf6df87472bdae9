"""The app Translate: releases and a table side by side, and the noise for a wanted reading."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.tables import Role, read_columns
from mipbook.accounting import FAMILIES, READINGS
from mipbook.accounting.known import from_dp, from_table, matching
from mipbook.figures.game.plane import FLOOR, SPOKEN, coin, grid, rate_axes, shown
from mipbook.figures.together.translate import PAIR, RELEASES, described, kind, known

# For each example the chances of the outputs, with the record in and out.
EXAMPLE_OUTPUTS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "three answers": ((0.6, 0.3, 0.1), (0.1, 0.3, 0.6)),
    "1% told": ((0.01, 0.99, 0.0), (0.0, 0.99, 0.01)),
    "a cut count": ((0.05, 0.15, 0.3, 0.3, 0.2), (0.2, 0.3, 0.3, 0.15, 0.05)),
}
_ROLES = (
    Role("inside", "In", "holds the chances with the record in", "has the record in", otherwise="place"),
    Role("outside", "Out", "holds the chances with it out", "has it out", otherwise="place"),
)
_FILE = k.File(list(EXAMPLE_OUTPUTS), roles=_ROLES, label="Table of outputs")
# Near 2.2 a spy who accuses one in a hundred finds as many through the promise as through the noise.
_STOPS = [0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.5, 1.8, 2.0, 2.1, 2.2, 2.3, 2.5, 3.0, 5.0, 10.0, 50.0]
_SIZE = k.Stops(_STOPS, 3.0, label="First: its ε, μ or ρ")
_DELTAS = k.LogSlider(1e-15, 0.1, 1e-5, points=15, label="δ")
_LOOKS = {"first": k.SERIES[0], "second": k.SERIES[1], "table": k.SERIES[2]}
# All but the security is at most so much; that is a bound, of whatever kind the rest is.
_HEAD = ["release", "right", "TPR at 1%", "TPR at 0.1%", "ε at δ", "AUC", "η", "security", "the rest"]
_pair = k.cache(from_dp)


@k.cache
def _numbers(found):
    """Read a release once, not again at each delta and for the other of the two."""
    y = grid("logarithmic")
    curve, rare = np.split(np.asarray(found.tpr([*y, 0.01, 0.001])), [len(y)])
    rates = [k.at_most(rate, k.percent) for rate in (float(found.accuracy()), *rare.tolist())]
    auc, eta, security = k.at_most(found.auc.value), k.at_most(found.eta.value), 1 - found.mis.value
    return shown(curve, "logarithmic"), rates, auc, eta, k.at_least(security, _least)


@k.few
def _read(file):
    """Return the reading of a table, and what was read of an own file."""
    if not isinstance(file, k.UploadedFile):
        return from_table(*map(np.array, EXAMPLE_OUTPUTS[file])), ""
    read = read_columns(file.text, _ROLES, file.columns)
    read.check_records(2, 10_000)
    chances = read.numbers("inside", "outside")
    for column, numbers in zip(("inside", "outside"), chances.T, strict=True):
        name, total = read.columns[column][0], float(numbers.sum())
        bad = (numbers < 0) | (numbers > 1)
        if bad.any():
            row = int(bad.argmax())
            read.table.refuse_cell(name, row, f"'{read.table.column(name)[row]}' is no chance from 0 to 1")
        if abs(total - 1.0) > 1e-6:
            validate.refuse(f"column '{name}'", f"a sum of {total:g}", "chances that add up to 1")
    return from_table(*(chances / chances.sum(axis=0)).T), read.say()


def _unbroken(cell):
    """Keep a cell in one line: numbers that are marked as changed are wider, and rows keep their height."""
    if isinstance(cell, k.Value):
        return k.Value(cell.value, cell.kind, lambda value: _unbroken(cell.how(value)))
    return cell.replace(" ", "\u00a0")


def _least(value, **rounded):
    return f"≥ {k.say(value, **rounded)}"


def _frame():
    return k.part(
        coin("logarithmic"),
        k.level("where 1% are accused", 0.01, [FLOOR, 1], showlegend=False),
        layout=rate_axes("logarithmic"),
        x2=k.axis("members found, of a hundred each", **k.BARE, range=[-7.5, 31]),
        y2=k.unseen(-0.55, 2.5),
        rows=(0.62, 0.2),
        height=560,
        headline="{firstCalled} finds {firstFound}, {secondCalled} {secondFound}",
        sentence="Accusing 1% of the others finds at most {firstFound} of the members through {firstTold} "
        "({firstKind}), {secondFound} through {secondTold} ({secondKind}), {tableFound} through {tableTold} "
        "(exact).",
        alt="Three ROC curves on logarithmic axes: at FPR 1% the solid one stands at {firstFound}, the "
        "dashed one at {secondFound}, the dotted one at {tableFound}. Below, of a hundred members each, as "
        "many are lit.",
        table=[list(map(_unbroken, _HEAD))],
    )


@k.cache
def _at_stops(found):
    # Side by side, yet so few that Rényi promises search all orders for each, as they do for one.
    epsilons = [found.epsilon(few) for few in np.array_split(_DELTAS.stops, 2)]
    return dict(zip(_DELTAS.stops, np.concatenate(epsilons).tolist(), strict=True))


# A hundred in four rows, the first ones on the left; and how they lie below each other.
_HUNDRED = np.divmod(np.arange(100), 4)
_PLACES = {"first": 2, "second": 1, "table": 0}


# How a release's number is told beside its people.
_NUMBERS = {"Gaussian": "σ = {1}", "Laplace": "scale {1}", "of a sample": "σ = {1}", "zCDP": "ρ = {0}"}


def _found_of(which, rate, said):
    """Return a hundred members, of whom as many are lit as a release lets find."""
    (x, y), at, look = _HUNDRED, _PLACES[which], _LOOKS[which]
    share, more = min(max(float(rate.value), 1e-6), 1 - 1e-6), {"lower": True, **k.QUIET}
    pale, full = k.fill(k.GREY), look.colour
    size, name = 6 - (which == "second"), f"{which}, of a hundred"  # squares look larger
    people = k.points(name, x, at - 0.33 + 0.22 * y, look, size=size, **more)
    steps = [[0.0, full], [share, full], [share, pale], [1.0, pale]]
    people["marker"] |= {"color": (np.arange(100) + 0.5) / 100, "cmin": 0, "cmax": 1, "colorscale": steps}
    said, sides = [f"{said}\u2002", f"<b>{rate}</b>"], ["middle left", "middle right"]
    return [people, k.text(f"{which}, told", [-0.8, 25], at, said, textposition=sides, **more)]


def _drawn(which, told, found, delta, name, read="", size=None):
    """Return a release's curve, by what it is, and its row of the table."""
    curve, rates, auc, eta, security = _numbers(found)
    words = {f"{which}Told": told, f"{which}Found": rates[1], f"{which}Kind": kind(found)}
    epsilon = _at_stops(found)[delta] if delta in _DELTAS.stops else float(found.epsilon(delta))
    row = [which, *rates, k.at_most(epsilon), auc, eta, security, kind(found)]
    line = k.curve(f"{which}, {name}", grid("logarithmic"), curve, _LOOKS[which], **SPOKEN)
    dot = k.points(f"{which}, found", 0.01, rates[1].value, _LOOKS[which], size=11, **k.QUIET)
    words[f"{which}Called"] = "promise" if name == "(ε, δ)-DP" else name.removeprefix("of a ")
    said = "table" if size is None else _NUMBERS.get(name, "ε = {0}").format(k.say(size), k.say(1 / size))
    crowd = _found_of(which, rates[1], said)
    return k.part(
        line, dot, crowd, probe=[line["name"]], table=[list(map(_unbroken, row))], read=read, **words
    )


def _held_at(first, delta):
    """Return what can be held: what the first release lets find where 1% are accused."""
    found = [_pair(float(x), delta) if first == PAIR else known(first, float(x)) for x in _SIZE.stops]
    rates = [_numbers(each)[1][1].value for each in found]
    return k.part(grab=k.drag("first_size", [0.01] * len(rates), rates, along="y"))


def _release(which, name, size, delta):
    """Return one of two releases; the pair takes the reader's own delta."""
    if name == PAIR:
        told = k.told("({x}, {delta})-DP", x=float(size), delta=float(delta))
        return _drawn(which, told, _pair(size, delta), delta, "(ε, δ)-DP", size=float(size))
    return _drawn(which, described(name, size), known(name, size), delta, name, size=float(size))


def _first(first, first_size, delta):
    return _release("first", first, first_size, delta)


def _second(second, second_size, delta):
    return _release("second", second, second_size, delta)


def _outputs(file, delta):
    found, read = _read(file)
    name = "your table" if read else file
    return _drawn("table", name, found, delta, name, read)


@k.figure
def side_by_side(
    first: Annotated[str, k.Choice(list(RELEASES), label="First release")] = PAIR,
    first_size: Annotated[float, _SIZE] = 3.0,
    second: Annotated[str, k.Choice(list(RELEASES), "Gaussian", label="Second release")] = "Gaussian",
    second_size: Annotated[float, k.LogSlider(0.01, 50, 1.0, points=16, label="Second: its ε, μ or ρ")] = 1.0,
    delta: Annotated[float, _DELTAS] = 1e-5,
    file: Annotated[str | k.UploadedFile, _FILE] = "three answers",
):
    """Draw three releases in every reading: two by a number, and one by a table of outputs.

    A file holds two columns of chances, one row an output, of 2 to 10,000 outputs: how often
    each comes with the record in, and with the record out.

    Examples
    --------
    >>> side_by_side().layout.meta["headline"]
    'promise finds 20.1%, Gaussian 9.24%'
    """
    return _frame, _held_at, _first, _second, _outputs


# The family, and what else it has.
_FAMILIES = {
    "Gaussian noise, σ": ("gaussian", None),
    "Laplace noise, scale": ("laplace", None),
    "randomised response, ε": ("randomised response", 2),
    "(ε, 0.001)-DP, ε": ("dp", 0.001),
}
# How a reading is called.
_WANTED = {"advantage": "advantage", "found at FPR 1%": "tpr", "MIP: η": "eta", "MIS: Δ": "mis"}
_VALUE = k.LogSlider(0.012, 0.45, 0.1, points=25, label="At most", play=True).safe("down")
_SIZES = np.geomspace(1e-3, 30.0, 61)


def _parameters(family):
    """Return the parameters that are drawn."""
    return np.sort(1 / _SIZES) if FAMILIES[_FAMILIES[family][0]].hides else _SIZES


@k.cache
def _along(family, wanted):
    """Return the reading at each parameter; the slider is the reading, so hold that."""
    (name, fixed), kind, sizes = _FAMILIES[family], READINGS[_WANTED[wanted]], _parameters(family)
    told = [kind.read(FAMILIES[name].made(float(size), fixed or 0), kind.at) for size in sizes]
    hover = f"{family} = %{{x:.3g}}: {wanted} %{{y:.3g}}"
    return k.part(
        k.curve(wanted, sizes, np.clip(told, 1e-6, 1e3), k.BEST, hover=hover),
        x=k.axis(family, log=True, range=np.log10(sizes[[0, -1]]).tolist()),
        y=k.axis(wanted, log=True, range=[-2.1, 0.05]),
        height=400,
        probe=[wanted],
        grab=k.drag("value", along="y", at=float(sizes[3])),
    )


def _held(family, wanted, value):
    """Return the parameter with the wanted reading, what keeps it, and what else it means."""
    name, fixed = _FAMILIES[family]
    found, ends = matching(name, _WANTED[wanted], value, fixed=fixed), _parameters(family)[[0, -1]]
    # More noise, or a smaller promise, than is needed.
    safe, far = (k.at_most, ends[1]) if FAMILIES[name].hides else (k.at_least, ends[0])
    here, low = np.clip(found.value, *ends), 10**-2.1
    return k.part(
        k.area("keeps it", [here, far, far, here], [value, value, low, low], k.BEST, showlegend=True),
        k.level("what you allow", ends, value),
        k.reading(here, value, "what you need"),
        headline=f"{family.rpartition(', ')[2]} = {{size}} is enough",
        sentence=f"It keeps “{wanted}” at {{value}} or less (exact). An attacker is then right "
        "at most {right} at even odds (exact), and finds at most {rare} at FPR 0.1% (exact). "
        "One record is replaced.",
        alt=f"{wanted} against {family} on logarithmic axes, a level line at {{value}}, and a diamond where "
        "they meet, at {size}; what keeps it is shaded.",
        **k.words(size=safe(found.value, digits=4), value=value),
        right=k.at_most(float(found.reading.accuracy()), k.in_100),
        rare=k.at_most(float(found.reading.tpr(0.001)), k.percent),
    )


@k.figure
def wanted_reading(
    family: Annotated[str, k.Choice(list(_FAMILIES), label="Release")] = "Gaussian noise, σ",
    wanted: Annotated[str, k.Choice(list(_WANTED), label="Reading")] = "found at FPR 1%",
    value: Annotated[float, _VALUE] = 0.1,
):
    """Draw a reading against a family's parameter, and the parameter that a wanted value asks for.

    Notes
    -----
    The parameter is what `mipbook.accounting.matching` finds, which knows more families.

    Examples
    --------
    >>> wanted_reading(value=0.1).layout.meta["headline"]
    'σ = 0.9572 is enough'
    """
    return _along, _held
