"""What guesses about canaries prove, against linear programs, enumeration and other binomials."""

import itertools
import math

import numpy as np
import pytest
from canary_programs import over_counts
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from shared import refused

from mipbook import audit
from mipbook.audit.canary_bounds import tail
from mipbook.audit.canary_gaussian import excess


@pytest.mark.parametrize(("guesses", "canaries"), [(5, 5), (12, 40), (30, 30)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-3), (2.0, 1e-2), (1.0, 0.0)])
def test_sharp_is_the_best_by_counts(guesses, canaries, epsilon, delta):
    for right in range(1, guesses + 1, 3):
        best = over_counts(right, guesses, canaries, [epsilon], [delta])
        got = audit.canary_p_value(right, guesses, epsilon, delta, canaries)
        assert got == pytest.approx(best, abs=2e-7)


@pytest.mark.parametrize(
    ("m", "right", "epsilon", "delta", "published", "sharp", "pure"),
    [
        (1000, 760, 1, 1e-3, 0.05911423167229424, 0.02821855251082288, 0.020347140296973803),
        (1000, 760, 1, 1e-5, 0.020734811210727008, 0.020425854419112294, 0.020347140296973803),
        (10_000, 8870, 2, 1e-5, 0.029845730463435527, 0.02826354037036058, 0.0281064496184805),
    ],
)
def test_reference_values(m, right, epsilon, delta, published, sharp, pure):
    p = audit.canary_p_value
    assert p(right, m, epsilon, delta, bound="published") == pytest.approx(published, rel=1e-9)
    assert p(right, m, epsilon, delta) == pytest.approx(sharp, rel=1e-9)
    assert p(right, m, epsilon) == pytest.approx(pure, rel=1e-9)


def test_tails_against_scipy():
    for r, epsilon in [(1, 0.0), (50, 1.0), (3000, 0.2), (10**6, 1.0), (10**6, 8.0)]:
        q = 1 / (1 + np.exp(-epsilon))
        v = np.unique(np.clip(np.round(r * q + np.arange(-6, 60, 3) * (r * q / 9) ** 0.5), 0, r))
        found, law = tail(v, np.float64(r), np.float64(epsilon)), stats.binom(r, q)
        assert found.reached == pytest.approx(law.logsf(v - 1), rel=1e-9, abs=1e-12)
        some = v > 0
        ratio = law.logsf(v - 1) - law.logpmf(v)
        assert found.ratio[some] == pytest.approx(ratio[some], rel=1e-6, abs=1e-7)


def test_tails_beyond_the_doubles():
    # The sum of a geometric series, to its leading terms.
    right, guesses, epsilon = 999_000, 10**6, 1.0
    log_p = audit.canary_p_value(right, guesses, epsilon, log=True)
    q = 1 / (1 + math.exp(-1))
    mass = (
        math.lgamma(guesses + 1)
        - math.lgamma(right + 1)
        - math.lgamma(guesses - right + 1)
        + right * math.log(q)
        + (guesses - right) * math.log1p(-q)
    )
    step = (guesses - right) / (right + 1) * math.e
    assert log_p == pytest.approx(mass - math.log1p(-step), rel=1e-9)
    assert audit.canary_p_value(right, guesses, epsilon) == 0.0
    assert -40 < audit.canary_p_value(right, guesses, epsilon, 1e-12, log=True) < math.log(1e-8)


@pytest.mark.parametrize(
    ("m", "epsilon", "coverage", "low", "median"),
    [
        (100, 1, 0.9558897778534488, 0.2990583341625163, 0.6075629770876629),
        (1000, 1, 0.9537365148726714, 0.7695075130718502, 0.8806029966558505),
        (10_000, 4, 0.9560312238740671, 3.7637577217450384, 3.874410725387735),
        (10_000, 8, 0.9650579299072122, 6.633054226842571, 7.161638036573684),
    ],
)
def test_coverage_of_randomised_response(m, epsilon, coverage, low, median):
    assert 1 - audit.false_alarm(m, epsilon) == pytest.approx(coverage, abs=1e-9)
    right = stats.binom.ppf([0.05, 0.5], m, 1 / (1 + np.exp(-epsilon)))
    assert audit.canary_epsilon(right, m) == pytest.approx([low, median], abs=1e-8)


