"""A DP-SGD run in the field's own words, from both sides: its profile, and a report of a planned run."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from explorable import validate
from mipbook.base.rounding import Estimate, Report, at_least, at_most, up
from mipbook.base.types import Array
from mipbook.dpsgd.accountant import certified_epsilon, certified_sigma, epsilon_of, sums_of
from mipbook.dpsgd.lattice import Sums, planned
from mipbook.dpsgd.step import MOST_LOSS, Training
from mipbook.mis.notion import sharp_delta

NEIGHBOURS = ("add-remove", "replace")
# Where, of the epsilon at the least delta of interest, a pair of curves is made.
_AIMS, _DEEP = (0.0, 0.5), 1e-7
# Lines that are looked at together, and the rates of an area's cuts.
_BLOCK, _CUTS = 128, 160
# How close the points of a curve from above are: they cost 3e-8 of its height.
_CLOSE = 5e-4
# Where the bound on security is asked.
_ASKED = 800


class Lines(NamedTuple):
    """Lines ``height + slope * fpr``, and the least of each in blocks."""

    height: Array
    slope: Array

    def least(self, rates: Array) -> tuple[Array, Array]:
        """Return the least of the lines at each rate, at most 1, and the slope there."""
        starts = np.arange(0, self.height.size, _BLOCK)
        floors = [np.minimum.reduceat(part, starts) for part in self]
        column, found, slopes = rates[:, None], np.ones(rates.shape), np.zeros(rates.shape)
        best = (self.height[starts] + self.slope[starts] * column).min(axis=1, keepdims=True)
        # No line of another block lies below what was found.
        near = floors[0] + floors[1] * column <= np.minimum(best, 1.0)
        for place, rate in enumerate(rates):
            index = (starts[near[place]][:, None] + np.arange(_BLOCK)).ravel()
            index = index[: np.searchsorted(index, self.height.size)]
            if index.size:
                value = self.height[index] + self.slope[index] * rate
                lowest = int(value.argmin())
                if value[lowest] < 1.0:
                    found[place], slopes[place] = value[lowest], self.slope[index[lowest]]
        return found, slopes


def _lines(sums: Sums, outward: bool) -> Lines:
    """Return the lines that a curve of delta draws over the trade-off curve.

    ``outward`` from those of the first distribution, with slopes above 1, else from the pair that
    is exchanged.  A curve from below is made of chords over exp(epsilon), so what is least over
    its points is least over all epsilons.
    """
    losses, delta = sums.curve
    # From above any few of the points will do, if they lie close.
    every = max(int(_CLOSE / sums.one.width), 1) if sums.upper else 1
    losses, delta = losses[::every], delta[::every]
    here = losses > 0.0
    epsilon = np.concatenate([[0.0], np.minimum(losses[here], MOST_LOSS)])
    delta = np.concatenate([sums.delta(np.zeros(1)), delta[here]])
    if outward:
        return Lines(delta, np.exp(epsilon))
    flat = np.exp(-epsilon)
    return Lines(-np.expm1(-epsilon) + flat * delta, flat)


@dataclass(frozen=True)
class _Pair:
    """The curves of one direction's delta: each of the first is above it, of the second below."""

    training: Training
    mirrored: bool

    @cached_property
    def deep(self) -> float:
        """The epsilon at the least delta of interest, at most."""
        return epsilon_of(self.training, self.mirrored, _DEEP, both=False)[1]

    @cached_property
    def curves(self) -> tuple[list[Sums], list[Sums]]:
        plans = [planned(self.training, self.mirrored, epsilon=aim * self.deep) for aim in _AIMS]
        above, below = (
            [sums_of(self.training, self.mirrored, p, upper) for p in plans] for upper in (True, False)
        )
        return above, below

    def delta(self, epsilon: Array) -> tuple[Array, Array]:
        """Return delta at each epsilon, from below and from above."""
        above, below = self.curves
        low = np.maximum.reduce([sums.delta(epsilon) for sums in below])
        return low, np.minimum.reduce([sums.delta(epsilon) for sums in above])


