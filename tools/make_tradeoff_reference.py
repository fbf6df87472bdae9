"""Write tradeoff_reference.json: values of mipbook.tradeoff at 60 digits.

Run ``python tools/make_tradeoff_reference.py``; it takes about a minute.  Only
mpmath is used, never the code under test: the definitions are evaluated as they
stand in the papers, with as many extra digits as their differences cancel, and the
inverses are found by bisection.
"""

import json
import math
import random
from pathlib import Path

from mpmath import mp, mpf

TARGET = Path(__file__).parents[1] / "tests" / "data" / "tradeoff_reference.json"
DIGITS = 60

EPSILONS = [0, 1e-12, 1e-7, 1e-3, 0.1, 0.5, 1, 3, 10, 50, 300, 709.0, 710.0, 1e3, 1e4, 1e5]
DELTAS = [1e-300, 1e-200, 1e-80, 1e-30, 1e-15, 1e-9, 1e-5, 1e-3, 0.03, 0.2, 0.5, 0.8, 0.99]
SIGMAS = [2.3e-3, 0.01, 0.07, 0.3, 0.5, 1, 2, 7, 40, 1e3, 1e6, 1e40, 1e150]
RATES = [5e-324, 1e-300, 1e-100, 1e-20, 1e-8, 0.001, 0.2, 0.5, 0.9, 1 - 2**-40]


def digits_for(epsilon: float, sigma: float, sensitivity: float) -> int:
    """Return the digits that leave 60 after the cancellation in delta."""
    mu = mpf(sensitivity) / mpf(sigma)
    small = max(0, -int(mp.log10(mu)))
    return DIGITS + 20 + 4 * small + int(math.log10(1 + float(epsilon)))


