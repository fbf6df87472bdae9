"""Reading an attack backwards: from its rates, counts or scores to a lower bound on epsilon."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.tables import read_columns
from mipbook import game
from mipbook.figures.game.plane import SPOKEN, Axes, coin, edge, empirical, rate_axes

_TPRS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
# The largest epsilon on the axis; a perfect attack taken as exact would prove infinity.
_TOP = 12.0
_PROVED, _EXACT = "proved by these games (bound, 95%)", "rates taken as exact"
_DELTA = k.Stops([0, 1e-5, 0.05], label="Promise, δ").safe("up")


def _bound(value):
    return k.told("ε ≥ {least}", least=k.at_least(value)) if np.isfinite(value) else "ε beyond any number"


@k.cache
def _interval(count, games):
    """Return where a rate lies, at half of the error of 5%, so that two intervals hold."""
    return np.array(game.clopper_pearson(count, games, 0.975))


def _box(attack):
    """Return where the true rates lie."""
    fprs, tprs = _interval(attack.fp, attack.others), _interval(attack.tp, attack.members)
    # On a logarithmic axis zero is beyond the left end.
    x, y = np.maximum(fprs[[0, 1, 1, 0, 0]], 1e-9), tprs[[0, 0, 1, 1, 0]]
    shade = {"fill": "toself", "line": {"color": k.ATTACK.colour, "width": 1.5}, "hoverinfo": "skip"}
    return k.curve("where the true rates lie (95% box)", x, y, k.ATTACK, **shade)


# A hundred games stand in rows; where those with Zoe begin, and those without her.
_ROW, _WITH, _WITHOUT = 25, 0, -6.4
_LYING = {"orientation": "h", "width": 0.6}


def _games(delta):
    """Return a hundred games with Zoe and as many without her, and the axes of what is proved."""
    x, y, quiet = np.arange(100) % _ROW, -(np.arange(100) // _ROW), {"hoverinfo": "skip"}
    both, rows = np.tile(x, 2), np.concatenate([_WITH + y, _WITHOUT + y])
    return k.part(
        k.points("games", both, rows, k.LEVEL, size=3, **quiet),
        x={"visible": False, "range": [-0.8, _ROW - 0.2]},
        y={"visible": False, "range": [_WITHOUT - 3.5, 2]},
        x2=k.axis("proves ε at least", range=[0, _TOP]),
        y2={"range": [-0.6, 1.6], "tickvals": [0, 1], "ticktext": ["if exact", "proved"], "showgrid": False},
        rows=(0.68, 0.12),
        height=440,
        showlegend=False,
        probe=[_PROVED],
        ghost=[],
        delta=delta,
    )


def _lit(name, top, ends, look, said):
    """Return the games of the lower share, and as rings those up to the upper one, which may be luck."""
    sure, seen = (np.arange(round(100 * end)) for end in ends)
    traces, quiet = [], {"hoverinfo": "skip"}
    for which, at, ring in ((name, sure, ""), (f"{name}, perhaps", seen[sure.size :], "-open")):
        mark = look.with_symbol(f"{look.symbol}{ring}")
        traces.append(k.points(which, at % _ROW, top - at // _ROW, mark, size=9, **quiet))
    title = {"text": said, "x": -0.4, "y": top + 1.2, "xanchor": "left", "showarrow": False}
    return k.part(traces, annotations=[title])


def _found(tpr, games):
    """Return the games in which Zoe is found: so many at least, and the rest may be luck."""
    found = round(tpr * games)
    low, _ = game.clopper_pearson(found, games, 0.95)  # each end errs half of the 5%
    said = f"<b>with Zoe</b> found in {found:,} of {games:,} games"
    return _lit("found", _WITH, (np.floor(100 * low) / 100, found / games), k.IN.with_symbol("square"), said)


def _accused(fpr, games):
    """Return the games in which Zoe is accused, and how many more they may be in the long run."""
    accused = round(fpr * games)
    _, high = game.clopper_pearson(accused, games, 0.95)
    said = f"<b>without her</b> accused in {accused:,} of {games:,}"
    ends = accused / games, np.ceil(100 * high) / 100
    return _lit("accused", _WITHOUT, ends, k.OUT.with_symbol("diamond"), said)


@k.cache
def _certified(tpr, fpr, games, delta):
    """Return the epsilon that so many games prove, each way."""
    tp, fp = round(tpr * games), round(fpr * games)
    return float(game.epsilon_lower_bound(tp, games - tp, fp, games - fp, delta))


def _if_exact(tpr, fpr, delta):
    """Return what the rates would prove if no game were luck."""
    point = game.epsilon_from_rates(tpr, fpr, delta)
    return k.part(
        k.bars(_EXACT, [min(point, _TOP)], [0], k.LEVEL, "/", **_LYING, opacity=0.5, lower=True),
        **k.words(k.exact, k.percent, found=tpr, accused=fpr),
        point=_bound(point),
    )


def _measured(tpr, fpr, games, delta):
    """Return what so many games prove of the attack."""
    tp, fp = round(tpr * games), round(fpr * games)
    certified = _certified(tpr, fpr, games, delta)
    worse = " The opposite of all it says is a better attack." if tpr < fpr else ""
    return k.part(
        k.bars(_PROVED, [certified], [1], k.ATTACK, **_LYING, hover="ε ≥ %{x:.3g}", lower=True),
        headline="{proved} proved",
        sentence="These games prove {proved} (bound, 95%; δ = {delta}): what may be luck, the rings, is "
        "held against the spy. Taken as exact, {found} and {accused} would prove {point} (exact)."
        f"{worse}",
        alt="Two fields of a hundred games. With Zoe the spy finds her in {tp} of {games}, without her he "
        "accuses her in {fp}; rings are what may be luck. Below them two bars: what {games} games prove, "
        "{certified}, and what the rates would prove if they were exact.",
        **k.words(games=games, tp=tp, fp=fp, proved=_bound(certified)),
        certified=k.at_least(certified),
    )


@k.figure
def attack_backwards(
    tpr: Annotated[float, k.Stops(_TPRS, label="Members found, TPR").safe("down")] = 0.9,
    fpr: Annotated[
        float, k.LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR").safe("up")
    ] = 0.01,
    games: Annotated[int, k.Count([100, 1000, 10_000, 100_000], label="Games each way")] = 100,
    delta: Annotated[float, _DELTA] = 0.0,
):
    """Draw the games of an attack, and the least epsilon that allows it, with confidence.

    Notes
    -----
    Lecture notes, Corollary 1 and the example after it.

    Examples
    --------
    >>> "ε ≥ 2.71 (bound" in attack_backwards(0.9, 0.01).layout.meta["sentence"]
    True
    """
    return _games, _found, _accused, _if_exact, _measured


def _counted(tp, fn, fp, tn, delta):
    """Return what counts say: rates with their bands, both epsilons, and the table of them."""
    attack = game.Confusion(tp, fn, fp, tn)
    point = float(game.epsilon_from_rates(attack.tpr, attack.fpr, delta))
    certified, halved = (game.epsilon_lower_bound(tp, fn, fp, tn, delta, steps=steps) for steps in (1, 2))
    low, high = _interval(tp, attack.members) - _interval(fp, attack.others)[::-1]

    def row(name, value, band):
        ends = k.words(k.about, k.percent, low=band.low, high=band.high)
        return [name, k.about(value, k.percent), k.told("{low} to {high}", **ends), "estimate"]

    advantage = k.told("{low} to {high}", **k.words(k.about, low=float(low), high=float(high)))
    return k.part(
        edge("edge of DP, rates taken as exact", point, delta, "linear", k.DP.estimate()),
        edge("edge of DP, proved (bound)", certified, delta, "linear", k.DP.bound()),
        _box(attack),
        coin("linear"),
        k.points("the attack", attack.fpr, attack.tpr, k.ATTACK, size=11, **SPOKEN),
        layout=rate_axes("linear"),
        height=420,
        headline="ε ≥ {certified} proved",
        sentence="The attack found {tp} of {members} members and accused {fp} of {others} others: ε ≥ "
        "{certified} at δ = {delta} (bound, 95%), if it was fixed before these games. If a record was "
        "replaced, that is ε ≥ {halved} under add or remove (bound).",
        alt="ROC plane with the attack at FPR {fpr} and TPR {tpr}, a box for where its true rates lie, and "
        "the edges of DP for the proved ε {certified} and the one of the rates themselves.",
        table=[
            ["quantity", "value", "95% band", "kind"],
            row("members found, TPR", attack.tpr, attack.tpr_interval()),
            row("wrong accusations, FPR", attack.fpr, attack.fpr_interval()),
            ["advantage, TPR − FPR", k.about(attack.advantage), advantage, "estimate"],
            ["accuracy at equal odds", k.about((1 + attack.advantage) / 2, k.percent), "", "estimate"],
            ["ε, rates taken as exact", k.about(point), "", "estimate"],
            ["ε, proved", k.at_least(certified), "at least", "bound"],
        ],
        **k.words(members=attack.members, others=attack.others, tp=tp, fp=fp, delta=delta),
        **k.words(k.at_least, certified=certified, halved=halved),
        **k.words(k.about, fpr=attack.fpr, tpr=attack.tpr),
    )


@k.figure
def attack_counts(
    tp: Annotated[int, k.Count([0, 45, 90, 1_000_000], label="Members found, TP")] = 90,
    fn: Annotated[int, k.Count([0, 5, 10, 1_000_000], label="Members missed, FN")] = 10,
    fp: Annotated[int, k.Count([0, 1, 10, 1_000_000], label="Wrong accusations, FP")] = 1,
    tn: Annotated[int, k.Count([0, 49, 99, 1_000_000], label="Others cleared, TN")] = 99,
    delta: Annotated[float, _DELTA] = 0.0,
):
    """Draw what an attack's counts say: rates with bands, and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.  All bands and bounds are at 95% confidence.

    Examples
    --------
    >>> attack_counts().layout.meta["table"][0][0]
    'quantity'
    """
    return _counted


EXAMPLE_SCORES = ("tracing, r = 2", "tracing, r = 0.5", "a few records give themselves away")
_FILE = k.File(EXAMPLE_SCORES, roles=game.SCORE_ROLES, label="Scores")
_MEANS = k.Choice(["member", "not a member"], label="A larger score means")
_FPRS = (0.0001, 0.001, 0.01, 0.1)
# The FPR that the sentence speaks of.
_FPR = 0.01


@k.cache
def _example(name):
    rng = np.random.default_rng(50)
    member = rng.random(4000) < 0.5
    scores = rng.standard_normal(4000)
    if name == EXAMPLE_SCORES[2]:
        scores[member & (rng.random(4000) < 0.1)] += 9.0
    else:
        scores += member * float(name.rpartition("= ")[2])
    return game.Scores(np.round(scores, 4), member)


def example_scores(name: str) -> game.Scores:
    """Return the scores of a built-in example.

    Parameters
    ----------
    name : str
        One of `EXAMPLE_SCORES`.

    Notes
    -----
    Lecture notes, Theorem 2, with sqrt(k) / (n sigma) = r; the third shows a tenth of the
    members as they are and nothing of the others, the sampling mechanism of section 2.

    Examples
    --------
    >>> example_scores("tracing, r = 2").scores.size
    4000
    """
    return _example(validate.choice("name", name, EXAMPLE_SCORES))


@k.few
def _curve(file, larger_means):
    """Return the curve, the scores with the larger meaning a member, and what was read."""
    if isinstance(file, k.UploadedFile):
        reading = read_columns(file.text, game.SCORE_ROLES, file.columns)
        found, read = game.scores_of(reading), reading.say()
    else:
        found, read = example_scores(file), ""
    sign = 1.0 if larger_means == "member" else -1.0
    scores = game.Scores(sign * found.scores, found.member)
    return game.roc(*scores), scores, read


@k.few
def _certificate(file, larger_means, delta, confidence):
    _, scores, _ = _curve(file, larger_means)
    return game.certify_epsilon(*scores, np.random.default_rng(51), delta, confidence)


def _plane(file, larger_means, confidence, axes):
    """Return the attack's curve in its band."""
    curve, *_ = _curve(file, larger_means)
    name = "the attack (estimate)"
    traces = [*empirical(name, curve, axes, confidence), coin(axes)]
    return k.part(traces, layout=rate_axes(axes), height=420, probe=[name])


