"""A certificate that a learner's membership inference security is at most something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate
from explorable.private import private
from mipbook import mis
from mipbook.audit._learners import name_of, seeded_clone
from mipbook.audit.bounds import BOUNDS, mean_lower_bound
from mipbook.audit.report import SecurityAudit
from mipbook.audit.shadows import Shadows, shadow_models
from mipbook.base.attempt import attempt
from mipbook.base.types import Array

__all__ = ["audit_security", "certify_security"]

Decide = Callable[[Array], NDArray[np.bool_]]


def _halves(models: int) -> tuple[slice, slice]:
    """Return which models train the attack and which test it: never the same ones."""
    return slice(0, models // 2), slice(models // 2, models)


def _default_attack() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=15, l2_regularization=1.0, early_stopping=False
    )


def _trainable(attack: Any) -> bool:
    return hasattr(attack, "fit") and hasattr(attack, "get_params")


def _check_attack(attack: Any) -> None:
    allowed = "a classifier, or a function of feature rows"
    if isinstance(attack, type):
        validate.refuse("attack", attack, f"an instance, such as {attack.__name__}()")
    if _trainable(attack):
        from sklearn.base import is_outlier_detector, is_regressor

        if is_regressor(attack) or is_outlier_detector(attack) or not hasattr(attack, "predict"):
            validate.refuse("attack", attack, allowed)
    elif not (attack is None or callable(attack)):
        validate.refuse("attack", attack, allowed)


def _trained(
    attack: Any, shadows: Shadows, part: slice, a: float, b: float, rng: np.random.Generator
) -> Decide:
    inside, outside = (t[part].reshape(-1, t.shape[2]) for t in (shadows.inside, shadows.outside))
    table = np.concatenate([inside, outside])
    member = np.repeat([1, 0], [len(inside), len(outside)])
    copy = seeded_clone(attack, rng)
    classifier = attempt("attack", attack, "on the first models", copy.fit, table, member)
    if a == b:
        return lambda rows: np.asarray(classifier.predict(rows))
    if not hasattr(classifier, "predict_proba"):
        validate.refuse("attack", attack, "a classifier with predict_proba where nu is not lam")

    def decide(rows: Array) -> NDArray[np.bool_]:
        chances = classifier.predict_proba(rows)
        # Both sides are equally many here; the weights say how sure an accusation must be.
        return np.asarray(a * chances[:, 1] > b * chances[:, 0])

    return decide


def _accused_share(attack: Any, decide: Decide, rows: Array) -> Array:
    """Return which share of each model's records is called a member."""
    flat = rows.reshape(-1, rows.shape[2])
    flags = np.asarray(attempt("attack", attack, "when asked about records", decide, flat))
    fits = flags.shape == flat.shape[:1] and flags.dtype.kind in "bi"
    if not (fits and np.isin(flags, (0, 1)).all()):
        validate.refuse("attack", flags, "one that says True or False (1 or 0) of each row")
    return np.asarray((flags != 0).reshape(rows.shape[:2]).mean(axis=1))


def _shares(
    attack: Any, shadows: Shadows, a: float, b: float, rng: np.random.Generator
) -> tuple[Array, Array, str]:
    """Return the shares of members found and of others accused, model by model, and by what."""
    if _trainable(attack):
        train, test = _halves(len(shadows.inside))
        decide = _trained(attack, shadows, train, a, b, rng)
        name = f"{name_of(attack)}, trained on {train.stop} other models"
    else:
        test, decide = slice(None), attack
        name = f"{name_of(attack)}, fixed beforehand"
    found, accused = (
        _accused_share(attack, decide, table[test]) for table in (shadows.inside, shadows.outside)
    )
    return found, accused, name


