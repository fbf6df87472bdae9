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
_NU = k.Slider(0.1, 0.9, step=0.025, value=0.5, label="Fresh test points, ν")
_ACCUSED = "accuse %{x:.1%} of fresh records, find %{y:.1%} of members"


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
    area, fine = {"fill": "toself", "hoverinfo": "skip", "line": {"width": 0}}, np.linspace(0, 1, 101)
    best = k.curve(
        "the best of them", fine, np.interp(fine, fpr, tpr), k.MIS, hover=_ACCUSED, showlegend=False
    )
    return k.part(k.curve("all attacks (exact)", *outline, k.MIS, **area), best, learner=learner)


def _plane():
    """Draw what is the same at all weights."""
    ends, sides = ["always right", "always “fresh”", "always “tray”"], [*["middle right"] * 2, "middle left"]
    # Above the square and below it, where no handle comes.
    square, star = k.LEVEL.with_symbol("square"), k.LEVEL.with_symbol("star")
    return k.part(
        k.points("always the same answer", [0.0, 1.0], [0.0, 1.0], square, size=13, **k.QUIET),
        k.points("always right", 0.0, 1.0, star, size=15, **k.QUIET),
        k.text("what is what", [-0.02, 0.025, 1.02], [1.09, -0.07, 1.09], ends, textposition=sides),
        k.text("the lens", [0.6], [0.52], "<b>all attacks</b>", textfont={"color": k.MIS.colour, "size": 15}),
        x=k.axis("fresh records accused, FPR", range=[-0.03, 1.03]),
        y=k.axis("members found, TPR", range=[-0.12, 1.14]),
        height=430,
        showlegend=False,
        probe=["the best of them"],
        alt="ROC plane. A shaded lens around the diagonal holds all attacks on a learner that releases "
        "{learner}. Two parallel lines of slope {slope}: a dashed one through a corner, {does} {least}, "
        "and a solid one that touches the lens at FPR {fpr} and TPR {tpr}, {does} {best}.",
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
    return k.part(
        k.curve("as good as never looking", *_equal_accuracy(max(a, b), a, b), k.LEVEL),
        k.curve("as good as the best attack", *_equal_accuracy(best, a, b), k.ATTACK),
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
    learner: Annotated[str, k.Choice(list(LEARNERS), label="Released")] = "all the counts",
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

# Balls of three kinds: a disc, a ring, and a ring with a cross in it.
_BALLS = (k.BLUE, "circle"), (k.ORANGE, "circle-open"), (k.GREEN, "circle-cross-open")
_BAG, _TRAY, _HAND = 17.0, 54.0, (87.0, 30.0)
_STEP, _ROUNDS = 6.2, 20
# The right halves of a sack, of a tray and its lid, and of a card, from the bottom up.
_SACK = [14, 16, 16.5, 14, 7, 5.5, 8.5], [12, 19, 30, 42, 48.5, 51, 55]
_BOX = [13.5, 16.5], [38, 52]
_LID = [13.5, 16, 17.5, 17.5, 2, 2], [38, 52, 52, 54, 54, 56.5]
_CARD = [16.5, 16.5], [12, 26]
# The kinds in ten balls of the bag, and where those and the five of the tray lie.
_TEN = np.repeat(np.arange(len(_P)), np.round(10 * np.array(_P)).astype(int))
_IN_ROW = _STEP * (np.arange(_N) - 2)
_IN_BAG = np.array([_BAG + np.tile(_IN_ROW, 2), np.repeat([40.0, 24.0], _N)])
_IN_TRAY = np.array([_TRAY + _IN_ROW, np.full(_N, 45.0)])
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


def _balls(name, kinds, places, size=15, **more):
    """Return balls of these kinds, each with the colour and the sign of its own."""
    colours, signs = ([_BALLS[kind][i] for kind in kinds] for i in (0, 1))
    marker = {"color": colours, "symbol": signs, "size": size, "line": {"color": colours, "width": 2.5}}
    return k.points(name, *places, k.LEVEL, marker=marker, **k.QUIET, **more)


def _thing(name, middle, half, **more):
    """Return a thing on the table, which is the same on both sides."""
    far, up = map(np.array, half)
    x, y = np.append(far, -far[::-1]), np.append(up, up[::-1])
    ends = {"x": np.append(middle + x, middle + far[0]), "y": np.append(y, up[0])}
    return k.curve(name, **ends, look=k.Look(k.GREY, width=2), fill="toself", **k.QUIET, **more)


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
    names = ["mixed in the bag", "the tray", "its card"]
    unseen = ("its lid", "in your hand", "what you hold", "on the card", "said")
    hidden = {name: {"opacity": 0} for name in unseen}
    ways = [
        {"on their way": {"opacity": 1, "x": x, "y": y}}
        for x, y in (_IN_BAG[:, ::2].tolist(), _IN_TRAY.tolist())
    ]
    return k.part(
        k.smooth(_thing("bag", _BAG, _SACK)),
        _thing("tray", _TRAY, _BOX),
        _thing("its lid", _TRAY, _LID, fillcolor=k.GREY, opacity=1),
        _thing("card", _TRAY, _CARD, fillcolor=k.BACKGROUND[0]),
        _balls("in the bag", _TEN, _IN_BAG),
        _balls("in the tray", _dealt(round)[0], _IN_TRAY, meta="reveal"),
        k.points("on their way", *_IN_TRAY, k.LEVEL, size=15, opacity=0, **k.QUIET),
        _words("things", [_BAG, _TRAY, _TRAY], [61.0, 61.0, 31.0], names),
        _words("what you hold", [_HAND[0]], [40.0], ["your ball"]),
        **k.stage((-1, 101), (-9, 64), height=340, ghost=[]),
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
    x = _TRAY + 11 * (np.arange(len(words)) - (len(words) - 1) / 2)
    side = "middle right" if kinds else "middle center"
    return k.part(
        _balls("on the card", kinds, (x[: len(kinds)] - 2.3, np.full(len(kinds), 19.0))),
        _words("said", x + 1.4 * bool(kinds), [19.0] * len(words), words, textposition=side),
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
    gone = {name: {"opacity": 0} for name in ("its lid", "what you hold")}
    return k.part(
        _balls("in your hand", [ball], [[each] for each in _HAND], size=22),
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
    side, of = ("right", " in 100") if low <= 60 else ("left", "")
    return k.part(
        hundred(3.0, ("without the card", low, k.LEVEL), ("what the card adds", high, k.MIS)),
        _words("without it", [0], [-5], [f"no card: {low}{of}"], textposition="middle right"),
        _words("with it", [high], [-5], [f"<b>{adds}</b>"], textposition=f"middle {side}"),
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
