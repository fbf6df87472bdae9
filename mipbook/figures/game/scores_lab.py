"""Audit my scores: one attack or two on the same records, read where the reader wants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable import validate
from explorable.panels import Choice, File, LogSlider, Part, Stops, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook import game
from mipbook.audit import ScoresAudit, audit_scores
from mipbook.base.rounding import down
from mipbook.base.types import Array
from mipbook.figures.looks import ATTACK, DP, SERIES, Look
from mipbook.figures.marks import Trace, curve, error_bars, level, points
from mipbook.figures.roc import FLOOR, SPOKEN, coin, edge, empirical, grid, rate_axes, shown
from mipbook.figures.words import people, percent, say, sure
from mipbook.game.scores_file import flags_of

__all__ = [
    "AUDIT_ROLES",
    "EXAMPLE_AUDITS",
    "FPRS",
    "edge_of",
    "named",
    "plane_of",
    "rates_at",
    "score_audit",
    "words_of",
]

# A curve with its name and its look.
Named = tuple[str, game.Roc, Look]

EXAMPLE_AUDITS = ("two attacks, with canaries", "one attack", "an attack that sees nothing")
AUDIT_ROLES = (
    *game.SCORE_ROLES,
    Role(
        "other",
        "A second attack's score",
        "is the second attack's score",
        "is the second attack's score",
        optional=True,
        known=("other", "second", "score2", "score_2", "other_score", "second_score"),
    ),
    Role(
        "canary",
        "Canary, 1 or 0",
        "says who is a canary",
        "says who is a canary (1 or 0)",
        optional=True,
        known=("canary", "canaries", "is_canary"),
    ),
)
_MEMBER, _NOT = "member", "not a member"
_FIRST, _SECOND = "the attack (estimate)", "second attack (estimate)"
_OTHER = Look(SERIES[1].colour, "dot", "square", 1.5)
FPRS = LogSlider(1e-4, 0.5, 0.01, points=38, label="Wrong accusations, FPR")
_LEVELS = Choice([0.9, 0.95, 0.99], label="Confidence")


class _Games(NamedTuple):
    """What a file holds: the first attack's scores and, where there are any, the rest."""

    scores: Array
    member: NDArray[np.bool_]
    other: Array | None = None
    canary: NDArray[np.bool_] | None = None


@lru_cache(maxsize=8)
def _example(name: str) -> _Games:
    rng = np.random.default_rng(60)
    member = rng.random(4000) < 0.5
    noise = rng.standard_normal((3, 4000))
    if name == EXAMPLE_AUDITS[1]:
        return _Games(np.round(noise[0] + 0.7 * member, 4), member)
    if name == EXAMPLE_AUDITS[2]:
        return _Games(np.round(noise[0], 4), member)
    # Odd records give themselves away; the second attack sees little of it.
    canary = np.arange(4000) < 1000
    odd = np.where(rng.random(4000) < 0.1, 3.0, 0.3)
    shift = np.where(canary, 1.5, odd) * member
    scores, other = noise[0] + shift, 0.7 * noise[1] + 0.7 * noise[2] + 0.35 * shift
    return _Games(np.round(scores, 4), member, np.round(other, 4), canary)


@lru_cache(maxsize=8)
def _read(file: str | UploadedFile) -> tuple[_Games, str]:
    """Return what a file holds, and what was read of an own one."""
    if not isinstance(file, UploadedFile):
        return _example(validate.choice("file", file, EXAMPLE_AUDITS)), ""
    reading = read_columns(file.text, AUDIT_ROLES, file.columns)
    first = game.scores_of(reading)
    found = reading.columns
    other = canary = None
    if "other" in found:
        other = reading.table.number_column(found["other"][0], infinite=True)
    if "canary" in found:
        canary = flags_of(reading, "canary")
    return _Games(*first, other, canary), reading.say()


