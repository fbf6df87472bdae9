"""Five numbers of a DP-SGD run in, what it tells out: from a table on a page, else computed."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.panels.corners import Axis, Corners, Told, at_corners
from mipbook.base.rounding import down, up
from mipbook.dpsgd.profile import PrivacyProfile
from mipbook.dpsgd.run import schedule
from mipbook.figures.words import in_100, percent, say
from mipbook.stored.dpsgd_runs import DELTAS, LADDER, NOISES, RATES, STEPS, corners

_RECORDS = sorted({m * 10**e for e in range(2, 8) for m in (1, 2, 5)} | {60_000, 10**8})
_BATCHES = [2**e for e in range(17)]
_EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000]
_DELTAS = [float(f"{m}e-{e}") for e in range(8, 2, -1) for m in (1, 2, 5)]
# For less the table has no answer, and says so.
_NOISES = [0.3, 0.4, *NOISES]
_KINDS = {"add": "added or removed", "swap": "replaced"}
_FPRS = (0.001, 0.01)
_EACH = len(DELTAS)
_ROWS = ("right", "tpr", "low_tpr")
# Said where the numbers are those of the run, and where they are those of the next ones of the table.
_EXACT = {"whose": ""}
_BETWEEN = {"whose": ", by stored runs on both sides; the line for a terminal computes your own"}

# Where three fields stand.
FIELDS = k.stage((-0.45, 2.45), (-0.24, 1.15), height=300, layout={"showlegend": False})


def _frame():
    return k.part(
        **FIELDS,
        headline="ε at most {epsilon}, {about}",
        sentence="A spy who sees every step is right at most {right} (bound). The first ε is safe to "
        "promise, if a record is added or removed. The run spends at least {low}{whose} (bounds).",
        alt="Three fields of a hundred dots. In the first, of others wrongly accused, one is filled; in the "
        "second, of members found if a record is added or removed, {tpr} at most; in the third, where a "
        "record is replaced, more.",
    )


def field_at(at):
    """Return where the dots of a field stand."""
    y, x = np.divmod(np.arange(100), 10)
    return at - 0.36 + 0.08 * x, 0.05 + 0.1 * y


def fields(*each):
    """Return three fields of a hundred dots: of each its name, look, share that is filled, and words."""
    drawn = []
    for at, (name, look, level, _) in enumerate(each):
        field = k.points(name, *field_at(at), look, hoverinfo="skip")
        # As many dots as the level says are filled: the scale has one step, and that lies there.
        steps = [[0.0, look.colour], [level, look.colour], [level, k.fill(k.GREY)], [1.0, k.fill(k.GREY)]]
        scale = {"cmin": 0, "cmax": 1, "colorscale": steps}
        field["marker"] |= {"size": 7, "color": (np.arange(100) + 0.5) / 100, **scale}
        drawn.append(field)
    rows = {"how many": (1.08, [text for *_, text in each]), "who": (-0.14, [name for name, *_ in each])}
    return [*drawn, *(k.text(row, [0, 1, 2], [y] * 3, told) for row, (y, told) in rows.items())]


def _drawn(rates):
    """Return the fields: others accused, and the members found at most with both kinds of neighbours."""
    found = [(rate, f"<b>≤ {percent(rate, to=up)}</b>") for rate in rates.values()]
    return fields(
        ("others<br>accused", k.OUT, 0.01, "<b>1%</b>"),
        ("found,<br>add/remove", k.IN, *found[0]),
        ("found,<br>replace", k.IN.with_symbol("diamond"), *found[1]),
    )


def _table(cells, security):
    heads = ["ε at your δ", "right", "TPR at FPR 1%", "TPR at FPR 0.1%"]
    rows = [[head, cells["add"][i], cells["swap"][i]] for i, head in enumerate(heads)]
    return [["a record is", *_KINDS.values()], *rows, ["security (MIS), at least", "", security]]


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
    rights = tuple(in_100(0.5 + value / 2, to=up) for value in shown)
    rest = tuple(percent(1.0 - value, to=down) for value in shown)
    told, wide = {}, ("rate", "sigma", "steps")
    ended = f"The table of this page ends at ε = {numbers[-2]}; the line of the terminal tells more."
    for kind, (high, low) in zip(_KINDS, (corners(False), corners(True)), strict=True):
        told[f"{kind}_epsilon"] = Told(
            ("rate", "sigma", "delta", "steps"), *(side[:, :, :_EACH] for side in (high, low)),
            (*numbers[:-1], "∞: no promise"), beyond=ended if kind == "add" else "",
        )  # fmt: skip
        for row, name in enumerate(_ROWS, start=_EACH):
            sides = np.ascontiguousarray(high[:, :, row]), np.ascontiguousarray(low[:, :, row])
            told[f"{kind}_{name}"] = Told(wide, *sides, shares if row > _EACH else rights, shown)
        if kind == "swap":
            told["security"] = Told(wide, high[:, :, -1], low[:, :, -1], rest)
    meta = ("layout", "meta")
    cells = ("epsilon", *_ROWS)
    sources = {"epsilon": "add_epsilon", "about": "add_epsilon.about", "low": "add_epsilon.low"}
    sources |= {"right": "add_right", "tpr": "add_tpr", "whose": "whose"}
    leaves = {(*meta, "words", word): f"{{{source}}}" for word, source in sources.items()}
    for column, kind in enumerate(_KINDS, start=1):
        for row, cell in enumerate(cells, start=1):
            leaves[(*meta, "table", row, column)] = f"≤ {{{kind}_{cell}}}"
        leaves |= {("data", column, "marker", "colorscale", step, 0): f"#{kind}_tpr" for step in (1, 2)}
        leaves[("data", 3, "text", column)] = f"<b>≤ {{{kind}_tpr}}</b>"
    leaves[(*meta, "table", 5, 2)] = "{security}"
    return Corners(_page_axes(), told, leaves, _EXACT, _BETWEEN, ("about {}", "no nearer here"))


def _page_axes():
    full = "A batch holds more than all records: make it smaller, or the records more."
    ends = f"The table of this page ends at {STEPS[-1]:,} steps; the line of the terminal takes a million."
    least = "The table of this page begins at {} = {}; the line of the terminal takes less."
    count = tuple(f"{s:,}" for s in STEPS)
    return {
        "rate": Axis(("batch",), RATES, tuple(map(percent, RATES)), True, full, ("records",)),
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
    epsilon = {kind: profile.epsilon(delta) for kind, profile in profiles.items()}
    right = {kind: k.at_most(0.5 + each.advantage.high / 2, k.in_100) for kind, each in profiles.items()}
    cells, rates = {}, {}
    for kind, profile in profiles.items():
        tprs = [profile.tpr(fpr) for fpr in _FPRS]
        found = [k.at_most(each.high, percent) for each in tprs[::-1]]
        highs = [k.at_most(epsilon[kind].high), right[kind], *found]
        cells[kind] = [k.told("≤ {high}", high=high) for high in highs]
        rates[kind] = up(tprs[1].high, 4)
    add = profiles["add"]
    ends = epsilon["add"]
    return k.part(
        *_drawn(rates),
        table=_table(cells, k.at_least(add.security, percent)),
        about=k.told("about {epsilon}", epsilon=k.about((ends.low + ends.high) / 2)),
        epsilon=k.at_most(ends.high),
        low=k.at_least(ends.low),
        right=right["add"],
        tpr=k.at_most(add.tpr(0.01).high, percent),
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
    'ε at most 2.39, about 2.38'
    """
    return _frame, _numbers
