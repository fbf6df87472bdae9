"""Security itself: the ROC plane of a small learner, and a game with its card."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import hundred

# --- The ROC plane ------------------------------------------------------------------------------

_P, _N = (0.5, 0.3, 0.2), 5
LEARNERS: dict[str, mis.Learner] = {
    "all the counts": lambda counts: counts,
    "the top kind": lambda counts: counts.index(max(counts)),
    "one ball": lambda counts: {kind: count / _N for kind, count in enumerate(counts)},
    "nothing": lambda counts: "",
}
_NU = k.Slider(0.1, 0.9, step=0.025, value=0.5, label="Fresh balls, ν")
_ACCUSED = "accuse %{x:.1%} of the fresh balls, find %{y:.1%} of those from the tray"


@k.cache
def _model(learner):
    """Enumerate one of the learners: five records of three kinds."""
    return mis.finite_model(LEARNERS[learner], _P, _N)


def _equal_accuracy(accuracy, a, b):
    """Return the ends, inside the square, of the line on which the accuracy is the same."""
    start, slope = (accuracy - b) / a, b / a
    x = np.clip([-start / slope, (1 - start) / slope], 0.0, 1.0)
    return x.tolist(), np.clip(start + slope * x, 0.0, 1.0).tolist()


@k.cache
def _upper_ends(learner, lam):
    """Return the upper end of the line of the best attacks, for each share of fresh points."""
    best = [
        (float(_model(learner).best_accuracy(nu, lam)), *map(float, mis.weights(nu, lam))) for nu in _NU.stops
    ]
    lines = [_equal_accuracy(*each) for each in best]
    return [x[1] for x, _ in lines], [y[1] for _, y in lines]


def _attacks(learner):
    """Draw all that attacks reach."""
    fpr, tpr = _model(learner).roc()
    # Who says the opposite mirrors the plane.
    outline = np.concatenate([fpr, 1 - fpr]), np.concatenate([tpr, 1 - tpr])
    fine = np.linspace(0, 1, 101)
    best = k.curve(
        "the best of them", fine, np.interp(fine, fpr, tpr), k.MIS, hover=_ACCUSED, showlegend=False
    )
    return k.part(k.area("all attacks (exact)", *outline, k.MIS), best, learner=learner)


def _plane():
    """Draw what is the same at all weights."""
    ends, sides = ["<b>always right</b>", "always “fresh”", "always “tray”"], ["middle right"] * 2
    said, teal = "<b>■ beats never looking</b>", {"textfont": {"color": k.MIS.colour, "size": 14}}
    of_100, left = {at / 100: str(at) for at in range(0, 101, 20)}, "middle left"
    # Above the square and below it, where no handle comes.
    return k.part(
        k.text("what is what", [0.0, 0.03, 1.0], [1.08, -0.1, 1.08], ends, textposition=[*sides, left]),
        k.points("the three", [0, 0, 1], [1, 0, 1], k.READING.with_symbol("circle"), size=8, **k.QUIET),
        k.text("the lens", [0.8], [0.38], ["all attacks"], **teal),
        k.text("the cap", [1.0], [-0.1], [said], textposition=left, **teal),
        x=k.axis("of 100 fresh balls, accused", of_100, range=[-0.03, 1.03]),
        y=k.axis("of 100 from the tray, found", of_100, range=[-0.16, 1.14]),
        height=430,
        showlegend=False,
        probe=["the best of them"],
        alt="ROC plane. A shaded lens around the diagonal holds all attacks on a learner that releases "
        "{learner}. Two parallel lines of slope {slope}: a dashed one through a corner, {does} {least}, "
        "and a solid one that touches the lens at FPR {fpr} and TPR {tpr}, {does} {best}. The lens is darker "
        "where it lies above the dashed one.",
    )


def _weighed(nu, lam, learner):
    """Draw the lines of equal accuracy, and the attack that is best at these weights."""
    model, (a, b) = _model(learner), map(float, mis.weights(nu, lam))
    best, security = float(model.best_accuracy(nu, lam)), float(model.security(nu, lam))
    hidden, (tpr, tnr) = float(model.delta()), model.rates(model.best_attack(nu, lam))
    constant = f"always saying {'member' if a > b else 'fresh'}"
    constant = "either constant answer" if abs(a - b) < 1e-12 else constant
    # Where members weigh more or less, accuracy is no longer how often somebody is right.
    plain = abs(lam - 0.5) < 1e-12
    does, how = ("right", k.in_100) if plain else ("weighted score", k.say)
    verdict = f"{constant} {{least}}: security {{security}} (exact)."
    verdict = f"The best attack {'is right' if plain else 'has a weighted score of'} {{best}}, {verdict}"
    if security > 0.9995:
        verdict = f"The best attack is hardly better than {constant}, {does} {{least}}: security nearly 1."
    if security > 1 - 1e-12:
        rest = "Nothing is released, so nothing is told"
        rest = "Balanced weights would see Δ = {hidden} (exact)" if hidden > 1e-12 else rest
        verdict = f"No attack beats {constant}, {does} {{least}}: security 1 (exact). {rest}."
    (fpr, roc), lazy = model.roc(), (max(a, b) - b) / a
    x = np.union1d(fpr, np.linspace(0, 1, 101))
    high, down = np.interp(x, fpr, roc), k.READING.but(width=2, dash="dot")
    # Where a line through a corner is above the lens, the cap has no height.
    cap = k.band("better than never looking", x, np.minimum(high, lazy + b / a * x), high, k.MIS, **k.QUIET)
    return k.part(
        cap | {"fillcolor": k.MIS.colour, "opacity": 0.55},
        k.curve("as good as never looking", *_equal_accuracy(max(a, b), a, b), k.LEVEL),
        k.curve("as good as the best attack", *_equal_accuracy(best, a, b), k.ATTACK),
        k.level("best attack, down to the axis", [1 - tnr] * 2, [0, tpr], down),
        k.points("best attack (exact)", 1 - tnr, tpr, k.ATTACK, size=11, hover=_ACCUSED),
        grab=k.drag("nu", *_upper_ends(learner, lam)),
        headline="the best is right {best}" if plain else "the best weighted score is {best}",
        sentence=verdict,
        **k.words(slope=b / a, security=security, hidden=hidden, fpr=1 - tnr, tpr=tpr),
        **k.words(k.exact, how, least=max(a, b), best=best),
        does=does,
    )


@k.figure
def security_roc(
    nu: Annotated[float, _NU] = 0.5,
    lam: Annotated[float, k.Slider(0.1, 0.9, step=0.05, value=0.5, label="Weight of members, λ")] = 0.5,
    learner: Annotated[str, k.Choice(list(LEARNERS), label="On the card")] = "all the counts",
):
    """Draw what attacks on a learner reach, and how the accuracy ranks them.

    Notes
    -----
    Limits paper, Definitions 2 and 3, Theorem 6.

    Examples
    --------
    >>> "security 0.754 (exact)" in security_roc().layout.meta["sentence"]
    True
    """
    return _attacks, _plane, _weighed


# --- From the tray, or fresh? -------------------------------------------------------------------

# Balls of three kinds: a full one, a ring, and one with a cross in it.
_BALLS = (k.BLUE, "circle", 23), (k.ORANGE, "circle-open", 18), (k.GREEN, "circle-cross", 22)
# Bag, hand and tray stand on the floor, the card before the tray.
_BAG, _TRAY, _HAND = 16.0, 84.0, (50.0, 31.0)
_FLOOR, _STEP, _ROUNDS = (8.0, 22.0), 7.4, 20
# The right halves of things, from the bottom up; a lid is as wide as a tray.
_SACK = [11, 15, 16, 14, 6, 4, 6.5], [13, 16, 26, 38, 49, 51.5, 55.5]
_BOX = [9, 14, 16, 16], [16, 16, 19, 20.5]
_TURN = np.linspace(0, 1.45, 25)
_LID = [*14 * np.cos(_TURN), 1.7, 2.6, 2.6], [*20.5 + 27 * np.sin(_TURN), 47.5, 49, 52]
_CARD, _STAND = ([15.5, 15.5], [3.0, 14.0]), ([7, 5.5, 4, 5.5], [14, 15.5, 24, 26])
# The kinds in ten balls of the bag, mixed, and where those and the five of the tray lie: heaped.
_TEN = np.repeat(np.arange(len(_P)), np.round(10 * np.array(_P)).astype(int))[[0, 5, 1, 8, 6, 2, 3, 9, 4, 7]]
_ON_CARD = dict(zip(LEARNERS, ("", "most", "one", "blank"), strict=True))
# By what the reader said, the truth, and what the best spy says.
_SO_OFTEN = "With this card {chance} such balls are from the tray."
_REPLIES = {
    "in/in/in": f"Right, it was from the tray. {_SO_OFTEN}",
    "out/in/in": f"No, it was from the tray. {_SO_OFTEN}",
    "in/in/out": f"Right, with luck: the best spy said fresh. {_SO_OFTEN}",
    "out/in/out": f"It was from the tray: the best spy is wrong too. {_SO_OFTEN}",
    "out/out/out": f"Right, it was fresh. {_SO_OFTEN}",
    "in/out/out": f"No, it was fresh. {_SO_OFTEN}",
    "out/out/in": f"Right, with luck: the best spy said tray. {_SO_OFTEN}",
    "in/out/in": f"It was fresh: the best spy is wrong too. {_SO_OFTEN}",
}


def _heap(middle, foot, *rows):
    """Return where balls lie in rows on each other, so many in each, the lowest first."""
    at = [
        (middle + _STEP * (i - (row - 1) / 2), foot + 8 * j) for j, row in enumerate(rows) for i in range(row)
    ]
    return np.array(at).T


_IN_BAG, _IN_TRAY = _heap(_BAG, 20, 4, 3, 2, 1), _heap(_TRAY, 25, 3, 2)


def _balls(name, kinds, places, larger=0, **more):
    """Return balls of these kinds, each with the colour and the sign of its own."""
    colours, signs, sizes = ([_BALLS[kind][i] for kind in kinds] for i in range(3))
    # A cross is of the ground's colour, a ring of its own.
    rims = [{1: k.ORANGE}.get(kind, k.BACKGROUND[0]) for kind in kinds]
    wide = [{0: 0, 1: 7 + larger / 4}.get(kind, 2.5) for kind in kinds]
    marker = {"color": colours, "symbol": signs, "size": [each + larger for each in sizes]}
    marker |= {"opacity": 1, "line": {"color": rims, "width": wide}}
    return k.points(name, *places, k.LEVEL, marker=marker, **k.QUIET, **more)


def _thing(name, middle, half, look, **more):
    """Return a thing that is the same on both sides, full of its colour's shade."""
    far, up = map(np.array, half)
    x, y = np.append(far, -far[::-1]), np.append(up, up[::-1])
    ends = {"x": np.append(middle + x, middle + far[0]), "y": np.append(y, up[0])}
    return k.curve(name, **ends, look=look, fill="toself", **{**k.QUIET, **more})