@lru_cache(maxsize=32)
def _audited(file: str | UploadedFile, larger_means: str, delta: float, confidence: float) -> ScoresAudit:
    games, _ = _read(file)
    sign = 1.0 if larger_means == _MEMBER else -1.0
    canary = games.canary if games.canary is not None and games.canary.any() else None
    return audit_scores(
        sign * games.scores,
        games.member,
        np.random.default_rng(61),
        delta=delta,
        confidence=confidence,
        other=None if games.other is None else sign * games.other,
        canary=canary,
    )


@lru_cache(maxsize=16)
def _curves(file: str | UploadedFile, larger_means: str) -> tuple[Named, ...]:
    games, _ = _read(file)
    sign = 1.0 if larger_means == _MEMBER else -1.0
    other = None if games.other is None else game.roc(sign * games.other, games.member)
    return named(game.roc(sign * games.scores, games.member), other)


def named(first: game.Roc, other: game.Roc | None) -> tuple[Named, ...]:
    """Return one attack's curve or two, each with its name and its look."""
    found = ((_FIRST, first, ATTACK.estimate()),)
    return found if other is None else (*found, (_SECOND, other, _OTHER))


def _plane(file: str | UploadedFile, larger_means: str, confidence: float) -> Part:
    return plane_of(_curves(file, larger_means), confidence)


def plane_of(curves: Sequence[Named], confidence: float) -> Part:
    """Return the curves, the first in its band, along which the FPR is dragged."""
    axes = "logarithmic"
    (_, first, _), *rest = curves
    traces = empirical(_FIRST, first, axes, confidence)
    x = grid(axes)
    for name, other, look in rest:
        height = shown(other.tpr_at(x), axes)
        traces.append(curve(name, x, height, look, most=7, **SPOKEN))
    stops = np.array(FPRS.stops)
    track = {"x": stops.tolist(), "y": shown(first.tpr_at(stops), axes).tolist()}
    meta = {
        "probe": [_FIRST, *(name for name, *_ in rest)],
        "ghost": [_FIRST],
        "grab": [{"control": "fpr", "axis": "x", "track": track}],
    }
    return Part([*traces, coin(axes)], {**rate_axes(axes), "height": 440}, meta=meta)


def _edge(file: str | UploadedFile, larger_means: str, delta: float, confidence: float) -> Part:
    return edge_of(_audited(file, larger_means, delta, confidence))


def edge_of(audit: ScoresAudit) -> Part:
    """Return the edge of DP at the epsilon that is proved."""
    name = "edge of DP at the proved ε (bound)"
    return Part([edge(name, audit.certificate.epsilon, audit.delta, "logarithmic", DP.bound())])


def _at(file: str | UploadedFile, larger_means: str, confidence: float, fpr: float) -> Part:
    return rates_at(_curves(file, larger_means), confidence, fpr)


def rates_at(curves: Sequence[Named], confidence: float, fpr: float) -> Part:
    """Return each attack's rate at the reader's FPR, with its band."""
    traces: list[Trace] = [level("your FPR", fpr, [FLOOR, 1.0], showlegend=False)]
    words = {"fpr": people(fpr), "at": percent(fpr), "second": ""}
    for name, each, look in curves:
        rate = float(each.tpr_at(fpr))
        low, high = (float(end) for end in each.tpr_band(fpr, confidence))
        ends = [shown([end], "logarithmic") for end in (rate, low, high)]
        traces.append(
            points(
                f"{name.removesuffix(' (estimate)')} at your FPR",
                [fpr],
                ends[0],
                look,
                size=10,
                error_y=error_bars(*ends, color=look.colour),
                showlegend=False,
                **SPOKEN,
            )
        )
        told = f"{people(rate)} members (estimate, {percent(low)} to {percent(high)})"
        if name == _FIRST:
            words |= {"found": told, "rate": percent(rate)}
        else:
            words["second"] = f"; the second finds {told}"
    return Part(traces, words=words)


def _told(file: str | UploadedFile, larger_means: str, delta: float, confidence: float) -> Part:
    audit, read = _audited(file, larger_means, delta, confidence), _read(file)[1]
    return words_of(audit, table=_table(audit), **({"read": read} if read else {}))


