"""From what is known of a release to its reading, and from a wanted reading back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from explorable import validate
from explorable.checked import Integer, checked
from mipbook.accounting.curves import Coins, LaplaceCurve, Polygon
from mipbook.accounting.reading import Reading
from mipbook.accounting.renyi import RenyiCurve
from mipbook.base.types import Delta, Distribution, Epsilon, FiniteEpsilon, Positive, Sensitivity, Sigma
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve

_LEAST_PROMISE, _MOST_PROMISE, _MOST_ORDER = 1e-24, 1e6, 1e6


@checked
def from_dp(epsilon: Epsilon, delta: Delta = 0.0) -> Reading:
    """Read an (epsilon, delta) promise: the rates of the hardest mechanism that keeps it.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 2.1.

    Examples
    --------
    >>> round(from_dp(3.0, 1e-5).eta.value, 4)
    0.4526
    """
    curve = Coins(delta, (1.0 - delta) / (1.0 + np.exp(-epsilon)), epsilon)
    return Reading(f"({epsilon:g}, {delta:g})-DP", curve)


@checked
def from_gaussian(sigma: Sigma, sensitivity: Sensitivity = 1.0) -> Reading:
    """Read a Gaussian mechanism.

    References
    ----------
    J. Dong, A. Roth and W. Su, "Gaussian Differential Privacy", J. R. Stat. Soc. B 2022.

    Examples
    --------
    >>> round(from_gaussian(1.39).accuracy(), 3)
    0.64
    """
    return Reading(f"Gaussian noise, sigma {sigma:g}", GaussianCurve(sigma, sensitivity))


@checked
def from_gdp(mu: Positive) -> Reading:
    """Read a promise of mu-GDP: no test does better than that of Gaussians mu apart.

    Parameters
    ----------
    mu : float
        In (0, inf); Gaussian noise keeps it with ``sigma = 1 / mu``.

    References
    ----------
    J. Dong, A. Roth and W. Su, "Gaussian Differential Privacy", J. R. Stat. Soc. B 2022.

    Examples
    --------
    >>> round(from_gdp(1.0).auc.value, 6)
    0.76025
    """
    return Reading(f"{mu:g}-GDP", GaussianCurve(1.0, mu))


@checked
def from_laplace(scale: Positive, sensitivity: Sensitivity = 1.0) -> Reading:
    """Read a Laplace mechanism.

    Parameters
    ----------
    scale : float
        The scale of the noise, in (0, inf).

    Notes
    -----
    With the loss e, the sensitivity over the scale: the advantage is 1 - exp(-e/2), delta at
    epsilon below e is 1 - exp((epsilon - e)/2).

    Examples
    --------
    >>> round(from_laplace(1.0).eta.value, 6)
    0.196735
    """
    return Reading(f"Laplace noise, scale {scale:g}", LaplaceCurve(sensitivity / scale))


@checked
def from_randomised_response(epsilon: Epsilon, answers: Annotated[int, Integer(2, 1_000_000)] = 2) -> Reading:
    """Read randomised response: the true answer, or any other, with odds of e^epsilon to 1.

    Parameters
    ----------
    answers : int
        How many answers there are, from 2 to 1,000,000.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "Extremal Mechanisms for Local Differential Privacy", J.
    Mach. Learn. Res. 2016.

    Examples
    --------
    >>> round(from_randomised_response(1.0, 3).advantage.value, 6)
    0.364175
    """
    curve = Coins(0.0, 1.0 / (1.0 + (answers - 1) * np.exp(-epsilon)), epsilon)
    return Reading(f"randomised response with {answers} answers, epsilon {epsilon:g}", curve)


def from_geometric(epsilon: float, sensitivity: int = 1) -> Reading:
    """Read two-sided geometric noise on a count.

    Parameters
    ----------
    epsilon : float
        The mechanism's own, in (0, 700].
    sensitivity : int
        How far the count may move, from 1 to 100,000.

    References
    ----------
    A. Ghosh, T. Roughgarden and M. Sundararajan, "Universally Utility-Maximizing Privacy
    Mechanisms", SIAM J. Comput. 2012.

    Examples
    --------
    >>> round(from_geometric(1.0, 2).advantage.value, 6)
    0.393469
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 700.0, open_low=True)
    steps = validate.integer("sensitivity", sensitivity, 1, 100_000)
    # Outputs below 0, between, above the other count: the ratio changes between alone.
    decay = epsilon / steps
    height = np.tanh(decay / 2)
    between = np.arange(1, steps)
    edge = -np.log1p(np.exp(-decay))
    out = np.concatenate([[edge], np.log(height) - decay * between, [edge - epsilon]])
    curve = Polygon(out[::-1], out, decay * np.arange(-steps, steps + 1.0, 2.0))
    return Reading(f"geometric noise, epsilon {epsilon:g}", curve)


