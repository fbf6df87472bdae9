"""Attack shadow models, and certify what the attack proves of the security.

The certificate is a lower bound for a mean of draws in [0, 1], valid for every number of draws.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from explorable import validate
from explorable.checked import Number, Numbers, OneOf, checked
from explorable.private import attempt, private
from mipbook import mis
from mipbook.audit.shadows import Shadows, is_estimator, name_of, seeded_clone, shadow_models
from mipbook.base.rounding import Report, at_least, at_most, bernstein
from mipbook.base.types import Array, Chance, Confidence, Rng

BOUNDS = ("betting", "bernstein")
# The largest share of the wealth that may be lost in one round.
_LARGEST_LOSS = 0.9
_LOWEST = 1e-9


@private("values")
@checked
def mean_lower_bound(
    values: Annotated[Any, Numbers(0.0, 1.0, ndim=1)],
    confidence: Confidence = 0.95,
    method: Annotated[str, OneOf(BOUNDS)] = "betting",
) -> float:
    """Return a number that the mean of a distribution on [0, 1] is above, with a confidence.

    Parameters
    ----------
    values : array_like of shape (draws,)
        Independent draws in [0, 1] of one distribution, at least 2.
    method : {"betting", "bernstein"}
        *bernstein*: Maurer and Pontil's empirical Bernstein bound, one-sided.  *betting*: a
        game that is fair or worse for the player if the mean is m; the bound is the smallest
        m at which the player's wealth has not yet grown to 1/(1 - confidence) times its start.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    Limits paper, Section 7 asks for estimates of the security; this is what makes one a
    certificate.  Maurer and Pontil (2009), Theorem 4; Waudby-Smith and Ramdas (2024) for
    betting, whose proof is Ville's inequality.  Fix the method before you see the draws.

    Examples
    --------
    >>> draws = np.tile([0.6, 0.7], 25)
    >>> round(mean_lower_bound(draws), 3), round(mean_lower_bound(draws, method="bernstein"), 3)
    (0.607, 0.455)
    """
    if values.size < 2:
        validate.refuse("values", values, "at least 2 draws")
    if method == "bernstein":
        # One direction only: half of the risk that the two-sided form spends.
        width = bernstein(values.var(ddof=1), values.size, 1.0, 2 * (1 - confidence))
        return max(0.0, float(values.mean() - width))
    needed = -math.log1p(-confidence)

    def excess(mean: float) -> float:
        """Return the log of the largest wealth, less what is needed; it falls with the mean."""
        return float(_log_wealth(values, mean, needed).max()) - needed

    if excess(_LOWEST) < 0:
        return 0.0
    # Off by at most 2e-10, and to the safe side.
    return max(0.0, float(brentq(excess, _LOWEST, 1.0, xtol=2e-10)) - 5e-10)


def _log_wealth(values: Array, mean: float, needed: float) -> Array:
    """Return the log of a player's wealth after each draw, against a mean.

    The bets are Waudby-Smith and Ramdas's predictable plug-ins for a known number of draws.
    """
    count = max(values.size, 1)
    before = np.arange(1, values.size + 1)
    # A bet depends on earlier draws only, starting from a guess of one draw.
    means = (0.5 + np.cumsum(values)) / (before + 1)
    squares = 0.05 + np.cumsum((values - means) ** 2)
    variance = np.concatenate([[0.05], (squares / (before + 1))[:-1]])
    bets = np.sqrt(2 * max(needed, 1e-12) / (variance * count))
    return np.cumsum(np.log1p(np.minimum(bets, _LARGEST_LOSS / mean) * (values - mean)))


@private("values")
@checked
def betting_wealth(
    values: Annotated[Any, Numbers(0.0, 1.0, ndim=1)],
    mean: Annotated[float, Number(_LOWEST, 1.0)] = 0.5,
    confidence: Confidence = 0.95,
) -> Array:
    """Return what one coin becomes of a player who bets that draws exceed a mean.

    Parameters
    ----------
    values : array_like of shape (draws,)
        Draws in [0, 1], one after the other.
    mean : float
        What the player bets against, in (0, 1].

    Returns
    -------
    ndarray of shape (draws,)
        If the mean is true, it ever reaches 1/(1 - confidence) with chance 1 - confidence at most.

    Notes
    -----
    Limits paper, Section 7; the game behind `mean_lower_bound` with the method *betting*.

    Examples
    --------
    >>> betting_wealth([0.5, 0.5, 0.5]).tolist()
    [1.0, 1.0, 1.0]
    """
    return np.asarray(np.exp(_log_wealth(values, mean, -math.log1p(-confidence))))


_NOT_SHOWN = (
    "That the security is high. A better attack may exist, and no number of models rules it "
    "out; only theory gives a lower bound on the security.",
    "Anything about one trained model: the numbers are averages over data sets of n records.",
    "Anything about another n, another learner or another population.",
)
_TABLE = (
    "Anything about people outside the table: its rows are the population here. With a sampler "
    "of fresh records the population they come from is audited."
)
_UNBALANCED = (
    "What happens at another nu or lam. A security of 1 where they differ does not mean that nothing leaks."
)


@dataclass(frozen=True)
class SecurityAudit(Report):
    """What an attack on shadow models proves about a learner, and what it does not.

    Attributes
    ----------
    estimate : float
        What the attack gained, as a Delta; at least 0 (estimate).
    certified : float
        Delta is at least this, with the confidence (bound).
    asymptotic : tuple of float
        Two-sided t-interval for the attack's Delta; holds for many models only.
    confidence : float
        Of the certificate and of the t-interval.
    found, accused : float
        Share of members, and of others, that the attack called members.
    models, tested : int
        Models that were trained, and models that the certificate rests on.
    challenges : int
        Records that the attack is asked about a model, on either side.
    n : int
        Records that a model was trained on.
    nu, lam : float
        Chance that the test point is no member, and weight of members.
    learner, attack, game : str
        What was audited, by what, and how records were drawn.
    """

    estimate: float
    certified: float
    asymptotic: tuple[float, float]
    confidence: float
    found: float
    accused: float
    models: int
    tested: int
    challenges: int
    n: int
    nu: float
    lam: float
    learner: str
    attack: str
    game: str

    @property
    def security_at_most(self) -> float:
        """The security (MIS) is at most this, with the confidence (bound)."""
        return 1.0 - self.certified

    def epsilon_at_least(self) -> float:
        """Return an epsilon below which the learner is not epsilon-DP.

        Returns
        -------
        float
            A bound, with the certificate's confidence: 4 artanh of the certified Delta if the
            mix is balanced.  0 where nothing is refuted.

        Notes
        -----
        Limits paper, Remark 8, with this book's sharp bound turned around: a learner with a
        smaller epsilon has a smaller Delta, for every distribution of the records.

        Examples
        --------
        >>> from mipbook.audit import certify_security, Shadows
        >>> import numpy as np
        >>> seen = Shadows(np.ones((100, 5, 1)), np.zeros((100, 5, 1)), 20, "mine", "by hand")
        >>> found = certify_security(
        ...     seen, attack=lambda rows: rows[:, 0] > 0, rng=np.random.default_rng(0)
        ... )
        >>> round(found.certified, 2), round(found.epsilon_at_least(), 1)
        (0.93, 6.8)
        """
        if self.certified <= 0:
            return 0.0
        return float(mis.epsilon_from_security(self.security_at_most, 0.0, self.nu, self.lam))

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from mipbook.audit import audit_security
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(50, 1)), rng.normal(size=50)
        >>> audit_security(LinearRegression(), X, y, n=20, models=8, rng=rng).rows()[0][0]
        'security (MIS), at most'
        """
        low, high = self.asymptotic
        sure = f"{100 * self.confidence:g}%"
        return [
            ("security (MIS), at most", f"{at_most(self.security_at_most)} (bound, {sure})"),
            ("Delta, at least", f"{at_least(self.certified)} (bound, {sure}, betting)"),
            (
                "epsilon, at least",
                f"{at_least(self.epsilon_at_least())} (bound, {sure}): no smaller one "
                "makes the learner DP at delta = 0",
            ),
            ("Delta that the attack reached", f"{self.estimate:.4g} (estimate)"),
            ("its t-interval", f"{at_least(low)} to {at_most(high)} ({sure}, asymptotic only)"),
            ("members found", f"{100 * self.found:.3g}% (estimate)"),
            ("wrong accusations", f"{100 * self.accused:.3g}% (estimate)"),
            ("learner", f"{self.learner}, n = {self.n}"),
            ("attack", self.attack),
            ("nu, lam", f"{self.nu:g}, {self.lam:g}"),
            (
                "models",
                f"{self.models} trained, {self.tested} of them tested, each on {self.challenges} "
                f"members and {self.challenges} others",
            ),
            ("game", self.game),
        ]

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the certificate does not say."""
        more = ((_TABLE, "table" in self.game), (_UNBALANCED, self.nu != self.lam))
        return "Not shown", (*_NOT_SHOWN, *(said for said, applies in more if applies))


def _halves(models: int) -> tuple[slice, slice]:
    """Return which models train the attack and which test it: never the same ones."""
    return slice(0, models // 2), slice(models // 2, models)


def _check_attack(attack: Any) -> None:
    if isinstance(attack, type):
        validate.refuse("attack", attack, f"an instance, such as {attack.__name__}()")
    wrong = not (attack is None or callable(attack))
    if is_estimator(attack):
        from sklearn.base import is_outlier_detector, is_regressor

        wrong = is_regressor(attack) or is_outlier_detector(attack) or not hasattr(attack, "predict")
    if wrong:
        validate.refuse("attack", attack, "a classifier, or a function of feature rows")


def _trained(
    attack: Any, shadows: Shadows, part: slice, a: float, b: float, rng: np.random.Generator
) -> Callable[[Array], Any]:
    """Return what an attack says of rows after it was trained on some of the models."""
    inside, outside = (t[part].reshape(-1, t.shape[2]) for t in (shadows.inside, shadows.outside))
    table = np.concatenate([inside, outside])
    member = np.repeat([1, 0], [len(inside), len(outside)])
    copy = seeded_clone(attack, rng)
    classifier = attempt("attack", attack, "on the first models", copy.fit, table, member)
    if a == b:
        return lambda rows: classifier.predict(rows)
    if not hasattr(classifier, "predict_proba"):
        validate.refuse("attack", attack, "a classifier with predict_proba where nu is not lam")

    def decide(rows: Array) -> Any:
        out, inside = classifier.predict_proba(rows).T
        # Both sides are equally many here; the weights say how sure an accusation must be.
        return a * inside > b * out

    return decide


def _accused_share(attack: Any, decide: Callable[[Array], Any], rows: Array) -> Array:
    """Return which share of each model's records is called a member."""
    flat = rows.reshape(-1, rows.shape[2])
    flags = np.asarray(attempt("attack", attack, "when asked about records", decide, flat))
    fits = flags.shape == flat.shape[:1] and flags.dtype.kind in "bi"
    if not (fits and np.isin(flags, (0, 1)).all()):
        validate.refuse("attack", flags, "one that says True or False (1 or 0) of each row")
    return np.asarray((flags != 0).reshape(rows.shape[:2]).mean(axis=1))


