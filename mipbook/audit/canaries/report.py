"""What an audit by canaries proves, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass

from explorable import validate
from mipbook import tradeoff
from mipbook.audit.canaries.chances import canary_p_value
from mipbook.audit.canaries.epsilon import canary_ceiling, canary_epsilon
from mipbook.base.report import Report
from mipbook.base.rounding import at_least

__all__ = ["OneRun", "gaussian_reading"]

_NO_PROOF = "That epsilon is small. Better canaries or better scores may prove more."
_FAMILY = (
    "The numbers for Gaussian noise of a run that hides in another way: they refute a mu, not an epsilon."
)


def gaussian_reading(mu: float, delta: float) -> float:
    """Return the epsilon at delta of a mu-GDP run; 0 where nothing is refuted.

    Examples
    --------
    >>> round(gaussian_reading(1.0, 1e-5), 4)
    4.3772
    """
    mu = validate.number("mu", mu, 0.0, 1e6)
    delta = validate.number("delta", delta, 0.0, 1.0, open_low=True)
    return float(tradeoff.gaussian_epsilon(delta, 1.0, mu)) if mu > 0 else 0.0


@dataclass(frozen=True)
class OneRun(Report):
    """What guesses about the canaries of one training run prove, and what they do not.

    Made by `one_run`, and by `many_runs` for a run for each canary.

    Attributes
    ----------
    epsilon : float
        At least this at ``delta``, with the confidence (bound), by the method.
    mu : float
        At least this if the run is mu-GDP at all (bound).
    method : str
        *sharp*, *published* or *gaussian*.
    right, guesses : int
        Right guesses, and guesses, of the number that proves most.
    tried : tuple of int
        The numbers of guesses that were fixed beforehand; they share the risk.
    canaries, included : int
        All canaries, and those that were in.
    delta, confidence : float
        As asked.
    runs : int
        Training runs; one canary each, if there are several.
    """

    epsilon: float
    mu: float
    method: str
    right: int
    guesses: int
    tried: tuple[int, ...]
    canaries: int
    included: int
    delta: float
    confidence: float
    notes: tuple[str, ...] = ()
    runs: int = 1

    @property
    def _share(self) -> float:
        """The confidence of each number tried."""
        return 1.0 - (1.0 - self.confidence) / len(self.tried)

    @property
    def ceiling(self) -> float:
        """What so many right guesses would prove if all had been right."""
        return float(canary_ceiling(self.guesses, self.delta, self.canaries, self._share))

    def p_value(self, epsilon: float) -> float:
        """Return the largest chance of this result, or a clearer one, under a claimed epsilon.

        Times the numbers tried, by the sharp formula; in [0, 1].

        Examples
        --------
        >>> from mipbook.audit import OneRun
        >>> run = OneRun(0.88, 0.4, "sharp", 731, 1000, (1000,), 1000, 500, 0.0, 0.95)
        >>> round(run.p_value(0.5), 6), round(run.p_value(1.0), 2)
        (0.0, 0.52)
        """
        epsilon = validate.number("epsilon", epsilon, 0.0)
        found = canary_p_value(self.right, self.guesses, epsilon, self.delta, self.canaries)
        return min(1.0, len(self.tried) * float(found))

    def rows(self) -> list[tuple[str, str]]:
        """Return the answer as pairs of what and how much."""
        sure = f"{100 * self.confidence:g}%"
        at = f"at delta = {self.delta:g}"
        formulas = [(name, self._by(name)) for name in ("sharp", "published") if name != self.method]
        if self.method != "gaussian" and self.delta > 0:
            formulas.append(("gaussian", gaussian_reading(self.mu, self.delta)))
        told = "; ".join(f"{name} {at_least(value)}" for name, value in formulas)
        return [
            ("epsilon, at least", f"{at_least(self.epsilon)} (bound, {sure}, {self.method}) {at}"),
            ("by the others", f"{told} (bounds, {sure})"),
            ("mu, at least", f"{at_least(self.mu)} (bound, {sure}) if the run is Gaussian DP"),
            ("right guesses", f"{self.right} of {self.guesses}, on {self.canaries} canaries"),
            ("all right would prove", f"epsilon {at_least(self.ceiling)} (exact)"),
            ("canaries that were in", f"{self.included} of {self.canaries}"),
            ("numbers of guesses fixed", ", ".join(map(str, self.tried))),
            ("neighbours", "one canary is added or removed"),
            ("training runs", str(self.runs)),
        ]

    def _by(self, bound: str) -> float:
        found = canary_epsilon(self.right, self.guesses, self.delta, self.canaries, self._share, bound=bound)
        return float(found)

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what the audit does not say."""
        return "Not shown", (
            _NO_PROOF,
            "Anything, if a canary was in by more or less than a fair toss of its own, if the "
            "scores knew of the tosses, or if the number of guesses was chosen by what they gave.",
            "What replacing a record leaks: let each canary be one of a pair for that.",
            _FAMILY,
        )