def from_subsampled_gaussian(sigma: float, sampling: float, sensitivity: float = 1.0) -> Reading:
    """Read one Gaussian release of a sample; neighbours add or remove a record.

    Parameters
    ----------
    sampling : float
        The chance of each record to be in the sample, in (0, 1].

    References
    ----------
    Y. Zhu, J. Dong and Y.-X. Wang, "Optimal Accounting of Differential Privacy via
    Characteristic Function", AISTATS 2022: this pair is the hardest of all.

    Examples
    --------
    >>> round(from_subsampled_gaussian(1.0, 0.01).advantage.value, 10)
    0.0038292492
    """
    whole = from_gaussian(sigma, sensitivity)
    sampling = validate.number("sampling", sampling, 0.0, 1.0, open_low=True)
    part = GaussianCurve(float(sigma), float(sensitivity))
    curve = part if sampling == 1.0 else SubsampledCurve(sampling, part)
    what = f"{whole.what}, of a sample at rate {sampling:g}"
    return Reading(what, curve, replaced=False)


@checked
def from_table(p: Distribution, q: ArrayLike) -> Reading:
    """Read any mechanism with finitely many outputs.

    Parameters
    ----------
    p, q : array_like of shape (outputs,)
        The distributions of the output *in* and *out*.

    Notes
    -----
    By the lemma of Neyman and Pearson the best attacker accuses outputs in the order of p / q.

    Examples
    --------
    >>> from_table([0.6, 0.4], [0.4, 0.6]).advantage.value.__round__(6)
    0.2
    """
    outside = validate.probability_vector("q", q)
    if p.shape != outside.shape:
        validate.refuse("q", q, f"a probability vector of the length of p, {p.size}")
    with np.errstate(divide="ignore"):
        curve = Polygon(np.log(p), np.log(outside))
    return Reading(f"a table of {p.size} outputs", curve)


@checked
def from_concentrated(rho: FiniteEpsilon) -> Reading:
    r"""Read a promise of zero-concentrated DP, rho-zCDP.

    Parameters
    ----------
    rho : float
        The Rényi divergence over its order, for all orders, in [0, inf).

    Notes
    -----
    The advantage, hence eta, is sharp: :math:`\tanh(e/2)` with :math:`e \tanh(e/2) = \rho`.
    So is each rate, and each delta and epsilon, of `from_renyi`'s coins; no release has all of
    them, so that the area is a bound.

    Examples
    --------
    >>> round(from_concentrated(0.5).advantage.value, 6)
    0.479098
    """
    return Reading(f"{rho:g}-zCDP", _renyi(rho), sharp=False)


def from_renyi(alpha: float, epsilon: float) -> Reading:
    """Read a promise of Rényi DP at one order, in both directions.

    Parameters
    ----------
    alpha : float
        The order, in (1, inf).
    epsilon : float
        The divergence, in [0, inf).

    Notes
    -----
    A test makes two coins of any two distributions, so the rates are those of coins that obey
    the promise, and delta at an epsilon is the largest TPR - e^epsilon FPR among them.

    Examples
    --------
    >>> round(from_renyi(8.0, 1.0).advantage.value, 6)
    0.478903
    """
    alpha = validate.number("alpha", alpha, 1.0, np.inf, open_low=True, open_high=True)
    epsilon = validate.number("epsilon", epsilon, 0.0, np.inf, open_high=True)
    curve = _renyi(epsilon, min(alpha, _MOST_ORDER))  # higher orders promise the lower ones
    return Reading(f"({alpha:g}, {epsilon:g})-Rényi DP", curve, sharp=False)


def _renyi(promise: float, alpha: float | None = None) -> RenyiCurve | Coins:
    """Return what a promise allows, at least; one of 0 allows nothing, a huge one everything."""
    if promise == 0.0 or promise > _MOST_PROMISE:
        return Coins(0.0, 0.5, 0.0) if promise == 0.0 else Coins(1.0, 0.0, 0.0)
    return RenyiCurve(max(promise, _LEAST_PROMISE), alpha)