def _edge(file, larger_means, delta, confidence, axes):
    epsilon = _certificate(file, larger_means, delta, confidence).epsilon
    return k.part(edge("edge of DP at the proved ε (bound)", epsilon, delta, axes, k.DP.bound()))


def _all_told(file, larger_means, delta, confidence):
    """Return all that is said of the file."""
    curve, _, read = _curve(file, larger_means)
    bound = _certificate(file, larger_means, delta, confidence)
    low, high = curve.tpr_band(_FPR, confidence)
    turned = " The scores point the other way: if the attack was built so, switch what larger means."
    return k.part(
        headline="ε ≥ {proven} proved",
        sentence="Accusing {accused} others, the attack finds {found} members (estimate, {low} to {high}). "
        "It proves ε ≥ {proven} at δ = {delta} (bound, {sure}) for the neighbours of the game."
        + (turned if curve.auc < 0.5 else ""),
        alt="ROC plane: the stepped curve of the attack on {members} members and {others} others with a "
        "shaded band, the diagonal of a coin, and the edge of DP at ε {proven}. At FPR {fpr} the curve "
        "stands at {tpr}.",
        table=_table(curve, bound, delta, confidence),
        read=read,
        **k.words(accused=k.exact(_FPR, k.people), found=k.about(curve.tpr_at(_FPR), k.people)),
        **k.words(proven=k.at_least(bound.epsilon), sure=k.exact(confidence, k.sure)),
        tpr=k.about(curve.tpr_at(_FPR)),
        **k.words(k.about, k.percent, low=low, high=high),
        **k.words(delta=delta, members=curve.members, others=curve.others, fpr=_FPR),
    )