def words_of(audit: ScoresAudit, **more: Any) -> Part:
    """Return all that is said of an audit."""
    bound = f"ε ≥ {say(audit.certificate.epsilon, to=down)}"
    proved = f"{bound} at δ = {say(audit.delta)} (bound, {sure(audit.confidence)})"
    sentence = (
        f"Accusing {{fpr}} others, the attack finds {{found}}{{second}}. It proves {proved}."
        f"{_canaries(audit)}{_difference(audit)}"
        f"{''.join(f' {note}' for note in audit.notes).replace('*', '')}"
    )
    attacks = "the stepped curve of an attack in a shaded band"
    if audit.other is not None:
        attacks += ", the thinner curve of a second attack"
    alt = (
        f"ROC plane with logarithmic axes: {attacks}, the diagonal of a coin, and the edge of DP "
        f"at {bound.replace('≥ ', '')}. At FPR {{at}} the attack stands at {{rate}}."
    )
    meta = {"sentence": sentence, "headline": "{rate} found at {at}", "alt": alt}
    return Part(meta={**meta, **more})


def _canaries(audit: ScoresAudit) -> str:
    run = audit.canaries
    if run is None:
        return ""
    proved = f"ε ≥ {say(run.epsilon, to=down)} (bound, {sure(run.confidence)})"
    return f" Its {run.canaries:,} canaries prove {proved} from one training run."


def _difference(audit: ScoresAudit) -> str:
    gap = audit.difference
    if gap is None:
        return ""
    between = f"{say(gap.low)} to {say(gap.high)}, {sure(gap.confidence)}"
    return f" Its area is {say(gap.value)} above the second's (approximation, {between})."


def _table(audit: ScoresAudit) -> list[list[str]]:
    """Return the report with the two attacks beside each other."""
    mark = "second attack: "
    rows = [(_symbols(name, audit), _symbols(value, audit)) for name, value in audit.rows()]
    second = {n.removeprefix(mark): v for n, v in rows if n.startswith(mark)}
    heading, (limit, *_) = audit.limits()
    found = [["quantity", "the attack", "second attack"]]
    found += [[n, v, second.get(n, "")] for n, v in rows if not n.startswith(mark)]
    # What else the scores do not show, the page says that the panel stands on.
    found.append([heading.lower(), limit, ""])
    return found if audit.other is not None else [row[:2] for row in found]


def _symbols(text: str, audit: ScoresAudit) -> str:
    """Write the symbols that a report in plain letters spells out."""
    text = text.replace(f"delta = {audit.delta:g}", f"δ = {say(audit.delta)}")
    return text.replace("epsilon", "ε").replace("mu, at", "μ, at").replace("delta", "δ")


@declared
def score_audit(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_AUDITS, roles=AUDIT_ROLES, label="Scores")
    ] = EXAMPLE_AUDITS[0],
    larger_means: Annotated[str, Choice([_MEMBER, _NOT], label="A larger score means")] = _MEMBER,
    fpr: Annotated[float, FPRS] = 0.01,
    delta: Annotated[float, Stops([0, 1e-5, 1e-3], label="Promise, δ")] = 1e-5,
    confidence: Annotated[float, _LEVELS] = 0.95,
) -> go.Figure:
    """Draw the curves of a file of scores, and what they prove.

    A file may hold the scores of two attacks on the same records, and may mark the canaries of
    one training run.

    Notes
    -----
    `mipbook.audit.audit_scores`, which says where each number comes from.

    Examples
    --------
    >>> score_audit().layout.meta["table"][2][0]
    'AUC'
    """
    read: dict[str, Any] = {"file": file, "larger_means": larger_means}
    proved = {**read, "delta": delta, "confidence": confidence}
    return stacked(
        layer(_plane, **read, confidence=confidence),
        layer(_edge, **proved),
        layer(_at, **read, confidence=confidence, fpr=fpr),
        layer(_told, **proved),
    )