@dataclass(frozen=True)
class PrivacyProfile:
    """What a run of DP-SGD tells of one record: epsilon, advantage, TPR and all else.

    Parameters
    ----------
    sampling_rate : float
        The chance of each record to be in a step's batch (Poisson sampling), in [1e-6, 1].
    noise_multiplier : float
        The standard deviation of the noise over the clip, in [0.1, 1000].
    steps : int
        In [1, 1000000].
    neighbours : str
        *add-remove* or *replace*: how the two data sets differ.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the run promises nothing (an expected loss above 700).

    Notes
    -----
    Every number is an ``Estimate``, proved from both sides: the truth lies between *low* and *high*,
    what rounding may do included.  They are read from pairs of discrete curves, one that tells at
    least as much as the run and one that tells at most as much.  All steps are seen by the attacker.
    The TPR is that of *the record is in*, which for add-remove is with against without.

    References
    ----------
    V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar and P. Manurangsi, "Connect the Dots: Tighter
    Discrete Approximations of Privacy Loss Distributions", PETS 2022.

    Examples
    --------
    >>> run = PrivacyProfile(sampling_rate=0.1, noise_multiplier=2.0, steps=100)
    >>> found = run.epsilon(1e-5)
    >>> 2.3372 < found.low < 2.3373996 < found.high < 2.3375
    True
    """

    sampling_rate: float
    noise_multiplier: float
    steps: int
    neighbours: str = "add-remove"
    _training: Training = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        made = Training.checked(
            validate.number("sampling_rate", self.sampling_rate, 1e-6, 1.0),
            validate.number("noise_multiplier", self.noise_multiplier, 0.1, 1000.0),
            self.steps,
            validate.choice("neighbours", self.neighbours, NEIGHBOURS) == "replace",
        )
        object.__setattr__(self, "_training", made)

    @cached_property
    def _pairs(self) -> tuple[_Pair, _Pair]:
        first = _Pair(self._training, False)
        return first, first if self._training.replaced else _Pair(self._training, True)

    @cached_property
    def _above_and_below(self) -> tuple[Lines, list[list[Lines]]]:
        """All lines above the trade-off curve; and for each side those of each curve from below."""
        sides = list(zip(self._pairs, (True, False), strict=True))
        every = [_lines(sums, outward) for pair, outward in sides for sums in pair.curves[0]]
        above = Lines(*(np.concatenate(parts) for parts in zip(*every, strict=True)))
        return above, [[_lines(sums, outward) for sums in pair.curves[1]] for pair, outward in sides]

    def epsilon(self, delta: float) -> Estimate:
        """Return epsilon at a delta in [1e-10, 1].

        Examples
        --------
        >>> PrivacyProfile(0.1, 2.0, 100).epsilon(1.0).high
        0.0
        """
        t = self._training
        return certified_epsilon(t.sampling, t.sigma, t.steps, delta, t.replaced)

    def delta(self, epsilon: float) -> Estimate:
        """Return delta at an epsilon in [0, 700], the larger of both directions.

        Examples
        --------
        >>> found = PrivacyProfile(0.1, 2.0, 100).delta(2.3373996)
        >>> 0.999e-5 < found.low < 1e-5 < found.high < 1.001e-5
        True
        """
        at = np.array([validate.number("epsilon", epsilon, 0.0, MOST_LOSS)])
        sides = [pair.delta(at) for pair in dict.fromkeys(self._pairs)]
        return _between(*(max(float(side[end][0]) for side in sides) for end in (0, 1)))

    @cached_property
    def advantage(self) -> Estimate:
        """The largest TPR - FPR of any attack."""
        low, high = self._pairs[0].delta(np.zeros(1))
        return _between(float(low[0]), float(high[0]))

    def tpr(self, fpr: float) -> Estimate:
        """Return the largest true positive rate at a false positive rate in [0, 1].

        Examples
        --------
        >>> found = PrivacyProfile(0.1, 2.0, 100).tpr(0.01)
        >>> 0.0377 < found.low < found.high < 0.0378
        True
        """
        low, high = self.trade_off_curve(np.array([validate.number("fpr", fpr, 0.0, 1.0)]))
        return _between(float(low[0]), float(high[0]))

    def trade_off_curve(self, fpr: Any) -> tuple[Array, Array]:
        """Return the largest true positive rate at each false positive rate, at least and at most.

        Examples
        --------
        >>> low, high = PrivacyProfile(0.1, 2.0, 100).trade_off_curve([0.001, 0.1])
        >>> bool((low <= high).all() and (high - low < 1e-4).all())
        True
        """
        given = validate.array("fpr", fpr, 0.0, 1.0)
        rates = given.ravel()
        above, below = self._above_and_below
        high = above.least(rates)[0]
        low = np.minimum.reduce([np.maximum.reduce([c.least(rates)[0] for c in side]) for side in below])
        shape = given.shape
        return np.maximum(low, rates).reshape(shape), np.maximum(high, rates).reshape(shape)

    @cached_property
    def auc(self) -> Estimate:
        """The area under the trade-off curve, the ROC curve of the best attack."""
        edges = np.geomspace(1e-8, 0.5, _CUTS)
        rates = np.concatenate([[0.0], edges, 1.0 - edges[-2::-1], [1.0]])
        low, _ = self.trade_off_curve(rates)
        top, slope = self._above_and_below[0].least(rates)
        # Concave: chords of what lies below are below, and above are the lines of both ends.
        wide, falls = np.diff(rates), slope[:-1] - slope[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = (top[1:] - slope[1:] * wide - top[:-1]) / falls
        meet = np.clip(np.where(falls > 0.0, meet, 0.0), 0.0, wide)
        peak = np.minimum(top[:-1] + slope[:-1] * meet, 1.0)
        area = meet * (top[:-1] + peak) / 2 + (wide - meet) * (peak + top[1:]) / 2
        return _between(float(np.sum(wide * (low[:-1] + low[1:]) / 2)), min(float(area.sum()), 1.0))

    @cached_property
    def security(self) -> float:
        """MIS's security on every distribution of data, at least: by replacing a record."""
        t = self._training
        if not t.replaced:
            return PrivacyProfile(t.sampling, t.sigma, t.steps, "replace").security
        epsilon = np.linspace(0.0, min(self._pairs[0].deep, MOST_LOSS), _ASKED)
        return float(1.0 - sharp_delta(epsilon, self._pairs[0].delta(epsilon)[1]).min())


def _between(low: float, high: float) -> Estimate:
    return Estimate(high, min(low, high), high, "bound")


RATES = (0.01, 0.001)
_DIGITS = 5
_LIMITS = (
    "a run with shuffled batches of a fixed size: each record is in each batch by a coin toss of its own",
    "several runs: trying settings on the same records costs what all the runs cost together",
    "a measurement: it is what an attacker may find who sees every step and knows all other records",
)


def schedule(n: int, batch: float, passes: float) -> tuple[float, int]:
    """Return the chance to be in a batch, and the number of steps, of some passes over the data.

    Parameters
    ----------
    n : int
        Records.
    batch : float
        Records in a batch, on average; at most all.
    passes : float
        How often each record is drawn, on average, at least.

    Examples
    --------
    >>> schedule(60_000, 256, 60)[1]
    14063
    """
    drawn = min(batch, n)
    return drawn / n, math.ceil(passes * n / drawn)


@dataclass(frozen=True)
class RunReport(Report):
    """What a run of DP-SGD tells, one profile for each kind of neighbours; made by `account`.

    Attributes
    ----------
    profiles : tuple of PrivacyProfile
        What the numbers are read from.
    delta : float
        At which epsilon is told.
    target : float, optional
        The epsilon that is asked for.
    noises : tuple of float
        The noise multiplier that keeps the target, for each profile.
    """

    profiles: tuple[PrivacyProfile, ...]
    delta: float
    target: float | None = None
    noises: tuple[float, ...] = ()

    def rows(self) -> list[tuple[str, str]]:
        """Return each number from both sides."""
        profiles, one = self.profiles, self.profiles[0]
        found = [
            ("the run", f"{one.steps:,} steps, sampling rate {one.sampling_rate:.6g}"),
            ("noise multiplier", self._each([f"{p.noise_multiplier:.6g}" for p in profiles])),
            (
                f"epsilon at delta {self.delta:g}",
                self._each([_told(p.epsilon(self.delta)) for p in profiles]),
            ),
            ("advantage", self._each([_told(p.advantage) for p in profiles])),
        ]
        for fpr in RATES:
            rates = [_told(p.tpr(fpr), 100, "%") for p in profiles]
            found.append((f"TPR at {100 * fpr:g}% FPR", self._each(rates)))
        found.append(("area under the ROC", self._each([_told(p.auc) for p in profiles])))
        found.append(("MIS: security", self._each([f"at least {at_least(p.security)}" for p in profiles])))
        found.append(("MIP: eta", f"replace {_told(profiles[-1].advantage, 0.5)}"))
        if self.target is not None:
            needs = self._each([f"at most {at_most(noise, _DIGITS)}" for noise in self.noises])
            found.append((f"noise for epsilon {self.target:g}", needs))
        return found

    def limits(self) -> tuple[str, tuple[str, ...]]:
        """Return what these numbers are not."""
        return "What this is not", _LIMITS

    def numbers(self) -> dict[str, Any]:
        """Return the numbers for a program: each with its low and high end.

        Examples
        --------
        >>> told = account(sampling_rate=0.1, noise_multiplier=2.0, steps=100).numbers()
        >>> round(told["replace"]["advantage"]["high"], 4)
        0.3798
        """
        told: dict[str, Any] = {"delta": self.delta}
        if self.target is not None:
            told["target_epsilon"] = self.target
        for place, profile in enumerate(self.profiles):
            told[profile.neighbours] = {
                "sampling_rate": profile.sampling_rate,
                "noise_multiplier": profile.noise_multiplier,
                "steps": profile.steps,
                "epsilon": _ends(profile.epsilon(self.delta)),
                "advantage": _ends(profile.advantage),
                "tpr": {str(fpr): _ends(profile.tpr(fpr)) for fpr in RATES},
                "auc": _ends(profile.auc),
                "security": {"low": profile.security},
            }
            if self.noises:
                told[profile.neighbours]["noise_for_target"] = {"high": self.noises[place]}
        return told

    def _each(self, said: list[str]) -> str:
        if len(set(said)) == 1:
            return said[0]
        return "; ".join(f"{p.neighbours} {text}" for p, text in zip(self.profiles, said, strict=True))


def account(
    *,
    sampling_rate: float,
    steps: int,
    noise_multiplier: float | None = None,
    delta: float = 1e-5,
    target_epsilon: float | None = None,
) -> RunReport:
    """Tell what a run of DP-SGD leaks, from both sides and for both kinds of neighbours.

    Parameters
    ----------
    sampling_rate, steps
        As in `PrivacyProfile`.
    noise_multiplier : float, optional
        The noise over the clip; without it, for each kind the one that the target needs.
    delta : float
        At which epsilon is told, in [1e-10, 0.5].
    target_epsilon : float, optional
        In [0.001, 500]; the noise that keeps it, `certified_sigma`, is told as well.

    Returns
    -------
    RunReport
        It prints as a table.

    Raises
    ------
    ValueError
        If an argument is out of its range, or neither a noise nor a target is given.

    References
    ----------
    As `PrivacyProfile`.

    Examples
    --------
    >>> found = account(sampling_rate=0.1, noise_multiplier=2.0, steps=100)
    >>> dict(found.rows())["advantage"]
    'add-remove 0.20585 to 0.20587; replace 0.37978 to 0.3798'
    """
    delta = validate.number("delta", delta, 1e-10, 0.5)
    if target_epsilon is not None:
        target_epsilon = validate.number("target_epsilon", target_epsilon, 1e-3, 500.0)
    elif noise_multiplier is None:
        validate.refuse("noise_multiplier", noise_multiplier, "given, or target_epsilon")
    # All that is given is looked at before the search for a noise.
    run = (sampling_rate, 1000.0 if noise_multiplier is None else noise_multiplier, steps)
    profiles = tuple(PrivacyProfile(*run, kind) for kind in NEIGHBOURS)
    if target_epsilon is None:
        return RunReport(profiles, delta)
    asked = (sampling_rate, steps, target_epsilon, delta)
    # With the digits that are told.
    noises = tuple(up(certified_sigma(*asked, kind == "replace"), _DIGITS) for kind in NEIGHBOURS)
    if noise_multiplier is None:
        pairs = zip(profiles, noises, strict=True)
        profiles = tuple(replace(profile, noise_multiplier=noise) for profile, noise in pairs)
    return RunReport(profiles, delta, target_epsilon, noises)


def _told(found: Estimate, times: float = 1.0, unit: str = "") -> str:
    low, high = at_least(times * found.low, _DIGITS), at_most(times * found.high, _DIGITS)
    return f"{low}{unit} to {high}{unit}"


def _ends(found: Estimate) -> dict[str, float]:
    return {"low": found.low, "high": found.high}