def _words(name, x, y, text, **more):
    """Return words in the picture."""
    return k.text(name, x, y, text, **{"textfont": {"color": k.INK, "size": 15}, "cliponaxis": False, **more})


@k.cache
def _dealt(round):
    """Return the tray of a round, which of it is drawn, a stranger's kind, and a lot between the two."""
    rng = np.random.default_rng([175, round + 1])
    tray, fresh = np.sort(rng.choice(len(_P), _N, p=_P)), int(rng.choice(len(_P), p=_P))
    return tray, int(rng.integers(_N)), fresh, float(rng.random())


@k.cache
def _written(round, learner):
    """Return what stands on the card: an output of the learner, the kinds on it, and a word to each."""
    tray = _dealt(round)[0]
    counts = np.bincount(tray, minlength=len(_P))
    output, kinds = LEARNERS[learner](tuple(counts.tolist())), list(range(len(_P)))
    if learner == "one ball":
        output = int(tray[round % _N])
    if learner != "all the counts":
        kinds = [output] if isinstance(output, int) else []
    words = [f"<b>{count}</b>" for count in counts] if learner == "all the counts" else [_ON_CARD[learner]]
    return output, kinds, words


def _table(round):
    """Draw ten balls of the bag, and the tray, which stays hidden until the reader has answered."""
    unseen = ("its lid", "in your hand", "from where", "or", "on the card", "said")
    hidden = {name: {"opacity": 0} for name in unseen}
    ways = [
        {"on their way": {"opacity": 1, "x": x, "y": y}}
        for x, y in (_IN_BAG[:, ::2].tolist(), _IN_TRAY.tolist())
    ]
    grey, teal, paper = k.Look(k.GREY, width=2), k.Look(k.MIS.colour, width=2.5), k.BACKGROUND[0]
    # On either side of the hand, halfway to the bag and to the tray.
    middle, up = _HAND
    apart = k.gapped(middle + np.array([[-15.5, -7], [7, 15.5]]))
    return k.part(
        k.area("floor", [-1, 101, 101, -1], np.repeat(_FLOOR, 2), k.LEVEL),
        k.smooth(_thing("bag", _BAG, _SACK, grey.but(colour=k.ORANGE, width=2.5))),
        _thing("stand", _HAND[0], _STAND, grey),
        _thing("tray", _TRAY, _BOX, teal, fillcolor=k.MIS.colour),
        _balls("in the bag", _TEN, _IN_BAG),
        _balls("in the tray", _dealt(round)[0], _IN_TRAY, meta="reveal"),
        k.points("on their way", *_IN_TRAY, k.LEVEL, size=20, opacity=0, **k.QUIET),
        _thing("its lid", _TRAY, _LID, teal, opacity=1),
        _thing("card", _TRAY, _CARD, grey.but(colour=k.INK), fillcolor=paper),
        k.curve("from where", apart, [up] * len(apart), k.LEVEL.estimate(), **k.QUIET),
        _words("or", [middle - 11, middle + 11], [up + 5] * 2, ["<b>?</b>"] * 2, textfont={"size": 20}),
        _words("things", [_BAG, middle, _TRAY], [60.0] * 3, ["the bag", "your ball", "the tray"]),
        _words("won", [0], [-3.5], ["rounds you win, of a hundred"], textposition="middle right"),
        **k.stage((-1, 101), (-21, 63), height=400, ghost=[]),
        before=[
            {"say": "Five balls go from the bag into the tray ...", "marks": hidden | ways[0]},
            {"say": "", "marks": ways[1]},
            {
                "say": "... a lid on it, a card about them, and a ball for you.",
                "marks": {"its lid": {"opacity": 1}},
            },
        ],
        later=["what the card adds", "with it"],
        options=[["in", "From the tray"], ["out", "Fresh from the bag"]],
        replies=_REPLIES,
    )


