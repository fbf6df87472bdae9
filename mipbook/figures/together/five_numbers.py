"""Five numbers of a DP-SGD run in, what it tells out: from a table on a page, else computed."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.panels.corners import Axis, Corners, Told, at_corners
from mipbook.base.rounding import up
from mipbook.dpsgd.profile import PrivacyProfile, schedule
from mipbook.figures.words import in_100, percent, say
from mipbook.stored.dpsgd_runs import DELTAS, LADDER, NOISES, RATES, STEPS, corners

_RECORDS = sorted({m * 10**e for e in range(2, 8) for m in (1, 2, 5)} | {60_000, 10**8})
_BATCHES = [2**e for e in range(17)]
_EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000]
_DELTAS = [float(f"{m}e-{e}") for e in range(8, 2, -1) for m in (1, 2, 5)]
# For less the table has no answer, and says so.
_NOISES = [0.3, 0.4, *NOISES]
_KINDS = ("add", "swap")
_FPRS = (0.001, 0.01)
_EACH = len(DELTAS)
_ROWS = ("right", "tpr", "low_tpr")
_TIMES = " times in 100"
# What stands in the table, the number that it tells of each kind, and what follows it.
_READINGS = (
    ("ε", "epsilon", ""),
    ("a spy is right", "right", _TIMES),
    ("he finds, if he accuses 1 stranger in 100", "tpr", ""),
    ("he finds, if he accuses 1 in 1,000", "low_tpr", ""),
    ("right, if he knows nobody else (MIS)", "mis", _TIMES),
)
# Said where the numbers are those of the run, and where they are those of the next ones of the table.
_EXACT = {"whose": "It lies between", "more": ""}
_BETWEEN = {
    "whose": "Your run is not stored: its ε lies somewhere between",
    "more": "; python -m mipbook dpsgd computes it",
}

# Where three fields stand.
FIELDS = k.stage((-0.45, 2.45), (-0.32, 1.15), height=310, layout={"showlegend": False})


def _frame():
    # The dots stand there before anybody knows how many are filled.
    places = np.concatenate([field_at(at) for at in range(3)], axis=1)
    return k.part(
        k.points(
            "a hundred each", *places, k.Look(k.fill(k.GREY), symbol="hexagon"), size=5, hoverinfo="skip"
        ),
        **FIELDS,
        headline="ε is at most {epsilon}",
        sentence="{whose} {low} and {epsilon}, for a record added or removed{more}. A spy who sees every "
        "step is right at most {right} (bounds).",
        alt="Three fields of a hundred dots: of others, one of whom is accused; of rounds, in which a spy is "
        "right {right} at most; of members, {tpr} of whom are then found at most.",
    )


def field_at(at):
    """Return where the dots of a field stand."""
    y, x = np.divmod(np.arange(100), 10)
    return at - 0.36 + 0.08 * x, 0.05 + 0.1 * y


def spied(right, found):
    """Return three fields of a hundred dots: others accused, rounds won and members found, at most."""
    most = [f"≤ {in_100(right, to=up).removesuffix(_TIMES)}", f"≤ {percent(found, to=up)}"]
    names, drawn = ["others<br>accused", "rounds<br>he wins", "members<br>found"], []
    for at, (look, level) in enumerate(((k.OUT, 0.01), (k.ATTACK, right), (k.IN, found))):
        field = k.points(names[at], *field_at(at), look, hoverinfo="skip")
        # As many dots as the level says are filled: the scale has one step, and that lies there.
        steps = [[0.0, look.colour], [level, look.colour], [level, k.fill(k.GREY)], [1.0, k.fill(k.GREY)]]
        scale = {"cmin": 0, "cmax": 1, "colorscale": steps}
        field["marker"] |= {"size": 7, "color": (np.arange(100) + 0.5) / 100, **scale}
        drawn.append(field)
    rows = {"how many": (1.08, [f"<b>{text}</b>" for text in ("1%", *most)]), "who": (-0.2, names)}
    return [*drawn, *(k.text(row, [0, 1, 2], [y] * 3, told) for row, (y, told) in rows.items())]


@k.few
def _profiles(records, batch, epochs, sigma):
    rate, steps = schedule(records, batch, epochs)
    if steps > 1_000_000:
        validate.refuse("batch", batch, "so large that the run takes at most 1,000,000 steps")
    return [PrivacyProfile(rate, sigma, steps, kind) for kind in ("add-remove", "replace")]


def _on_page():
    """Return the table of the published page, and where its numbers stand."""
    numbers = tuple(map(say, LADDER))
    shown = tuple(float(value) for value in np.minimum(LADDER, 1.0))
    shares = tuple(map(percent, shown))
    wins = tuple(0.5 + value / 2 for value in shown)
    rights = tuple(in_100(value, to=up) for value in wins)
    numerals = tuple(right.removesuffix(_TIMES) for right in rights)
    # Whatever reaches one is rounded up to it; of the replaced record no picture needs a number then.
    lost = "not stored: run the line"
    kept = {each: (*each[: shown.index(1.0)], *[lost] * shown.count(1.0)) for each in (shares, rights)}
    told, wide = {}, ("rate", "sigma", "steps")
    ended = f"The table of this page ends at ε = {numbers[-2]}; the line of the terminal tells more."
    for kind, (high, low) in zip(_KINDS, (corners(False), corners(True)), strict=True):
        told[f"{kind}_epsilon"] = Told(
            ("rate", "sigma", "delta", "steps"), *(side[:, :, :_EACH] for side in (high, low)),
            (*numbers[:-1], lost), beyond=ended if kind == "add" else "",
        )  # fmt: skip
        for row, name in enumerate(_ROWS, start=_EACH):
            sides = np.ascontiguousarray(high[:, :, row]), np.ascontiguousarray(low[:, :, row])
            texts, drawn = (shares, shown) if row > _EACH else (rights, wins)
            if kind == "swap":
                told[f"swap_{name}"] = Told(wide, *sides, kept[texts])
            else:
                told[f"add_{name}"] = Told(wide, *sides, numerals if texts is rights else shares, drawn)
        if kind == "swap":
            told["swap_mis"] = Told(wide, high[:, :, -1], low[:, :, -1], kept[rights])
    meta = ("layout", "meta")
    sources = {"epsilon": "add_epsilon", "low": "add_epsilon.low", "tpr": "add_tpr"}
    sources |= dict(zip(_EXACT, _EXACT, strict=True))
    leaves = {(*meta, "words", word): f"{{{source}}}" for word, source in sources.items()}
    leaves[(*meta, "words", "right")] = f"{{add_right}}{_TIMES}"
    for row, (_, source, unit) in enumerate(_READINGS, start=1):
        for column, kind in enumerate(_KINDS, start=1):
            if f"{kind}_{source}" in told:
                leaves[(*meta, "table", row, column)] = f"{{{kind}_{source}}}{unit * (kind == 'add')}"
    for field, source in enumerate(("add_right", "add_tpr"), start=1):
        leaves |= {("data", field, "marker", "colorscale", step, 0): f"#{source}" for step in (1, 2)}
        leaves[("data", 3, "text", field)] = f"<b>≤ {{{source}}}</b>"
    return Corners(_page_axes(), told, leaves, _EXACT, _BETWEEN)


def _page_axes():
    full = "A batch holds more than all records: make it smaller, or the records more."
    ends = f"The table of this page ends at {STEPS[-1]:,} steps; the line of the terminal takes a million."
    least = "The table of this page begins at {} = {}; the line of the terminal takes less."
    count = tuple(f"{s:,}" for s in STEPS)
    return {
        "rate": Axis(
            ("batch",), RATES, tuple(map(percent, RATES)), True, full, ("records",), elsewhere=False
        ),
        "sigma": Axis(("sigma",), NOISES, tuple(map(say, NOISES)), False, least.format("σ", NOISES[0])),
        "delta": Axis(("delta",), DELTAS, tuple(map(say, DELTAS)), False, least.format("δ", say(DELTAS[0]))),
        "steps": Axis(("epochs", "records"), STEPS, count, True, ends, ("batch",), True),
    }


@at_corners(_on_page)
def _numbers(records, batch, epochs, sigma, delta):
    """Read the run itself."""
    if batch > records:
        validate.refuse("batch", batch, f"at most records = {records:,}")
    profiles = dict(zip(_KINDS, _profiles(records, batch, epochs, sigma), strict=True))
    found = {"swap_mis": k.at_most(1 - profiles["add"].security / 2, k.in_100)}
    for kind, profile in profiles.items():
        low, high = (k.at_most(profile.tpr(fpr).high, percent) for fpr in _FPRS)
        right = k.at_most(0.5 + profile.advantage.high / 2, k.in_100)
        found |= {f"{kind}_epsilon": k.at_most(profile.epsilon(delta).high), f"{kind}_right": right}
        found |= {f"{kind}_tpr": high, f"{kind}_low_tpr": low}
    rows = [[name, *(found.get(f"{kind}_{source}", "") for kind in _KINDS)] for name, source, _ in _READINGS]
    return k.part(
        spied(found["add_right"].value, found["add_tpr"].value),
        table=[["at most", "added or removed", "replaced"], *rows],
        epsilon=found["add_epsilon"],
        low=k.at_least(profiles["add"].epsilon(delta).low),
        right=found["add_right"],
        tpr=found["add_tpr"],
        **_EXACT,
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
    'ε is at most 2.39'
    """
    return _frame, _numbers
