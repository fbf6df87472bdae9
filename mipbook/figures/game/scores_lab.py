"""A file of scores: its ROC curve, and what it proves; one attack or two, read where the reader wants."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

import mipbook.figures.kit as k
from explorable.tables import Role, read_columns
from mipbook import game
from mipbook.audit import audit_scores
from mipbook.audit.scores import lacking
from mipbook.base.types import Array
from mipbook.figures.game.plane import FLOOR, SPOKEN, coin, edge, empirical, grid, rate_axes, shown
from mipbook.game.scores_file import flags_of

EXAMPLE_SCORES = ("an easy target", "a hard one", "a few give themselves away")
EXAMPLE_AUDITS = ("two attacks, with canaries", "one attack", "an attack that sees nothing")
_SECOND_SCORE, _CANARY = "is the second attack's score", "says who is a canary"
_OTHERS = ("other", "second", "score2", "score_2", "other_score", "second_score")
_CANARIES = ("canary", "canaries", "is_canary")
AUDIT_ROLES = (
    *game.SCORE_ROLES,
    Role("other", "A second attack's score", _SECOND_SCORE, _SECOND_SCORE, optional=True, known=_OTHERS),
    Role("canary", "Canary, 1 or 0", _CANARY, f"{_CANARY} (1 or 0)", optional=True, known=_CANARIES),
)
_SCORES = k.File(EXAMPLE_SCORES, roles=game.SCORE_ROLES, label="Scores")
_AUDITS = k.File(EXAMPLE_AUDITS, roles=AUDIT_ROLES, label="Scores")
_MEANS = k.Choice(["member", "not a member"], label="A larger score means")
_DELTA = k.Stops([0, 1e-5, 1e-3], label="Promise, δ")
_FIRST, _SECOND = "the attack (estimate)", "second attack (estimate)"
_EDGE = "edge of DP at the proved ε (bound)"
_CORNER = {"textposition": "top left", "cliponaxis": False}
_OTHER = k.Look(k.SERIES[1].colour, "dot", "square", 1.5)
# Ten stops a decade, from one in ten thousand to a half.
FPRS = k.LogSlider(1e-4, 0.501, 0.01, points=38, label="Wrong accusations, FPR")


class _Games(NamedTuple):
    """What a file holds: the first attack's scores and, where there are any, the rest."""

    scores: Array
    member: NDArray[np.bool_]
    other: Array | None = None
    canary: NDArray[np.bool_] | None = None
    # Who gives themselves away, which of its records an example alone knows.
    odd: NDArray[np.bool_] | None = None


@k.cache
def _example(name):
    """Return the games of a built-in example.

    A tracing attack (lecture notes, Theorem 2) has sqrt(k) / (n sigma) = 2 or 0.5.  That of a few is
    the sampling mechanism of section 2: it shows a tenth of the members as they are.
    """
    rng = np.random.default_rng(50 if name in EXAMPLE_SCORES else 60)
    member = rng.random(4000) < 0.5
    if name in EXAMPLE_SCORES:
        scores = rng.standard_normal(4000)
        if name == EXAMPLE_SCORES[2]:
            scores[member & (rng.random(4000) < 0.1)] += 9.0
        else:
            scores += member * (2.0 if name == EXAMPLE_SCORES[0] else 0.5)
        return _Games(np.round(scores, 4), member)
    noise = rng.standard_normal((3, 4000))
    if name != EXAMPLE_AUDITS[0]:
        return _Games(np.round(noise[0] + (0.7 * member if name == EXAMPLE_AUDITS[1] else 0), 4), member)
    # Odd records give themselves away; the second attack sees little of it.
    canary = np.arange(4000) < 1000
    odd = rng.random(4000) < 0.1
    shift = np.where(canary, 1.5, np.where(odd, 3.0, 0.3)) * member
    scores, other = noise[0] + shift, 0.7 * noise[1] + 0.7 * noise[2] + 0.35 * shift
    return _Games(np.round(scores, 4), member, np.round(other, 4), canary, odd & ~canary)


@k.few
def _read(file, larger_means, roles):
    """Return what a file holds, the larger score a member's, and what was read of an own one."""
    if isinstance(file, k.UploadedFile):
        reading = read_columns(file.text, roles, file.columns)
        found, read = reading.columns, reading.say()
        other = reading.table.number_column(found["other"][0], infinite=True) if "other" in found else None
        canary = flags_of(reading, "canary") if "canary" in found else None
        games = _Games(*game.scores_of(reading), other, canary)
    else:
        games, read = _example(file), ""
    if larger_means != "member":
        games = games._replace(scores=-games.scores, other=None if games.other is None else -games.other)
    return games, read


# --- One attack, its whole curve ------------------------------------------------------------------

