"""Audits of made-up tables, as the app shows them; what takes minutes of training is stored."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorable import progress, validate
from mipbook.audit.report import SecurityAudit
from mipbook.audit.security import certify_security
from mipbook.audit.shadows import Shadows, shadow_models
from mipbook.base.types import Array
from mipbook.stored import store

__all__ = ["EXAMPLES", "LEARNERS", "MODELS", "RUNS", "TableAudit", "example_table", "table_audit"]

EXAMPLES = ("a curve with noise", "pure noise", "records that repeat")
LEARNERS = ("linear", "ridge", "k-NN", "tree", "forest")
MODELS = (20, 24, 28, 32, 36, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 100)
SETTINGS: dict[str, Any] = {
    "version": 1,
    "examples": EXAMPLES,
    "learners": LEARNERS,
    "models": MODELS,
    "trained": 40,
    "challenges": 20,
    "seeds": (140, 141, 142),
}
_SHARES = np.linspace(0, 1, 61)
# What is stored of a report, in this order.
_NUMBERS = ("estimate", "certified", "low", "high", "found", "accused")


class TableAudit(NamedTuple):
    """What an audit of a learner on a table found.

    Attributes
    ----------
    members, others : ndarray of shape (61,)
        Quantiles of the absolute errors, from the least to the largest, in standard deviations
        of the target.
    report : SecurityAudit
        What the attack proves.
    """

    members: Array
    others: Array
    report: SecurityAudit


def example_table(name: str) -> Array:
    """Return a made-up table; the last column is the target.

    Examples
    --------
    >>> example_table("pure noise").shape
    (400, 6)
    """
    name = validate.choice("name", name, EXAMPLES)
    rng = np.random.default_rng(SETTINGS["seeds"][0])
    if name == EXAMPLES[2]:
        X = rng.integers(0, 2, (400, 3)).astype(float)
        return np.column_stack([X, X.sum(axis=1) % 2])
    X = rng.standard_normal((400, 5))
    signal = np.sin(X[:, 0]) if name == EXAMPLES[0] else 0.0
    return np.column_stack([X, signal + 0.3 * rng.standard_normal(400)])


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


@lru_cache(maxsize=8)
def _shadows(table: bytes, columns: int, learner: str) -> Shadows:
    rows = np.frombuffer(table).reshape(-1, columns)
    n = min(SETTINGS["trained"], len(rows) // 2)
    return shadow_models(
        _estimator(learner),
        rows[:, :-1],
        rows[:, -1],
        n=n,
        models=MODELS[-1],
        challenges=min(SETTINGS["challenges"], n),
        rng=np.random.default_rng(SETTINGS["seeds"][1]),
        n_jobs=1,
    )


def _errors(shadows: Shadows) -> Array:
    """Return the quantiles of members' and of others' absolute errors."""
    return np.array([np.quantile(t[:, :, 2], _SHARES) for t in (shadows.inside, shadows.outside)])


def _report(shadows: Shadows, models: int) -> SecurityAudit:
    rng = np.random.default_rng(SETTINGS["seeds"][2])
    return certify_security(shadows.first(models), rng=rng)


@lru_cache(maxsize=64)
def _audited(table: bytes, columns: int, learner: str, models: int) -> tuple[Array, SecurityAudit]:
    shadows = _shadows(table, columns, learner)
    return _errors(shadows), _report(shadows, models)


def table_audit(table: Array | str, learner: str, models: int) -> TableAudit:
    """Audit a learner on a table; on one of `EXAMPLES` what is stored is read.

    Parameters
    ----------
    table : ndarray or str
        Records in rows, the target last; or the name of an example.
    learner : str
        One of `LEARNERS`.
    models : int
        Models that are trained, in [20, 100], half of them for the attack.

    Examples
    --------
    >>> found = table_audit("a curve with noise", "tree", 100)
    >>> found.report.certified > 0.6, bool(found.members.max() < 1e-9)
    (True, True)
    """
    learner = validate.choice("learner", learner, LEARNERS)
    models = validate.integer("models", models, MODELS[0], MODELS[-1])
    rows = example_table(table) if isinstance(table, str) else np.asarray(table, dtype=float)
    if isinstance(table, str) and models in MODELS:
        errors, report = _stored(table, learner, models)
    else:
        packed = np.ascontiguousarray(rows).tobytes()
        errors, report = _audited(packed, rows.shape[1], learner, models)
    # A constant target has no deviation; its errors stay what they are.
    unit = float(rows[:, -1].std()) or 1.0
    members, others = errors / unit
    return TableAudit(members, others, report)


def _stored(table: str, learner: str, models: int) -> tuple[Array, SecurityAudit]:
    arrays = store.load("audit").arrays
    place = EXAMPLES.index(table), LEARNERS.index(learner)
    numbers = arrays["reports"][(*place, MODELS.index(models))].tolist()
    told = dict(zip(_NUMBERS, numbers, strict=True))
    report = SecurityAudit(
        asymptotic=(told.pop("low"), told.pop("high")),
        confidence=0.95,
        method="betting",
        models=models,
        tested=models - models // 2,
        challenges=SETTINGS["challenges"],
        n=SETTINGS["trained"],
        nu=0.5,
        lam=0.5,
        learner=learner,
        attack="gradient boosting",
        game="drawn from the table's rows, with replacement",
        **told,
    )
    return arrays["errors"][place].astype(float), report


def audited(settings: dict[str, Any]) -> store.Arrays:
    """Audit the examples; return the errors and the numbers of the reports.

    Examples
    --------
    >>> few = {**SETTINGS, "examples": EXAMPLES[:1], "learners": ("linear",), "models": (20,)}
    >>> audited(few)["reports"].shape
    (1, 1, 1, 6)
    """
    cases = list(product(settings["examples"], settings["learners"]))
    errors, reports = [], []
    with progress.reader() as stream:
        bar = progress.track(cases, stream, total=len(cases), what="audits", unit="learners")
        for name, learner in bar:
            table = example_table(name)
            shadows = _shadows(table.tobytes(), table.shape[1], learner)
            errors.append(_errors(shadows))
            found = [_report(shadows, models) for models in settings["models"]]
            reports.append([(r.estimate, r.certified, *r.asymptotic, r.found, r.accused) for r in found])
    shape = len(settings["examples"]), len(settings["learners"])
    return {
        "errors": np.array(errors).reshape(*shape, 2, len(_SHARES)),
        "reports": np.array(reports).reshape(*shape, len(settings["models"]), len(_NUMBERS)),
    }


RUNS = (store.Run("audit", SETTINGS, lambda: audited(SETTINGS)),)
