"""The lecture's tracing attack on the Gaussian mechanism, in closed form, and on fair coins."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from explorable import validate
from explorable.checked import Integer, Number, Numbers, checked
from mipbook import tradeoff
from mipbook.base.types import Array, Chance, Delta, Floats, Rng, Sigma
from mipbook.game.play import Relation, Transcript

# Beyond it whole numbers have gaps.
Whole = Annotated[int, Integer(1, 2**53)]


@checked
@dataclass(frozen=True)
class TracingAttack:
    r"""The attack of the lecture's Theorem 2: its statistic, rates, and what they prove.

    The data are n all-zero records of k bits, the target is the all-one record, and the
    release is the mean plus noise of standard deviation sigma on each bit.  The statistic
    :math:`z = \langle \tilde y, x \rangle` is normal with standard deviation
    :math:`\sqrt k\,\sigma` and mean 0 without the target.

    Parameters
    ----------
    k : int
        Counting queries, at least 1.
    n : int
        Records without the target, at least 1.
    sigma : float
        Standard deviation of the noise on each query, in (0, inf).
    neighbours : {"replace", "add or remove"}
        With *replace* the target takes a record's place, and the mean of z is k / n with
        it, as the lecture writes; with *add or remove* there are n + 1 records then, and it
        is k / (n + 1).

    Notes
    -----
    Lecture notes, Theorem 2 and the figure of section 4.

    Examples
    --------
    >>> attack = TracingAttack(k=400, n=100, sigma=0.1)
    >>> round(attack.signal, 12), attack.tpr(attack.shift)
    (2.0, 0.5)
    >>> round(attack.fpr(attack.shift), 12)
    0.022750131948
    """

    k: Whole
    n: Whole
    sigma: Sigma
    neighbours: Relation = "replace"

    @property
    def records(self) -> int:
        """How many records the release with the target averages."""
        return self.n + (self.neighbours == "add or remove")

    @property
    def shift(self) -> float:
        """Mean of the statistic with the target; 0 without it."""
        return self.k / self.records

    @property
    def spread(self) -> float:
        """Standard deviation of the statistic, with or without the target."""
        return math.sqrt(self.k) * self.sigma

    @property
    def sensitivity(self) -> float:
        """Euclidean distance between the two means that are released."""
        return math.sqrt(self.k) / self.records

    @property
    def signal(self) -> float:
        """Shift in standard deviations, r = sqrt(k) / (n sigma): all that the attack feels."""
        return self.sensitivity / self.sigma

    def densities(self, z: Any) -> tuple[Floats, Floats]:
        """Return the statistic's density without and with the target at ``z``.

        Examples
        --------
        >>> [round(density, 4) for density in TracingAttack(1, 1, 1.0).densities(0.0)]
        [0.3989, 0.242]
        """
        with np.errstate(over="ignore", under="ignore"):
            at = validate.array("z", z) / self.spread
            height = 1 / (self.spread * math.sqrt(2 * math.pi))
            pair = [height * np.exp(-0.5 * x**2) for x in (at, at - self.signal)]
        return validate.plain(pair[0]), validate.plain(pair[1])

    def fpr(self, threshold: Any) -> Floats:
        """Return the exact FPR of the attacker that says *in* from ``threshold`` on."""
        return validate.plain(ndtr(-self._at(threshold)))

    def tpr(self, threshold: Any) -> Floats:
        """Return the exact TPR of the attacker that says *in* from ``threshold`` on."""
        return validate.plain(ndtr(self.signal - self._at(threshold)))

    def _at(self, threshold: Any, low: float = -math.inf) -> NDArray[np.float64]:
        """Return the threshold in standard deviations; one too large for a double is infinite."""
        with np.errstate(over="ignore"):
            return np.asarray(validate.array("threshold", threshold, low) / self.spread)

    def tail_bound(self, threshold: Any) -> Floats:
        """Return the proof's bound on the FPR, ``exp(-t^2 / (2 k sigma^2))``, for t >= 0.

        Examples
        --------
        >>> attack = TracingAttack(100, 10, 0.1)
        >>> attack.tail_bound(1.0) > attack.fpr(1.0)
        True
        """
        at = self._at(threshold, 0.0)
        with np.errstate(over="ignore", under="ignore"):
            return validate.plain(np.exp(-0.5 * at**2))

    @checked
    def certified_epsilon(self, threshold: Any, delta: Delta = 0.0) -> Floats:
        """Return the lower bound on epsilon that the exact rates prove (Corollary 1).

        Computed from the logarithms of the rates, so that an FPR too small for a double
        still counts.

        Examples
        --------
        >>> attack = TracingAttack(100, 10, 0.1)
        >>> attack.certified_epsilon(10.0, 1e-5) < attack.epsilon(1e-5)
        True
        """
        at = self._at(threshold)
        sides = []
        for hit, false in ((self.signal - at, -at), (at, at - self.signal)):
            over = ndtr(hit) - delta
            with np.errstate(divide="ignore", invalid="ignore"):
                sides.append(np.where(over > 0, np.log(over) - log_ndtr(false), 0.0))
        return validate.plain(np.maximum(np.maximum(*sides), 0.0))

    def epsilon(self, delta: Any) -> Floats:
        """Return the exact epsilon of the mechanism on this pair of data sets.

        Examples
        --------
        >>> TracingAttack(100, 10, 1.0).epsilon(0.5)
        0.0
        """
        return tradeoff.gaussian_epsilon(delta, sigma=self.sigma, sensitivity=self.sensitivity)

    @checked
    def play(self, games: Annotated[int, Integer(1, 10**7)], rng: Rng) -> Transcript:
        """Play so many games on the statistic itself, of which the distribution is known.

        Parameters
        ----------
        games : int
            How many, 1 to 10^7.

        Examples
        --------
        >>> played = TracingAttack(400, 100, 0.1).play(1000, np.random.default_rng(0))
        >>> abs(played.confusion(4.0).tpr - 0.5) < 0.05
        True
        """
        member = rng.random(games) < 0.5
        scores = self.shift * member + self.spread * rng.standard_normal(games)
        return Transcript(scores, member, self.neighbours)

    @checked
    def best_threshold(self, delta: Chance) -> float:
        """Return the threshold whose rates certify exactly `epsilon` (0 < delta < TV).

        Examples
        --------
        >>> attack = TracingAttack(100, 10, 0.1)
        >>> best = attack.best_threshold(1e-5)
        >>> abs(attack.certified_epsilon(best, 1e-5) - attack.epsilon(1e-5)) < 1e-9
        True
        """
        epsilon = float(self.epsilon(delta))
        return self.spread * (epsilon / self.signal + self.signal / 2)


# So many standard deviations of the records' own noise are counted; beyond lies less than 1e-15.
_REACH = 8
_MOST_BITS = 10**7


@checked
@dataclass(frozen=True)
class CoinTracing:
    r"""The lecture's tracer where all records are fair coins and it knows only the target.

    The release is the mean of n records of k fair bits with noise of standard deviation sigma
    on each bit.  The statistic is the inner product of the release with the target, one half
    taken off both: every bit of another record adds plus or minus 1 / (4 n), so that it is a
    binomial number plus Gaussian noise.

    Parameters
    ----------
    k : int
        Bits a record has, at least 1.
    n : int
        Records, one of which the target replaces; k n is at most 10^7.
    sigma : float
        Standard deviation of the noise on each bit, in (0, inf).

    Notes
    -----
    Lecture notes, section 3, the game on random data.

    Examples
    --------
    >>> attack = CoinTracing(k=100, n=20, sigma=0.3)
    >>> attack.tpr_at(0.01) < 0.2
    True
    """

    k: Annotated[int, Integer(1, _MOST_BITS)]
    n: int
    sigma: Sigma

    def __post_init__(self) -> None:
        validate.integer("n", self.n, 1, _MOST_BITS // self.k)

    @property
    def spread(self) -> float:
        """Standard deviation of the statistic that the noise alone gives."""
        return math.sqrt(self.k) * self.sigma / 2

    @cached_property
    def _sides(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return what the records make of the statistic, without the target and with it."""
        places, chances = _coin_sum(self.k * self.n)
        others, among = _coin_sum(self.k * (self.n - 1))
        return (places / (4 * self.n), chances), ((others + self.k) / (4 * self.n), among)

    def fpr(self, threshold: Any) -> Floats:
        """Return the exact FPR of the attacker that says *in* from ``threshold`` on.

        Examples
        --------
        >>> round(CoinTracing(100, 20, 0.3).fpr(0.0), 12)
        0.5
        """
        return self._rate(threshold, 0)

    def tpr(self, threshold: Any) -> Floats:
        """Return the exact TPR of the attacker that says *in* from ``threshold`` on."""
        return self._rate(threshold, 1)

    @checked
    def _rate(self, threshold: Annotated[Any, Numbers()], member: int) -> Floats:
        centres, chances = self._sides[member]
        with np.errstate(over="ignore"):
            beyond = ndtr((centres - threshold[..., None]) / self.spread)
        return validate.plain(np.asarray(beyond @ chances))

    @checked
    def tpr_at(self, fpr: Annotated[float, Number(1e-12, 1 - 1e-12)]) -> float:
        """Return the TPR of the attacker that accuses exactly this share of the others.

        Parameters
        ----------
        fpr : float
            In (0, 1).

        Examples
        --------
        >>> attack = CoinTracing(100, 20, 0.3)
        >>> abs(attack.tpr_at(float(attack.fpr(1.0))) - attack.tpr(1.0)) < 1e-9
        True
        """
        from scipy.optimize import brentq  # slow to import, and only needed here

        (centres, _), _ = self._sides
        reach = float(np.abs(centres).max()) + 9 * self.spread
        scale = reach or 1.0
        found = brentq(lambda t: float(self.fpr(t * scale)) - fpr, -1.0, 1.0, xtol=1e-14)
        return float(self.tpr(found * scale))


def _coin_sum(coins: int) -> tuple[Array, Array]:
    """Return the values of a sum of fair signs, and their probabilities; hardly any is left out."""
    from scipy.stats import binom  # slow to import, and only needed here

    half = min(coins, math.ceil((coins + _REACH * math.sqrt(coins)) / 2))
    heads = np.arange(coins - half, half + 1)
    chances = np.asarray(binom.pmf(heads, coins, 0.5), dtype=float)
    return np.asarray(2.0 * heads - coins), chances / chances.sum()