@private("shadows", "attack")
def certify_security(
    shadows: Shadows,
    *,
    attack: Any = None,
    nu: float = 0.5,
    lam: float = 0.5,
    confidence: float = 0.95,
    method: str = "betting",
    rng: np.random.Generator,
) -> SecurityAudit:
    """Attack shadow models and return what that proves.

    Parameters
    ----------
    shadows : Shadows
        From `shadow_models`.
    attack : classifier or callable, optional
        A scikit-learn classifier, trained on the first half of the models and tested on the
        other; gradient boosting if not given.  Or a function from feature rows to booleans
        that was fixed before: it is tested on all models.
    method : {"betting", "bernstein"}
        The bound for the mean, see `mean_lower_bound`.

    Notes
    -----
    Limits paper, Theorem 6: no attack's accuracy exceeds max(a, b) + min(a, b) Delta.  The
    attack is fixed before the second half of the models is looked at, and these models are
    independent, so a lower bound on the mean of their scores is one on that.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def records(rng, count):
    ...     return rng.normal(size=count)
    >>> def memorise(rng, X, y):
    ...     return lambda Z: np.isin(Z[:, 0], X[:, 0])
    >>> models = shadow_models(memorise, records, n=20, models=40, challenges=5, rng=rng)
    >>> found = certify_security(models, attack=lambda rows: rows[:, 1] > 0.5, rng=rng)
    >>> found.estimate, found.certified > 0.7
    (1.0, True)
    """
    if not isinstance(shadows, Shadows):
        validate.refuse("shadows", shadows, "what shadow_models returned")
    nu = validate.number("nu", nu, 0.0, 1.0, open_low=True, open_high=True)
    lam = validate.number("lam", lam, 0.0, 1.0, open_low=True, open_high=True)
    confidence = validate.confidence(confidence)
    method = validate.choice("method", method, BOUNDS)
    validate.generator("rng", rng)
    a, b = (float(weight) for weight in mis.weights(nu, lam))
    attack = _default_attack() if attack is None else attack
    _check_attack(attack)
    found, accused, name = _shares(attack, shadows, a, b, rng)
    scores = np.clip(a * found + b * (1 - accused), 0.0, 1.0)
    base, room = max(a, b), min(a, b)
    low = mean_lower_bound(scores, confidence, method)
    value = (float(scores.mean()) - base) / room
    half = _t_half_width(scores, confidence) / room
    return SecurityAudit(
        estimate=min(max(value, 0.0), 1.0),
        certified=min(max((low - base) / room, 0.0), 1.0),
        asymptotic=(max(value - half, 0.0), min(max(value + half, 0.0), 1.0)),
        confidence=confidence,
        method=method,
        found=float(found.mean()),
        accused=float(accused.mean()),
        models=len(shadows.inside),
        tested=scores.size,
        challenges=shadows.inside.shape[1],
        n=shadows.n,
        nu=nu,
        lam=lam,
        learner=shadows.learner,
        attack=name,
        game=shadows.game,
    )


def _t_half_width(scores: Array, confidence: float) -> float:
    from scipy.special import stdtrit

    quantile = float(stdtrit(scores.size - 1, (1 + confidence) / 2))
    return quantile * float(scores.std(ddof=1)) / float(np.sqrt(scores.size))


@private("learner", "X", "y", "attack", "features")
def audit_security(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: int,
    models: int = 200,
    challenges: int = 20,
    attack: Any = None,
    features: Callable[[Any, Any, Any], Any] | None = None,
    nu: float = 0.5,
    lam: float = 0.5,
    confidence: float = 0.95,
    method: str = "betting",
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> SecurityAudit:
    """Return an upper bound on a learner's security, with a confidence.

    Parameters
    ----------
    learner, X, y, n, models, challenges, features
        As in `shadow_models`; half of the models train the attack.
    attack, method
        As in `certify_security`.

    Notes
    -----
    Limits paper, Theorem 6 and its open question of estimating the security (Section 7).  The
    bound holds for every number of models, every attack and every learner, on the distribution that
    records are drawn from: the sampler's, or that of the table's rows.  The other side, that
    the security is high, cannot be certified from data.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> found = audit_security(
    ...     KNeighborsRegressor(1), X, X[:, 0] + rng.normal(size=200), n=40, models=60, rng=rng
    ... )
    >>> found.security_at_most < 0.5
    True
    >>> few = {"n": 8, "challenges": 8, "models": 20, "attack": lambda rows: rows[:, 2] < 1e-9}
    >>> audit_security(KNeighborsRegressor(1), X, X[:, 0], rng=rng, **few).found
    1.0
    """
    # Bad settings are refused before hours of training, not after.
    nu = validate.number("nu", nu, 0.0, 1.0, open_low=True, open_high=True)
    lam = validate.number("lam", lam, 0.0, 1.0, open_low=True, open_high=True)
    validate.confidence(confidence)
    validate.choice("method", method, BOUNDS)
    _check_attack(attack)
    shadows = shadow_models(
        learner, X, y, n=n, models=models, challenges=challenges, rng=rng, features=features, n_jobs=n_jobs
    )
    return certify_security(
        shadows, attack=attack, nu=nu, lam=lam, confidence=confidence, method=method, rng=rng
    )
