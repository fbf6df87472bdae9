"""What right guesses about canaries prove of a training run that hides like Gaussian noise.

A recursion gives a bound on mu, and a linear program the sharp one, with what proves it.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, linprog
from scipy.sparse import coo_array
from scipy.special import gammaln, ndtr, ndtri

from explorable.checked import Integer, Switched, checked
from mipbook import tradeoff
from mipbook.audit.canary_bounds import MOST, guessed
from mipbook.base.types import Array, Confidence

# Guesses: for so many the two programs of `sharpened` take some four seconds.
MOST_GUESSES = 500
_EPSILONS, _ROUNDS, _MORE_ROUNDS, _STEP = 24, 2, 3, 1e-9
# The solver gives up now and then; by another rule it has always found the end.
_RULES = ("steepest", "dantzig", "devex")
# An epsilon beyond the last one costs less than this share of the chance that is asked for.
_RARE = 1 / 40
# More than all roundings below, relative to the sums in which they happen.
_ROOM = 2.0**-40


class Guesses(NamedTuple):
    """A result of an audit: so many right guesses, guesses and canaries."""

    right: int
    guesses: int
    canaries: int


class Proof(NamedTuple):
    """An upper bound on the chance of a result that needs no solver's word.

    Attributes
    ----------
    epsilons, prices : ndarray of shape (epsilons,)
        What a unit of the privacy curve is worth at each epsilon, at least 0.
    base : float
        What the chance is at most beyond that.
    """

    epsilons: Array
    prices: Array
    base: float

    def chance(self, mu: float) -> float:
        """Return what the chance is at most under mu-GDP; it rises with mu.

        Examples
        --------
        >>> result = Guesses(1, 1, 1)
        >>> proof = prove(result, np.zeros(1), np.full((1, 1), 0.5))
        >>> round(proof.chance(1.0), 6), round(float(tradeoff.gaussian_advantage(1.0)), 6)
        (0.691462, 0.382925)
        """
        allowed = np.asarray(tradeoff.gaussian_delta(self.epsilons, 1.0, mu))
        return min(1.0, float(self.prices @ allowed) * (1.0 + _ROOM) + self.base)


def prove(result: Guesses, epsilons: Array, shares: Array) -> Proof:
    r"""Return the bound that non-negative numbers prove, whoever found them.

    Parameters
    ----------
    epsilons : ndarray of shape (epsilons,)
        At least 0.
    shares : ndarray of shape (epsilons, guesses)
        What right guesses beyond :math:`e^\varepsilon` times the wrong ones are worth, by the
        epsilon and by how many of the other guesses are right; negative ones count as 0.

    Notes
    -----
    Let :math:`x_j = (j + 1) p_{j+1} / m` and :math:`y_j = (r - j) p_j / m` be the chances that a
    canary is guessed right, or wrong, while j others are right.  Privacy says that
    :math:`\sum_j (x_j - e^{\varepsilon_i} y_j)_+ \le \delta(\varepsilon_i)`.  So for shares
    between 0 and a price :math:`\lambda_i`, :math:`\sum_k s_k p_k = \sum_{ij} c_{ij} (x_j -
    e^{\varepsilon_i} y_j) \le \sum_i \lambda_i \delta(\varepsilon_i)`, and the chance of v or
    more right is at most that plus the largest :math:`1[k \ge v] - s_k`.

    Examples
    --------
    >>> prove(Guesses(1, 1, 1), np.zeros(1), np.ones((1, 1))).prices.tolist()
    [1.0]
    """
    right, guesses, canaries = result
    shares, others = np.maximum(shares, 0.0), np.arange(guesses)
    gained = (others + 1.0) * shares.sum(axis=0) / canaries
    lost = (guesses - others) * (np.exp(epsilons) @ shares) / canaries
    worth, size = np.zeros(guesses + 1), np.ones(guesses + 1)
    worth[1:] += gained
    worth[:-1] -= lost
    size[1:] += gained
    size[:-1] += lost
    prices = shares.max(axis=1)
    short = (np.arange(guesses + 1) >= right) - worth + _ROOM * size
    return Proof(epsilons, prices, float(short.max()) + _ROOM * float(prices.sum()))


def _solved(result: Guesses, mu: float, epsilons: Array) -> tuple[Array, Array] | None:
    """Return the chances of each number right, and the shares; None if no solver finds them."""
    right, guesses, canaries = result
    many, others = len(epsilons), np.arange(guesses)
    # For each epsilon a row for each number of others, and one for the sum of what exceeds.
    rows = np.arange(many)[:, None] * (guesses + 1) + others
    excess = guesses + 1 + np.arange(many)[:, None] * guesses + others
    ones = np.ones((many, guesses))
    entries = (
        (rows, ones * (others + 1.0), ones * (others + 1.0) / canaries),
        (rows, ones * others, -np.exp(epsilons)[:, None] * (guesses - others) / canaries),
        (rows, excess, -ones),
        (ones * rows[:, :1] + guesses, excess, ones),
    )
    place = tuple(np.concatenate([e[i].ravel() for e in entries]).astype(np.int64) for i in (0, 1))
    value = np.concatenate([e[2].ravel() for e in entries])
    size = guesses + 1 + many * guesses
    limits = np.zeros((many, guesses + 1))
    limits[:, -1] = tradeoff.gaussian_delta(epsilons, 1.0, mu)
    gain, total = np.zeros(size), np.zeros((1, size))
    gain[right : guesses + 1], total[0, : guesses + 1] = -1.0, 1.0
    table: Any = coo_array((value, place), shape=(limits.size, size)).tocsc()
    for rule in _RULES:
        how: Any = {"simplex_dual_edge_weight_strategy": rule}
        found: Any = linprog(
            gain, A_ub=table, b_ub=limits.ravel(), A_eq=total, b_eq=[1.0], method="highs-ds", options=how
        )
        if found.status == 0:
            shares = -found.ineqlin.marginals.reshape(many, guesses + 1)[:, :-1]
            return np.maximum(found.x[: guesses + 1], 0.0), shares
    return None


def _epsilons(result: Guesses, mu: float, chance: float) -> Array:
    """Return where the curve is asked at first: from 0 to where events are rarer than any used."""
    rare = max(chance * result.right / result.canaries * _RARE, 1e-300)
    return np.linspace(0.0, mu * (0.5 * mu - float(ndtri(min(rare, 0.5)))), _EPSILONS)


def _finer(proof: Proof) -> Array:
    """Return the epsilons that have a price, and those between them and their neighbours."""
    used = proof.prices > 1e-9 * proof.prices.max(initial=0.0)
    near = used[1:] | used[:-1]
    middle = 0.5 * (proof.epsilons[1:] + proof.epsilons[:-1])
    kept = used.copy()
    kept[1:] |= used[:-1]
    kept[:-1] |= used[1:]
    return np.sort(np.concatenate([proof.epsilons[kept], middle[near]]))


def sharpened(result: Guesses, mu: float, risk: float) -> float:
    """Return a mu, no smaller than the one given, that the result refutes at that risk.

    Parameters
    ----------
    mu : float
        One that it refutes by another bound; above 0.
    risk : float
        In (0, 1).

    Notes
    -----
    Each program gives a `Proof`, which holds at every mu.  The next one is solved at the mu to
    which the last one reaches.  Where a solver fails, what was proved before stands.

    Examples
    --------
    >>> round(sharpened(Guesses(18, 20, 50), 0.458, 0.05), 3)
    0.471
    """
    epsilons = _epsilons(result, mu, risk)
    for _ in range(_ROUNDS):
        found = _solved(result, mu, epsilons)
        if found is None:
            break
        proof = prove(result, epsilons, found[1])
        if proof.chance(mu) >= risk:
            break
        high = 2.0 * mu
        while proof.chance(high) < risk:
            high *= 2.0
        root, step = float(brentq(lambda u, p=proof: p.chance(u) - risk, mu, high)), _STEP
        while root > mu and proof.chance(root) > risk:
            root, step = max(root - step, mu), 2.0 * step
        mu, epsilons = root, _finer(proof)
    return mu


def hardest_run(result: Guesses, mu: float) -> tuple[Array, Proof]:
    """Return the chances of a nearly hardest run that is nearly mu-GDP, and the bound for all.

    Parameters
    ----------
    mu : float
        Above 0.

    Returns
    -------
    chances : ndarray of shape (guesses + 1,)
        Of each number of right guesses.  The curve is asked at some epsilons only; between them
        the run may exceed it by about a thousandth.
    proof : Proof
        No mu-GDP run has the result with more than ``proof.chance(mu)``.

    Raises
    ------
    ArithmeticError
        If the solver fails.

    Examples
    --------
    >>> chances, proof = hardest_run(Guesses(18, 20, 50), 1.0)
    >>> round(float(chances[18:].sum()), 3), round(proof.chance(1.0), 3)
    (0.392, 0.392)
    """
    epsilons = _epsilons(result, mu, 0.5)
    for _ in range(_MORE_ROUNDS):
        found = _solved(result, mu, epsilons)
        if found is None:
            raise ArithmeticError(f"the linear program of {result} at mu = {mu:g} has no answer")
        chances, proof = found[0], prove(result, epsilons, found[1])
        epsilons = _finer(proof)
    # Far from the step to enough the program leaves dust.  There the odds of right to wrong are
    # put between 1 and those of that step.
    k = np.arange(result.guesses + 1)
    ways = -gammaln(k + 1.0) - gammaln(result.guesses - k + 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.nan_to_num(np.diff(np.log(chances) - ways), nan=0.0)
    steps = np.clip(odds, 0.0, odds[result.right - 1])
    whole = np.concatenate([[0.0], np.cumsum(steps)]) + ways
    whole = np.exp(whole - whole.max())
    return whole / whole.sum(), proof


_LARGEST = 38.0


def excess(right: int, guesses: int, canaries: int, chance: float, least: Callable[[float], float]) -> float:
    """Return by how much a chance of so many right guesses is more than a trade-off curve allows.

    Positive if no such mechanism has it.  ``reached`` is the share of canaries guessed right,
    and ``missed`` of those guessed wrong, in runs with at least i right; going down in i, each
    new ``missed`` is the least FPR at which the curve reaches that TPR.
    """
    reached = chance * right / canaries
    missed = chance * (guesses - right) / canaries
    for i in range(right - 1, -1, -1):
        if reached >= 1.0:
            return 1.0
        asked = least(reached)
        if asked <= missed:
            break
        reached += i / (guesses - i) * (asked - missed)
        missed = asked
    return reached + missed - guesses / canaries


@checked
def canary_mu(
    right: Annotated[int, Integer(0, MOST)],
    guesses: Annotated[int, Integer(1, MOST)],
    canaries: Annotated[int, Integer(1, MOST)] | None = None,
    confidence: Confidence = 0.95,
    *,
    sharp: Annotated[bool, Switched()] = False,
) -> float:
    r"""Return a lower bound on mu from right guesses about canaries, if the run is mu-GDP at all.

    Parameters
    ----------
    right : int
        Right guesses, in [0, guesses].
    guesses : int
        Canaries guessed, a number fixed before anybody looked, in [1, canaries].
    canaries : int, optional
        Canaries in all, up to a million; as many as guesses if not given.
    sharp : bool
        Whether to go on from the recursion to the sharp bound, by linear programs, for up to 500
        guesses: some percent more, in at most a few seconds.  Beyond it is the recursion's.

    Returns
    -------
    float
        In [0, 38].  A run that is mu-GDP for a smaller mu is right so often with at most a
        chance of 1 - ``confidence``.  The epsilon of that mu is a bound for runs that hide like
        Gaussian noise, and for no others.

    Notes
    -----
    With :math:`R_i` and :math:`H_i` the shares of canaries guessed right and wrong, over the
    runs with at least i right guesses, :math:`R_i \le \bar f(H_{i-1})` for a mechanism whose
    trade-off curve is :math:`1 - \bar f`: turn one toss round, and average over the canaries.
    A valid bound, and not the sharp one.

    The sharp one needs all events, not only these.  A run may be taken to depend on the number
    right alone, so the largest chance is a linear program in the chances of each number, with
    one limit for each epsilon.  What is returned is proved by the prices of a solved program,
    checked here; the solver's word counts for nothing.

    References
    ----------
    S. Mahloujifar, L. Melis and K. Chaudhuri, "Auditing f-Differential Privacy in One Run",
    ICML 2025; the recursion is read from code that implements it, and proved in this book.

    Examples
    --------
    >>> round(canary_mu(160, 200, 1000), 4), round(canary_mu(160, 200, 1000, sharp=True), 3)
    (0.4402, 0.456)
    """
    result = Guesses(*(int(each) for each in guessed(right, guesses, canaries)))
    risk = math.exp(math.log1p(-confidence))

    def allowed(mu: float) -> float:
        return excess(*result, risk, lambda tpr: float(ndtr(ndtri(tpr) - mu)))

    if allowed(0.0) <= 0.0:
        return 0.0
    high = 1.0
    while allowed(high) > 0.0:
        high *= 2.0
        if high > _LARGEST:
            return _LARGEST
    root = float(brentq(allowed, 0.0, high, xtol=_STEP))
    # On the safe side of the root.
    step = _STEP
    while root > 0.0 and allowed(root) <= 0.0:
        root, step = max(root - step, 0.0), 2.0 * step
    if sharp and root > 0.0 and guesses <= MOST_GUESSES:
        return min(sharpened(result, root, risk), _LARGEST)
    return root
