"""What the width of the noise tells: in many digits, by chances of chi-square, and drawn."""

import numpy as np
import pytest
from mpmath import exp as mpexp
from mpmath import expm1, log, loggamma, mp, mpf, quad, sinh, sqrt
from scipy.stats import chi2
from shared import refused

from mipbook import dpsgd


def slowly(n, numbers):
    with mp.workdps(40):
        a, wide = mpf(numbers) / 2, -log(1 - mpf(1) / n)
        middle = log(wide / sinh(wide))
        far = 40 / sqrt(a) if a > 100 else mpf(2)
        low, high = max(middle - wide, -far), min(middle + wide, far)
        ends = [low + (high - low) * i / 16 for i in range(17)]
        inside = quad(lambda u: mpexp(a * (u - expm1(u))), ends)
        return float(mpexp(a * log(a) - a - loggamma(a)) * inside)


@pytest.mark.parametrize(
    ("n", "numbers"),
    [
        (2, 1), (2, 10), (10, 3), (200, 10**5), (10**4, 10**4), (10**4, 401), (10**4, 399),
        (60_000, 14_062 * 10**5), (60_000, 14_062 * 10**6), (10**7, 7e9), (10**9, 1e6),
        (10**9, 1e20), (10**12, 1e12), (10**15, 1e28), (2, 1e6), (100, 4e4),
    ],
)  # fmt: skip
def test_every_digit(n, numbers):
    assert dpsgd.divisor_advantage(n, numbers) == pytest.approx(slowly(n, numbers), rel=5e-15)


@pytest.mark.parametrize(("n", "numbers"), [(2, 4), (5, 30), (40, 900)])
def test_it_is_the_total_variation_of_two_sums_of_squares(n, numbers):
    # Under N(0, 1) and under the width of one record less.
    ratio = n / (n - 1)
    x = np.linspace(0, 12 * numbers * ratio**2, 2_000_001)
    gap = np.abs(chi2.pdf(x, numbers) - chi2.pdf(x / ratio**2, numbers) / ratio**2)
    assert dpsgd.divisor_advantage(n, numbers) == pytest.approx(gap.sum() * (x[1] - x[0]) / 2, rel=1e-4)


def test_it_broadcasts_and_bad_input_is_named():
    found = dpsgd.divisor_advantage([[10], [100]], [1, 100, 10**4])
    assert found.shape == (2, 3)
    assert (np.diff(found, axis=1) > 0).all()
    assert (np.diff(found, axis=0) < 0).all()
    for n, numbers, name in ((1, 10, "n"), (10, 0, "numbers"), (np.nan, 10, "n")):
        refused(rf"\b{name}\b", dpsgd.divisor_advantage, n, numbers)
