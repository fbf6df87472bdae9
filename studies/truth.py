"""The right answers, to 50 digits and more; of sampled training to 30.

Nothing here is shared with what answers: no tool, and nothing of this package.
"""

import math
from collections.abc import Callable
from typing import Any

from mpmath import mp

from mipbook.stored.tools import Question

DIGITS = 50
# Probabilities as small as 1e-300 stand beside 1.
_WORKING = 70


def gaussian_delta(epsilon: Any, sigma: Any) -> Any:
    """Return delta of a Gaussian mechanism, at the precision that mpmath is set to.

    Examples
    --------
    >>> round(float(gaussian_delta(1.0, 1.0)), 6)
    0.126937
    """
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
    return mp.erf(1 / (mp.mpf(sigma) * mp.sqrt(8)))


def _crossing(falling: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return where a falling function is 0: halved to two digits, then by the secant."""
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return mp.findroot(falling, (low, high), solver="anderson", tol=mp.mpf(10) ** (-2 * DIGITS - 5))


def _sigma(epsilon: Any, delta: Any) -> Any:
    """Solve for the logarithm of delta, from a sigma that is enough by Gaussian tails."""
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

    def primitive(at: Any) -> Any:
        terms = [
            (-1) ** r * mp.ff(power, r) * (at - knot) ** (power - r) / rate ** (r + 1)
            for r in range(power + 1)
        ]
        return mp.exp(rate * at) * mp.fsum(terms)

    return primitive(high) - primitive(low)


def _pure_delta(epsilon: Any, times: int, at: Any) -> Any:
    heads, tails = mp.exp(epsilon), mp.mpf(1)
    told = [
        mp.binomial(times, j) * (heads**j * tails - mp.exp(at) * heads ** (times - j))
        for j in range(times + 1)
        if (2 * j - times) * epsilon > at
    ]
    return mp.fsum(told) / (1 + heads) ** times


def _at_delta(curve: Callable[[Any], Any], delta: Any, high: Any) -> Any:
    return _crossing(lambda e: mp.log(curve(e)) - mp.log(delta), mp.mpf(0), mp.mpf(high))


def answer(question: Question) -> str:
    """Return the right answer, written out.

    Parameters
    ----------
    question : Question
        Any of the questions that the tools are asked.

    Examples
    --------
    >>> from mipbook.stored.tools import Question
    >>> answer(Question("gaussian_advantage", {"mu": 1.0}))[:12]
    '0.3829249225'
    """
    with mp.workdps(_WORKING):
        given = {k: v if isinstance(v, int) else mp.mpf(v) for k, v in question.inputs.items()}
        solvers: dict[str, Any] = {
            "sigma": _sigma,
            "training": training_epsilon,
            "training_advantage": training_advantage,
            "laplace_delta": _laplace_delta,
            "laplace_epsilon": lambda delta, **k: _at_delta(
                lambda e: _laplace_delta(epsilon=e, **k), delta, k["times"] / k["scale"] * 0.999999
            ),
            "pure": lambda epsilon, times, delta: _at_delta(
                lambda e: _pure_delta(epsilon, times, e), delta, epsilon * times * 0.999999
            ),
            "concentrated": concentrated_epsilon,
            "promise_advantage": lambda epsilon, delta: delta + (1 - delta) * mp.tanh(epsilon / 2),
            "gaussian_advantage": lambda mu: gaussian_advantage(1 / mu),
            "concentrated_advantage": concentrated_advantage,
            "concentrated_tpr": concentrated_tpr,
        }
        found = solvers[question.family](**given)
        return str(mp.nstr(found, 30 if question.family.startswith("training") else DIGITS))


class _Losses:
    r"""The losses of one step of sampled training, as nodes and weights of the trapezoidal rule.

    delta is :math:`\frac1{2\pi i}\int M(s)^T e^{-s\epsilon}/(s(s+1)) ds` along a vertical line to
    the right of 0, M the mean of exp(s loss).  The integrands are analytic in strips, so equal
    steps converge faster than any power.
    """

    def __init__(self, sigma: Any, sampling: Any, steps: int, *, removed: bool, fine: int = 1):
        self.steps, self.fine = steps, fine
        # Singular at a distance of pi sigma^2 from the axis; the sum turns by at most pi t there.
        step = min(sigma / 4, mp.pi * sigma**2 / 40) / fine
        reach = 17 * sigma
        count = int((2 * reach + 16) / step)
        self.nodes = []
        for i in range(count):
            x = -reach + step * i
            ratio = mp.log(1 - sampling + sampling * mp.exp((2 * x - 1) / (2 * sigma**2)))
            base = step * mp.npdf(x, 0, sigma)
            self.nodes.append((ratio, base * mp.exp(ratio)) if removed else (-ratio, base))

    def saddle(self, epsilon: Any) -> tuple[Any, Any]:
        """Return where the integrand is least on the real axis, and its curvature there."""
        pairs = [(float(x), float(mp.log(weight))) for x, weight in self.nodes]

        def height(c: float) -> float:
            top = max(c * x + w for x, w in pairs)
            mean = math.log(math.fsum(math.exp(c * x + w - top) for x, w in pairs)) + top
            return self.steps * mean - c * float(epsilon) - math.log(c * (c + 1))

        low, high = 1e-3, 100.0
        for _ in range(60):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, b) if height(a) < height(b) else (a, high)
        curve = (height(low * 1.01) - 2 * height(low) + height(low * 0.99)) / (0.01 * low) ** 2
        return mp.mpf(low), mp.mpf(max(curve, 1e-6))

    def line(self, epsilon: Any) -> list[tuple[Any, Any]]:
        """Return the points s on the line, with M(s)^T over s(s+1), for any epsilon near."""
        at, curve = self.saddle(epsilon)
        sizes = [weight * mp.exp(at * loss) for loss, weight in self.nodes]
        least = max(sizes) * mp.mpf(10) ** -40  # what is less is lost at any height
        kept = [node for node, size in zip(self.nodes, sizes, strict=True) if size > least]
        step = min(at * mp.mpf(2) / 25, mp.sqrt(2 / curve) / 3) / self.fine
        found: list[tuple[Any, Any]] = []
        first = None
        for i in range(4000 * self.fine):
            s = at + 1j * step * i
            mean = mp.fsum(weight * mp.exp(s * loss) for loss, weight in kept)
            value = step * mp.exp(self.steps * mp.log(mean)) / (s * (s + 1))
            found.append((s, value if i else value / 2))
            first = first or abs(value)
            if abs(value) < first * mp.mpf(10) ** -42:
                break
        return found

    @staticmethod
    def delta(line: list[tuple[Any, Any]], epsilon: Any) -> Any:
        return mp.fsum(mp.re(value * mp.exp(-s * epsilon)) for s, value in line) / mp.pi


def training_advantage(sigma: Any, sampling: Any, steps: int, fine: int = 1) -> Any:
    """Return the advantage over training, which is delta at 0, the same in both directions."""
    with mp.workdps(45):
        losses = _Losses(sigma, sampling, steps, removed=False, fine=fine)
        return losses.delta(losses.line(mp.mpf(0)), mp.mpf(0))


def training_epsilon(sigma: Any, sampling: Any, steps: int, delta: Any, fine: int = 1) -> Any:
    """Return epsilon at a delta, of the direction that asks for more: a record removed."""
    with mp.workdps(45):
        losses = _Losses(sigma, sampling, steps, removed=True, fine=fine)
        found = mp.mpf(1)
        for _ in range(2):  # a line serves for every epsilon near; follow the root
            line = losses.line(found)
            told = lambda e, line=line: mp.log(losses.delta(line, e) / delta)  # noqa: E731
            found = mp.findroot(told, (found, found * mp.mpf("1.1")), solver="secant")
        added = _Losses(sigma, sampling, steps, removed=False, fine=fine)
        if added.delta(added.line(found), found) > delta:
            raise ArithmeticError("a record added asks for more epsilon than one removed")
        return found


def _excess(order: float, p: float, q: float) -> float:
    """Return two coins' Rényi divergence over the order, in machine numbers."""
    if order - 1 < 1e-9:
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    heads = order * math.log(p) + (1 - order) * math.log(q)
    tails = order * math.log1p(-p) + (1 - order) * math.log1p(-q)
    most = max(heads, tails)
    both = most + math.log(math.exp(heads - most) + math.exp(tails - most))
    return both / (order - 1) / order


def _binding(p: float, q: float) -> tuple[float, float, bool]:
    """Return the largest excess over the orders, the order, and whether p comes first."""
    orders = [1.0, *(1 + math.exp(t / 8) for t in range(-80, 90))]
    there = [(_excess(order, p, q), order, True) for order in orders]
    back = [(_excess(order, q, p), order, False) for order in orders]
    return max(there + back)


def concentrated_advantage(rho: Any) -> Any:
    """Return the largest advantage that a promise of rho-zCDP allows."""
    edge = mp.findroot(lambda e: e * mp.tanh(e / 2) - rho, mp.sqrt(2 * rho) + rho)
    return mp.tanh(edge / 2)


def concentrated_tpr(rho: Any, fpr: Any) -> Any:
    """Return the largest true positive rate that a promise of rho-zCDP allows.

    Machine numbers find which order binds; then rate and order solve two equations.
    """
    low, high = float(fpr), min(float(fpr + concentrated_advantage(rho)), 1 - 1e-12)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _binding(middle, float(fpr))[0] > rho else (middle, high)
    _, order, there = _binding(low, float(fpr))
    at_one = order < 1 + 1e-4

    def height(t: Any, a: Any) -> Any:
        p, q = (t, fpr) if there else (fpr, t)
        if at_one:
            return p * mp.log(p / q) + (1 - p) * mp.log((1 - p) / (1 - q)) - rho
        both = p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)
        return mp.log(both) - (a - 1) * a * rho

    def slope(t: Any, a: Any) -> Any:
        p, q = (t, fpr) if there else (fpr, t)
        heads, tails = p**a * q ** (1 - a), (1 - p) ** a * (1 - q) ** (1 - a)
        turned = heads * mp.log(p / q) + tails * mp.log((1 - p) / (1 - q))
        return turned / (heads + tails) - rho * (2 * a - 1)

    small = mp.mpf(10) ** -100
    if at_one:
        return mp.findroot(lambda t: height(t, 1), (low, low * (1 + 1e-9)), tol=small)
    both = lambda t, a: [height(t, a), slope(t, a)]  # noqa: E731
    return mp.findroot(both, (mp.mpf(low), mp.mpf(order)), tol=small, maxsteps=60)[0]


