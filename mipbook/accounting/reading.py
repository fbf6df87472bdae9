"""What one release means in every notion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from explorable import validate
from mipbook.accounting.curves import Curve
from mipbook.base.rounding import Estimate, Report, at_least, at_most
from mipbook.base.types import Array, Floats
from mipbook.mis.notion import sharp_delta

# Where the bound on security is asked: the least over fewer points is a bound as well.
_EPSILONS = np.concatenate([[0.0], np.geomspace(1e-6, 700.0, 251)])
_ZOOMS, _FINER = 12, 33
# Neighbours that differ by no more of themselves leave nothing to be found between them.
_LEVEL = 1e-13
_STEPS = 24  # doublings of a last digit
_BY_COIN = (
    "these numbers assume that each record is in by its own coin toss; "
    "for a fixed size the advantage can be twice as large"
)
_BELOW = "a bound at every delta: below its own delta a promise of DP says nothing of epsilon"
# What a report shows.
FPRS = (0.001, 0.01, 0.1)
DELTAS = (1e-6, 1e-5, 1e-3)


def _share(rate: float) -> str:
    """Return a rate as a percentage; near all of it with the digits that tell it from all."""
    return f"{at_most(100 * rate, 3 if rate < 0.995 or rate == 1 else 6)}%"


@dataclass(frozen=True)
class Reading(Report):
    """The attacker's rates and each notion's number, for the worst pair of neighbours.

    Made by `translate` or one of its parts, such as `from_dp`.

    Attributes
    ----------
    what : str
        What was known, in words.
    curve : object
        The trade-off between *in* and *out*.
    sharp : bool
        Whether some mechanism has just these rates; else they are bounds.
    replaced : bool
        Whether neighbours differ by one record that is *replaced*; else by one that is added or
        removed, and eta is for data that hold each record by a coin toss of its own.
    releases : int
        How many releases of the same data the numbers are of, together.
    """

    what: str
    curve: Curve
    sharp: bool = True
    replaced: bool = True
    releases: int = 1

    @property
    def advantage(self) -> Estimate:
        """The largest TPR - FPR; some mechanism that is as promised reaches it."""
        return _exactly(self.curve.advantage)

    @property
    def auc(self) -> Estimate:
        """The area under the ROC curve of the best attacker."""
        return _exactly(self.curve.auc) if self.sharp else _at_most(self.curve.auc, 0.5)

    @property
    def eta(self) -> Estimate:
        """MIP's eta: half of the advantage, for pools of any size."""
        found = _exactly(self.curve.advantage / 2)
        return found if self.replaced else found._replace(warning=_BY_COIN)

    @cached_property
    def mis(self) -> Estimate:
        r"""MIS's Delta for every data distribution, at most; security is 1 minus it.

        The least over epsilon of :math:`B + (1 - B)\delta(\varepsilon)` with
        :math:`B = \tanh(\varepsilon/4)`.  Where records are added or removed, replacing one is two
        steps: :math:`2\varepsilon` and :math:`(1 + e^\varepsilon)\delta` stand in their place.
        """
        asked = _EPSILONS
        for _ in range(_ZOOMS):
            found = sharp_delta(*self._of_replacing(asked))
            best = int(found.argmin())
            ends = np.clip((best - 1, best + 1), 0, asked.size - 1)
            if (found[ends] <= found[best] * (1 + _LEVEL)).all():
                break
            asked = np.linspace(asked[ends[0]], asked[ends[1]], _FINER)
        return _at_most(float(found[best]), 0.0)

    def tpr(self, fpr: Any) -> Floats:
        """Return the best true positive rate at a false positive rate.

        Examples
        --------
        >>> from mipbook.accounting import from_gaussian
        >>> round(from_gaussian(1.0).tpr(0.01), 6)
        0.092362
        """
        rates = validate.array("fpr", fpr, 0.0, 1.0)
        return _shaped(lambda rate: np.clip(self.curve.tpr(rate), rate, 1.0), rates)

    def delta(self, epsilon: Any) -> Floats:
        """Return DP's delta at an epsilon, and PMP's delta at that epsilon~.

        Examples
        --------
        >>> from mipbook.accounting import from_laplace
        >>> round(from_laplace(1.0).delta(0.5), 6)
        0.221199
        """
        return _shaped(self._both, validate.array("epsilon", epsilon, 0.0))

    def epsilon(self, delta: Any) -> Floats:
        """Return DP's epsilon at a delta, and PMP's epsilon~ at that delta.

        Examples
        --------
        >>> from mipbook.accounting import from_gaussian
        >>> round(from_gaussian(1.0).epsilon(1e-5), 6)
        4.377178
        """
        return _shaped(self._reaching, validate.array("delta", delta, 0.0, 1.0))

    def accuracy(self, prior: Any = 0.5) -> Floats:
        """Return the best attacker's accuracy when a share ``prior`` are members.

        Parameters
        ----------
        prior : float or array_like
            The chance of *in* before the release, in (0, 1).

        Examples
        --------
        >>> from mipbook.accounting import from_dp
        >>> round(from_dp(1.0).accuracy(), 6)
        0.731059
        """
        chance = validate.array("prior", prior, 0.0, 1.0, open_low=True, open_high=True)

        def kernel(p: Array) -> Array:
            odds = np.abs(np.log1p(-p) - np.log(p))
            rare, common = self.curve.delta_in(odds), self.curve.delta_out(odds)
            return np.where(p <= 0.5, 1.0 - p + p * rare, p + (1.0 - p) * common)

        return _shaped(kernel, chance)

    def predictive_value(self, fpr: Any, prior: Any = 0.5) -> Floats:
        """Return the chance that an accused is a member, at a false positive rate.

        Parameters
        ----------
        fpr : float or array_like
            In (0, 1].
        prior : float or array_like
            The chance of *in* before the release, in (0, 1).

        Examples
        --------
        >>> from mipbook.accounting import from_gaussian
        >>> round(from_gaussian(1.0).predictive_value(0.001, 0.01), 6)
        0.155999
        """
        rate = validate.array("fpr", fpr, 0.0, 1.0, open_low=True)
        chance = validate.array("prior", prior, 0.0, 1.0, open_low=True, open_high=True)
        validate.broadcast(("fpr", "prior"), (rate, chance))
        found = chance * np.asarray(self.tpr(rate))
        return validate.plain(found / (found + (1.0 - chance) * rate))

    def sentence(self, fpr: float = 0.01, prior: float = 0.5) -> str:
        """Say it to a person who has never heard of epsilon.

        Parameters
        ----------
        fpr : float
            In (0, 1].
        prior : float
            The chance of *in* before the release, in (0, 1).

        Examples
        --------
        >>> from mipbook.accounting import from_dp
        >>> print(from_dp(3.0, 1e-5).sentence().partition(";")[0])
        An attacker who accuses 1% of those who were not in the data finds at most 20.1% of those who were
        """
        fpr = validate.number("fpr", fpr, 0.0, 1.0, open_low=True)
        prior = validate.number("prior", prior, 0.0, 1.0, open_low=True, open_high=True)
        found, right = float(self.tpr(fpr)), float(self.predictive_value(fpr, prior))
        return (
            f"An attacker who accuses {at_least(100 * fpr)}% of those who were not in the data finds at most "
            f"{_share(found)} of those who were; if {100 * prior:.10g}% of all were in it, so were at most "
            f"{math.ceil(1000 * right):,} of 1,000 accused."
        )

    def rows(self) -> list[tuple[str, str]]:
        """Return each notion's number, with what sort of number it is.

        A number is *exact* if some release has it; its last digit is rounded to the safe side.
        """
        kind = "exact" if self.sharp else "bound"
        rates = "; ".join(f"{100 * fpr:g}%: {_share(float(self.tpr(fpr)))}" for fpr in FPRS)
        least = {delta: float(self.epsilon(delta)) for delta in DELTAS}
        told = {delta: "no bound" if math.isinf(found) else at_most(found) for delta, found in least.items()}
        curve = "; ".join(f"{delta:g}: {epsilon}" for delta, epsilon in told.items())
        coin = "" if self.replaced else " if each record is in by a coin toss of its own"
        return [
            ("what is known", self.what),
            ("right at even odds, at most", f"{at_most(100 * float(self.accuracy()))}% (exact)"),
            ("advantage, at most", f"{at_most(self.advantage.value)} (exact)"),
            ("TPR by FPR, at most", f"{rates} ({kind})"),
            ("area under the ROC, at most", f"{at_most(self.auc.value)} ({kind})"),
            ("DP: epsilon by delta, at most", f"{curve} ({kind})"),
            ("MIP: eta, at most", f"{at_most(self.eta.value)} (exact{coin})"),
            ("PMP: epsilon~", "same (epsilon, delta) as DP (bound)"),
            ("neighbours", f"one record is {'replaced' if self.replaced else 'added or removed'}"),
            ("MIS: security, at least", f"{at_least(1 - self.mis.value)} (bound)"),
            ("in words", self.sentence()),
        ]

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what these numbers are not."""
        counted = "one" if self.releases == 1 else f"{self.releases:,} together"
        return "What this is not", (
            f"about several releases: this is {counted}",
            "a measurement: they are what the worst pair of neighbouring data sets allows",
            *((_BELOW,) if math.isinf(float(self.epsilon(DELTAS[0]))) else ()),
            *(() if self.replaced else (f"MIP and PMP, which assume a half of fixed size: {_BY_COIN}",)),
        )

    def _of_replacing(self, epsilon: Array) -> tuple[Array, Array]:
        """Return a DP promise for replacing a record, from the curve at an epsilon."""
        slack = self._both(epsilon)
        if self.replaced:
            return epsilon, slack
        return 2.0 * epsilon, np.minimum(slack * (1.0 + np.exp(epsilon)), 1.0)

    def _reaching(self, delta: Array) -> Array:
        """Return the least epsilon at a delta; rounding puts it where delta is no larger."""
        found, step = self.curve.epsilon(delta), 1.0
        for _ in range(_STEPS):
            over = np.isfinite(found) & (self._both(found) > delta)
            if not over.any():
                break
            found = np.where(over, found + step * np.spacing(found), found)
            step *= 2.0
        return found

    def _both(self, epsilon: Array) -> Array:
        curve = type(self.curve)
        inside = self.curve.delta_in(epsilon)
        if curve.delta_out is curve.delta_in:
            return inside  # most curves are alike both ways
        return np.maximum(inside, self.curve.delta_out(epsilon))


def _shaped(kernel: Any, values: Array) -> Floats:
    """Apply what takes a row to an array of any shape."""
    return validate.plain(np.asarray(kernel(values.ravel())).reshape(values.shape))


def _exactly(value: float) -> Estimate:
    return Estimate(value, value, value)


def _at_most(value: float, least: float) -> Estimate:
    return Estimate(value, least, value, "bound")