def delta(epsilon, sigma, sensitivity=1.0):
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), at exactly these inputs."""
    with mp.workdps(digits_for(epsilon, sigma, sensitivity)):
        mu = mpf(sensitivity) / mpf(sigma)
        c, root = mpf(epsilon) / mu, mp.sqrt(2)
        first = mp.erfc((c - mu / 2) / root)
        second = mp.exp(mpf(epsilon)) * mp.erfc((c + mu / 2) / root)
        return (first - second) / 2


def bisect(too_low, low, high):
    """Return the positive root between low and high to 35 digits, by halving its logarithm."""
    with mp.workdps(DIGITS):
        low, high = mp.log(low), mp.log(high)
        while high - low > mpf(10) ** -35 * max(1, abs(low)):
            middle = (low + high) / 2
            if too_low(mp.exp(middle)):
                low = middle
            else:
                high = middle
        return mp.exp((low + high) / 2)


def sigma_for(epsilon, target, sensitivity=1.0):
    """Return the smallest sigma."""
    low, high = mpf(sensitivity) / 10**4, mpf(sensitivity)
    while delta(epsilon, high, sensitivity) > target:
        low, high = high, high * 100
    while delta(epsilon, low, sensitivity) <= target:
        low, high = low / 100, low
    return bisect(lambda s: delta(epsilon, s, sensitivity) > target, low, high)


def epsilon_for(target, sigma, sensitivity=1.0):
    """Return the smallest epsilon."""
    if delta(0, sigma, sensitivity) <= target:
        return mpf(0)
    mu = mpf(sensitivity) / mpf(sigma)
    low = high = mu * mu / 2 + mu
    while delta(high, sigma, sensitivity) > target:
        low, high = high, 2 * high
    while delta(low, sigma, sensitivity) <= target:
        low, high = low / 100, low
    return bisect(lambda e: delta(e, sigma, sensitivity) > target, low, high)


def threshold(rate, sigma, sensitivity):
    """Return Phi^-1(rate) + mu by Newton on log Phi."""
    r = mpf(rate) if rate < 0.5 else 1 - mpf(rate)
    z = -mp.sqrt(max(0, -2 * mp.log(2 * r)))
    for _ in range(200):
        p = mp.erfc(-z / mp.sqrt(2)) / 2
        step = mp.log(p / r) * p / mp.npdf(z)
        z -= step
        if abs(step) < mpf(10) ** -(DIGITS + 5):
            break
    return (z if rate < 0.5 else -z) + mpf(sensitivity) / mpf(sigma)


def tpr(rate, sigma, sensitivity=1.0):
    """Return Phi(Phi^-1(rate) + mu)."""
    return mp.erfc(-threshold(rate, sigma, sensitivity) / mp.sqrt(2)) / 2


def dp_tpr(rate, epsilon, delta_):
    """Return the published minimum of three, at 400 digits."""
    with mp.workdps(400):
        x, e, d = mpf(rate), mp.exp(mpf(epsilon)), mpf(delta_)
        return max(x, min(1, d + e * x, 1 - (1 - d - x) / e))


def dp_accuracy(epsilon, delta_):
    """Return delta + (1 - delta) / (1 + e^-eps)."""
    e, d = mp.exp(-mpf(epsilon)), mpf(delta_)
    return d + (1 - d) / (1 + e)


def show(value) -> str:
    """Print enough digits to tell errors of 1e-12 exactly."""
    return mp.nstr(value, 20, strip_zeros=False, min_fixed=0, max_fixed=0)


def main() -> None:
    """Compute and write all tables; every input is a double and printed exactly."""
    mp.dps = DIGITS
    draw = random.Random(20240607)
    tables: dict[str, list] = {}

    inputs = [(e, d, 1.0) for e in EPSILONS for d in DELTAS]
    for _ in range(90):
        e, d = 10 ** draw.uniform(-6, 5), 10 ** -(10 ** draw.uniform(-2.3, 2.47))
        inputs.append((float(f"{e:.4g}"), float(f"{d:.4g}"), float(f"{10 ** draw.uniform(-3, 3):.3g}")))
    tables["gaussian_sigma"] = [[e, d, s, show(sigma_for(e, d, s))] for e, d, s in inputs]

    # delta at the doubles next to those sigma, so that every magnitude of delta occurs.
    forward = [(e, float(v), s) for e, d, s, v in tables["gaussian_sigma"]]
    forward += [(0.0, s, 1.0) for s in SIGMAS] + [
        (e, 10.0**k, 1.0) for e in (1e-9, 1e-4, 0.2) for k in (-1, 0, 1, 3, 8)
    ]
    tables["gaussian_delta"] = [
        [e, g, s, show(v)] for e, g, s in forward if (v := delta(e, g, s)) >= mpf("1e-300")
    ]

    inverse = [(d, g, 1.0) for g in SIGMAS for d in DELTAS]
    # Close to the total variation distance epsilon is a small difference.
    for g in (0.2, 0.5, 1.0, 3.0, 50.0, 1e8):
        total = float(delta(0, g))
        inverse += [(total * (1 - 10.0**-k), g, 1.0) for k in (1, 3, 6, 10, 14)]
        inverse.append((math.nextafter(total, 0.0), g, 1.0))
    for _ in range(90):
        g = float(f"{10 ** draw.uniform(-2.3, 6):.4g}")
        d = float(f"{10 ** -(10 ** draw.uniform(-2.3, 2.47)):.4g}")
        inverse.append((d, g, float(f"{10 ** draw.uniform(-0.3, 0.3):.3g}")))
    tables["gaussian_epsilon"] = [[d, g, s, show(epsilon_for(d, g, s))] for d, g, s in inverse]

    rates = [(x, g, 1.0) for x in RATES for g in (0.03, 0.4, 1.0, 11.0, 1e9)]
    tables["gaussian_tpr"] = [[*r, show(tpr(*r))] for r in rates]
    tables["gaussian_advantage"] = [[g, 1.0, show(delta(0, g))] for g in SIGMAS]
    bounds = [
        (x, e, d)
        for x in (0.0, 1e-300, 1e-9, 0.3, 0.999)
        for e in (0.0, 1e-17, 1e-3, 1.0, 690.0, 1e5)
        for d in (0.0, 1e-12, 0.4)
    ]
    tables["dp_tpr"] = [[*b, show(dp_tpr(*b))] for b in bounds]
    tables["dp_accuracy"] = [
        [e, d, show(dp_accuracy(e, d))] for e in EPSILONS for d in (0.0, 1e-9, 0.3, 0.99)
    ]
    lines = [f'"{k}": [\n' + ",\n".join(map(json.dumps, v)) + "\n]" for k, v in tables.items()]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
