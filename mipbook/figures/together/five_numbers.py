"""What a run of DP-SGD tells, and a promise of epsilon and delta: how often a spy is right, whom he finds."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.panels.corners import Axis, Corners, Told, at_corners
from mipbook.accounting.known import from_dp
from mipbook.base.rounding import up
from mipbook.dpsgd.profile import PrivacyProfile, schedule
from mipbook.figures.words import in_100, percent, say
from mipbook.stored.trained import DELTAS, LADDER, LENGTHS, NOISES, RATES, corners

_RECORDS = sorted({m * 10**e for e in range(2, 8) for m in (1, 2, 5)} | {60_000, 10**8})
_BATCHES = [2**e for e in range(17)]
_EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000]
_DELTAS = [float(f"{m}e-{e}") for e in range(8, 2, -1) for m in (1, 2, 5)]
# For less the table has no answer, and says so.
_NOISES = [0.3, 0.4, *NOISES]
_KINDS = ("add", "swap")
_EACH = len(DELTAS)
_TIMES = " times in 100"
# What stands in the table, the number that it tells of each kind, and what follows it.
_READINGS = (
    ("ε", "epsilon", ""),
    ("a spy is right", "right", _TIMES),
    ("he finds, if he accuses 1 other in 100", "tpr", ""),
    ("he finds, if he accuses 1 in 1,000", "low_tpr", ""),
    ("right, if he knows nobody else (MIS)", "mis", _TIMES),
)
# Said where the numbers are those of the run, and where they are those of the next ones of the table.
_EXACT = {"whose": "ε lies between", "more": ""}
_BETWEEN = {
    "whose": "Your run is not stored: its ε lies somewhere between",
    "more": "; python -m mipbook dpsgd computes it",
}

# Where three fields stand.
_LARGE = {"size": 19}
_FIELDS = k.stage((-0.45, 2.45), (-0.3, 1.2), height=330, layout={"showlegend": False})
_FIELDS["alt"] = (
    "Three fields of a hundred dots: of rounds, in which a spy is right {right} at most, over a line at 50; "
    "of others, one of whom is accused; after an arrow, of members, {tpr} of whom are then found at most."
)
# How high his rounds are filled; where that was before stays, faint.
_HIGH, _ACROSS = "rounds, as high", [-0.44, 0.44]
# What is left there is named at its second point: between two fields, where no dot lies under the name.
_NAMED = [-0.44, 0.5, *[0.44] * 4]
_COIN = k.level("a coin toss", _ACROSS, 0.5, showlegend=False)


def _frame():
    # The dots stand there before anybody knows how many are filled.
    places = np.concatenate([_field_at(at) for at in range(3)], axis=1)
    dots = k.points("a hundred each", *places, k.Look(k.fill(k.GREY)), size=7, hoverinfo="skip")
    # In the shapes of the fields that lie over them, so that no dot has a core.
    dots["marker"]["symbol"] = np.repeat([look.symbol for look in (k.ATTACK, k.OUT, k.IN)], 100).tolist()
    return k.part(
        dots,
        _COIN,
        **_FIELDS,
        ghost=[_HIGH],
        headline="Right at most {right}",
        sentence="{whose} {low} and {epsilon}, for a record added or removed{more}. The spy sees every "
        "step (bounds).",
    )


def _field_at(at):
    """Return where the dots of a field stand."""
    y, x = np.divmod(np.arange(100), 10)
    return at - 0.36 + 0.08 * x, 0.05 + 0.1 * y


def _spied(right, found):
    """Return three fields of a hundred dots: rounds won, others accused and members found, at most."""
    most = (f"≤ {in_100(right, to=up).removesuffix(_TIMES)}%", "1%", f"≤ {percent(found, to=up)}")
    names, drawn = ["rounds he wins<br>(a coin: 50)", "others<br>accused", "members<br>then found"], []
    for at, (look, level) in enumerate(((k.ATTACK, right), (k.OUT, 0.01), (k.IN, found))):
        # As many dots as the level says are filled: the scale has one step, and that lies there.
        steps = [[0.0, look.colour], [level, look.colour], [level, k.fill(k.GREY)], [1.0, k.fill(k.GREY)]]
        field = k.points(names[at], *_field_at(at), look, size=7, hoverinfo="skip")
        field["marker"] |= {"color": (np.arange(100) + 0.5) / 100, "cmin": 0, "cmax": 1, "colorscale": steps}
        drawn.append(field)
    numbers = k.text("how many", [0, 1, 2], [1.1] * 3, [f"<b>{text}</b>" for text in most], textfont=_LARGE)
    then = k.text("then", [1.5], [0.5], ["→"], textfont={"size": 26})
    return [*drawn, numbers, k.text("who", [0, 1, 2], [-0.2] * 3, names), then]


@k.few
def _profiles(records, batch, epochs, sigma):
    if batch > records:
        validate.refuse("batch", batch, f"at most records = {records:,}")
    rate, steps = schedule(records, batch, epochs)
    if steps > 1_000_000:
        validate.refuse("batch", batch, "so large that the run takes at most 1,000,000 steps")
    kinds = {"add": "add-remove", "swap": "replace"}
    return {name: PrivacyProfile(rate, sigma, steps, kind) for name, kind in kinds.items()}


def _on_page():
    """Return the table of the published page, and where its numbers stand."""
    numbers = tuple(map(say, LADDER))
    shown = tuple(float(value) for value in np.minimum(LADDER, 1.0))
    shares = tuple(map(percent, shown))
    wins = tuple(0.5 + value / 2 for value in shown)
    rights = tuple(in_100(value, to=up) for value in wins)
    numerals = tuple(right.removesuffix(_TIMES) for right in rights)
    lost, told = "not stored: run the line", {}
    wide, tall, ends = ("rate", "sigma", "steps"), ("rate", "sigma", "delta", "steps"), (*numbers[:-1], lost)
    ended = f"The table of this page ends at ε = {numbers[-2]}; the line of the terminal tells more."
    # Whatever reaches one is rounded up to it; of the replaced record no picture needs a number then.
    few, many = ((*texts[: shown.index(1.0)], *[lost] * shown.count(1.0)) for texts in (rights, shares))
    rows = {"right": (numerals, wins, few), "tpr": (shares, shown, many), "low_tpr": (shares, shown, many)}
    for kind, (high, low) in zip(_KINDS, (corners(False), corners(True)), strict=True):
        sides, beyond = (high[:, :, :_EACH], low[:, :, :_EACH]), ended * (kind == "add")
        told[f"{kind}_epsilon"] = Told(tall, *sides, numbers if beyond else ends, beyond=beyond)
        for row, (name, (texts, drawn, replaced)) in enumerate(rows.items(), start=_EACH):
            sides = np.ascontiguousarray(high[:, :, row]), np.ascontiguousarray(low[:, :, row])
            told[f"{kind}_{name}"] = Told(wide, *sides, *((texts, drawn) if kind == "add" else (replaced,)))
    told["swap_mis"] = Told(wide, high[:, :, -1], low[:, :, -1], few)
    meta = ("layout", "meta")
    sources = {"epsilon": "add_epsilon", "low": "add_epsilon.low", "tpr": "add_tpr"}
    sources |= {word: word for word in _EXACT}
    leaves = {(*meta, "words", word): f"{{{source}}}" for word, source in sources.items()}
    leaves[(*meta, "words", "right")] = f"{{add_right}}{_TIMES}"
    for row, (_, source, unit) in enumerate(_READINGS, start=1):
        for column, kind in enumerate(_KINDS, start=1):
            if f"{kind}_{source}" in told:
                leaves[(*meta, "table", row, column)] = f"{{{kind}_{source}}}{unit * (kind == 'add')}"
    for field, source in ((0, "add_right"), (2, "add_tpr")):
        leaves |= {("data", field, "marker", "colorscale", step, 0): f"#{source}" for step in (1, 2)}
        leaves[("data", 3, "text", field)] = f"<b>≤ {{{source}}}{'%' * (field == 0)}</b>"
    leaves |= {("data", 6, "y", end): "#add_right" for end in range(len(_NAMED))}
    return Corners(_page_axes(), told, leaves, _EXACT, _BETWEEN)


def _page_axes():
    full = "A batch holds more than all records: make it smaller, or the records more."
    ends = f"The table of this page ends at {LENGTHS[-1]:,} steps; the line of the terminal takes a million."
    least = "The table of this page begins at {} = {}; the line of the terminal takes less."
    rates, count = tuple(map(percent, RATES)), tuple(f"{s:,}" for s in LENGTHS)
    return {
        "rate": Axis(("batch",), RATES, rates, True, full, ("records",), elsewhere=False),
        "sigma": Axis(("sigma",), NOISES, tuple(map(say, NOISES)), False, least.format("σ", NOISES[0])),
        "delta": Axis(("delta",), DELTAS, tuple(map(say, DELTAS)), False, least.format("δ", say(DELTAS[0]))),
        "steps": Axis(("epochs", "records"), LENGTHS, count, True, ends, ("batch",), True),
    }


@at_corners(_on_page)
def _numbers(records, batch, epochs, sigma, delta):
    """Read the run itself."""
    profiles = _profiles(records, batch, epochs, sigma)
    found = {"swap_mis": k.at_most(1 - profiles["add"].security / 2, k.in_100)}
    for kind, profile in profiles.items():
        found[f"{kind}_epsilon"] = k.at_most(profile.epsilon(delta).high)
        found[f"{kind}_right"] = k.at_most(0.5 + profile.advantage.high / 2, k.in_100)
        found[f"{kind}_tpr"] = k.at_most(profile.tpr(0.01).high, percent)
        found[f"{kind}_low_tpr"] = k.at_most(profile.tpr(0.001).high, percent)
    rows = [
        [name, *(found.get(f"{kind}_{source}", "only if replaced") for kind in _KINDS)]
        for name, source, _ in _READINGS
    ]
    return k.part(
        _spied(found["add_right"].value, found["add_tpr"].value),
        k.curve(
            _HIGH,
            _NAMED,
            [found["add_right"].value] * len(_NAMED),
            k.ATTACK.but(dash="solid", width=1.5),
            **k.QUIET,
        ),
        table=[["at most", "added or removed", "replaced"], *rows],
        epsilon=found["add_epsilon"],
        low=k.at_least(profiles["add"].epsilon(delta).low),
        **k.words(right=found["add_right"], tpr=found["add_tpr"], **_EXACT),
    )


@k.figure
def training_run(
    records: Annotated[int, k.Count(_RECORDS, label="Records", typed=True)] = 60_000,
    batch: Annotated[int, k.Count(_BATCHES, label="Batch", typed=True)] = 256,
    epochs: Annotated[float, k.Stops(_EPOCHS, label="Epochs", typed=True)] = 60.0,
    sigma: Annotated[float, k.Stops(_NOISES, label="Noise multiplier, σ", typed=True)] = 1.1,
    delta: Annotated[float, k.Stops(_DELTAS, label="δ", typed=True)] = 1e-5,
):
    """Draw what a run of DP-SGD tells: epsilon, advantage, TPR at low FPR, security.

    A published page answers any numbers from a table: with those of the next run on its grid that
    tells at least as much, and for the other end with those of the next that tells at most as much.

    Notes
    -----
    `mipbook.dpsgd.PrivacyProfile`; more noise, fewer steps and a smaller sampling rate tell no more.

    Examples
    --------
    >>> training_run().layout.meta["headline"]
    'Right at most 61.3 times in 100'
    """
    return _frame, _numbers


_PROMISES = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.4, 0.405]
_PROMISES += [round(0.1 * i, 1) for i in range(5, 101)]  # at 0.405 sixty are right
_PROMISES += [11, 12, 13, 14, 15, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100]
_BESIDE = [0, *(float(f"1e-{e}") for e in range(12, 2, -1)), 0.01, 0.02, 0.05, 0.1]


def _held(delta):
    """Return what can be held: beside the rounds, as high as they are won."""
    rights = [float(from_dp(float(e), delta).accuracy()) for e in _PROMISES]
    return k.part(_COIN, **_FIELDS, grab=k.drag("epsilon", [0.5] * len(rights), rights, along="y"))


def _allowed(epsilon, delta):
    found = from_dp(float(epsilon), float(delta))
    right = k.at_most(float(found.accuracy()), k.in_100)
    often, tpr, rare = (k.at_most(float(found.tpr(fpr)), k.percent) for fpr in (0.1, 0.01, 0.001))
    return k.part(
        _spied(right.value, tpr.value),
        table=[
            ["reading", "at most"],
            ["found, if 10% of others are accused", often],
            ["found, if 0.1% of others are accused", rare],
            ["MIP: η", k.at_most(found.eta.value, digits=4)],
            ["MIS: Δ", k.at_most(found.mis.value, digits=4)],
        ],
        headline="Right at most {right}",
        sentence="With ε = {epsilon} and δ = {delta} no spy who says of one person in or out is right more "
        "than {right}. One who wrongly accuses 1 person in 100 finds at most {tpr} of those who were in "
        "(bounds).",
        **k.words(right=right, tpr=tpr, epsilon=float(epsilon), delta=float(delta)),
    )


@k.figure
def promise(
    epsilon: Annotated[float, k.Stops(_PROMISES, label="ε", play=True).safe("up")] = 3.0,
    delta: Annotated[float, k.Stops(_BESIDE, label="δ").safe("up")] = 1e-5,
):
    """Draw how often a spy is right about you at most, and whom he finds, by a promise alone.

    Notes
    -----
    `mipbook.accounting.translate` reads other promises too.

    Examples
    --------
    >>> promise(1.0, 0).layout.meta["headline"]
    'Right at most 73.2 times in 100'
    """
    return _held, _allowed