def test_right_needed_is_where_the_bound_passes_the_claim():
    for guesses, claim, delta in [(10, 0.5, 0.0), (1000, 1.0, 1e-5), (500, 3.0, 1e-4)]:
        need = audit.right_needed(claim, guesses, delta)
        assert audit.canary_epsilon(need, guesses, delta) > claim
        assert audit.canary_epsilon(need - 1, guesses, delta) <= claim
    assert audit.right_needed([8.0], [100]).tolist() == [101]


def test_ceiling_and_canaries_needed():
    for guesses, canaries, delta in [(1, 1, 0.0), (50, 200, 1e-5), (1000, 1000, 1e-5)]:
        ceiling = audit.canary_ceiling(guesses, delta, canaries)
        proved = audit.canary_epsilon(guesses, guesses, delta, canaries)
        assert proved == pytest.approx(ceiling, abs=1e-8)
    for epsilon, delta in [(0.1, 0.0), (2.0, 1e-5), (8.0, 1e-5)]:
        need = audit.canaries_needed(epsilon, delta)
        assert audit.canary_ceiling(need, delta) >= epsilon > audit.canary_ceiling(need - 1, delta)
    assert audit.canary_ceiling(100, 0.06) == 0.0
    refused("delta", audit.canaries_needed, 1.0, 0.051)


def gaussian_chance(right, guesses, canaries, mu):
    def over(chance):
        return excess(right, guesses, canaries, chance, lambda tpr: ndtr(ndtri(tpr) - mu))

    return brentq(over, 1e-12, 1 - 1e-12)


@pytest.mark.parametrize(
    ("right", "guesses", "canaries", "known"),
    [
        (77, 100, 100, 0.607248887938305),
        (2, 2, 2, 0.5202242576438386),
        (18, 20, 50, 0.4722045289862053),
        (40, 50, 50, 0.48163298345417865),
    ],
)
def test_recursion_reference_values(right, guesses, canaries, known):
    assert gaussian_chance(right, guesses, canaries, 1.0) == pytest.approx(known, rel=1e-9)


def test_mu_is_the_root_and_on_its_safe_side():
    for right, guesses, canaries in [(160, 200, 1000), (40, 50, 50), (900, 1000, 1000)]:
        mu = audit.canary_mu(right, guesses, canaries)
        chance = gaussian_chance(right, guesses, canaries, mu)
        assert chance == pytest.approx(0.05, rel=1e-5)
        assert chance <= 0.05
    assert audit.canary_mu(25, 50) == 0.0
    assert audit.canary_mu(1000, 1000, confidence=0.5) > audit.canary_mu(1000, 1000)


def test_chosen_afterwards_by_enumeration():
    looks, confidence = [3, 6, 10], 0.8
    needed = [audit.right_needed(0.4, r, confidence=confidence) for r in looks]
    q, expected = 1 / (1 + math.exp(-0.4)), 0.0
    for hits in itertools.product((0, 1), repeat=10):
        if any(sum(hits[:r]) >= need for r, need in zip(looks, needed, strict=True)):
            expected += q ** sum(hits) * (1 - q) ** (10 - sum(hits))
    assert audit.false_alarm(looks, 0.4, confidence=confidence) == pytest.approx(expected, abs=1e-12)


def test_bonferroni_keeps_the_risk_and_peeking_does_not():
    looks = np.arange(50, 1001, 50)
    assert audit.false_alarm(looks) > 0.15
    assert audit.false_alarm(looks, corrected=True) <= 0.05
    assert all(audit.false_alarm(int(r)) <= 0.05 for r in looks)