def concentrated_epsilon(rho: Any, delta: Any) -> Any:
    """Return epsilon at a delta, sharp for the promise: where a line touches the region.

    Four unknowns: the two rates, the order that binds them, and epsilon.
    """
    order = 1 + mp.sqrt(mp.log(1 / delta) / rho)
    epsilon = rho * order + mp.log(1 / (delta * order)) / (order - 1) + mp.log(1 - 1 / order)
    tpr, fpr = order * delta, (order - 1) * delta * mp.exp(-epsilon)

    def height(t: Any, x: Any, a: Any) -> Any:
        return mp.log(t**a * x ** (1 - a) + (1 - t) ** a * (1 - x) ** (1 - a)) - (a - 1) * rho * a

    def system(t: Any, x: Any, a: Any, e: Any) -> list[Any]:
        t, x = mp.exp(t), mp.exp(x)
        mass = t**a * x ** (1 - a) + (1 - t) ** a * (1 - x) ** (1 - a)
        by_t = a * ((t / x) ** (a - 1) - ((1 - t) / (1 - x)) ** (a - 1)) / mass
        by_x = (1 - a) * ((t / x) ** a - ((1 - t) / (1 - x)) ** a) / mass
        heads, tails = t**a * x ** (1 - a), (1 - t) ** a * (1 - x) ** (1 - a)
        by_a = heads * mp.log(t / x) + tails * mp.log((1 - t) / (1 - x))
        return [
            height(t, x, a),
            by_a / mass - rho * (2 * a - 1),
            by_x / by_t + mp.exp(e),
            mp.log((t - mp.exp(e) * x) / delta),
        ]

    start = (mp.log(tpr), mp.log(fpr), order, epsilon)
    return mp.findroot(system, start, tol=mp.mpf(10) ** -100, maxsteps=60)[3]
