"""What guesses about canaries prove: linear programs, enumeration, other binomials, many digits."""

import itertools
import math

import numpy as np
import pytest
from mpmath import exp, mp, mpf
from scipy import stats
from scipy.optimize import brentq, linprog
from scipy.special import ndtr, ndtri
from shared import refused

from mipbook import audit, tradeoff
from mipbook.audit import canary_gaussian as program
from mipbook.audit.canary_bounds import guessed, log_chance, tail
from mipbook.audit.canary_gaussian import Guesses, excess, hardest_run, prove, sharpened


def over_counts(right, guesses, canaries, epsilons, deltas):
    """Return by a linear program the largest chance if only the number of right guesses matters.

    With one epsilon this is (epsilon, delta)-DP; with several, all of these promises at once.
    """
    r = guesses
    weights = np.array([math.comb(r - 1, j) for j in range(r)], dtype=float)
    size = 1 + r
    total = size + 2 * r * len(epsilons)
    rows, limits = [], []
    for e, (epsilon, delta) in enumerate(zip(epsilons, deltas, strict=True)):
        start = size + 2 * r * e
        for j in range(r):
            # Per outcome: the chance of a set of guesses with j right, times the others' number.
            up, down = 1 / math.comb(r, j + 1), 1 / math.comb(r, j)
            for k, (first, second) in enumerate((((j + 1, up), (j, down)), ((j, down), (j + 1, up)))):
                row = np.zeros(total)
                row[first[0]] += weights[j] * first[1]
                row[second[0]] -= np.exp(epsilon) * weights[j] * second[1]
                row[start + 2 * j + k] = -1.0
                rows.append(row)
                limits.append(0.0)
        row = np.zeros(total)
        row[start : start + 2 * r] = 1.0
        rows.append(row)
        limits.append(delta * canaries / r)
    gain, once = np.zeros(total), np.zeros(total)
    gain[right:size], once[:size] = 1.0, 1.0
    solved = linprog(-gain, A_ub=np.array(rows), b_ub=limits, A_eq=[once], b_eq=[1.0])
    assert solved.status == 0
    return -solved.fun


@pytest.mark.parametrize(("guesses", "canaries"), [(5, 5), (12, 40), (30, 30)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-3), (2.0, 1e-2), (1.0, 0.0)])
def test_sharp_is_the_best_by_counts(guesses, canaries, epsilon, delta):
    for right in range(1, guesses + 1, 3):
        best = over_counts(right, guesses, canaries, [epsilon], [delta])
        got = audit.canary_p_value(right, guesses, epsilon, delta, canaries)
        assert got == pytest.approx(best, abs=2e-7)


def test_reference_values():
    p = audit.canary_p_value
    for (right, m, epsilon, delta), published, sharp, pure in (
        ((760, 1000, 1, 1e-3), 0.05911423167229424, 0.02821855251082288, 0.020347140296973803),
        ((760, 1000, 1, 1e-5), 0.020734811210727008, 0.020425854419112294, 0.020347140296973803),
        ((8870, 10_000, 2, 1e-5), 0.029845730463435527, 0.02826354037036058, 0.0281064496184805),
    ):
        assert p(right, m, epsilon, delta, bound="published") == pytest.approx(published, rel=1e-9)
        assert p(right, m, epsilon, delta) == pytest.approx(sharp, rel=1e-9)
        assert p(right, m, epsilon) == pytest.approx(pure, rel=1e-9)


def test_tails_against_scipy():
    for r, epsilon in [(1, 0.0), (50, 1.0), (3000, 0.2), (10**6, 1.0), (10**6, 8.0)]:
        q = 1 / (1 + np.exp(-epsilon))
        v = np.unique(np.clip(np.round(r * q + np.arange(-6, 60, 3) * (r * q / 9) ** 0.5), 1, r))
        found, law = tail(v, np.float64(r), np.float64(epsilon)), stats.binom(r, q)
        assert found.reached == pytest.approx(law.logsf(v - 1), rel=1e-9, abs=1e-12)
        assert found.ratio == pytest.approx(law.logsf(v - 1) - law.logpmf(v), rel=1e-6, abs=1e-7)


def test_tails_beyond_the_doubles():
    # The sum of a geometric series, to its leading terms.
    right, wrong, epsilon = 999_000, 1000, 1.0
    guesses = right + wrong
    mass = math.lgamma(guesses + 1) - math.lgamma(right + 1) - math.lgamma(wrong + 1)
    mass -= right * math.log1p(math.exp(-1)) + wrong * math.log1p(math.e)
    log_p = log_chance(*guessed(right, guesses, None), np.array(epsilon), np.array(0.0), "sharp")
    assert log_p == pytest.approx(mass - math.log1p(-wrong / (right + 1) * math.e), rel=1e-9)
    assert audit.canary_p_value(right, guesses, epsilon) == 0.0
    assert math.exp(-40) < audit.canary_p_value(right, guesses, epsilon, 1e-12) < 1e-8


