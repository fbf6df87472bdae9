"""What the best attack on a learning procedure gains, what DP says of it, tests of what is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.checked import Numbers, checked
from explorable.private import attempt
from mipbook.base.types import Array, Floats, Rates, Rng

# A ratio of two weights stays within the doubles.
_LEAST = 1e-307


def checked_weights(nu: Any, lam: Any) -> tuple[Array, Array]:
    """Return ``(a, b)`` as arrays of one shape."""
    nu_, lam_ = (
        validate.array(name, value, 0.0, 1.0, open_low=True, open_high=True)
        for name, value in (("nu", nu), ("lam", lam))
    )
    validate.broadcast(("nu", "lam"), (nu_, lam_))
    member, fresh = lam_ * (1 - nu_), (1 - lam_) * nu_
    if np.any(np.minimum(member, fresh) < _LEAST):
        validate.refuse("lam", lam, f"such that lam (1 - nu) and (1 - lam) nu are >= {_LEAST:g}")
    total = member + fresh
    return np.asarray(member / total), np.asarray(fresh / total)


def weights(nu: Any = 0.5, lam: Any = 0.5) -> tuple[Floats, Floats]:
    r"""Return the weights of TPR and TNR in an attack's accuracy.

    Returns
    -------
    a, b : float or ndarray
        ``Acc = a TPR + b TNR``, with ``a + b = 1``.  They are also the accuracies of the two
        constant attacks.

    Notes
    -----
    Limits paper, Definition 2: :math:`a : b = \lambda(1 - \nu) : (1 - \lambda)\nu`, scaled to
    sum 1; neither may come near 1e-307.  Balanced, ``a = b``, when ``nu = lam``.  With ``lam``
    one half the accuracy is the chance of being right.

    Examples
    --------
    >>> weights()
    (0.5, 0.5)
    >>> a, b = weights(nu=1 / 3)
    >>> round(a, 12), round(b, 12)
    (0.666666666667, 0.333333333333)
    """
    a, b = checked_weights(nu, lam)
    return validate.plain(a), validate.plain(b)


def weight_ratio(nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    """Return gamma = b / a, the slope of the lines of equal accuracy in the ROC plane.

    Notes
    -----
    Limits paper, Definition 2.  The security depends on ``nu`` and ``lam`` through gamma alone.

    Examples
    --------
    >>> weight_ratio(nu=0.75)
    3.0
    """
    a, b = checked_weights(nu, lam)
    return validate.plain(np.asarray(b / a))


def laws(name: str, value: Any) -> Array:
    """Return probability vectors along the last axis."""
    table = validate.array(name, value, 0.0, 1.0 + 1e-9)
    if table.ndim == 0 or table.size == 0 or np.any(np.abs(table.sum(axis=-1) - 1) > 1e-9):
        validate.refuse(name, value, "probability vectors along the last axis")
    return table


def gain(p: Array, q: Array, a: Array, b: Array) -> Array:
    """Return D; ``a`` and ``b`` have a last axis of length 1."""
    # The hockey-stick form of either side: no difference of two large numbers.
    with np.errstate(under="ignore"):
        forth = np.maximum(p - q * (b / a), 0.0).sum(axis=-1)
        back = np.maximum(q - p * (a / b), 0.0).sum(axis=-1)
    return np.asarray(np.minimum(np.where((a <= b)[..., 0], forth, back), 1.0))


def divergence(p: ArrayLike, q: ArrayLike, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the divergence D of two distributions on finitely many values.

    Parameters
    ----------
    p, q : array_like of shape (..., values)
        Probability vectors along the last axis; the leading axes broadcast, with ``nu`` and
        ``lam`` as well.

    Returns
    -------
    float or ndarray
        In [0, 1].  0 if the distributions agree (and, unless balanced, also if they are close);
        1 if and only if no value has positive probability under both.

    Notes
    -----
    Limits paper, equations (3) and (4) and Proposition 5:
    :math:`[\sup_A\{aP(A) - bQ(A)\} - (a - b)_+] / \min(a, b)`.  With gamma = b/a it is the
    hockey-stick divergence of P and Q at gamma if gamma is at least 1, and that of Q and P at
    1/gamma otherwise.

    Examples
    --------
    >>> p, q = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]
    >>> round(divergence(p, q), 12), round(divergence(p, q, lam=0.4), 12)
    (0.4, 0.2)
    """
    left, right = laws("p", p), laws("q", q)
    a, b = (np.asarray(w) for w in checked_weights(nu, lam))
    if left.shape[-1] != right.shape[-1]:
        validate.refuse("q", q, f"of {left.shape[-1]} values, as p")
    validate.broadcast(("p", "q", "nu, lam"), (left[..., 0], right[..., 0], a))
    return validate.plain(gain(left, right, a[..., None], b[..., None]))


