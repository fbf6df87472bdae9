"""Security on discrete data: closed forms against enumeration, bounds against what they bound."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from mipbook import mis
from mipbook.mis.discrete.binomial import excess

F = Fraction
ONE, HALF = F(1), F(1, 2)
FIVE = [0.5, 0.25, 0.125, 0.0625, 0.0625]


def pmf(n, p):
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def deviation(n, p, gamma=ONE):
    return sum(w * abs(F(k, n) - gamma * p) for k, w in enumerate(pmf(n, p)))


def histograms(n, K):
    for counts in itertools.product(range(n + 1), repeat=K):
        if sum(counts) == n:
            yield counts


def chance(counts, p):
    ways, left = F(1), sum(counts)
    for count, x in zip(counts, p, strict=True):
        ways *= math.comb(left, count) * x**count
        left -= count
    return ways


def set_partitions(n):
    """Yield all label vectors of length n in which new labels appear in order."""

    def grow(labels, used):
        if len(labels) == n:
            yield labels
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    yield from grow([], 0)


def learner_delta(labels, sets, p, a, b):
    """Delta of a deterministic learner: the supremum over all attack sets, exactly."""
    n = sum(sets[0])
    law, joint = {}, {}
    for label, counts in zip(labels, sets, strict=True):
        w = chance(counts, p)
        law[label] = law.get(label, 0) + w
        for k, count in enumerate(counts):
            joint[label, k] = joint.get((label, k), 0) + w * F(count, n)
    best = sum(max(a * v - b * law[label] * p[k], 0) for (label, k), v in joint.items())
    return (best - max(a - b, 0)) / min(a, b)


def exact_weights(nu, lam):
    a, b = lam * (1 - nu), (1 - lam) * nu
    return a / (a + b), b / (a + b)


# --- the mean absolute deviation --------------------------------------------------------


@pytest.mark.parametrize("p", [F(1, 10), F(2, 7), F(1, 2), F(9, 10), F(99, 100)])
def test_deviation_equals_the_sum(p):
    for n in (*range(1, 21), 40):
        want = float(deviation(n, p))
        assert mis.mean_absolute_deviation(n, float(p)) == pytest.approx(want, rel=2e-14, abs=0)
        for gamma in (F(0), F(1, 5), F(4, 5), F(6, 5), F(3)):
            want = float(deviation(n, p, gamma))
            got = mis.mean_absolute_deviation(n, float(p), float(gamma))
            assert got == pytest.approx(want, rel=5e-14, abs=0), (n, gamma)


def test_deviation_reference_values():
    assert mis.mean_absolute_deviation(7, 1 / 3) == pytest.approx(320 / 2187, rel=1e-14)
    assert mis.mean_absolute_deviation(6, 0.4) == pytest.approx(2592 / 15625, rel=1e-14)
    assert mis.mean_absolute_deviation(5, 0.1) == pytest.approx(59049 / 500000, rel=1e-14)
    got = mis.mean_absolute_deviation(12, 2 / 7, [0.8, 1.2])
    want = [54674761902 / 484445052035, 55668988098 / 484445052035]
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_deviation_of_a_billion():
    n = 10**9
    p = np.array([1e-9, 0.3, 0.5, 1 - 1e-9])
    # The normal limit is off by about one part in n, and so is the Poisson limit at the ends.
    limit = np.sqrt(2 * p * (1 - p) / (math.pi * n))
    got = mis.mean_absolute_deviation(n, p)
    np.testing.assert_allclose(got[1:3], limit[1:3], rtol=1e-9)
    np.testing.assert_allclose(got[[0, 3]], 2e-9 * math.exp(-1), rtol=2e-9)


def test_small_excess_is_not_a_difference_of_large_numbers():
    n, p, gamma = 12, F(9, 10), F(1, 4)
    want = sum(w * max(gamma * p - F(k, n), 0) for k, w in enumerate(pmf(n, p)))
    got = float(excess(np.array(12.0), np.array(0.9), np.array(0.25)))
    assert 0 < want < 1e-8
    assert got == pytest.approx(float(want), rel=1e-11, abs=0)


def test_deviation_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = mis.mean_absolute_deviation(1, [0.0, 1e-300, 0.5, 1.0])
    assert got[0] == got[3] == 0
    assert got[1] == pytest.approx(2e-300)
    assert mis.mean_absolute_deviation(5, 1.0, 1.5) == 0.5
    assert mis.mean_absolute_deviation(5, 0.5, 0.0) == 0.5
    assert mis.mean_absolute_deviation(np.ones((2, 1)), [0.1, 0.2, 0.3]).shape == (2, 3)


def test_de_moivre():
    for n in (1, 2, 7, 12, 30):
        for p in (F(1, 9), F(2, 7), F(3, 4)):
            weights = pmf(n, p)
            for m in range(n + 1):
                want = sum((n * p - k) * weights[k] for k in range(m + 1))
                got = mis.de_moivre_sum(n, float(p), m)
                assert got == pytest.approx(float(want), rel=2e-14, abs=1e-300)
    got = mis.de_moivre_sum(12, 2 / 7, 4)
    assert got == pytest.approx(49500000000 / 96889010407, rel=1e-14)


# --- Theorem 14 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nu", "lam"), [(HALF, HALF), (F(2, 5), HALF), (HALF, F(2, 5)), (F(7, 10), HALF)]
)
@pytest.mark.parametrize(("p", "n"), [((F(1, 3), F(2, 3)), 3), ((F(1, 2), F(3, 10), F(1, 5)), 2)])
def test_worst_case_is_the_maximum_over_all_learners(p, n, nu, lam):
    a, b = exact_weights(nu, lam)
    sets = list(histograms(n, len(p)))
    all_of_them = [learner_delta(labels, sets, p, a, b) for labels in set_partitions(len(sets))]
    assert len(all_of_them) == {4: 15, 6: 203}[len(sets)]
    got = mis.worst_case_delta([float(x) for x in p], n, float(nu), float(lam))
    assert got == pytest.approx(float(max(all_of_them)), rel=1e-13, abs=1e-15)


def test_worst_case_of_877_learners():
    p, sets = (F(2, 5), F(3, 5)), list(histograms(6, 2))
    best = max(learner_delta(x, sets, p, HALF, HALF) for x in set_partitions(7))
    assert best == F(2592, 15625)
    assert mis.worst_case_delta([0.4, 0.6], 6) == pytest.approx(float(best), rel=1e-14)


@pytest.mark.parametrize(
    ("p", "n", "nu", "lam", "want"),
    [
        ([0.5, 0.3, 0.2], 5, 0.5, 0.5, 0.245722),
        ([0.5, 0.3, 0.2], 5, 0.4, 0.5, 0.162832),
        ([0.5, 0.3, 0.2], 5, 0.5, 0.4, 0.085993),
        ([0.5, 0.3, 0.2], 5, 0.7, 0.5, 0.01269466666666667),
        # 25-digit arithmetic.
        (FIVE, 20, 0.5, 0.5, 0.15572788452488138),
        (FIVE, 1000, 0.5, 0.5, 0.02204881779890675),
        (FIVE, 10000, 0.5, 0.5, 0.006972470391381098),
        (FIVE, 20, 1 / 3, 0.5, 0.05603029027416721),
        (FIVE, 20, 0.55, 0.5, 0.0785341025999739),
        (FIVE, 20, 0.5, 0.6, 0.0724466618807674),
    ],
)
def test_worst_case_reference_values(p, n, nu, lam, want):
    got = mis.worst_case_delta(p, n, nu, lam)
    assert got == pytest.approx(want, rel=1e-13)
    assert mis.worst_case_security(p, n, nu, lam) == 1 - got
    model = mis.finite_model(lambda counts: counts, p, n) if n == 5 else None
    if model is not None:
        assert model.delta(nu, lam) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("nu", [0.3, 0.45, 0.5, 0.55, 0.7])
@pytest.mark.parametrize(("p", "n"), [([0.5, 0.3, 0.2], 5), ([0.4, 0.6], 5), ([0.25] * 4, 8)])
def test_signs_attain_the_worst_case(p, n, nu):
    most = mis.worst_case_delta(p, n, nu)
    assert mis.learner_delta(mis.sign_learner(p, nu), p, n, nu) == pytest.approx(most, abs=1e-14)


def test_one_bit_is_enough_for_two_atoms_and_not_for_three():
    one = mis.learner_delta(lambda c: c[0] > 7 * 0.3, [0.3, 0.7], 7)
    assert one == pytest.approx(mis.worst_case_delta([0.3, 0.7], 7), rel=1e-13)
    bit = mis.learner_delta(lambda c: c[0] > 2.5, [0.5, 0.3, 0.2], 5)
    assert bit < 0.8 * mis.worst_case_delta([0.5, 0.3, 0.2], 5)


def test_worst_case_vectorises_and_ignores_order_and_zeros():
    n, nu = np.array([5, 20, 1000]), np.array([[0.5], [0.4], [0.7]])
    table = mis.worst_case_delta(FIVE, n, nu)
    one_by_one = [[mis.worst_case_delta(FIVE, int(m), float(v)) for m in n] for v in nu[:, 0]]
    np.testing.assert_allclose(table, one_by_one, rtol=1e-14)
    np.testing.assert_allclose(mis.worst_case_delta([0.0, *FIVE[::-1]], n, nu), table, rtol=1e-12)
    assert mis.worst_case_delta(FIVE, np.zeros((0,))).shape == (0,)


def test_many_equal_atoms_in_blocks():
    K, n = 300_000, np.array([10, 10**6])
    p = np.full(K, 1 / K)
    want = K * mis.mean_absolute_deviation(n, 1 / K) / 2
    np.testing.assert_allclose(mis.worst_case_delta(p, n), want, rtol=1e-11)
    uneven = np.random.default_rng(0).dirichlet(np.ones(K))
    want = [mis.mean_absolute_deviation(m, uneven).sum() / 2 for m in n]
    np.testing.assert_allclose(mis.worst_case_delta(uneven, n), want, rtol=1e-11)


def test_worst_case_edges():
    assert mis.worst_case_delta([1.0], 10) == 0.0
    assert mis.worst_case_delta([1.0], 10, nu=0.3) == 0.0
    assert mis.worst_case_delta([0.5, 0.5], 1) == 0.5
    assert mis.worst_case_delta([0.5, 0.5], 10**9, nu=0.4) == 0.0
    # With one record and gamma = 3 the member is recognised, and taken for a fresh one never.
    assert mis.worst_case_delta([0.25] * 4, 1, nu=0.75) == pytest.approx(0.25, rel=1e-14)


def test_nu_moves_delta_one_way_on_each_side():
    nu = np.linspace(0.02, 0.98, 97)
    for n in (3, 20, 200):
        delta = mis.worst_case_delta(FIVE, n, nu)
        assert delta.argmax() == 48
        assert (np.diff(delta[:49]) >= -1e-15).all()
        assert (np.diff(delta[48:]) <= 1e-15).all()


def test_unbalanced_rate_is_exponential():
    got = mis.worst_case_delta(FIVE, 2000, [0.45, 1 / 3])
    # 60-digit arithmetic.
    np.testing.assert_allclose(got, [7.147886838706e-05, 3.10841153e-13], rtol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([0.5, 0.6], 5), "p"),
        (([], 5), "p"),
        (([0.5, 0.5], 0), "n"),
        (([0.5, 0.5], 2.5), "n"),
        (([0.5, 0.5], 2 * 10**9), "n"),
        (([0.5, 0.5], 5, 0.0), "nu"),
        (([0.5, 0.5], 5, 0.5, 1.0), "lam"),
        (([0.5, 0.5], [1, 2], [0.1, 0.2, 0.3]), "nu"),
    ],
)
def test_worst_case_refuses(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name}"):
        mis.worst_case_delta(*arguments)


# --- the sharp constants ----------------------------------------------------------------


def scaled(n, p):
    return np.sqrt(n) * mis.mean_absolute_deviation(n, p) / (2 * np.sqrt(p * (1 - p)))


def test_constants_are_bounds_and_sharp():
    for n in range(3, 61):
        p = np.linspace(1 / n, 1 - 1 / n, 803)[1:-1]
        ratio = scaled(n, p)
        assert ratio.min() > mis.RATE_LOW
        assert ratio.max() <= mis.RATE_HIGH * (1 + 1e-12)
    assert scaled(3, 0.5) == pytest.approx(mis.RATE_HIGH, rel=1e-14)
    assert scaled(3, 1 / 3 + 1e-12) == pytest.approx(mis.RATE_LOW, rel=1e-10)
    assert scaled(10**9, 0.3) == pytest.approx(mis.RATE_LIMIT, rel=1e-8)
    # Without the condition n p > 1 the lower constant fails.
    assert scaled(3, 0.05) < mis.RATE_LOW


def test_security_bounds_hold_the_security():
    rng = np.random.default_rng(1)
    applied = 0
    for _ in range(300):
        p = rng.dirichlet(np.full(rng.integers(2, 9), rng.choice([0.3, 1.0, 5.0])))
        n = int(rng.choice([1, 3, 10, 50, 400]))
        security = mis.worst_case_security(p, n)
        for bounds in (mis.security_bounds(p, n), mis.rare_atom_bounds(p, n)):
            assert bounds.low <= security + 1e-12
            assert security <= bounds.high + 1e-12
        applied += mis.security_bounds(p, n).high < 1
    assert 30 < applied < 270


def test_bounds_say_what_they_are_made_of():
    found = mis.security_bounds([0.5, 0.5], 3)
    assert found.low == pytest.approx(mis.worst_case_security([0.5, 0.5], 3), rel=1e-14)
    loose = mis.security_bounds([0.9, 0.1], 10)
    assert loose == pytest.approx((1 - 0.3 / math.sqrt(10), 1.0), rel=1e-14)
    assert loose.high == 1.0
    p = [0.4, 0.3, 0.2, 0.05, 0.025, 0.025]
    tail = sum(x * (1 - x) ** 10 for x in p[3:])
    assert tail == pytest.approx(0.06875332800474084, rel=1e-13, abs=0)
    rare = mis.rare_atom_bounds(p, 10)
    spread = sum(math.sqrt(x * (1 - x)) for x in p[:3]) / math.sqrt(10)
    assert rare.low == pytest.approx(1 - mis.RATE_HIGH * spread - tail, rel=1e-13)
    assert mis.worst_case_delta(p, [10, 30]) == pytest.approx(
        [0.23330301324474083, 0.13688885735848950]
    )


def test_rare_atoms_need_no_condition_on_the_largest():
    p, n = [0.96, 0.02, 0.02], 8
    rare = mis.rare_atom_bounds(p, n)
    assert rare.high - rare.low < 1e-15
    assert mis.worst_case_security(p, n) == pytest.approx(rare.low, rel=1e-14)


def test_records_needed():
    rng = np.random.default_rng(2)
    for _ in range(60):
        p = rng.dirichlet(np.ones(5))
        s = float(rng.choice([0.0, 0.5, 0.9, 0.99]))
        n = mis.records_needed(p, s)
        assert mis.worst_case_security(p, n) >= s - 1e-12
        if n > 1 / min(p.min(), 1 - p.max()) and n > 20:
            assert mis.worst_case_security(p, int(n * 0.65)) < s
    with pytest.raises(ValueError, match="^security"):
        mis.records_needed([0.5, 0.5], 1.0)


# --- diversity and entropies ------------------------------------------------------------


def test_diversity_values():
    assert mis.diversity(FIVE) == pytest.approx(1.747854534051220, rel=1e-14)
    assert mis.diversity([0.1] * 10) == pytest.approx(3.0, rel=1e-14)
    assert mis.diversity([1.0]) == 0.0


def test_diversity_range_is_attained_and_never_left():
    assert mis.diversity_range(5, 0.3) == pytest.approx((1.67477270848675, 1.97812598485265))
    assert mis.diversity_range(10, 0.9)[0] == pytest.approx(0.6, rel=1e-14)
    rng = np.random.default_rng(3)
    for K in (2, 3, 5, 9):
        for p in rng.dirichlet(np.full(K, 0.6), size=400):
            low, high = mis.diversity_range(K, p.max())
            assert low - 1e-12 <= mis.diversity(p) <= high + 1e-12
        for x in np.linspace(1 / K, 1, 23)[1:]:
            low, high = mis.diversity_range(K, x)
            m = int(1 / x + 1e-12)
            corner = [x] * m + [max(1 - m * x, 0.0)] + [0.0] * max(K - m - 1, 0)
            flat = [x] + [(1 - x) / (K - 1)] * (K - 1)
            assert mis.diversity(corner) == pytest.approx(low, abs=3e-8)
            assert mis.diversity(flat) == pytest.approx(high, abs=1e-12)


def test_diversity_range_at_unit_fractions():
    for K in range(1, 200):
        low, high = mis.diversity_range(K, 1 / K)
        assert low == pytest.approx(math.sqrt(K - 1), abs=1e-12)
        assert high == pytest.approx(low, abs=1e-12)
    found = mis.diversity_range(4, [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found.low, [math.sqrt(3), 1.0, 0.0], atol=1e-12)
    with pytest.raises(ValueError, match="^largest"):
        mis.diversity_range(4, 0.2)


def test_entropies_bound_the_diversity():
    rng = np.random.default_rng(4)
    closest = np.inf
    for _ in range(4000):
        p = rng.dirichlet(np.full(rng.integers(2, 9), rng.choice([0.2, 1.0, 20.0])))
        low, high = mis.entropy_range(p)
        value = mis.diversity(p)
        assert low <= value * (1 + 1e-12)
        assert value <= high * (1 + 1e-12)
        closest = min(closest, value / mis.shannon_entropy(p))
    assert 1 <= closest * mis.SHANNON_FACTOR < 1.01


def test_shannon_constant_is_attained_by_five_equal_atoms():
    for K in (4, 5, 6):
        p = [1 / K] * K
        ratio = mis.shannon_entropy(p) / mis.diversity(p)
        if K == 5:
            assert ratio == pytest.approx(mis.SHANNON_FACTOR, rel=1e-14)
        else:
            assert ratio < mis.SHANNON_FACTOR - 1e-3
    # One atom alone could give more, but no law consists of such atoms.
    p = 0.20318786998
    alone = -p * math.log(p) / math.sqrt(p * (1 - p))
    assert alone == pytest.approx(0.804742342549, rel=1e-11)
    assert alone > mis.SHANNON_FACTOR


def test_each_step_of_the_proof_of_the_shannon_constant():
    def gap(p):
        return mis.SHANNON_FACTOR * np.sqrt(p * (1 - p)) + p * np.log(p)

    p = np.linspace(1e-6, 1 - 1e-6, 2_000_001)
    negative = p[gap(p) < -1e-12]
    assert negative.min() > 0.2 - 1e-6
    assert negative.max() < 0.2065
    lowest = gap(p).min()
    assert lowest > -1e-5
    inner = (p >= 0.17) & (p <= 0.25)
    bend = -mis.SHANNON_FACTOR / 4 * (p * (1 - p))[inner] ** -1.5 + 1 / p[inner]
    assert bend.min() > 0
    small = gap(p)[p < 0.17] / p[p < 0.17]
    assert small.min() > 0.006
    assert gap(p)[(p > 0.25) & (p < 0.83)].min() > 0.0018
    assert 0.01 * small.min() > -4 * lowest
    assert gap(np.array([0.2475]))[0] > 0


# --- slow and fast rates ----------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.25, 1.5, 3.0])
@pytest.mark.parametrize("n", [1, 5, 40, 1000])
def test_power_law_against_a_long_sum(alpha, n):
    from scipy.special import zeta

    N = 400_000
    p = np.arange(1, N + 1) ** -alpha / zeta(alpha)
    head = mis.mean_absolute_deviation(n, p).sum() / 2
    rest = zeta(alpha, N + 1) / zeta(alpha)
    found = mis.power_law_delta(n, alpha)
    assert found.low <= found.high <= found.low * (1 + 1e-9)
    assert head - 1e-12 <= found.low
    assert found.high <= head + rest * (1 + 1e-12) + 1e-12
    more_exact = head + rest - n * zeta(2 * alpha, N + 1) / zeta(alpha) ** 2
    assert found.low == pytest.approx(more_exact, rel=1e-5)


def test_power_law_slopes():
    for alpha, want in ((1.25, -0.2), (1.5, -1 / 3), (4.0, -0.5)):
        low, high = (mis.power_law_delta(n, alpha).low for n in (10**5, 4 * 10**5))
        slope = math.log(high / low) / math.log(4)
        assert slope == pytest.approx(want, abs=0.02)
        assert mis.power_law_exponent(alpha) == pytest.approx(-want)
    with pytest.raises(ValueError, match="^n = "):
        mis.power_law_delta(10**9, 1.01)
    with pytest.raises(ValueError, match="^alpha"):
        mis.power_law_delta(10, 1.0)


@pytest.mark.parametrize("nu", [0.3, 0.4, 0.5, 0.55, 0.7])
@pytest.mark.parametrize("p", [0.2, 0.8, 0.5])
def test_product_learner_against_enumeration(p, nu):
    for n in (1, 2, 5, 8):
        want = mis.learner_delta(lambda c: c[0] == 0, [1 - p, p], n, nu)
        assert mis.product_delta(p, n, nu) == pytest.approx(want, abs=1e-14)


def test_product_learner_values():
    assert mis.product_delta(0.8, 10) == pytest.approx(2097152 / 48828125, rel=1e-14)
    assert mis.product_delta(0.8, 5, lam=0.4) == 0.0
    assert mis.product_delta([0.0, 1.0], 5).tolist() == [0.0, 0.0]
    assert mis.product_delta(0.9, 10**9) == 0.0


def test_window_limit():
    for u in (0.0, 1.0, 2.0, -1.0):
        n = 10**8
        gamma = 1 + u / math.sqrt(n)
        exact = math.sqrt(n) * mis.worst_case_delta(FIVE, n, gamma / (1 + gamma))
        assert mis.nu_window_limit(FIVE, u) == pytest.approx(exact, rel=1e-3)
    assert mis.nu_window_limit(FIVE, 0.0) == pytest.approx(
        mis.diversity(FIVE) * mis.RATE_LIMIT, rel=1e-14
    )
    assert mis.nu_window_limit(FIVE, [np.inf, 1e300]).tolist() == [0.0, 0.0]
    assert mis.nu_window_limit([1.0], 1.0) == 0.0


def test_how_far_off_the_sufficient_number_of_records_is():
    rng = np.random.default_rng(11)
    for _ in range(60):
        p = rng.dirichlet(np.full(rng.integers(2, 8), 5.0))
        security = rng.uniform(0.3, 0.95)
        enough = mis.records_needed(p, security)
        least = next(n for n in range(1, enough + 1) if mis.worst_case_security(p, n) >= security)
        assert mis.worst_case_security(p, enough) >= security
        if least * min(p.min(), 1 - p.max()) > 1:
            assert enough <= 1.43 * least + 1
    # Where the condition fails at the smallest n the answer is further off.
    p = [0.05] + [0.95 / 11] * 11
    assert mis.records_needed(p, 0.635) == 21
    assert mis.worst_case_security(p, 12) >= 0.635 > mis.worst_case_security(p, 11)
