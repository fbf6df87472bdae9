"""Audit a model: train it many times on your data, attack it, and read the certificate."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook.audit import SecurityAudit, Shadows, certify_security, shadow_models
from mipbook.explore import Choice, Count, File, UploadedFile, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, curve, points
from mipbook.figures.words import percent, say
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_TARGETS", "TARGET_ROLES", "audit_lab"]

Array = NDArray[np.float64]
EXAMPLE_TARGETS = ("a curve with noise", "pure noise", "records that repeat")
# What is trained, and its name in a sentence.
_NAMES = {
    "linear": "a linear fit",
    "ridge": "a ridge fit",
    "k-NN": "5-NN",
    "tree": "a tree",
    "forest": "a forest",
}
_TRAINED, _CHALLENGES, _MODELS = 40, 20, 100
_LEAST, _MOST = 24, 5000
_SHARES = np.linspace(0, 1, 61)
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
def _example(name: str) -> Array:
    """Return a made-up table; the last column is the target."""
    rng = np.random.default_rng(140)
    if name == EXAMPLE_TARGETS[2]:
        X = rng.integers(0, 2, (400, 3)).astype(float)
        return np.column_stack([X, X.sum(axis=1) % 2])
    X = rng.standard_normal((400, 5))
    signal = np.sin(X[:, 0]) if name == EXAMPLE_TARGETS[0] else 0.0
    return np.column_stack([X, signal + 0.3 * rng.standard_normal(400)])


@lru_cache(maxsize=4)
def _read(file: str | UploadedFile) -> tuple[Array, str]:
    """Return features with the target in the last column, and what was read of an own file."""
    if not isinstance(file, UploadedFile):
        return _example(file), ""
    reading = read_columns(file.text, TARGET_ROLES, file.columns)
    reading.check_records(_LEAST, _MOST)
    return reading.numbers("features", "target"), reading.say()


def _estimator(name: str) -> Any:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression, Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeRegressor

    return {
        "linear": LinearRegression(),
        "ridge": make_pipeline(StandardScaler(), Ridge(30.0)),
        "k-NN": make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
        "tree": DecisionTreeRegressor(),
        "forest": RandomForestRegressor(10),
    }[name]


@lru_cache(maxsize=32)
def _shadows(file: str | UploadedFile, estimator: str) -> Shadows:
    table, _ = _read(file)
    n = min(_TRAINED, len(table) // 2)
    return shadow_models(
        _estimator(estimator),
        table[:, :-1],
        table[:, -1],
        n=n,
        models=_MODELS,
        challenges=min(_CHALLENGES, n),
        rng=np.random.default_rng(141),
        n_jobs=1,
    )


@lru_cache(maxsize=64)
def _audited(file: str | UploadedFile, estimator: str, models: int) -> SecurityAudit:
    shadows = _shadows(file, estimator).first(models)
    return certify_security(shadows, rng=np.random.default_rng(142))


def _certificate_traces(report: SecurityAudit) -> list[Trace]:
    """Draw what Delta can be, and what the attack reached with its t-interval."""
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
            "Delta (bound)",
            [report.certified, 1.0],
            [1, 1],
            looks.MIS,
            mode="lines+markers",
            marker={"color": looks.MIS.colour, **ends},
            **{"line": thick, **LOWER},
        ),
        points(
            "attack (estimate)",
            report.estimate,
            0,
            looks.ATTACK,
            size=12,
            error_x=interval,
            **LOWER,
        ),
    ]


def _verdict(report: SecurityAudit, name: str) -> str:
    if report.certified <= 0:
        return (
            f"which certifies nothing about {name} at 95% (bound): the security may be anything "
            f"up to 1"
        )
    return (
        f"so the security of {name} on this table is at most "
        f"{say(math.ceil(1e3 * report.security_at_most) / 1e3)} (bound, 95%), and it "
        f"is not differentially private with any epsilon below "
        f"{say(math.floor(100 * report.epsilon_at_least()) / 100)} (bound, 95%)"
    )


@declared
def audit_lab(
    file: Annotated[
        str | UploadedFile, File(EXAMPLE_TARGETS, roles=TARGET_ROLES, label="Data")
    ] = EXAMPLE_TARGETS[0],
    estimator: Annotated[str, Choice(tuple(_NAMES), label="Estimator")] = "tree",
    models: Annotated[int, Count([20, 60, 80, _MODELS], label="Models")] = _MODELS,
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
    shadows, report = _shadows(file, estimator), _audited(file, estimator, models)
    name = _NAMES[estimator]
    members, others = (
        np.quantile(rows[:models, :, 2], _SHARES) for rows in (shadows.inside, shadows.outside)
    )
    widest = max(float(members[-3]), float(others[-3]))
    return finish(
        [
            curve("members", members, _SHARES, looks.IN),
            curve("others", others, _SHARES, looks.OUT),
            *_certificate_traces(report),
        ],
        sentence=(
            f"Trained on {report.n} records at a time, {models} models: the attack finds "
            f"{percent(report.found)} of the members and accuses {percent(report.accused)} of the "
            f"others (estimates from the {report.tested} models it was not trained on), "
            f"{_verdict(report, name)}. The attack's own Delta is {say(report.estimate)} "
            f"(estimate). No number of models shows that the security is high."
        ),
        alt=(
            f"Above, the share of records with at most a given error, members and others, for "
            f"{name}. Below, on a Delta axis from 0 to 1: a thick line from the certified "
            f"{say(report.certified)} to 1, and a diamond at {say(report.estimate)} with its "
            f"t-interval."
        ),
        layout={
            "xaxis": axis("absolute error", range=[-0.02 * widest, max(widest, 1e-6)]),
            "yaxis": axis("share of records", range=[-0.03, 1.03]),
            "xaxis2": axis("Delta", range=[-0.02, 1.03]),
            "yaxis2": {"visible": False, "range": [-0.7, 1.7]},
            "rows": (0.62, 0.18),
            "height": 560,
        },
        table=[
            ["quantity", "value"],
            ["learner", f"{name}, n = {report.n}"],
            ["attack", f"gradient boosting, trained on {models - report.tested} other models"],
            # The estimators' own names are too long for a narrow screen.
            *([what, value] for what, value in report.rows() if what not in ("learner", "attack")),
        ],
        read=_read(file)[1],
    )
