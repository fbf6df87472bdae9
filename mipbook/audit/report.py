"""The answer of an audit, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass

from explorable import validate
from mipbook import mis
from mipbook.base.report import Report
from mipbook.base.rounding import at_least, at_most

__all__ = ["NOT_SHOWN", "SecurityAudit"]

NOT_SHOWN = (
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
    method : str
        *betting* or *bernstein*, the bound behind the certificate.
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
    method: str
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

    def epsilon_at_least(self, delta: float = 0.0) -> float:
        """Return an epsilon below which the learner is not (epsilon, delta)-DP.

        Returns
        -------
        float
            A bound, with the certificate's confidence: 4 artanh of the certified Delta if the
            mix is balanced and ``delta`` is 0.  0 where nothing is refuted.

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
        delta = validate.number("delta", delta, 0.0, 1.0, open_high=True)
        if self.certified <= delta:
            return 0.0
        return float(mis.epsilon_from_security(self.security_at_most, delta, self.nu, self.lam))

    @property
    def not_shown(self) -> tuple[str, ...]:
        """What the certificate does not say."""
        return (
            *NOT_SHOWN,
            *((_TABLE,) if "table" in self.game else ()),
            *((_UNBALANCED,) if self.nu != self.lam else ()),
        )

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
            ("Delta, at least", f"{at_least(self.certified)} (bound, {sure}, {self.method})"),
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
        return "Not shown", self.not_shown