def _read(round, learner):
    """Draw what stands on the card."""
    _, kinds, words = _written(round, learner)
    x = _TRAY + 9.6 * (np.arange(len(words)) - (len(words) - 1) / 2)
    side = "middle right" if kinds else "middle center"
    return k.part(
        _balls("on the card", kinds, (x[: len(kinds)] - 2.4, np.full(len(kinds), 8.5)), larger=-8),
        _words("said", x + 1.4 * bool(kinds), [8.5] * len(words), words, textposition=side),
    )


@k.cache
def _played(nu, round, learner):
    """Return the ball of a round, whether it is fresh, and what the best spy says: in or out."""
    tray, drawn, stranger, lot = _dealt(round)
    fresh, model = lot < nu, _model(learner)
    ball = stranger if fresh else int(tray[drawn])
    output = model.outputs.index(_written(round, learner)[0])
    return ball, fresh, output, "in" if model.best_attack(nu)[ball, output] else "out"


def _bet(nu, round, learner):
    """Put a ball into the reader's hand; once he has answered, it goes where it came from."""
    (ball, fresh, output, best), model = _played(nu, round, learner), _model(learner)
    drawn = _dealt(round)[1]
    home = _IN_BAG[:, np.flatnonzero(ball == _TEN)[0]] if fresh else _IN_TRAY[:, drawn]
    member, other = (1 - nu) * model.given[ball, output], nu * model.law[output]
    gone = {name: {"opacity": 0} for name in ("its lid", "from where", "or")}
    return k.part(
        _balls("in your hand", [ball], [[each] for each in _HAND], larger=12),
        answer="out" if fresh else "in",
        optimal=best,
        after=[{"marks": gone | {"in your hand": {"x": home[:1], "y": home[1:]}}}],
        chance=k.exact(100 * member / (member + other), "{:.0f} of 100".format),
    )


