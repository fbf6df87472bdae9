"""From a wanted reading back to the parameter of the noise or the promise that has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from explorable import validate
from mipbook.accounting.known import (
    from_concentrated,
    from_dp,
    from_gaussian,
    from_geometric,
    from_laplace,
    from_randomised_response,
    from_renyi,
    from_subsampled_gaussian,
)
from mipbook.accounting.reading import Reading

# The leak is the parameter, or one over it where more of the parameter hides more.
_LEAST, _MOST = 1e-12, 700.0
# In logarithms.
_CLOSE = 1e-14
_TINY = np.finfo(float).tiny


class _Family(NamedTuple):
    """A release with one parameter that is looked for; a second one may be fixed."""

    parameter: str
    made: Callable[[float, float], Reading]
    hides: bool = False
    fixed: float = 0.0
    fixes: str = ""
    low: float = 0.0
    high: float = 1.0


FAMILIES: dict[str, _Family] = {
    "gaussian": _Family("sigma", lambda s, _: from_gaussian(s), True),
    "laplace": _Family("scale", lambda b, _: from_laplace(b), True),
    "randomised response": _Family(
        "epsilon", lambda e, k: from_randomised_response(e, int(k)), False, 2, "answers", 2, 1e6
    ),
    "geometric": _Family("epsilon", lambda e, s: from_geometric(e, int(s)), False, 1, "sensitivity", 1, 1e5),
    "sample": _Family("sigma", from_subsampled_gaussian, True, 0.1, "sampling", 1e-9),
    "dp": _Family("epsilon", from_dp, False, 0.0, "delta"),
    "zcdp": _Family("rho", lambda r, _: from_concentrated(r)),
    "renyi": _Family("epsilon", lambda e, a: from_renyi(a, e), False, 8.0, "alpha", 1.001, 1e4),
}
_WHOLE = ("answers", "sensitivity")


class _Kind(NamedTuple):
    """A number of a reading that grows with the leak, and where it is asked."""

    read: Callable[[Reading, float], float]
    high: float = 1.0
    asked: str = ""
    at: float = 0.0
    top: float = 1.0


READINGS: dict[str, _Kind] = {
    "advantage": _Kind(lambda found, _: found.advantage.value),
    "auc": _Kind(lambda found, _: found.auc.value),
    "eta": _Kind(lambda found, _: found.eta.value, 0.5),
    "mis": _Kind(lambda found, _: found.mis.value),
    "tpr": _Kind(lambda found, fpr: float(found.tpr(fpr)), 1.0, "fpr", 0.01),
    "accuracy": _Kind(lambda found, prior: float(found.accuracy(prior)), 1.0, "prior", 0.5),
    "epsilon": _Kind(lambda found, delta: float(found.epsilon(delta)), np.inf, "delta", 1e-5),
    "delta": _Kind(lambda found, eps: float(found.delta(eps)), 1.0, "epsilon", 1.0, np.inf),
}


@dataclass(frozen=True)
class Match:
    """What `matching` found.

    Attributes
    ----------
    parameter : str
        The name of the parameter that was looked for, such as ``sigma``.
    value : float
        What it has to be.
    reading : Reading
        The release with it.
    """

    parameter: str
    value: float
    reading: Reading


def matching(
    family: str, wanted: str, value: float, at: float | None = None, fixed: float | None = None
) -> Match:
    """Return the least noise, or the weakest promise, whose reading is at most a wanted value.

    Parameters
    ----------
    family : str
        *gaussian*, *laplace*, *randomised response*, *geometric*, *sample* (Gaussian noise on
        one), *dp*, *zcdp* or *renyi*.
    wanted : str
        *advantage*, *auc*, *eta*, *mis* (Delta), *tpr*, *accuracy*, *epsilon* or *delta*.
    value : float
        What it may be at the most.
    at : float, optional
        Where it is asked: the false positive rate of a *tpr* (0.01 if not given), the prior of
        an *accuracy* (0.5), the delta of an *epsilon* (1e-5), the epsilon of a *delta* (1).
    fixed : float, optional
        What else the family has: the answers of randomised response (2 if not given), the
        sensitivity of geometric noise (1), the sampling rate (0.1, at least 1e-9), the delta of
        *dp* (0), the order of *renyi* (8, from 1.001 to 10,000).

    Raises
    ------
    ValueError
        If no parameter has such a reading: a release that tells nothing still finds 1% at a
        false positive rate of 1%.

    Notes
    -----
    Every reading grows with the leak, so there is one parameter where it passes the value.  Where a
    reading is a bound, the true one is at most the value too.

    Examples
    --------
    >>> round(matching("gaussian", "tpr", 0.2, at=0.01).value, 4)
    0.6735
    >>> round(matching("dp", "advantage", 0.1, fixed=1e-5).value, 6)
    0.200653
    """
    family = validate.choice("family", family, tuple(FAMILIES))
    wanted = validate.choice("wanted", wanted, tuple(READINGS))
    made, kind = FAMILIES[family], READINGS[wanted]
    value = validate.number("value", value, 0.0, kind.high, open_high=True)
    asked = kind.at if at is None else _asked(kind, at)
    other = made.fixed if fixed is None else _fixed(made, fixed)

    def told(leak: float) -> float:
        return kind.read(made.made(1.0 / leak if made.hides else leak, other), asked)

    least, most = told(_LEAST), told(_MOST)
    if not least <= value < most:
        place = (f" at {kind.asked} = {asked:g}" if kind.asked else "") + (
            f" with fixed = {other:g}" if made.fixes else ""
        )
        allowed = f"from {least:.6g} to below {most:.6g}, what this family can tell{place}"
        validate.refuse("value", value, allowed)
    leak = _last(told, value)
    found = 1.0 / leak if made.hides else leak
    return Match(made.parameter, found, made.made(found, other))


def _last(told: Callable[[float], float], value: float) -> float:
    """Return the largest leak that tells no more than a value, to rounding and on the safe side."""

    def beyond(size: float) -> float:
        now = told(float(np.exp(size)))
        # Small leaks tell in proportion, so that logarithms lie nearly on a line.
        far = float(np.log(max(now, _TINY) / max(value, _TINY)))
        # Where a reading is level no point is a root, so that the last of them is found.
        return max(far, _TINY) if now > value else min(far, -_TINY)

    root = brentq(beyond, np.log(_LEAST), np.log(_MOST), xtol=_CLOSE)
    step = 0.0
    while beyond(root - step) > 0:
        step = max(2 * step, _CLOSE)
    return float(np.exp(root - step))


def _asked(kind: _Kind, at: float) -> float:
    """Return where a reading is asked, if it is asked anywhere."""
    if not kind.asked:
        validate.refuse("at", at, "left out: this reading has no place where it is asked")
    return validate.number("at", at, 0.0, kind.top, open_low=True, open_high=True)


def _fixed(made: _Family, fixed: float) -> float:
    """Return the second parameter of a family; the family itself says what it may be."""
    if not made.fixes:
        validate.refuse("fixed", fixed, "left out: this family has one parameter alone")
    if made.fixes in _WHOLE:
        return validate.integer("fixed", fixed, int(made.low), int(made.high))
    return validate.number("fixed", fixed, made.low, made.high)
