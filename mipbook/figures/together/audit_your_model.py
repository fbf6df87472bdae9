"""What right guesses about canaries prove, and what choosing afterwards spoils."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import audit
from mipbook.audit.examples import TABLE, proof_table
from mipbook.figures.mis.rows import ROW, hundred

# Few below 70%, where hardly anything is proved.
_RIGHT = [50, 60, 66, 70, 73, 75, 76, 78, *range(80, 101)]
_GUESSES = k.Count(_RIGHT, 100, label="Right guesses", unit="%", play=True).safe("down")
_CANARIES = k.Count(TABLE["canaries"], 1000, label="Canaries, m", play=True).safe("down")
# In which order the canaries are guessed right, and which coins show heads.
_ORDER = np.argsort(np.random.default_rng(50).permutation(1000))
_HEADS = np.random.default_rng(51).random(1000) < 0.5


def _field(right, canaries):
    """Draw a canary as a dot, full for heads, if its toss was guessed, and as a cross if it was not."""
    number = np.arange(min(canaries, len(_ORDER)))
    lit, place = _ORDER[number] * 100 < right * len(_ORDER), _seats(number)
    wrong, heads = k.LEVEL.with_symbol("x"), _HEADS[number]
    tails = {"color": k.BEST.colour, "symbol": "circle-open", "size": 5, "line": {"width": 1.1}}
    each = "" if canaries == number.size else f"one mark: {canaries / number.size:g} canaries"
    return k.part(
        k.points("right: heads", *place[:, lit & heads], k.BEST, size=6.2, **k.QUIET),
        k.points("right: tails", *place[:, lit & ~heads], k.BEST, marker=tails, **k.QUIET),
        k.points("wrong", *place[:, ~lit], wrong, size=5, **k.QUIET),
        annotations=[k.note(each, 53.3, 0.7, xanchor="right", yanchor="bottom")],
    )


def _seats(number):
    """Return where canaries lie, on sheets of a hundred, five beside each other."""
    sheet, on = number // 100, number % 100
    return np.array([10.9 * (sheet % 5) + on % 10, -10.9 * (sheet // 5) - on // 10])


# Around the middle of a sheet, its corners.
_SHEET = 5.2 * k.marks.SQUARE


# Words on the scale below, beside where they begin.
_BESIDE, _BEFORE = ({"textposition": f"middle {side}", "lower": True} for side in ("right", "left"))


def _proof_frame():
    sheets = _seats(np.arange(0, len(_ORDER), 100))[:, :, None] + [[[4.5]], [[-4.5]]] + _SHEET[:, None]
    return k.part(
        k.area("sheets of a hundred", *map(k.gapped, sheets), k.BEST),
        k.curve("the promise, ε = 1", [1, 1], [-1, 0.9], k.READING, lower=True, **k.QUIET),
        k.text("promised", [1.15], [0.68], ["promised: ε = 1"], **_BESIDE),
        k.text("the key", 26.3, -22.1, "● heads, ○ tails: guessed right. × wrong"),
        **k.stage((-0.8, 53.4), (-23.2, 1), rows=(0.75, 0.03), height=488, ghost=[]),
        x2=k.axis("ε that is proved", range=[-0.3, 14.0], showgrid=False),
        y2={"visible": False, "range": [-1, 1]},
        layout={"margin": {"l": 12}},
        headline="ε is at least {sharp}",
        alt="A field of canaries: a dot where the guess was right, full for heads and hollow for tails; a "
        "cross where it was wrong. Below, a scale of ε: a bar reaches {sharp}; lines stand at a promise of 1 "
        "and at {ceiling}.",
    )


def _proofs(canaries):
    sharp = proof_table(canaries).sharp[np.array(_RIGHT) - TABLE["right"][0]]
    ceiling, said = float(audit.canary_ceiling(canaries, TABLE["delta"])), "no more can be proved"
    gap, side = (0.15, _BESIDE) if ceiling < 7 else (-0.15, _BEFORE)
    return k.part(
        k.area("beyond the ceiling", np.array([ceiling, 14, 14, ceiling]), [-1, -1, 1, 1], k.OUT, lower=True),
        k.level(said, ceiling, [-1, 1], k.OUT.bound(), lower=True, showlegend=False),
        k.text("the ceiling", [ceiling + gap], [-0.75], [said], **side),
        grab=k.drag("right", sharp, [0] * len(sharp), along="x2", at="y2"),
        canaries=canaries,
        ceiling=k.at_least(ceiling),
    )


def _proved(right, canaries):
    table, at = proof_table(canaries), TABLE["right"].index(right)
    sharp, bar = float(table.sharp[at]), k.Look(k.BEST.colour, width=14)
    more = "all of them would prove {ceiling}" if right < 100 else "no answers prove more"
    return k.part(
        k.curve("proved (bound)", [0, sharp], [0, 0], bar, lower=True, showlegend=False),
        k.reading(sharp, 0, "at your share", hover="ε of about %{x:.2f} is proved", lower=True),
        sentence=f"You guessed all {{canaries}} coins, {{right}} of them right. That proves ε ≥ {{sharp}}; "
        f"{more} (bound, 95%, δ = 10⁻⁵).",
        right=int(table.right[at]),
        sharp=k.at_least(sharp),
    )


@k.figure
def one_run_proof(right: Annotated[int, _GUESSES] = 100, canaries: Annotated[int, _CANARIES] = 1000):
    """Draw guesses about canaries, at most a thousand of them, and the epsilon that they prove.

    Notes
    -----
    At delta = 1e-5 and 95% confidence; `mipbook.audit.canary_epsilon`, stored.

    Examples
    --------
    >>> one_run_proof(80).layout.meta["headline"]
    'ε is at least 1.25'
    """
    return _proof_frame, _field, _proofs, _proved


_MADE = 1000
_NUMBERS = (*range(1, 13), 14, 16, 18, 20, 22, 25, 28, 30, 33, 36, 40, 45, 50)


def _tried(numbers):
    """Return so many numbers of guesses, in equal steps up to all canaries."""
    return np.round(np.arange(1, numbers + 1) * _MADE / numbers)


@k.cache
def _needed(numbers, shared):
    """Return the right guesses beyond half that would be an alarm, at each number."""
    tried, confidence = _tried(numbers), 1 - 0.05 / (numbers if shared else 1)
    return np.asarray(audit.right_needed(0.0, tried, confidence=confidence)) - tried / 2


@k.cache
def _walk(run):
    """Return how many guesses are right beyond half of them, the surest first, where all are coin tosses."""
    right = np.random.default_rng((391, run)).random(_MADE) < 0.5
    return np.concatenate([[0], np.cumsum(right)]) - np.arange(_MADE + 1) / 2


def _looks_frame():
    return k.part(
        k.level("half of them", [0, _MADE], 0, showlegend=False),
        x=k.axis("guesses made, the surest first", range=[0, 1020], tickformat=","),
        y=k.axis("guesses beyond half", range=[-31, 51]),
        x2=ROW,
        y2={"visible": False, "range": [-3, 5]},
        rows=(0.68, 0.24),
        height=450,
        layout={"margin": {"t": 30}},
        ghost=[],
        headline="A false alarm {alarms}",
        sentence="The model reveals nothing. With {numbers} an audit cries leak {alarms} (exact; 5 are "
        "promised). Run {run}: {verdict}.",
        alt="Right guesses beyond half of the guesses made, for the surest guess first: a jagged line "
        "of run {run}, and {marks} at heights that would be an alarm; {verdict}.",
    )


def _path(run):
    name = "right guesses of a run without a leak"
    return k.part(
        k.curve(name, np.arange(_MADE + 1), _walk(run), k.ATTACK, fill="tozeroy", **k.QUIET), run=run
    )


def _border(numbers, shared):
    tried, needed = _tried(numbers), _needed(numbers, shared)
    name, stroke = "so many would be an alarm (exact)", k.OUT.with_symbol("line-ew-open")
    many = k.told("the best of {count} looks", count=numbers)
    alarms = float(audit.false_alarm(tried, corrected=shared))
    columns = np.where(k.marks.SQUARE[1] < 0, needed[:, None], 51)
    where = {"xanchor": "right", "yanchor": "bottom"}
    return k.part(
        # At each look the heights that would be an alarm.
        k.area("alarm", *map(k.gapped, (tried[:, None] + 9 * k.marks.SQUARE[0], columns)), k.OUT),
        k.points(name, tried, needed, stroke, size=18, **k.QUIET),
        hundred(0, ("runs with an alarm", round(100 * alarms), k.OUT), lower=True),
        k.text("of the row", [0], [3.6], ["of a hundred such runs, those that cry leak"], **_BESIDE),
        annotations=[k.note("alarm zone", 1020, 51, **where)],
        numbers="one look" if numbers == 1 else many,
        marks=k.told(f"{{count}} mark{'s' * (numbers > 1)}", count=numbers),
        alarms=k.exact(alarms, k.in_100),
    )


def _verdict(numbers, run, shared):
    tried, at, verdict = _tried(numbers).astype(int), ([None], [None]), "no alarm, as it should be"
    over = _walk(run)[tried] >= _needed(numbers, shared)
    if over.any():
        first = int(tried[over.argmax()])
        at = [first], [_walk(run)[first]]
        verdict = k.told("a false alarm after {first} guesses", first=k.exact(first, str))
    words = {"text": ["<b>alarm!</b>"], "mode": "markers+text", "textposition": "top center"}
    return k.part(k.points("the alarm", *at, k.OUT, size=15, **k.QUIET, **words), verdict=verdict)


@k.figure
def chosen_afterwards(
    numbers: Annotated[int, k.Count(_NUMBERS, 8, label="Looks", play=True)] = 8,
    run: Annotated[int, k.Draws(15, label="Another run")] = 1,
    shared: Annotated[bool, k.Choice({"5% a look": False, "5% in all": True}, label="Risk")] = False,
):
    """Draw how often the best of several numbers of guesses accuses a run that reveals nothing.

    Notes
    -----
    1,000 canaries, epsilon = 0, delta = 0, numbers in equal steps: `mipbook.audit.false_alarm`.

    Examples
    --------
    >>> chosen_afterwards(1).layout.meta["headline"]
    'A false alarm 4.68 times in 100'
    """
    return _looks_frame, _path, _border, _verdict
