"""The right answers, to 50 digits and more; of sampled training to 30.

Nothing here is shared with what answers: no tool, and nothing of this package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipbook.runs.other_tools.questions import Question

__all__ = ["DIGITS", "answer", "gaussian_advantage", "gaussian_delta"]

DIGITS = 50
# Probabilities as small as 1e-300 stand beside 1.
_WORKING = 70


def _mp() -> Any:
    from mpmath import mp

    return mp


def gaussian_delta(epsilon: Any, sigma: Any) -> Any:
    """Return delta of a Gaussian mechanism, at the precision that mpmath is set to.

    Examples
    --------
    >>> round(float(gaussian_delta(1.0, 1.0)), 6)
    0.126937
    """
    mp = _mp()
    mu = 1 / mp.mpf(sigma)
    far = mp.erfc((epsilon / mu - mu / 2) / mp.sqrt(2)) / 2
    return far - mp.exp(epsilon) * mp.erfc((epsilon / mu + mu / 2) / mp.sqrt(2)) / 2


def gaussian_advantage(sigma: Any) -> Any:
    """Return the advantage over a Gaussian mechanism.

    Examples
    --------
    >>> round(float(gaussian_advantage(1.0)), 6)
    0.382925
    """
    mp = _mp()
    return mp.erf(1 / (mp.mpf(sigma) * mp.sqrt(8)))


def _crossing(falling: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return where a falling function is 0: halved to two digits, then by the secant."""
    mp = _mp()
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return mp.findroot(falling, (low, high), solver="anderson", tol=mp.mpf(10) ** (-2 * DIGITS - 5))


def _sigma(epsilon: Any, delta: Any) -> Any:
    """Solve for the logarithm of delta, from a sigma that is enough by Gaussian tails."""
    mp = _mp()
    goal, tail = mp.log(delta), mp.sqrt(-2 * mp.log(delta))
    high = 1 / (2 * delta)
    if epsilon > 0:
        high = min(high, 1 / (mp.sqrt(tail**2 + 2 * epsilon) - tail))
    low = high
    while gaussian_delta(epsilon, low) <= delta:
        low /= 2
    return _crossing(lambda s: mp.log(gaussian_delta(epsilon, s)) - goal, low, high)


def _laplace_delta(scale: Any, times: int, epsilon: Any) -> Any:
    r"""Sum over how many of the losses lie at either end; the rest are tilted uniform.

    A loss is :math:`\pm e` with chances 1/2 and exp(-e)/2, else has density
    exp(l/2) exp(-e/2)/4 on (-e, e): m of them sum to an Irwin-Hall density, tilted.
    """
    mp = _mp()
    edge = 1 / scale
    total = mp.mpf(0)
    for up in range(times + 1):
        for down in range(times - up + 1):
            middle = times - up - down
            chance = mp.factorial(times) / mp.factorial(up) / mp.factorial(down)
            chance *= mp.mpf(2) ** (-up - down) * mp.exp(-edge * down)
            start = epsilon - (up - down) * edge
            if middle == 0:
                total += chance * max(1 - mp.exp(start), 0)
                continue
            chance *= (mp.exp(-edge / 2) / 4) ** middle / mp.factorial(middle)
            total += chance * _tilted(middle, edge, start)
    return total


def _tilted(count: int, edge: Any, start: Any) -> Any:
    """Integrate exp(l/2) (1 - exp(start - l)) over the sum of so many from (-edge, edge)."""
    mp = _mp()
    top, found = count * edge, mp.mpf(0)
    for j in range(count + 1):
        knot = (2 * j - count) * edge
        low = max(start, knot)
        if low >= top:
            break
        half = mp.mpf(1) / 2
        rising = _powers(count - 1, knot, low, top, half)
        falling = _powers(count - 1, knot, low, top, -half) * mp.exp(start)
        sign = mp.mpf(-1) ** j * mp.binomial(count, j) / mp.factorial(count - 1)
        found += sign * (rising - falling)
    return found


def _powers(power: int, knot: Any, low: Any, high: Any, rate: Any) -> Any:
    """Integrate (l - knot)^power exp(rate l) from low to high."""
    mp = _mp()

    def primitive(at: Any) -> Any:
        terms = [
            (-1) ** r * mp.ff(power, r) * (at - knot) ** (power - r) / rate ** (r + 1)
            for r in range(power + 1)
        ]
        return mp.exp(rate * at) * mp.fsum(terms)

    return primitive(high) - primitive(low)


def _pure_delta(epsilon: Any, times: int, at: Any) -> Any:
    mp = _mp()
    heads, tails = mp.exp(epsilon), mp.mpf(1)
    told = [
        mp.binomial(times, j) * (heads**j * tails - mp.exp(at) * heads ** (times - j))
        for j in range(times + 1)
        if (2 * j - times) * epsilon > at
    ]
    return mp.fsum(told) / (1 + heads) ** times


def _at_delta(curve: Callable[[Any], Any], delta: Any, high: Any) -> Any:
    mp = _mp()
    return _crossing(lambda e: mp.log(curve(e)) - mp.log(delta), mp.mpf(0), mp.mpf(high))


def answer(question: Question) -> str:
    """Return the right answer, written out.

    Parameters
    ----------
    question : Question
        Any of the questions that the tools are asked.

    Examples
    --------
    >>> from mipbook.runs.other_tools.questions import Question
    >>> answer(Question("gaussian_advantage", {"mu": 1.0}))[:12]
    '0.3829249225'
    """
    from studies import truth as curves

    mp = _mp()
    with mp.workdps(_WORKING):
        given = {k: v if isinstance(v, int) else mp.mpf(v) for k, v in question.inputs.items()}
        solvers: dict[str, Any] = {
            "sigma": _sigma,
            "training": curves.training_epsilon,
            "training_advantage": curves.training_advantage,
            "laplace_delta": _laplace_delta,
            "laplace_epsilon": lambda delta, **k: _at_delta(
                lambda e: _laplace_delta(epsilon=e, **k), delta, k["times"] / k["scale"] * 0.999999
            ),
            "pure": lambda epsilon, times, delta: _at_delta(
                lambda e: _pure_delta(epsilon, times, e), delta, epsilon * times * 0.999999
            ),
            "concentrated": curves.concentrated_epsilon,
            "promise_advantage": lambda epsilon, delta: delta + (1 - delta) * mp.tanh(epsilon / 2),
            "gaussian_advantage": lambda mu: gaussian_advantage(1 / mu),
            "concentrated_advantage": curves.concentrated_advantage,
            "concentrated_tpr": curves.concentrated_tpr,
        }
        found = solvers[question.family](**given)
        return str(mp.nstr(found, 30 if question.family.startswith("training") else DIGITS))
