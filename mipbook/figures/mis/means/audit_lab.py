"""Audit a model: train it many times on your data, attack it, and read the certificate."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, Count, File, Part, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook.audit import SecurityAudit
from mipbook.audit.examples import EXAMPLES, LEARNERS, MODELS, TableAudit, table_audit
from mipbook.base.rounding import down
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, curve, points
from mipbook.figures.words import percent, say

__all__ = ["EXAMPLE_TARGETS", "TARGET_ROLES", "audit_lab"]

EXAMPLE_TARGETS = EXAMPLES
# The learners' names in a sentence.
_NAMES = dict(zip(LEARNERS, ("a linear fit", "a ridge fit", "5-NN", "a tree", "a forest"), strict=True))
_LEAST, _MOST = 24, 5000
TARGET_ROLES = (
    Role(
        "target",
        "Target",
        "is the target",
        "is the target",
        known=("target", "y", "outcome", "label"),
        otherwise="last",
    ),
    Role("features", "Features", "", "are the features", many=True, otherwise="rest", most=20),
)


@lru_cache(maxsize=4)
def _read(file: UploadedFile) -> tuple[NDArray[np.float64], str]:
    """Return features with the target in the last column, and what was read of an own file."""
    reading = read_columns(file.text, TARGET_ROLES, file.columns)
    reading.check_records(_LEAST, _MOST)
    return reading.numbers("features", "target"), reading.say()


def _audit(file: str | UploadedFile, estimator: str, models: int) -> TableAudit:
    table = _read(file)[0] if isinstance(file, UploadedFile) else file
    return table_audit(table, estimator, models)


def _certificate_traces(report: SecurityAudit) -> list[Trace]:
    """Draw what Δ can be, and what the attack reached with its t-interval."""
    low, high = report.asymptotic
    interval = {
        "type": "data",
        "symmetric": False,
        "array": [max(high - report.estimate, 0.0)],
        "arrayminus": [max(report.estimate - low, 0.0)],
        "thickness": 2,
    }
    ends = {"symbol": ["line-ns-open", "circle"], "size": [20, 6], "line": {"width": 3}}
    thick = {"color": looks.MIS.colour, "width": 6}
    return [
        curve(
            "Δ (bound)",
            [report.certified, 1.0],
            [1, 1],
            looks.MIS,
            mode="lines+markers",
            marker={"color": looks.MIS.colour, **ends},
            **{"line": thick, **LOWER},
        ),
        points("attack (estimate)", report.estimate, 0, looks.ATTACK, size=12, error_x=interval, **LOWER),
    ]


def _errors(file: str | UploadedFile, estimator: str) -> Part:
    """Draw the errors on members and on others."""
    found = _audit(file, estimator, MODELS[-1])
    shares = np.linspace(0, 1, len(found.members))
    over = "%{y:.0%} have an error of at most %{x:.2f}<extra></extra>"
    traces = [
        curve(name, errors, shares, look, hovertemplate=f"of {name} {over}")
        for name, errors, look in (("members", found.members, looks.IN), ("others", found.others, looks.OUT))
    ]
    layout: dict[str, Any] = {
        "xaxis": axis("error, in deviations of the target", range=[-0.04, 3]),
        "yaxis": axis("share of records", range=[-0.03, 1.03]),
        "xaxis2": axis("Δ", range=[-0.02, 1.03]),
        "yaxis2": {"visible": False, "range": [-0.7, 1.7]},
        "height": 430,
    }
    for name, place in two_rows(0.62, 0.25).items():
        layout[name] = {**layout[name], **place}
    read = {"read": _read(file)[1]} if isinstance(file, UploadedFile) else {}
    return Part(traces, layout, meta={"probe": ["members", "others"], **read})


def _verdict(report: SecurityAudit, name: str) -> str:
    if report.certified <= 0:
        return f"That certifies nothing about {name} (bound, 95%)."
    return (
        f"So the security of {name} on this table is at most "
        f"{say(math.ceil(1e3 * report.security_at_most) / 1e3)}, and it is not differentially "
        f"private with any ε below {say(math.floor(100 * report.epsilon_at_least()) / 100)} "
        f"(bounds, 95%)."
    )


def _certificate(file: str | UploadedFile, estimator: str, models: int) -> Part:
    """Draw and say what the attack proves."""
    report, name = _audit(file, estimator, models).report, _NAMES[estimator]
    at_most = say(math.ceil(1e3 * report.security_at_most) / 1e3)
    meta = {
        "headline": f"Security at most {at_most}",
        "sentence": (
            f"The attack finds {percent(report.found)} of the members and accuses "
            f"{percent(report.accused)} of the others (estimates, {report.tested} models). "
            f"{_verdict(report, name)} No number of models shows that the security is high."
        ),
        "alt": (
            f"The share of records with at most a given error, members and others, for {name}. "
            f"Beside it, on a Δ axis from 0 to 1: a thick line from the certified "
            f"{say(report.certified)} to 1, and a diamond at {say(report.estimate)} with its "
            f"t-interval."
        ),
        "beside": 0.6,
        "table": _table(report),
    }
    return Part(_certificate_traces(report), meta=meta)


def _table(report: SecurityAudit) -> list[list[str]]:
    """Return what the sentence does not say, or says in passing."""
    low, high = report.asymptotic
    trained = report.models - report.tested
    return [
        ["quantity", "value"],
        ["Δ, at least", f"{say(report.certified, to=down)} (bound, 95%)"],
        ["Δ of the attack", f"{say(report.estimate)} (estimate)"],
        ["its t-interval", f"{say(low)} to {say(high)} (95%, asymptotic)"],
        ["models", f"{trained} train the attack, {report.tested} test it"],
        ["a model", f"{report.n} records, asked about {report.challenges} and {report.challenges}"],
    ]


@declared
def audit_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_TARGETS, roles=TARGET_ROLES, label="Data")
    ] = EXAMPLE_TARGETS[0],
    estimator: Annotated[str, Choice(LEARNERS, label="Learner")] = "tree",
    models: Annotated[int, Count(MODELS, label="Models", play=True)] = MODELS[-1],
) -> go.Figure:
    """Draw the losses of members and of others, and what an attack certifies.

    Notes
    -----
    Limits paper, Theorem 6 and Section 7: `mipbook.audit.audit_security`.  A file has columns
    for `TARGET_ROLES`, the last one being the target by default, and 24 to 5,000 records.  Each
    model is trained on 40 draws from the table; half of the models train the attack.

    Examples
    --------
    >>> audit_lab(estimator="tree", models=20).layout.meta["table"][0]
    ['quantity', 'value']
    """
    return stacked(
        layer(_errors, file=file, estimator=estimator),
        layer(_certificate, file=file, estimator=estimator, models=models),
    )