def total_variation(p: ArrayLike, q: ArrayLike) -> Floats:
    """Return the total variation distance, in [0, 1]; ``p`` and ``q`` are as in `divergence`.

    References
    ----------
    Limits paper, Remark 7: the balanced `divergence`, the largest over all ``nu`` and ``lam``.

    Examples
    --------
    >>> total_variation([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    return divergence(p, q)


@checked
def generator(x: Annotated[Any, Numbers(0.0, open_high=True)], nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the convex function f with D(P, Q) = E_Q f(dP/dQ).

    Parameters
    ----------
    x : float or array_like
        Ratio of the probabilities under P and Q, in [0, inf).

    Returns
    -------
    float or ndarray
        ``(|a x - b| - |a - b|) / (2 min(a, b))``; 0 at ``x = 1``, where it may be negative
        on one side.

    Notes
    -----
    Limits paper, Proposition 5 and equation (26).  Where Q vanishes and P does not, the
    divergence gains :math:`a / (2\min(a, b))` times the probability under P, the slope of f
    at infinity.

    Examples
    --------
    >>> generator([0.0, 1.0, 3.0]).tolist()
    [0.5, 0.0, 1.0]
    """
    a, b = checked_weights(nu, lam)
    validate.broadcast(("x", "nu, lam"), (x, a))
    # Beyond the doubles the answer is infinite.
    with np.errstate(over="ignore"):
        value = (np.abs(a * x - b) - np.abs(a - b)) / (2 * np.minimum(a, b))
    return validate.plain(np.asarray(value))


_MOST = 50_000_000


def _rows(data: Any) -> Array:
    rows = validate.squarable("data", data)
    if rows.ndim == 0 or rows.size == 0:
        validate.refuse("data", data, "an array with at least one record")
    return rows


def _apart(function: Callable[[Array], Any], *samples: Array) -> float:
    """Return how far apart a function's answers on two samples are."""
    answers = []
    for rows in samples:
        what = f"on data of shape {rows.shape}"
        answer = np.asarray(attempt("function", function, what, function, rows))
        if answer.dtype.kind not in "biuf" or not np.isfinite(answer).all():
            validate.refuse("function", answer, "a function that answers with finite numbers")
        answers.append(answer.astype(np.float64))
    left, right = answers
    if left.shape != right.shape:
        validate.refuse("function", function, "a function whose answer keeps its shape")
    return float(np.abs(left - right).max(initial=0.0))