@private("shadows", "attack")
@checked
def certify_security(
    shadows: Shadows,
    *,
    attack: Any = None,
    nu: Chance = 0.5,
    lam: Chance = 0.5,
    confidence: Confidence = 0.95,
    rng: Rng | None = None,
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
    a, b = (float(weight) for weight in mis.weights(nu, lam))
    rng = validate.generator("rng", rng)
    if attack is None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        attack = HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=15, l2_regularization=1.0, early_stopping=False
        )
    _check_attack(attack)
    if is_estimator(attack):
        train, test = _halves(len(shadows.inside))
        decide = _trained(attack, shadows, train, a, b, rng)
        name = f"{name_of(attack)}, trained on {train.stop} other models"
    else:
        test, decide = slice(None), attack
        name = f"{name_of(attack)}, fixed beforehand"
    found, accused = (
        _accused_share(attack, decide, table[test]) for table in (shadows.inside, shadows.outside)
    )
    scores = np.clip(a * found + b * (1 - accused), 0.0, 1.0)
    base, room = max(a, b), min(a, b)
    low = mean_lower_bound(scores, confidence)
    value = (float(scores.mean()) - base) / room
    quantile = float(stdtrit(scores.size - 1, (1 + confidence) / 2))
    half = quantile * float(scores.std(ddof=1)) / float(np.sqrt(scores.size)) / room
    return SecurityAudit(
        estimate=min(max(value, 0.0), 1.0),
        certified=min(max((low - base) / room, 0.0), 1.0),
        asymptotic=(max(value - half, 0.0), min(max(value + half, 0.0), 1.0)),
        confidence=confidence,
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


@private("learner", "X", "y", "attack")
@checked
def audit_security(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n: int,
    models: int = 200,
    challenges: int = 20,
    attack: Any = None,
    nu: Chance = 0.5,
    lam: Chance = 0.5,
    confidence: Confidence = 0.95,
    rng: Rng | None = None,
    n_jobs: int | None = None,
) -> SecurityAudit:
    """Return an upper bound on a learner's security, with a confidence.

    Parameters
    ----------
    learner, X, y, n, models, challenges
        As in `shadow_models`; half of the models train the attack.
    attack, nu, lam
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
    _check_attack(attack)
    rng = validate.generator("rng", rng)
    shadows = shadow_models(learner, X, y, n=n, models=models, challenges=challenges, rng=rng, n_jobs=n_jobs)
    return certify_security(shadows, attack=attack, nu=nu, lam=lam, confidence=confidence, rng=rng)