def test_coverage_of_randomised_response():
    for m, epsilon, coverage, low, median in (
        (100, 1, 0.9558897778534488, 0.2990583341625163, 0.6075629770876629),
        (1000, 1, 0.9537365148726714, 0.7695075130718502, 0.8806029966558505),
        (10_000, 4, 0.9560312238740671, 3.7637577217450384, 3.874410725387735),
        (10_000, 8, 0.9650579299072122, 6.633054226842571, 7.161638036573684),
    ):
        assert 1 - audit.false_alarm(m, epsilon) == pytest.approx(coverage, abs=1e-9)
        right = stats.binom.ppf([0.05, 0.5], m, 1 / (1 + np.exp(-epsilon)))
        assert audit.canary_epsilon(right, m) == pytest.approx([low, median], abs=1e-8)


def test_what_is_needed_is_where_the_bound_passes_the_claim():
    for guesses, claim, delta in [(10, 0.5, 0.0), (1000, 1.0, 1e-5), (500, 3.0, 1e-4)]:
        need = audit.right_needed(claim, guesses, delta)
        assert audit.canary_epsilon(need, guesses, delta) > claim
        assert audit.canary_epsilon(need - 1, guesses, delta) <= claim
    ceiling = audit.canary_ceiling(50, 1e-5, 200)
    assert audit.canary_epsilon(50, 50, 1e-5, 200) == pytest.approx(ceiling, abs=1e-8)
    for epsilon, delta in [(0.1, 0.0), (2.0, 1e-5), (8.0, 1e-5)]:
        need = audit.canaries_needed(epsilon, delta)
        assert audit.canary_ceiling(need, delta) >= epsilon > audit.canary_ceiling(need - 1, delta)
    assert audit.canary_ceiling(100, 0.06) == 0.0
    refused("delta", audit.canaries_needed, 1.0, 0.051)
    with pytest.raises(ValueError, match="that of guesses and canaries$"):
        audit.canary_ceiling([1, 2], [0.1, 0.2, 0.3])


def test_bonferroni_keeps_the_risk_and_peeking_does_not():
    looks = np.arange(50, 1001, 50)
    assert audit.false_alarm(looks) > 0.15
    # Counted over all results of ten guesses.
    assert audit.false_alarm([3, 6, 10], 0.4, confidence=0.8) == pytest.approx(0.17350434329943298, abs=1e-12)
    assert audit.false_alarm(looks, corrected=True) <= 0.05
    assert all(audit.false_alarm(int(r)) <= 0.05 for r in looks)


# --- The bound on mu: by recursion, and the sharp one by a program that is not believed -----------


def gaussian_chance(result, mu):
    def over(chance):
        return excess(*result, chance, lambda tpr: ndtr(ndtri(tpr) - mu))

    return brentq(over, 1e-12, 1 - 1e-12)


def test_recursion_reference_values_and_mu_on_its_safe_side():
    for result, known in {
        (77, 100, 100): 0.607248887938305,
        (2, 2, 2): 0.5202242576438386,
        (18, 20, 50): 0.4722045289862053,
        (40, 50, 50): 0.48163298345417865,
    }.items():
        assert gaussian_chance(result, 1.0) == pytest.approx(known, rel=1e-9)
    for result in [(160, 200, 1000), (40, 50, 50), (900, 1000, 1000)]:
        chance = gaussian_chance(result, audit.canary_mu(*result))
        assert chance == pytest.approx(0.05, rel=1e-5)
        assert chance <= 0.05
    assert audit.canary_mu(25, 50) == 0.0
    assert audit.canary_mu(1000, 1000, confidence=0.5) > audit.canary_mu(1000, 1000)


SMALL = [Guesses(2, 2, 2), Guesses(7, 8, 8), Guesses(10, 12, 30)]


