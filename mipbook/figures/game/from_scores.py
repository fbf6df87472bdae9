"""How good is this attack: everything that a file of scores and memberships tells."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from explorable import validate
from explorable.tables import read_columns
from mipbook import game
from mipbook.figures.roc import Axes, coin, edge, empirical, rate_axes

EXAMPLE_SCORES = ("tracing, r = 2", "tracing, r = 0.5", "a few records give themselves away")
_FILE = k.File(EXAMPLE_SCORES, roles=game.SCORE_ROLES, label="Scores")
_MEANS = k.Choice(["member", "not a member"], label="A larger score means")
_RATES = (0.0001, 0.001, 0.01, 0.1)
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
        accused=k.exact(_FPR, k.people),
        found=k.about(curve.tpr_at(_FPR), k.people),
        **k.words(k.about, k.percent, low=low, high=high),
        **k.words(delta=delta, members=curve.members, others=curve.others, fpr=_FPR),
        proven=k.at_least(bound.epsilon),
        sure=k.exact(confidence, k.sure),
        tpr=k.about(curve.tpr_at(_FPR)),
    )


def _table(curve, bound, delta, confidence):
    advantage = curve.advantage_band(confidence)
    told = k.told("{low} to {high}", **k.words(k.about, low=advantage.low, high=advantage.high))
    rows = [
        ["quantity", "value", f"{k.sure(confidence)} band", "kind"],
        ["area under the curve, AUC", k.about(curve.auc), "", "estimate"],
        ["advantage, largest TPR − FPR", k.about(curve.advantage), told, "estimate"],
    ]
    for rate in _RATES:
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