def _table(curve, bound, delta, confidence):
    advantage = curve.advantage_band(confidence)
    told = k.told("{low} to {high}", **k.words(k.about, low=advantage.low, high=advantage.high))
    rows = [
        ["quantity", "value", f"{k.sure(confidence)} band", "kind"],
        ["area under the curve, AUC", k.about(curve.auc), "", "estimate"],
        ["advantage, largest TPR − FPR", k.about(curve.advantage), told, "estimate"],
    ]
    for rate in _FPRS:
        low, high = curve.tpr_band(rate, confidence)
        band = k.told("{low} to {high}", **k.words(k.about, k.percent, low=float(low), high=float(high)))
        found = k.about(float(curve.tpr_at(rate)), k.percent)
        rows.append([f"TPR at FPR {k.percent(rate)}", found, band, "estimate"])
    counts = bound.tp, bound.fn, bound.fp, bound.tn
    proofs = {
        "threshold chosen on other rows": bound.epsilon,
        "all thresholds at once": curve.epsilon_lower_bound(delta, confidence),
        "if a record was replaced, under add or remove": float(
            game.epsilon_lower_bound(*counts, delta, confidence, steps=2)
        ),
    }
    said = [[f"ε, {how}", k.at_least(value), "at least", "bound"] for how, value in proofs.items()]
    return rows + said


@k.figure
def attack_scores(
    file: Annotated[str | k.UploadedFile, _FILE] = "tracing, r = 2",
    larger_means: Annotated[str, _MEANS] = "member",
    delta: Annotated[float, k.Stops([0, 1e-5, 1e-3], label="Promise, δ")] = 1e-5,
    confidence: Annotated[float, k.Choice([0.95, 0.99], label="Confidence")] = 0.95,
    axes: Axes = "linear",
):
    """Draw the ROC curve of a file of scores, with bands and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.  The threshold behind the bound on epsilon is
    chosen on a random three tenths of the file and counted on the rest.

    Examples
    --------
    >>> attack_scores().layout.meta["table"][1][0]
    'area under the curve, AUC'
    """
    return _plane, _edge, _all_told
