"""Write mis_reference.json: values of mipbook.mis at 50 digits, far from balance too.

Run ``python tools/make_mis_reference.py``; it takes a few minutes.  Only mpmath is
used, never the code under test.  The mean of n normal records and a record are d pairs with
correlation 1/sqrt(n): given a length of the record their log likelihood ratio is normal, and
without it a Bessel law.  Theorem 14 is summed term by term.
"""

import json
from pathlib import Path

from mpmath import mp, mpf

TARGET = Path(__file__).parents[1] / "tests" / "data" / "mis_reference.json"
DIGITS = 50

GAUSSIAN = [
    *((n, d, nu) for n in (2, 5, 1000) for d in (1, 2, 7) for nu in (0.5, 0.4, 0.6, 0.1, 0.9)),
    *((5, 2, nu) for nu in (1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-100, 1 - 1e-6, 1 - 1e-12)),
    *((1000, 3, nu) for nu in (0.49, 0.51, 1e-3, 0.999)),
    *((10**6, 1, nu) for nu in (0.5, 0.4999, 0.501)),
    *((10**12, 2, nu) for nu in (0.5, 0.4999999, 0.50001)),
    *((10**4, 10**4, nu) for nu in (0.5, 0.1, 1e-6)),
    *((100, 1000, nu) for nu in (0.5, 0.9, 1e-9, 1 - 1e-9)),
    (2, 50, 0.5),
    (3, 50, 1e-9),
]
LAWS = {
    "coin": [0.5, 0.5],
    "three": [0.5, 0.3, 0.2],
    "rare": [1e-9, 1e-3, 1 - 1e-9 - 1e-3],
    "five": [0.5, 0.25, 0.125, 0.0625, 0.0625],
}
MIXES = (
    *(0.5, 0.49, 0.51, 0.4, 0.6, 0.1, 0.9, 1e-3, 0.999, 1e-6, 1 - 1e-6, 1e-9),
    *(1e-12, 1e-14, 1e-16, 1e-17, 1e-100, 1 - 1e-9, 1 - 1e-12),
)
SIZES = (1, 2, 5, 30, 1000)


def bar_of(n, d, nu):
    """Return gamma, and the log ratio less its constant at which the attack turns."""
    gamma = mpf(nu) / (1 - mpf(nu))
    return gamma, mp.log(gamma) + mpf(d) / 2 * mp.log(1 - mpf(1) / n)


def gaussian(n, d, nu):
    """Return Delta of the mean: the normal laws given the length r, averaged over r."""
    gamma, bar = bar_of(n, d, nu)
    k, sign, scale = mpf(d) / 2, 1 if gamma >= 1 else -1, max(mpf(1), 1 / gamma)

    def part(r):
        w = r / mp.sqrt(n)
        near, far = mp.ncdf(-sign * bar / w), mp.exp(bar + w * w / 2)
        gain = sign * (near - far * mp.ncdf(-sign * bar / w - sign * w))
        weight = mp.exp((d - 1) * mp.log(r) - r * r / 2 - (k - 1) * mp.log(2) - mp.loggamma(k))
        return scale * gain * weight

    # Pieces around the top, and at the length where the bar is one standard deviation away.
    top = max((mpf(j) / 2 for j in range(1, 4 * int(mp.sqrt(d)) + 120)), key=part)
    turn = abs(bar) * mp.sqrt(n)
    ends = [turn / 30, turn / 4, turn, 4 * turn, *(top + mpf(s) / 2 for s in range(-26, 27))]
    ends = [mpf(10) ** -30, *sorted(e for e in ends if 0 < e <= top + 13)]
    return mp.quad(part, ends, method="gauss-legendre", maxdegree=5)


def by_bessel(n, d, nu):
    """Return the same in another way: the law of the log ratio is a Bessel law."""
    (gamma, bar), k, root = bar_of(n, d, nu), mpf(d) / 2, mp.sqrt(n)
    factor = mp.exp(k * mp.log(n) - mp.loggamma(k)) / mp.sqrt(mp.pi)

    def law(x):
        at = abs(x)
        return factor * (at / (2 * root)) ** (k - 0.5) * mp.besselk(k - 0.5, root * at)

    if gamma >= 1:
        integrand, low = lambda x: law(x) * -mp.expm1(bar - x), bar
    else:
        integrand, low = lambda x: law(x) * mp.expm1(bar + x) / gamma, -bar
    ends = {low, low + 2 * d / root, low + 20 * d / root, low + 200 * d / root}
    return mp.quad(integrand, sorted({*ends, *([mpf(0)] if low < 0 else [])}))


def in_the_plane(n, nu):
    """Return the same for d = 2 and nu below a half, where the Bessel law is exponential."""
    (gamma, bar), root = bar_of(n, 2, nu), mp.sqrt(n)
    return mp.exp(root * bar) * (root / (root - 1) - 1) / (2 * gamma)


def worst_case(law, n, nu):
    """Return Theorem 14's maximum by summing over the counts."""
    gamma = mpf(nu) / (1 - mpf(nu))
    total = mpf(0)
    for p in map(mpf, law):
        for k in range(n + 1):
            gap = mpf(k) / n - gamma * p
            if (gap > 0) == (gamma >= 1):
                total += abs(gap) * mp.binomial(n, k) * p**k * (1 - p) ** (n - k)
    return total / min(mpf(1), gamma)


def main():
    """Compute every value and write the file."""
    mp.dps = 20
    for case in ((5, 7, 0.5), (5, 7, 1e-6)):
        assert mp.almosteq(gaussian(*case), by_bessel(*case), rel_eps=mpf(10) ** -15)
    mp.dps = DIGITS
    for n, nu in ((5, 1e-6), (5, 1e-100), (10**6, 0.4999)):
        assert mp.almosteq(gaussian(n, 2, nu), in_the_plane(n, nu), rel_eps=mpf(10) ** -14)
    found = {
        "gaussian_mean": [[*case, mp.nstr(gaussian(*case), 25)] for case in GAUSSIAN],
        "laws": LAWS,
        "worst_case": [
            [name, n, nu, mp.nstr(worst_case(law, n, nu), 25)]
            for name, law in LAWS.items()
            for n in SIZES
            for nu in MIXES
        ],
    }
    TARGET.write_text(json.dumps(found).replace("], [", "],\n[") + "\n")


if __name__ == "__main__":
    main()
