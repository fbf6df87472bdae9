"""The cost of clipping, against quadrature and values found elsewhere."""

import numpy as np
import pytest
from mpmath import exp as mpexp
from mpmath import expm1, log, loggamma, mp, mpf, sinh, sqrt
from scipy.integrate import quad

from mipbook.dpsgd import (
    best_pareto_clip,
    best_sample_clip,
    divisor_advantage,
    pareto_clip_error,
    pareto_clip_guess,
    sample_clip_error,
)

# Elsewhere: alpha, n, sigma, the best clip, its error, its approximation.
KNOWN = [
    (1.5, 100, 4.0, 10.295209435926703, 0.7745805118566096, 10.772173450159418),
    (1.5, 10000, 4.0, 218.98397682128964, 0.1753206248099757, 232.07944168063887),
    (2.5, 1000, 1.0, 11.937303613478969, 0.03901136865865595, 14.614425516219256),
    (3.0, 100, 1.0, 3.60798592097032, 0.07662463658018297, 4.135185542000137),
    (3.0, 10000, 1.0, 15.701372733697864, 0.008333601218114309, 19.193831036664843),
    (3.0, 10000, 4.0, 11.48955706639403, 0.00970542058526745, 12.091355875609784),
]


@pytest.mark.parametrize(("alpha", "n", "sigma", "clip", "error", "guess"), KNOWN)
def test_the_best_clip_is_what_it_was_elsewhere(alpha, n, sigma, clip, error, guess):
    assert best_pareto_clip(n, sigma, alpha) == pytest.approx(clip, rel=1e-6)
    assert pareto_clip_error(clip, n, sigma, alpha).rmse == pytest.approx(error, rel=1e-9)
    assert pareto_clip_guess(n, sigma, alpha) == pytest.approx(guess, rel=1e-12)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 2.0 + 1e-9, 4.0])
@pytest.mark.parametrize("clip", [0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("sampling", [1.0, 0.1])
def test_the_parts_are_those_of_quadrature(alpha, clip, sampling):
    first = quad(lambda g: 1.0 if g < 1 else g**-alpha, 0, clip, points=[1.0], limit=200)[0]
    second = quad(lambda g: 2 * g * (1.0 if g < 1 else g**-alpha), 0, clip, points=[1.0])[0]
    found = pareto_clip_error(clip, 500, 1.5, alpha, sampling)
    batch = 500 * sampling
    assert found.bias == pytest.approx(first - alpha / (alpha - 1), rel=1e-7)
    assert found.spread**2 == pytest.approx((second - sampling * first**2) / batch, abs=1e-8)
    assert found.noise == pytest.approx(1.5 * clip / batch)
    assert found.rmse**2 == pytest.approx(found.bias**2 + found.spread**2 + found.noise**2)


def test_few_norms_have_their_best_clip_too():
    norms, best = [1.0, 2.0, 9.0], best_sample_clip(100, 1.0, [1.0, 2.0, 9.0])
    grid = np.linspace(0.1, 12, 2000)
    errors = [sample_clip_error(c, 100, 1.0, norms).rmse for c in grid]
    assert sample_clip_error(best, 100, 1.0, norms).rmse <= min(errors)
    assert grid[int(np.argmin(errors))] == pytest.approx(best, abs=0.01)


def slowly(n, numbers):
    with mp.workdps(40):
        a, wide = mpf(numbers) / 2, -log(1 - mpf(1) / n)
        middle = log(wide / sinh(wide))
        far = 40 / sqrt(a) if a > 100 else mpf(2)
        low, high = max(middle - wide, -far), min(middle + wide, far)
        ends = [low + (high - low) * i / 16 for i in range(17)]
        inside = mp.quad(lambda u: mpexp(a * (u - expm1(u))), ends)
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
    assert divisor_advantage([[n], [n]], numbers) == pytest.approx(slowly(n, numbers), rel=5e-15)
