"""What DP buys of MIP, what MIP does not buy of DP, and what eta says about the ROC curve."""

from math import comb
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip
from mipbook.mechanisms import randomised_response, tight_mechanism

_EPSILON = np.append(np.arange(21) / 10, 2.25 + 0.25 * np.arange(24))
_EPSILONS = _EPSILON.tolist()
_DELTAS = [0, 1e-5, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
_SCALE = "ε that allows it (bound, attained)"
# The marks of the ruler, and how far apart two are, in games.
_NUMBERED, _ROOM = np.array([0, 0.5, 1, 1.5, 2, 3, 5]), 4
# Below the games their numbers, the ruler, and its numbers; above them whose they are; and all of the board.
_ROWS_OF, _RULER, _BOARD = (-31.5, -49.5, 6.8), -41, (-53.5, 10.5)
# What is written on an axis of how often the spy is right.
_RIGHT = [50, 60, 70, 80, 90, 100]


def _game(number):
    """Return where games stand, five below each other."""
    return 5 * (number // 5) + 2.5, -6 * (number % 5)


@k.figure
def dp_to_eta(
    epsilon: Annotated[float, k.Stops(_EPSILONS, label="ε", play=True).safe("up")] = 1.0,
    delta: Annotated[float, k.Stops(_DELTAS, label="δ").safe("up")] = 0.0,
):
    """Draw a hundred games of the best spy, and a ruler of the epsilon that allows so many.

    Notes
    -----
    MIP paper, Theorem 4 and the remark in section 3.4; RIP paper, Theorem 4.

    Examples
    --------
    >>> "0.2311" in dp_to_eta(1.0).layout.meta["sentence"]
    True
    """
    # A hundred games, those of a coin first, and below them which ε allows how many.
    right = 100 * (0.5 + np.asarray(mip.eta_from_dp(_EPSILON, delta)))
    told, tick = right[np.searchsorted(_EPSILON, _NUMBERED)], k.MIP.with_symbol("line-ns-open")
    apart = np.append(True, np.diff(told) >= _ROOM)
    at, numbers = told[apart].round(2), _NUMBERED[apart]
    told_by = {"hover": "ε = %{customdata}: at best right %{x:.1f} times in 100", "showlegend": False}
    # The mechanism that needs all of eta.
    eta = float(mip.eta_from_dp(epsilon, delta))
    attained = game.optimal_accuracy(tight_mechanism(epsilon, delta)) - 0.5
    won, (counted, allowing, whose) = np.arange(50, round(100 * (0.5 + attained))), _ROWS_OF
    # The games that a coin wins are full; the others are rings, for the spy to fill.
    coins, rings, rim = *map(_game, np.arange(100).reshape(2, -1)), {"shape": "spline", "width": 1.4}
    ring = {"fillcolor": k.BACKGROUND[0], "line": {**rim, "color": k.GREEN}, **k.QUIET}
    marks = k.gapped([[games, games] for games in _RIGHT]), [counted - 2.4, counted - 4.4, None] * len(_RIGHT)
    board, named = [_BOARD[0], _BOARD[0], _BOARD[1], _BOARD[1]], {"textposition": "middle left"}
    return k.part(
        k.area("for a coin to win", [-2, 50, 50, -2], board, k.LEVEL),
        k.area("for the spy to win", [50, 105, 105, 50], board, k.MIP),
        k.heads("games", *rings, k.MIP, size=6, **ring),
        k.heads("a coin is right", *coins, k.LEVEL, size=6.4, **k.QUIET),
        k.text("won by a coin", 25, whose, "a coin wins these"),
        k.text("right, of 100 games, named", 76, whose, "best spy: the full ones"),
        k.text("games won", 45, counted, "games won, of 100", **named),
        k.text("so many games", _RIGHT, counted, [f"{games}" for games in _RIGHT]),
        k.level("ruler", [50, 100], _RULER, k.LEVEL.exact(), **k.QUIET),
        k.curve("games won, marked", *marks, k.LEVEL.exact(), **k.QUIET),
        k.level("ε, from none on", [right[0], 100], _RULER, k.MIP.but(width=4), showlegend=False),
        k.points(_SCALE, at, _RULER, tick, size=16, customdata=numbers, **told_by),
        k.text("ε, numbered", at, allowing, [f"{number:g}" for number in numbers]),
        k.text("ε", 45, allowing, "<b>ε</b> that allows them", **named),
        k.heads("right, of 100 games", *_game(won), k.MIP, size=6.4, showlegend=False),
        **k.stage((-2, 105), _BOARD, square=True, height=390),
        probe=[_SCALE],
        ghost=["ε, from none on"],
        grab=k.drag("epsilon", right.round(2), _RULER),
        headline="right at most {most} times in 100",
        sentence="The full green games are what ε = {epsilon} and δ = {delta} leave to the best spy. "
        "Their share, η, is at most {eta} (bound).",
        alt="A hundred games: fifty coins that a coin wins, and fifty rings, of which the spy fills some. "
        "Below them a ruler of ε for δ = {delta}: 0 stands at {start} games, and further on the same step "
        "of ε is shorter. At ε = {epsilon} the full ones end at {attained}.",
        **k.words(epsilon=epsilon, delta=delta, start=50 + 50 * delta, attained=100 * (0.5 + attained)),
        **k.words(eta=k.at_most(eta, digits=4), most=k.at_most(50 + 100 * eta, digits=4)),
    )


# How many doors stand in a row, by the patients, each a half of them; and the outline of a bell.
_ROWS, _WIDE, _HIGH = {4: 6, 6: 10, 8: 14, 10: 28}, 36, 13
_BELL_X = [-1, -0.7, -0.6, -0.35, 0, 0.35, 0.6, 0.7, 1, -1, np.nan, -0.3, 0, 0.3, -0.3]
_BELL_Y = [-0.4, -0.1, 0.7, 1.1, 1.2, 1.1, 0.7, -0.1, -0.4, -0.4, np.nan, -0.6, -0.9, -0.6, -0.6]
# So many are drawn at each press, by lots with which the bell of eight rings at the fifth.
_TEN, _PRESSES, _SEED = 10, 15, 6


@k.figure
def one_bell(
    draw: Annotated[int, k.Draws(_PRESSES, label="Draw ten")] = 1,
    n: Annotated[int, k.Choice([4, 6, 8, 10], label="Patients, n")] = 8,
):
    """Draw a bell that rings for one half of the patients, and how often it gives each of them away.

    Notes
    -----
    MIP paper, Theorem 5.

    Examples
    --------
    >>> one_bell().layout.meta["headline"]
    'Silence: right 50.7 times in 100'
    """
    members = mip.subsets(n)
    halves, row = len(members), _ROWS[n]
    rings = np.stack([np.arange(halves) == 0, np.arange(halves) != 0], axis=1) * 1.0
    # The bell hangs somewhere in the middle.
    right, place = 100 * mip.record_accuracies(rings, members), np.roll(np.arange(halves), -5 * halves // 8)
    cell, lines = min(_WIDE / row, _HIGH * row / halves), (halves - 1) // row
    x = _WIDE / 2 + cell * (place % row - (row - 1) / 2)
    y = -_HIGH / 2 - cell * (place // row - lines / 2)
    lots = np.random.default_rng([_SEED, n]).integers(halves, size=_TEN * _PRESSES)
    # Where the bell rings nobody draws on.
    end = _TEN * (int(draw) - 1) + 1
    end = next((at + 1 for at in range(max(end - _TEN, 0), end) if lots[at] == 0), end)
    drawn = int(lots[end - 1])
    # After silence one half is out, and each patient is in half of all of them.
    sure = halves / 2 / (halves - 1) if drawn else 1.0
    # Who is drawn steps forward; when it rings, the spy names everybody.
    seats, steps = _WIDE / 2 + 2.5 + 2.9 * (np.arange(n) - (n - 1) / 2), 2 * members[drawn] - _HIGH - 3.4
    told, out = members[0] & (not drawn), ~members[0] & (not drawn)

    def sides(which):
        doors = zip((x, y), np.multiply([[0.3 * cell], [0.42 * cell]], k.SQUARE), strict=True)
        return [k.gapped(np.add.outer(at[which], corners)) for at, corners in doors]

    bell = np.stack([x, y])[:, :1] + (0.28 * cell + 0.8 * (not drawn)) * np.array([_BELL_X, _BELL_Y])
    # From the door down, between the others, and along the people behind it.
    down, foot, left = x[drawn] + cell / 2, -_HIGH - 0.1, {"textposition": "middle left"}
    way = [down - 0.2 * cell, down, down, seats[0] - 0.8, seats[-1] + 0.8], [y[drawn]] * 2 + [foot] * 3
    beside, gutter = {"lower": True, **k.QUIET}, k.Look(k.fill(k.GREY), width=10)
    bare = {"showgrid": False, "showline": False}
    return k.part(
        k.area("a half, no bell", *sides(np.arange(halves)), k.LEVEL, line={"color": k.GREY, "width": 1.5}),
        k.points("handles", x + 0.17 * cell, y, k.Look(k.GREY), size=3, **k.QUIET),
        k.area("drawn before", *sides(lots[: end - 1]), k.IN, opacity=0.3, fillcolor=k.BLUE),
        k.area("the half drawn", *sides([drawn]), k.IN, fillcolor=k.BLUE),
        k.area("the half with the bell", *map(k.gapped, bell[:, None]), k.ATTACK, fillcolor=k.INK),
        k.curve("the half drawn, its way", *way, k.IN.but(width=2), **k.QUIET),
        k.points("drawn", seats[told], steps[told], k.IN.with_symbol("circle-open"), size=28, **k.QUIET),
        k.points("left out", seats[out], steps[out], k.OUT.with_symbol("square-open"), size=26, **k.QUIET),
        k.text("each row", seats[0] - 1.6, [-_HIGH - 1.4, -_HIGH - 3.4], ["drawn", "left out"], **left),
        k.cast(seats, steps, list(k.PEOPLE)[:n], size=22, showlegend=False),
        k.level("always right", [50, 100], 0, gutter, **beside),
        k.level("this time, of all", [50, 100], 1.6, gutter, **beside),
        k.level("the spy, this time", [50, 100 * sure], 1.6, k.Look(k.BLUE, width=10), **beside),
        k.reading(right[0], 0, "the spy, about each over all draws", lower=True),
        k.text("when", 48.5, 0, "over all doors", lower=True, **left),
        k.text("this time, named", 48.5, 1.6, f"draw {end}", lower=True, **left),
        **k.stage((-0.5, _WIDE + 0.5), (-_HIGH - 5.2, 0.5), square=True, height=470, ghost=[]),
        x2=k.axis("the spy is right, times in 100", range=[28, 103], tickvals=_RIGHT, **bare),
        y2=k.unseen(-2.5, 2.1),
        rows=(0.77, 0.05),
        moving_axes="other patients have other halves, and each half is a door",
        headline=f"{'Silence' if drawn else 'It rings'}: right {{sure}}",
        sentence="Over all {halves} doors he is right {right}, about each of the {n} (exact).",
        alt="{halves} doors, one for each half of {n} patients, and a bell behind one of them. Below stand "
        "the patients, named as drawn or left out when it rings, and how often the spy is right: this time "
        "near a coin toss in silence and always when it rings; over all doors {right}.",
        **k.words(n=n, halves=halves),
        **k.words(k.exact, k.in_100, sure=sure, right=right[0] / 100),
    )


_SIZES = np.arange(2, 61, 2)
_CHANCES = [0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1]
# Mechanisms that are DP for no epsilon below a delta, as a sentence tells them.
_EXAMPLES = {
    "a bell for one half": "the bell rings for only 1 of the {halves} possible halves, so η is one over that",
    "publish a random record": "with chance {p} it publishes one random member of the half, and η is p / n",
    "publish each record": "it publishes each member with chance {p}, and η is p / 2",
}


def _etas(p):
    """Return eta at every size, for the three mechanisms."""
    halves = np.array([comb(size, size // 2) for size in _SIZES.tolist()], dtype=float)
    return dict(zip(_EXAMPLES, (1 / halves, p / _SIZES, np.full(_SIZES.size, p / 2)), strict=True))


@k.figure
def eta_without_dp(
    n: Annotated[int, k.Choice(_SIZES.tolist(), label="Records, n")] = 8,
    p: Annotated[float, k.Stops(_CHANCES, label="Chance to publish, p")] = 0.05,
    example: Annotated[str, k.Choice(list(_EXAMPLES), label="Mechanism")] = "a bell for one half",
):
    """Draw eta against n for three mechanisms that are DP for no epsilon at all.

    Notes
    -----
    MIP paper, Theorem 5; RIP paper, Theorem 5.

    Examples
    --------
    >>> "only 1 of the 70" in eta_without_dp(8).layout.meta["sentence"]
    True
    """
    every, halves = _etas(p), comb(n, n // 2)
    etas, least = every[example], dict(zip(_EXAMPLES, (1.0, 2 * p / n, p), strict=True))
    eta = etas[n // 2 - 1]
    names, hover = [f"{name} (exact)" for name in _EXAMPLES], "%{{x}} records, {}: η = %{{y:.3g}}"
    return k.part(
        [
            k.curve(f"{name} (exact)", _SIZES, etas, look, marked=True, hover=hover.format(name))
            for (name, etas), look in zip(every.items(), k.SERIES[:3], strict=True)
        ],
        k.reading(n, eta, "at your n"),
        x=k.axis("records, n", range=[0, 62]),
        y=k.axis("η", log=True, range=[-17.2, 0], dtick=4),
        height=400,
        probe=names,
        ghost=names[1:2],
        headline="η = {eta}, and no ε",
        sentence="η = {eta} (exact): {said}. But some output is possible for one half and impossible for its "
        "neighbour: no ε is large enough for DP while δ is below {least} (exact). Neighbours: replace one "
        "record.",
        alt="Eta against n on a logarithmic axis. The solid curve of the one half falls like 2 to the power "
        "-n, the dashed one like 1 / n, the dotted one is level at {level}. At n = {n} the chosen one "
        "stands at {eta}.",
        grab=k.drag("n", _SIZES, etas),
        **k.words(eta=eta, least=least[example], level=p / 2, n=n),
        said=k.told(_EXAMPLES[example], halves=halves, p=p),
    )


def _best_attacker(table):
    """Return the ROC curve of a mechanism, and where its best attacker stands."""
    fprs, tprs = game.finite_roc(table)
    corner = int(np.argmax(tprs - fprs))
    return fprs, tprs, fprs[corner], tprs[corner]


@k.cache
def _corners():
    """Return where the best attacker stands at every stop."""
    return np.round(100 * np.transpose([_best_attacker(randomised_response(e))[2:] for e in _EPSILONS]), 2)


@k.figure
def roc_square(epsilon: Annotated[float, k.Stops(_EPSILONS, label="ε of the answers")] = 2.0):
    """Draw randomised response in the ROC square, with the line FPR + 2 eta.

    The odds of a true answer are e^epsilon.

    Notes
    -----
    MIP paper, Theorem 8, with its correction.

    Examples
    --------
    >>> "46.3" in roc_square(1.0).layout.meta["sentence"]
    True
    """
    table = randomised_response(epsilon)
    fprs, tprs, fpr, tpr = _best_attacker(table)
    most, of_100 = round(200 * game.optimal_accuracy(table) - 100, 10), [0, 50, 100]
    # A hundred members stand along one side, of whom so many are found; as many strangers along the other.
    along, aside = 2.0 + 4 * (np.arange(100) // 4), -4.0 * (1 + np.arange(100) % 4)
    people = [("members", 0.8 * aside, along, k.IN), ("strangers", along, aside - 1, k.OUT)]
    found = round(most)
    hollow = {"color": k.BACKGROUND[0], "line": {"color": k.GREY, "width": 1}, "size": 5}
    return k.part(
        k.area("allowed", [0, 100 - most, 100, 0, 0], [most, 100, 100, 0, most], k.MIP),
        k.curve("nobody above", [0, 100 - most], [most, 100], k.MIP.bound(), **k.QUIET),
        k.level("a coin toss", [0, 100], [0, 100], **k.QUIET),
        k.curve("the spy (exact)", 100 * fprs, 100 * tprs, k.BEST, marked=True, **k.QUIET),
        k.reading(100 * fpr, 100 * tpr, "the best spy"),
        k.text("said", 62, 51, "a coin toss", textposition="middle right"),
        [
            k.points(f"all {who}", x, y, look, marker={**hollow, "symbol": look.symbol}, **k.QUIET)
            for who, x, y, look in people
        ],
        k.points("found, nobody accused", 0.8 * aside[:found], along[:found], k.IN, size=6, **k.QUIET),
        x=k.axis("strangers he accuses, of 100", range=[-16, 103], tickvals=of_100, showgrid=False),
        y=k.axis("members he finds, of 100", range=[-22, 105], tickvals=of_100),
        height=400,
        headline="at most {most} of 100 found, nobody accused",
        sentence="A spy who accuses nobody finds at most {most} of 100 members, twice η (bound). "
        "A spy at the blue corner finds {found} and accuses {accused} of 100 strangers (exact).",
        alt="A square: of 100 strangers how many a spy accuses, of 100 members how many he finds. His curve "
        "has its corner at {accused} and {found}, on a dashed line from {most} up; above it nobody comes. "
        "Of the members along its side so many are found, of the strangers below it nobody is accused.",
        ghost=["the spy (exact)"],
        grab=k.drag("epsilon", *_corners()),
        most=k.at_most(most),
        **k.words(found=k.exact(100 * tpr, digits=2), accused=k.exact(100 * fpr, digits=2)),
    )