def redundancy_gap(function: Callable[[Array], Any], data: ArrayLike, copies: int = 2) -> float:
    """Return how far a function moves when the whole sample is given several times.

    Parameters
    ----------
    function : callable
        From an array of records to numbers.
    data : array_like of shape (records, ...)
        The sample.
    copies : int
        How often the sample is repeated, at least 2 and up to 50 million numbers in all.

    Returns
    -------
    float
        Largest absolute change of an entry; 0 if the function does not notice.

    Notes
    -----
    Limits paper, Definition 17 (one sample at a time: a gap of 0 here proves nothing for
    other samples, and any other gap is a counterexample).

    Examples
    --------
    >>> redundancy_gap(np.mean, [1.0, 2.0, 6.0]), redundancy_gap(np.sum, [1.0, 2.0, 6.0])
    (0.0, 9.0)
    """
    rows = _rows(data)
    copies = validate.integer("copies", copies, 2, max(2, _MOST // rows.size))
    return _apart(function, rows, np.concatenate([rows] * copies))


@checked
def symmetry_gap(function: Callable[[Array], Any], data: ArrayLike, rng: Rng, trials: int = 20) -> float:
    """Return how far a function moves at most when the records are shuffled.

    Parameters
    ----------
    function, data
        As in `redundancy_gap`.
    trials : int
        How many shuffles, in [1, 10,000].

    Returns
    -------
    float
        Largest absolute change of an entry.

    References
    ----------
    Limits paper, Definition 16.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> symmetry_gap(np.max, [1.0, 2.0, 6.0], rng)
    0.0
    >>> symmetry_gap(lambda x: x[0], [1.0, 2.0, 6.0], rng)
    5.0
    """
    rows = _rows(data)
    shuffles = range(validate.integer("trials", trials, 1, 10_000))
    return max(_apart(function, rows, rng.permutation(rows)) for _ in shuffles)


DP_BOUNDS = ("sharp", "two-sided", "one-sided", "published")


def sharp_delta(eps: Array, slack: Array, tilt: Array | float = 0.0) -> Array:
    """Return the sharp bound of `delta_from_dp` for arrays that were checked, as searches ask.

    ``tilt`` is the logarithm of Gamma.  The bound of pure DP is (e^(eps/2) - sqrt(Gamma))_+^2 / (e^eps - 1),
    which is tanh(eps/4) at Gamma = 1.
    """
    square = np.expm1(np.minimum((tilt - eps) / 2, 0.0)) ** 2
    below = np.where(eps > 0, -np.expm1(-eps), 1.0)
    pure = np.where(tilt == 0, np.tanh(eps / 4), square / below)
    return pure + (1 - pure) * slack


def delta_from_dp(
    epsilon: Any, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5, *, bound: str = "sharp"
) -> Floats:
    r"""Return a bound on Delta that holds for every (epsilon, delta)-DP learner.

    Parameters
    ----------
    bound : {"sharp", "two-sided", "one-sided", "published"}
        Only the sharp one uses ``nu`` and ``lam``.

    Returns
    -------
    float or ndarray
        At least 0.  *published* is above 1, and says nothing, from ``epsilon = ln 2``; it is
        infinite for huge ``epsilon``.

    Notes
    -----
    Limits paper, Remark 8 and equation (53).  *published*: :math:`e^\varepsilon - 1 + \delta`.
    *one-sided*: :math:`1 - e^{-\varepsilon}(1 - \delta)`.  *two-sided*:
    :math:`(e^\varepsilon - 1 + 2\delta) / (e^\varepsilon + 1)`, the best for two distributions.
    *sharp*, new in this book: :math:`B + (1 - B)\delta` with
    :math:`B = (e^{\varepsilon/2} - \sqrt\Gamma)_+^2 / (e^\varepsilon - 1)` and
    :math:`\Gamma = \max(\gamma, 1/\gamma)`; balanced, :math:`B = \tanh(\varepsilon/4)`.  It
    is the least bound that holds for all data distributions and all numbers of records.

    Examples
    --------
    >>> round(delta_from_dp(1.0), 12)
    0.244918662404
    >>> [round(delta_from_dp(1.0, bound=b), 6) for b in DP_BOUNDS[1:]]
    [0.462117, 0.632121, 1.718282]
    """
    eps, slack = validate.array("epsilon", epsilon, 0.0), validate.array("delta", delta, 0.0, 1.0)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("epsilon", "delta", "nu, lam"), (eps, slack, a))
    eps, slack, tilt = np.broadcast_arrays(eps, slack, np.abs(np.log(b) - np.log(a)))
    bound = validate.choice("bound", bound, DP_BOUNDS)
    with np.errstate(over="ignore", under="ignore"):
        if bound == "published":
            value = np.expm1(eps) + slack
        elif bound == "one-sided":
            value = -np.expm1(-eps) + np.exp(-eps) * slack
        elif bound == "two-sided":
            value = np.tanh(eps / 2) + (1 - np.tanh(eps / 2)) * slack
        else:
            value = sharp_delta(eps, slack, tilt)
    return validate.plain(np.asarray(value))


def security_from_dp(
    epsilon: Any, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5, *, bound: str = "sharp"
) -> Floats:
    """Return the membership inference security that (epsilon, delta)-DP guarantees.

    It is 1 minus `delta_from_dp`, at least 0, for every distribution of the data and every number
    of records; the arguments are as in `delta_from_dp`.

    References
    ----------
    Limits paper, Remark 8 and equations (9) and (53).

    Examples
    --------
    >>> round(security_from_dp(1.0), 6), security_from_dp(1.0, bound="published")
    (0.755081, 0.0)
    >>> security_from_dp(1.0, nu=0.9)
    1.0
    """
    most = delta_from_dp(epsilon, delta, nu, lam, bound=bound)
    return validate.plain(np.clip(1.0 - np.asarray(most), 0.0, 1.0))


@checked
def epsilon_from_security(security: Rates, delta: Any = 0.0, nu: Any = 0.5, lam: Any = 0.5) -> Floats:
    r"""Return the largest epsilon at which DP alone guarantees a security.

    Parameters
    ----------
    security : float or array_like
        The membership inference security that is wanted, in [0, 1].
    delta : float or array_like
        Failure probability in [0, 1), at most ``1 - security``.

    Returns
    -------
    float or ndarray
        In [0, inf], to about 1e-15 of itself for every security, however small.  The inverse of
        `security_from_dp` with the sharp bound; in the balanced case with ``delta = 0`` it is
        ``4 artanh(1 - security)``.

    Notes
    -----
    Limits paper, Remark 8.  With :math:`B = (1 - \text{security} - \delta)/(1 - \delta)`:
    :math:`e^{\varepsilon/2} = (\sqrt\Gamma + \sqrt{B(\Gamma - 1 + B)}) / (1 - B)`.

    Examples
    --------
    >>> round(epsilon_from_security(0.9), 6)
    0.401341
    >>> round(security_from_dp(epsilon_from_security(0.9)), 12)
    0.9
    """
    slack = validate.array("delta", delta, 0.0, 1.0, open_high=True)
    a, b = checked_weights(nu, lam)
    validate.broadcast(("security", "delta", "nu, lam"), (security, slack, a))
    most = 1 - security
    # With what the first difference lost: what is left of it may be as small.
    left = (most - slack) + ((1 - most) - security)
    if np.any(left < 0):
        validate.refuse("delta", delta, "at most 1 - security")
    log_ratio = np.abs(np.log(b) - np.log(a))
    share, tilt = np.broadcast_arrays(left / (1 - slack), log_ratio)
    with np.errstate(divide="ignore", over="ignore"):
        # log(1 - B); near B = 1 all digits are those of the security itself.
        rest = np.log(security) - np.log1p(-slack)
        log_rest = np.where(share < 0.5, np.log1p(-np.minimum(share, 0.5)), rest)
        # e^(eps/2) / sqrt(Gamma), so that a huge Gamma stays within the doubles.
        root = np.sqrt(share * (-np.expm1(-tilt) + share * np.exp(-tilt)))
        uneven = tilt + 2 * (np.log1p(root) - log_rest)
        even = 2 * (np.log1p(share) - log_rest)
    return validate.plain(np.asarray(np.where(tilt == 0, even, uneven)))