# Which arguments tell which promise or mechanism; those in the second set may be left out.
_FORMS: dict[str, tuple[set[str], set[str], Any]] = {
    "(epsilon, delta)-DP": ({"epsilon"}, {"delta"}, from_dp),
    "Rényi DP": ({"alpha", "epsilon"}, set(), from_renyi),
    "randomised response": ({"epsilon", "answers"}, set(), from_randomised_response),
    "GDP": ({"mu"}, set(), from_gdp),
    "zCDP": ({"rho"}, set(), from_concentrated),
    "Gaussian noise": ({"sigma"}, {"sensitivity"}, from_gaussian),
    "Laplace noise": ({"scale"}, {"sensitivity"}, from_laplace),
    "Gaussian noise on a sample": ({"sigma", "sampling"}, {"sensitivity"}, from_subsampled_gaussian),
}


def translate(
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    alpha: float | None = None,
    answers: int | None = None,
    mu: float | None = None,
    rho: float | None = None,
    sigma: float | None = None,
    scale: float | None = None,
    sampling: float | None = None,
    sensitivity: float | None = None,
    replaced: bool | None = None,
) -> Reading:
    """Read a release in every notion, from one of the ways to know it.

    Parameters
    ----------
    epsilon, delta : float, optional
        A DP promise; ``delta`` is 0 if it is not given.
    alpha : float, optional
        The order, in (1, inf): then ``epsilon`` is that of Rényi DP.
    answers : int, optional
        With ``epsilon``: how many answers randomised response has, from 2 to 1,000,000.
    mu : float, optional
        The parameter of Gaussian DP, in (0, inf).
    rho : float, optional
        The parameter of zCDP, in [0, inf).
    sigma : float, optional
        The standard deviation of Gaussian noise, in (0, inf).
    scale : float, optional
        The scale of Laplace noise, in (0, inf).
    sampling : float, optional
        With ``sigma``: the chance of each record to be in the sample, in (0, 1].
    sensitivity : float, optional
        With ``sigma`` or ``scale``: the largest distance of the outputs, 1 if not given.
    replaced : bool, optional
        Whether neighbours differ by a record that is *replaced*; if False, by one that is added or
        removed, as the libraries of DP-SGD report.  If it is not given, replaced, but on a sample.

    Raises
    ------
    ValueError
        If the arguments that are given tell no promise and no mechanism, or a sample is to be read
        for a record that is replaced.

    Notes
    -----
    How each number comes about is told where its promise or mechanism is read, in `from_dp` and
    its like.

    Examples
    --------
    >>> found = translate(epsilon=3, delta=1e-5)
    >>> round(100 * found.accuracy(), 2), round(100 * found.tpr(0.01), 1)
    (95.26, 20.1)
    >>> round(found.eta.value, 4), round(1 - found.mis.value, 3)
    (0.4526, 0.365)
    """
    given = {name: value for name, value in locals().items() if value is not None}
    told = given.pop("replaced", None)
    for needed, optional, made in _FORMS.values():
        if needed <= given.keys() <= needed | optional:
            reading: Reading = made(**given)
            if told is None:
                return reading
            if validate.switch("replaced", told) and not reading.replaced:
                validate.refuse("replaced", told, "False for a sample, whose records are added or removed")
            return replace(reading, replaced=told)
    forms = "; ".join(f"{' and '.join(sorted(needed))} for {form}" for form, (needed, _, _) in _FORMS.items())
    validate.refuse("arguments", sorted(given), f"those of one form: {forms}")


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
    if at is not None and not kind.asked:
        validate.refuse("at", at, "left out: this reading has no place where it is asked")
    if fixed is not None and not made.fixes:
        validate.refuse("fixed", fixed, "left out: this family has one parameter alone")
    asked, other = kind.at, made.fixed
    if at is not None:
        asked = validate.number("at", at, 0.0, kind.top, open_low=True, open_high=True)
    if fixed is not None and made.fixes in _WHOLE:
        other = validate.integer("fixed", fixed, int(made.low), int(made.high))
    elif fixed is not None:
        other = validate.number("fixed", fixed, made.low, made.high)

    def told(leak: float) -> float:
        return kind.read(made.made(1.0 / leak if made.hides else leak, other), asked)

    least, most = told(_LEAST), told(_MOST)
    if not least <= value < most:
        place = f" at {kind.asked} = {asked:g}" if kind.asked else ""
        place += f" with fixed = {other:g}" if made.fixes else ""
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