def exactly(result, epsilons, shares, mu):
    """Return what prices and base prove, in 40 digits, from the constraints' own words."""
    right, guesses, canaries = result
    with mp.workdps(40):
        mu, total, worth = mpf(mu), mpf(0), [mpf(0)] * (guesses + 1)
        for epsilon, row in zip(map(mpf, epsilons), shares, strict=True):
            above, below = (mp.ncdf(side * mu / 2 - epsilon / mu) for side in (1, -1))
            total += mpf(max(row)) * (above - exp(epsilon) * below)
            for k, share in enumerate(map(mpf, row)):
                worth[k + 1] += share * (k + 1) / canaries
                worth[k] -= exp(epsilon) * share * (guesses - k) / canaries
        return total + max(int(k >= right) - each for k, each in enumerate(worth))


@pytest.mark.parametrize("result", [*SMALL, Guesses(50, 60, 200)])
def test_a_proof_is_no_smaller_than_its_own_numbers_say(result):
    rng = np.random.default_rng(2)
    for mu in (0.05, 1.0, 4.0):
        epsilons = np.sort(rng.exponential(mu, 5))
        shares = rng.normal(0.2, 0.3, (5, result.guesses))
        proved = prove(result, epsilons, shares)
        exact = float(exactly(result, epsilons, np.maximum(shares, 0.0), mu))
        assert proved.chance(mu) >= min(exact, 1.0)
        told = proved.base + proved.prices @ tradeoff.gaussian_delta(epsilons, 1.0, mu)
        assert told == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("result", SMALL)
@pytest.mark.parametrize("mu", [0.3, 1.0])
def test_the_sharp_chance_is_that_of_a_program_with_both_excesses(result, mu):
    epsilons = np.linspace(0, 6 * mu, 121)
    deltas = [tradeoff.gaussian_delta(e, 1 / mu) for e in epsilons]
    chances, proof = hardest_run(result, mu)
    # Both know the curve at some points only.
    assert proof.chance(mu) == pytest.approx(over_counts(*result, epsilons, deltas), abs=1e-3)
    assert chances[result.right :].sum() == pytest.approx(proof.chance(mu), abs=1e-6)


def test_a_solver_is_not_believed(monkeypatch):
    result = Guesses(10, 12, 30)
    good, solved = sharpened(result, 0.12, 0.05), program._solved
    assert good > 0.122
    # Prices that promise too little, a root on the wrong side, and no answer at all.
    monkeypatch.setattr(program, "brentq", lambda f, low, high: high)
    assert sharpened(result, 0.12, 0.05) <= good
    monkeypatch.setattr(program, "_solved", lambda *args: (solved(*args)[0], -solved(*args)[1]))
    assert sharpened(result, 0.12, 0.05) == 0.12
    monkeypatch.setattr(program, "_solved", lambda *args: None)
    assert sharpened(result, 0.12, 0.05) == 0.12
    with pytest.raises(ArithmeticError, match="no answer"):
        hardest_run(result, 1.0)


@pytest.mark.parametrize(("right", "guesses", "canaries"), [(2, 2, 3), (3, 3, 3), (3, 4, 4)])
def test_the_hardest_run_as_a_whole_mechanism_keeps_its_promise(right, guesses, canaries):
    mu = 1.0
    chances, proof = hardest_run(Guesses(right, guesses, canaries), mu * 0.999)
    tosses = np.array(list(itertools.product((-1, 1), repeat=canaries)))
    outputs = np.array(list(itertools.product((-1, 0, 1), repeat=canaries)))
    outputs = outputs[np.abs(outputs).sum(axis=1) == guesses]
    agree = (tosses[:, None] * outputs == 1).sum(axis=2)
    each = chances / [math.comb(guesses, k) for k in range(guesses + 1)]
    table = each[agree] / math.comb(canaries, guesses)
    assert table.sum(axis=1) == pytest.approx(1.0)
    for epsilon in np.linspace(0, 8, 161):
        allowed = tradeoff.gaussian_delta(epsilon, 1 / mu)
        for s, t in ((0, 1), (1, 0), (0, 2), (3, 2)):
            assert np.maximum(table[s] - np.exp(epsilon) * table[t], 0).sum() <= allowed + 1e-12
    found = np.where(agree >= right, table, 0).sum(axis=1).mean()
    assert proof.chance(mu) - 0.003 < found <= proof.chance(mu)


def test_sharp_is_never_less_and_stops_at_500_guesses():
    assert audit.canary_mu(77, 100, 100, sharp=True) == pytest.approx(0.481, abs=5e-4)
    for result in [(5, 5, 5), (100, 100, 1000), (260, 500, 500), (30, 60, 60)]:
        assert audit.canary_mu(*result, sharp=True) >= audit.canary_mu(*result)
    assert audit.canary_mu(400, 501, sharp=True) == audit.canary_mu(400, 501)
    assert audit.canary_mu(400, 500, sharp=True) > audit.canary_mu(400, 500)
