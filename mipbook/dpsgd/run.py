"""A planned run of DP-SGD, told from both sides and for both kinds of neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from explorable import validate
from mipbook.base.rounding import Estimate, Report, at_least, at_most, up
from mipbook.dpsgd.accountant import certified_sigma
from mipbook.dpsgd.profile import NEIGHBOURS, PrivacyProfile

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
        if one.neighbours == "replace" or len(profiles) > 1:
            found.append(("MIP: eta", f"replace {_told(profiles[-1].advantage, 0.5)}"))
        if self.target is not None:
            needs = zip(profiles, self.noises, strict=True)
            told = "; ".join(f"{p.neighbours} at most {at_most(n, _DIGITS)}" for p, n in needs)
            found.append((f"noise for epsilon {self.target:g}", told))
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
            here = told[profile.neighbours] = {
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
                here["noise_for_target"] = {"high": self.noises[place]}
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
    neighbours: str | None = None,
) -> RunReport:
    """Tell what a run of DP-SGD leaks, from both sides, and the noise that a target needs.

    Parameters
    ----------
    sampling_rate, steps
        As in `PrivacyProfile`.
    noise_multiplier : float, optional
        The noise over the clip; without it, the one that the target needs.
    delta : float
        At which epsilon is told, in [1e-10, 0.5].
    target_epsilon : float, optional
        In [0.001, 500].
    neighbours : str, optional
        *add-remove* or *replace*; without it both.

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
    >>> found = account(sampling_rate=0.1, noise_multiplier=2.0, steps=100, neighbours="replace")
    >>> dict(found.rows())["advantage"]
    '0.37978 to 0.3798'
    """
    validate.number("delta", delta, 1e-10, 0.5)
    if noise_multiplier is None and target_epsilon is None:
        validate.refuse("noise_multiplier", None, "given, or target_epsilon")
    kinds = NEIGHBOURS if neighbours is None else (validate.choice("neighbours", neighbours, NEIGHBOURS),)
    # All that is given is looked at before the search for a noise.
    most = 1000.0 if noise_multiplier is None else noise_multiplier
    profiles = [PrivacyProfile(sampling_rate, most, steps, kind) for kind in kinds]
    noises: tuple[float, ...] = ()
    if target_epsilon is not None:
        target_epsilon = validate.number("target_epsilon", target_epsilon, 1e-3, 500.0)
        asked = (sampling_rate, steps, target_epsilon, delta)
        noises = tuple(up(certified_sigma(*asked, kind == "replace"), _DIGITS) for kind in kinds)
    if noise_multiplier is None:
        profiles = [replace(p, noise_multiplier=noise) for p, noise in zip(profiles, noises, strict=True)]
    return RunReport(tuple(profiles), delta, target_epsilon, noises)


def _told(found: Estimate, times: float = 1.0, unit: str = "") -> str:
    low, high = at_least(times * found.low, _DIGITS), at_most(times * found.high, _DIGITS)
    return f"{low}{unit} to {high}{unit}"


def _ends(found: Estimate) -> dict[str, float]:
    return {"low": found.low, "high": found.high}