# The FPR that the sentence speaks of, and those of the table.
_FPR, _FPRS = 0.01, (0.0001, 0.001, 0.01, 0.1)


@k.few
def _curve(file, larger_means):
    games, _ = _read(file, larger_means, game.SCORE_ROLES)
    return game.roc(games.scores, games.member)


@k.few
def _certificate(file, larger_means, delta, confidence):
    games, _ = _read(file, larger_means, game.SCORE_ROLES)
    return game.certify_epsilon(games.scores, games.member, np.random.default_rng(51), delta, confidence)


def _pale(band, *curves):
    """Return a curve in its band, which is wide where few are accused: pale, between thin lines."""
    return [band | {"opacity": 0.55, "line": {"color": k.ATTACK.colour, "width": 0.8}}, *curves]


def _one_plane(file, larger_means, delta, confidence, axes):
    """Return the attack's curve in its band, and the edge of DP that it proves."""
    curve = _curve(file, larger_means)
    epsilon = _certificate(file, larger_means, delta, confidence).epsilon
    allowed = k.told("thick dashes: the most<br>that ε = {proven} allows", proven=k.at_least(epsilon))
    return k.part(
        _pale(*empirical(_FIRST, curve, axes, confidence)),
        _named(curve, axes),
        edge(_EDGE, epsilon, delta, axes, k.DP.bound()),
        # Below the diagonal there is room.
        k.text("the edge, named", 0.99, 1.15 * FLOOR if axes == "logarithmic" else 0.02, allowed, **_CORNER),
        layout=rate_axes(axes),
        height=420,
        probe=[_FIRST],
    )


def _named(curve, axes):
    """Return the diagonal of a coin toss, and below it and below the attack's curve the names of both."""
    # Where the coin's name stands on the diagonal.
    log = axes == "logarithmic"
    x, coins = ((FLOOR, 0.01), 0.0075) if log else ((0.2, 0.52), 0.5)
    at = [0.75 * shown(curve.tpr_at(x[:1]), axes)[0], coins]
    said = ["\u2009<b>the attack</b>", "a coin toss"]
    names = k.text("named", x, at, said, textposition="bottom right")
    return [coin(axes) | {"showlegend": False}, names]


def _one_told(file, larger_means, delta, confidence):
    """Return all that is said of the file."""
    curve, bound = _curve(file, larger_means), _certificate(file, larger_means, delta, confidence)
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
        table=_one_table(curve, bound, delta, confidence),
        read=_read(file, larger_means, game.SCORE_ROLES)[1],
        **k.words(accused=k.exact(_FPR, k.people), found=k.about(curve.tpr_at(_FPR), k.people)),
        **k.words(proven=k.at_least(bound.epsilon), sure=k.exact(confidence, k.sure)),
        **_around(curve.tpr_at(_FPR), low, high),
        **k.words(tpr=k.about(curve.tpr_at(_FPR)), delta=delta, members=curve.members, others=curve.others),
        fpr=_FPR,
    )


def _around(rate, low, high):
    """Return the ends of a rate's band, in people of as many as the rate is told of."""
    crowd = int(k.people(float(rate)).partition(" of ")[2].replace(",", "") or 0)
    if not crowd:
        return k.words(k.about, k.percent, low=float(low), high=float(high))
    down, up = (lambda end, way=way: f"{way(end * crowd):,}" for way in (math.floor, math.ceil))
    return k.words(k.about, down, low=float(low)) | k.words(k.about, up, high=float(high))


def _rate(curve, fpr, confidence):
    """Return a row of the table: the rate there with its band, if there are others enough to tell it."""
    name = f"TPR at FPR {k.percent(fpr)}"
    if few := lacking(curve, fpr):
        return [name, "", few, ""]
    band = k.between(*curve.tpr_band(fpr, confidence), k.percent)
    return [name, k.about(float(curve.tpr_at(fpr)), k.percent), band, "estimate"]


def _one_table(curve, bound, delta, confidence):
    largest = k.between(*curve.advantage_band(confidence)[:2])
    counts = bound.tp, bound.fn, bound.fp, bound.tn, delta, confidence
    proofs = {
        "all thresholds at once": curve.epsilon_lower_bound(delta, confidence),
        "if a record was replaced, under add or remove": float(game.epsilon_lower_bound(*counts, steps=2)),
    }
    return [
        ["quantity", "value", f"{k.sure(confidence)} band", "kind"],
        ["area under the curve, AUC", k.about(curve.auc), "", "estimate"],
        ["advantage, largest TPR − FPR", k.about(curve.advantage), largest, "estimate"],
        *(_rate(curve, fpr, confidence) for fpr in _FPRS),
        *([f"ε, {how}", k.at_least(value), "at least", "bound"] for how, value in proofs.items()),
    ]


