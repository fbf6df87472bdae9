"""The sharp bound on mu: its proofs in many digits, its runs as mechanisms, other programs."""

import math
from itertools import product

import numpy as np
import pytest
from canary_programs import over_counts
from mpmath import erfc, exp, mp, mpf, sqrt

from mipbook import audit, tradeoff
from mipbook.audit import canary_gaussian as program
from mipbook.audit.canary_gaussian import Guesses, hardest_run, prove, sharpened

SMALL = [Guesses(2, 2, 2), Guesses(7, 8, 8), Guesses(10, 12, 30)]


def exactly(result, epsilons, shares, mu):
    """Return what prices and base prove, in 40 digits, from the constraints' own words."""
    right, guesses, canaries = result
    with mp.workdps(40):
        mu = mpf(mu)

        def phi(x):
            return erfc(-x / sqrt(2)) / 2

        total = mpf(0)
        for epsilon, row in zip(map(mpf, epsilons), shares, strict=True):
            above, below = phi(mu / 2 - epsilon / mu), phi(-mu / 2 - epsilon / mu)
            total += mpf(max(row)) * (above - exp(epsilon) * below)
        short = []
        for k in range(guesses + 1):
            worth = mpf(0)
            for epsilon, row in zip(map(mpf, epsilons), shares, strict=True):
                if k > 0:
                    worth += mpf(row[k - 1]) * k / canaries
                if k < guesses:
                    worth -= exp(epsilon) * mpf(row[k]) * (guesses - k) / canaries
            short.append(int(k >= right) - worth)
        return total + max(short)


@pytest.mark.parametrize("result", [*SMALL, Guesses(50, 60, 200)])
def test_a_proof_is_no_smaller_than_its_own_numbers_say(result):
    rng = np.random.default_rng(2)
    for mu in (0.05, 1.0, 4.0):
        epsilons = np.sort(rng.exponential(mu, 5))
        shares = rng.normal(0.2, 0.3, (5, result.guesses))
        proved, shares = prove(result, epsilons, shares), np.maximum(shares, 0.0)
        exact = float(exactly(result, epsilons, shares, mu))
        assert proved.chance(mu) >= min(exact, 1.0)
        assert proved.base + proved.prices @ tradeoff.gaussian_delta(epsilons, 1.0, mu) == pytest.approx(
            exact, rel=1e-9
        )


@pytest.mark.parametrize("result", SMALL)
@pytest.mark.parametrize("mu", [0.3, 1.0])
def test_the_sharp_chance_is_that_of_a_program_with_both_excesses(result, mu):
    epsilons = np.linspace(0, 6 * mu, 121)
    deltas = [tradeoff.gaussian_delta(e, 1 / mu) for e in epsilons]
    best = over_counts(*result, epsilons, deltas)
    chances, proof = hardest_run(result, mu)
    # Both know the curve at some points only.
    assert proof.chance(mu) == pytest.approx(best, abs=1e-3)
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


def hockey(first, second, epsilon):
    return np.maximum(first - np.exp(epsilon) * second, 0).sum()


@pytest.mark.parametrize(("right", "guesses", "canaries"), [(2, 2, 3), (3, 3, 3), (3, 4, 4)])
def test_the_hardest_run_as_a_whole_mechanism_keeps_its_promise(right, guesses, canaries):
    mu = 1.0
    chances, proof = hardest_run(Guesses(right, guesses, canaries), mu * 0.999)
    tosses = np.array(list(product((-1, 1), repeat=canaries)))
    outputs = np.array(list(product((-1, 0, 1), repeat=canaries)))
    outputs = outputs[np.abs(outputs).sum(axis=1) == guesses]
    agree = (tosses[:, None] * outputs == 1).sum(axis=2)
    each = chances / [math.comb(guesses, k) for k in range(guesses + 1)]
    table = each[agree] / math.comb(canaries, guesses)
    assert table.sum(axis=1) == pytest.approx(1.0)
    for epsilon in np.linspace(0, 8, 161):
        allowed = tradeoff.gaussian_delta(epsilon, 1 / mu)
        for s, t in ((0, 1), (1, 0), (0, 2), (3, 2)):
            assert hockey(table[s], table[t], epsilon) <= allowed + 1e-12
    found = np.where(agree >= right, table, 0).sum(axis=1).mean()
    assert proof.chance(mu) - 0.003 < found <= proof.chance(mu)


@pytest.mark.parametrize(
    ("right", "guesses", "canaries", "recursion", "sharp"),
    [
        (77, 100, 100, 0.454, 0.481),
        (40, 50, 50, 0.460, 0.486),
        (18, 20, 50, 0.459, 0.471),
        (90, 100, 500, 0.657, 0.676),
    ],
)
def test_reference_values(right, guesses, canaries, recursion, sharp):
    assert audit.canary_mu(right, guesses, canaries) == pytest.approx(recursion, abs=5e-4)
    found = audit.canary_mu(right, guesses, canaries, sharp=True)
    assert found == pytest.approx(sharp, abs=5e-4)
    # What is proved at that mu has a chance of 5%, and no run has more.
    _, proof = hardest_run(Guesses(right, guesses, canaries), found)
    assert 0.0495 < proof.chance(found) <= 0.05


def test_sharp_is_never_less_and_stops_at_500_guesses():
    for right, guesses, canaries in [(5, 5, 5), (100, 100, 1000), (260, 500, 500), (30, 60, 60)]:
        rough = audit.canary_mu(right, guesses, canaries)
        assert audit.canary_mu(right, guesses, canaries, sharp=True) >= rough
    assert audit.canary_mu(400, 501, sharp=True) == audit.canary_mu(400, 501)
    assert audit.canary_mu(400, 500, sharp=True) > audit.canary_mu(400, 500)
