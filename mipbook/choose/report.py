"""The answer of `choose_epsilon`, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from mipbook.base.estimate import Estimate
from mipbook.base.report import Report
from mipbook.base.rounding import at_least, at_most

__all__ = ["EpsilonChoice"]


def _with_band(found: Estimate) -> str:
    if found.kind == "estimate":
        return (
            f"{found.value:.4g} ({found.kind}, {found.confidence:.4g} interval "
            f"{at_least(found.low)} to {at_most(found.high)})"
        )
    return f"{at_most(found.value)} ({found.kind})"


@dataclass(frozen=True)
class EpsilonChoice(Report):
    """An epsilon for a data set, with what is certain, what is likely, and what is not promised.

    Attributes
    ----------
    mechanism : str
        *gaussian* or *exponential*.
    epsilon, delta : float
        The mechanism's differential privacy, against the attacker who knows everybody else.
    sigma : float
        Standard deviation of the Gaussian noise in each coordinate; 0 for the exponential
        mechanism.
    target : float
        The PMP parameter asked for.
    certificate : Estimate
        The PMP parameter that is certain, at most ``target``.
    likely : Estimate
        The PMP parameter itself, exact or approximate.
    subset_epsilon : Estimate
        What the attacker faces who knows everybody else on this pool.
    success : float
        How often the best practical attacker is right, at most (bound).
    likely_success : Estimate
        The same, exact where the attack itself can be computed, else at the likely value.
    utility : dict
        What the release costs; each entry says its own kind.
    records, drawn, clipped : int
        Records of the pool, records of a data set, records that the clip threshold shortened.
    not_promised : tuple of str
        What the certificate does not cover.
    notes : tuple of str
        What the reader should know of this very answer.
    """

    mechanism: str
    epsilon: float
    delta: float
    sigma: float
    target: float
    certificate: Estimate
    likely: Estimate
    subset_epsilon: Estimate
    success: float
    likely_success: Estimate
    utility: dict[str, str]
    records: int
    drawn: int
    clipped: int
    not_promised: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def certainty(self) -> str:
        """How sure the certificate is: *exact* or *bound*; an estimate certifies nothing."""
        return self.certificate.kind

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much.

        Examples
        --------
        >>> from mipbook.choose import choose_epsilon
        >>> choose_epsilon([0.0, 1.0, 2.0, 4.0], 0.5, clip=4.0, delta=0.01).rows()[0][0]
        'epsilon to use'
        """
        noise = (
            [("noise, sigma", f"{at_most(self.sigma)} (rounded up)")] if self.mechanism == "gaussian" else []
        )
        return [
            ("epsilon to use", f"{at_least(self.epsilon)} (exact, rounded down)"),
            ("delta", at_most(self.delta)),
            *noise,
            ("target for eps~", f"{self.target:.6g}"),
            ("eps~, certain", f"{at_most(self.certificate.value)} ({self.certainty})"),
            ("eps~, likely", _with_band(self.likely)),
            ("eps(X), all others known", _with_band(self.subset_epsilon)),
            ("best practical attack right", f"at most {at_most(100 * self.success)}% (bound)"),
            (
                "best practical attack, likely",
                f"{at_most(100 * self.likely_success.value)}% ({self.likely_success.kind})",
            ),
            *self.utility.items(),
            ("records shortened by clipping", f"{self.clipped} of {self.records}"),
        ]

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the certificate does not promise."""
        return "Not promised", self.not_promised