def _hundred(nu, learner):
    """Light a row of a hundred rounds: those won without the card, and those that it adds."""
    lazy, best = max(nu, 1 - nu), float(_model(learner).best_accuracy(nu))
    low, high = (round(round(100 * rate, 9)) for rate in (lazy, best))
    gain = round(100 * (best - lazy), 9)
    little = "hardly any" if gain else "nothing"
    adds = k.told("the card adds {more}", more=k.exact(gain)) if gain > 0.05 else f"the card adds {little}"
    idle = "The card hardly helps" if gain else "The card does not help"
    helps = "With the card the best spy is right {best} (exact)" if gain > 0.05 else idle
    teal = {"color": k.MIS.colour, "size": 15}
    return k.part(
        hundred(-10.5, ("without the card", low, k.LEVEL), ("what the card adds", high, k.MIS)),
        _words("without it", [0], [-18], [f"no card: {low}"], textposition="middle right"),
        _words("with it", [100], [-18], [f"<b>{adds}</b>"], textposition="middle left", textfont=teal),
        sentence="{fresh} of the balls are fresh. Always say “{word}”, and you are right {lazy} (exact). "
        f"{helps}.",
        alt="Ten balls of a bag, a tray with five, hidden, a card, and a ball in your hand. Below, a row of "
        "100 rounds: {low} strokes are won without the card, and {adds}.",
        word="fresh" if nu >= 0.5 else "from the tray",
        adds=adds,
        **k.words(low=low, fresh=k.exact(nu, k.percent)),
        **k.words(k.exact, k.in_100, lazy=lazy, best=best),
    )


@k.figure
def security_robot(
    round: Annotated[int, k.Rounds(_ROUNDS, label="From the tray, or fresh from the bag?", alone=1)] = 0,
    learner: Annotated[str, k.Choice(list(LEARNERS), label="On the card")] = "all the counts",
    nu: Annotated[float, k.Slider(0.1, 0.9, step=0.025, value=0.5, label="Fresh balls, ν", play=True)] = 0.5,
):
    """Draw a bag, a tray, a card and a ball, and how often the best spy is right with the card.

    Notes
    -----
    Limits paper, Definitions 2 and 3, with the weights equal.

    Examples
    --------
    >>> security_robot(0).layout.meta["answer"] in ("in", "out")
    True
    """
    return _table, _read, _bet, _hundred