@k.figure
def attack_scores(
    file: Annotated[str | k.UploadedFile, _SCORES] = EXAMPLE_SCORES[0],
    larger_means: Annotated[str, _MEANS] = "member",
    delta: Annotated[float, _DELTA] = 1e-5,
    confidence: Annotated[float, k.Choice([0.95, 0.99], label="Confidence")] = 0.95,
    axes: Annotated[str, k.Choice(["linear", "logarithmic"], label="Axes")] = "linear",
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
    return _one_plane, _one_told


# --- One attack or two on the same records, read at any rate --------------------------------------


@k.few
def _audited(file, larger_means, delta, confidence):
    games, _ = _read(file, larger_means, AUDIT_ROLES)
    canary = games.canary if games.canary is not None and games.canary.any() else None
    rng, more = np.random.default_rng(61), {"other": games.other, "canary": canary}
    return audit_scores(games.scores, games.member, rng, delta=delta, confidence=confidence, **more)


def _curves(audit):
    """Return one attack's curve or two, each with its name and its look."""
    first, second = (_FIRST, audit.curve, k.ATTACK.estimate()), (_SECOND, audit.other, _OTHER)
    return [first] if audit.other is None else [first, second]


def _plane(file, larger_means, delta, confidence):
    people = {"x2": k.axis("members found, fifty of each kind", **k.BARE, range=[-9, 31.5])}
    people |= {"y2": k.unseen(-0.45, 2.55), "rows": (0.69, 0.2), "height": 560}
    return plane_of(_audited(file, larger_means, delta, confidence), **people)


def plane_of(audit, **more):
    """Return the curves, the first in its band, along which the FPR is dragged, and the edge of DP."""
    axes, stops = "logarithmic", np.array(FPRS.stops)
    x = grid(axes)
    (_, first, _), *rest = _curves(audit)
    return k.part(
        _pale(*empirical(_FIRST, first, axes, audit.confidence)),
        [k.curve(name, x, shown(each.tpr_at(x), axes), look, most=7, **SPOKEN) for name, each, look in rest],
        _named(first, axes),
        edge(_EDGE, _proved(audit), audit.delta, axes, k.DP.bound()),
        layout=rate_axes(axes),
        probe=[_FIRST, *(name for name, *_ in rest)],
        ghost=[_FIRST],
        grab=k.drag("fpr", stops, shown(first.tpr_at(stops), axes)),
        **{"height": 440, **more},
    )


def _kinds(games):
    """Return the members by what kind of record they are."""
    none = np.zeros_like(games.member)
    canary, odd = (none if each is None else each for each in (games.canary, games.odd))
    kinds = {"odd": odd, "canaries": canary, "plain": ~(canary | odd)}
    return {name: games.member & kind for name, kind in kinds.items() if (games.member & kind).any()}


def _whom(file, larger_means, fpr):
    """Draw fifty members of each kind, as many of them lit as the first attack finds."""
    games, curve = _read(file, larger_means, AUDIT_ROLES)[0], _audited(file, larger_means, 0.0, 0.95).curve
    # The curve's first point accuses nobody, and has no threshold.
    least = np.append(np.nan, curve.thresholds)[np.searchsorted(curve.fpr, fpr, side="right") - 1]
    shares = {name: float((games.scores[kind] >= least).mean()) for name, kind in _kinds(games).items()}
    told, y = [k.about(share, k.percent, digits=2) for share in shares.values()], 2 - np.arange(len(shares))
    # In two rows, the first ones on the left.
    x, across = np.divmod(np.arange(50), 2)
    lit = np.concatenate([np.arange(50) < round(50 * share) for share in shares.values()])
    x, up = np.tile(x, len(y)), np.add.outer(y, 0.4 * across - 0.2).ravel()
    more, named = {"lower": True, "size": 7, **k.QUIET}, [f"{name}\u2002" for name in shares]
    return k.part(
        k.points("of each kind", x, up, k.Look(k.fill(k.GREY)), **more),
        k.points("found of each kind", k.kept(x, lit), up, k.IN, **more),
        k.text("kinds", -0.8, y, named, textposition="middle left", cliponaxis=False, lower=True),
        k.text("found, told", 25, y, told, textposition="middle right", lower=True),
        kinds=k.told(
            ", ".join(f"{name} {{{name}}}" for name in shares), **dict(zip(shares, told, strict=True))
        ),
    )


def _proved(audit):
    """Return the epsilon to report: of one trained model that by its canaries, for the rows are no games."""
    return (audit.canaries or audit.certificate).epsilon


def _at(file, larger_means, confidence, fpr):
    # No rate hangs on delta.
    return rates_at(_audited(file, larger_means, 0.0, confidence), fpr)


def rates_at(audit, fpr):
    """Return each attack's rate at the reader's FPR, with its band."""
    traces, told = [k.level("your FPR", fpr, [FLOOR, 1.0], showlegend=False)], []
    for name, each, look in _curves(audit):
        rate, (low, high) = each.tpr_at(fpr), each.tpr_band(fpr, audit.confidence)
        ends = [shown([end], "logarithmic") for end in (rate, low, high)]
        more = {"size": 10, "error_y": k.error_bars(*ends, color=look.colour), "showlegend": False, **SPOKEN}
        traces.append(k.points(f"{name.removesuffix(' (estimate)')} at your FPR", fpr, ends[0], look, **more))
        words = _around(rate, low, high)
        template = f"{'; the second finds ' if told else ''}{{rate}} members (estimate, {{low}} to {{high}})"
        told.append(k.told(template, rate=k.about(rate, k.people), **words))
    at, rate = k.exact(fpr, k.percent), k.about(audit.curve.tpr_at(fpr), k.percent)
    head, second = k.told("{rate} found at {at}", rate=rate, at=at), told[1] if len(told) > 1 else ""
    few, found = {"fpr": k.exact(fpr, k.people)}, {"found": told[0], "second": second}
    rates = k.told("Accusing {fpr} others, the attack finds {found}{second}.", **few, **found)
    if needs := lacking(audit.curve, fpr):
        head = k.told("too few others for {at}", at=at)
        rates = k.told(f"A rate of {{at}} {needs}; there are {audit.curve.others:,}.", at=at)
    return k.part(traces, at=at, rate=rate, head=head, rates=rates)


def _all_told(file, larger_means, delta, confidence):
    audit = _audited(file, larger_means, delta, confidence)
    read = _read(file, larger_means, AUDIT_ROLES)[1]
    kinds = " Below, fifty people of each kind, and the share of all such that it finds: {kinds}."
    return words_of(audit, kinds, table=_table(audit), read=read)


def words_of(audit, bars="", **more):
    """Return all that is said of an audit."""
    proof, canaries = "It proves", {}
    if (run := audit.canaries) is not None:
        proof, canaries = "From one training run its {count} canaries prove", {"count": run.canaries}
    second = "" if audit.other is None else ", the thinner curve of a second attack"
    return k.part(
        headline="{head}",
        sentence=f"{{rates}} {proof} ε ≥ {{proven}} at δ = {{delta}} (bound, {{sure}}).{{notes}}",
        alt=f"ROC plane with logarithmic axes: the stepped curve of an attack in a shaded band{second}, the "
        f"diagonal of a coin, and the edge of DP at ε {{proven}}. At FPR {{at}} it stands at {{rate}}.{bars}",
        **k.words(delta=audit.delta, **canaries),
        **k.words(proven=k.at_least(_proved(audit)), sure=k.exact(audit.confidence, k.sure)),
        notes="".join(f" {note}" for note in audit.notes).replace("*", ""),
        **more,
    )


def _table(audit):
    """Return the report with the two attacks beside each other."""
    mark = "second attack: "
    told = [("report", audit.headline()), *audit.rows(), *audit.others()]
    rows = [(_symbols(name, audit), _symbols(value, audit)) for name, value in told]
    second = {n.removeprefix(mark): v for n, v in rows if n.startswith(mark)}
    heading, (limit, *_) = audit.limits()
    found = [["quantity", "the attack", "second attack"]]
    found += [[n, v, second.get(n, "")] for n, v in rows if not n.startswith(mark)]
    # What else the scores do not show, the page says that the panel stands on.
    found.append([heading.lower(), limit, ""])
    return found if audit.other is not None else [row[:2] for row in found]


def _symbols(text, audit):
    """Write the symbols that a report in plain letters spells out."""
    text = text.replace(f"delta = {audit.delta:g}", f"δ = {k.say(audit.delta)}")
    return text.replace("epsilon", "ε").replace("mu, if", "μ, if").replace("delta", "δ")


@k.figure
def score_audit(
    file: Annotated[str | k.UploadedFile, _AUDITS] = EXAMPLE_AUDITS[0],
    larger_means: Annotated[str, _MEANS] = "member",
    fpr: Annotated[float, FPRS] = 0.1,
    delta: Annotated[float, _DELTA] = 1e-5,
    confidence: Annotated[float, k.Choice([0.9, 0.95, 0.99], label="Confidence")] = 0.95,
):
    """Draw the curves of a file of scores, and what they prove.

    A file may hold the scores of two attacks on the same records, and may mark the canaries of
    one training run.

    Notes
    -----
    `mipbook.audit.audit_scores`, which says where each number comes from.

    Examples
    --------
    >>> score_audit().layout.meta["table"][3][0]
    'AUC'
    """
    return _plane, _at, _whom, _all_told
