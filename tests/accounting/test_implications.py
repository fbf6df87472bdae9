"""The arrows between the notions and their witnesses, against enumeration that shares no code."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from shared import refused

from mipbook import accounting, game, mip, mis, pmp
from mipbook.mechanisms import tight_mechanism

# By another program: n, e^epsilon, share, and the exact PMP parameter and Delta of the tags.
TAGS = [
    (10, 2.0, 0.38333333333333336, 0.8242475014057726, 0.27449018708042183),
    (1000, 2.0, 1 / 3, 0.6945833352350519, 0.32518579633888295),
    (2, math.e, 0.3765179899179932, 1.48988012564475, 0.31919756669392046),
    (300, math.e, 0.2689414213699951, 1.007417715491215, 0.4419485305383408),
    (1, 4.0, 0.3, 1.3862943611198906, 0.33157894736842103),
    (100, 4.0, 0.22, 1.4219382451207707, 0.5649437049036452),
]


def halves(n):
    return list(combinations(range(2 * n), n))


def exact_eta(release, n):
    """Half the largest total variation distance, in fractions; ``release`` maps half to output."""
    worst = Fraction(0)
    for record in range(2 * n):
        gap: dict[object, Fraction] = {}
        for half in halves(n):
            sign = 1 if record in half else -1
            for output, chance in release(half).items():
                gap[output] = gap.get(output, Fraction(0)) + sign * chance
        sides = Fraction(math.comb(2 * n - 1, n - 1))
        worst = max(worst, sum(abs(g) for g in gap.values()) / sides / 4)
    return worst


# ----------------------------------------------------------------------------- the twelve arrows


def test_there_are_twelve_arrows_and_none_leads_to_dp_or_from_security():
    assert len(set(accounting.ARROWS)) == 12
    kinds = {(a.start, a.end): a.kind for a in accounting.ARROWS}
    for (start, end), kind in kinds.items():
        assert (kind == "impossible") == (end == "DP" or start == "MIS")
    assert [pair for pair, kind in kinds.items() if kind == "bound"] == [("PMP", "MIS")]


@pytest.mark.parametrize("p", [0.1, 0.6])
def test_from_mip_to_pmp_a_delta_is_needed_and_twice_eta_is_enough(p):
    halves = mip.subsets(6)
    told = np.where(halves[:, [0]], [[1 - p, p, 0]], [[1 - p, 0, p]])  # of one, in or out, by a lot
    for epsilon in (0.0, 3.0, 50.0):
        found = pmp.finite_pmp_delta(told, halves, epsilon)
        assert found == pytest.approx(2 * mip.finite_eta(told, halves), rel=1e-12)
    needing = [(a.start, a.end) for a in accounting.ARROWS if a.needs_delta]
    assert needing == [("MIP", "PMP")]


def test_accuracies_are_those_of_the_conversions_of_each_room():
    right = np.linspace(0.5, 0.9999, 60)
    epsilon = accounting.promised_parameter("DP", right)
    found = {(a.start, a.end): a.accuracy(right) for a in accounting.ARROWS}
    same = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(found["DP", "MIP"], 0.5 + mip.eta_from_dp(epsilon), **same)
    np.testing.assert_allclose(found["DP", "PMP"], pmp.success_bound(epsilon), **same)
    np.testing.assert_allclose(found["DP", "MIS"], 0.5 + mis.delta_from_dp(epsilon) / 2, **same)
    np.testing.assert_allclose(found["PMP", "MIP"], 0.5 + pmp.eta_from_pmp(epsilon), **same)
    security = 0.5 + accounting.delta_from_pmp(epsilon) / 2
    np.testing.assert_allclose(found["PMP", "MIS"], security, **same)
    eta = accounting.promised_parameter("MIP", right)
    security = 0.5 + accounting.delta_from_mip(eta) / 2
    np.testing.assert_allclose(found["MIP", "MIS"], security, **same)
    for ends in (("MIS", "MIP"), ("PMP", "DP"), ("MIP", "DP")):
        assert (found[ends] == 1).all()


def test_the_parameter_lets_the_attacker_be_right_that_often():
    for right in (0.5, 0.6, 0.9, 1.0):
        epsilon = accounting.promised_parameter("DP", right)
        assert game.optimal_accuracy(tight_mechanism(epsilon, 0.0)) == pytest.approx(right)
        assert accounting.promised_parameter("PMP", right) == epsilon
        assert accounting.promised_parameter("MIS", right) == pytest.approx(2 * right - 1)


def test_an_arrow_to_itself_and_other_notions_are_refused():
    for start, end, name in (("DP", "DP", "end"), ("RIP", "DP", "start"), ("DP", "RIP", "end")):
        refused(f"^{name} = ", accounting.arrow, start, end)


@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_pmp_to_security_is_the_two_sided_bound(delta):
    for epsilon in (0.0, 0.3, 2.0, np.inf):
        pair = tight_mechanism(epsilon, delta)
        told = accounting.delta_from_pmp(epsilon, delta)
        assert told == pytest.approx(mis.total_variation(*pair), rel=1e-12)


def test_no_learner_gains_more_than_on_its_pools_on_average():
    """Delta of random learners on iid records, and the mean distance on pools, by index."""
    rng, kinds, n = np.random.default_rng(3), 3, 2
    pools = list(product(range(kinds), repeat=2 * n))
    for _ in range(20):
        table = rng.dirichlet(np.full(4, 0.4), size=(kinds, kinds))
        table = (table + table.transpose(1, 0, 2)) / 2
        law = rng.dirichlet(np.ones(kinds))
        answers = {
            tuple(np.bincount(pair, minlength=kinds).tolist()): dict(enumerate(table[pair]))
            for pair in product(range(kinds), repeat=2)
        }
        delta = mis.learner_delta(answers.__getitem__, law, n)
        mean = 0.0
        for pool in pools:
            chosen = [table[pool[i], pool[j]] for i, j in halves(n)]
            within = [row for row, half in zip(chosen, halves(n), strict=True) if 0 in half]
            out = [row for row, half in zip(chosen, halves(n), strict=True) if 0 not in half]
            gap = np.abs(np.mean(within, axis=0) - np.mean(out, axis=0)).sum() / 2
            mean += math.prod(law[list(pool)]) * gap
        assert delta <= mean + 1e-12
        assert mean < 1


# ------------------------------------------------------------------------------- the witnesses


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 100), Fraction(1, 2), Fraction(1)])
def test_naming_one_half_against_fractions(n, p):
    named = halves(n)[0]

    def release(half):
        yes = Fraction(1) if half == named else p
        return {"yes": yes, "no": 1 - yes}

    found = accounting.one_half(n, float(p))
    assert found.eta == pytest.approx(float(exact_eta(release, n)), rel=1e-13)
    ratios = [0.0]
    for record, output in product(range(2 * n), ("yes", "no")):
        inside = sum(release(half)[output] for half in halves(n) if record in half)
        without = sum(release(half)[output] for half in halves(n) if record not in half)
        if inside or without:
            ratios.append(abs(math.log(inside / without)) if inside and without else math.inf)
    assert found.epsilon == pytest.approx(max(ratios), rel=1e-12)
    table, members = accounting.one_half_table(n, float(p)), mip.subsets(2 * n)
    for epsilon in (0.0, 3.0, 700.0):
        assert pmp.finite_dp_delta(table, members, epsilon) >= found.least_delta - 1e-15
    assert pmp.finite_dp_delta(table, members, 700.0) == pytest.approx(found.least_delta)


@pytest.mark.parametrize(("n", "q"), [(2, 11), (2, 13), (3, 13), (3, 37), (3, 61), (4, 19)])
def test_power_sums_against_fractions(n, q):
    labels = [2**i % q for i in range(2 * n)]
    found = accounting.power_sums(n, q)
    edge = exact_eta(lambda half: {sum(labels[i] for i in half) % q: Fraction(1)}, n)
    assert found.eta == pytest.approx(float(edge), rel=1e-13)
    first = [sum(labels[i] for i in half) % q for half in halves(n) if 0 in half]
    assert found.inside.tolist() == np.bincount(first, minlength=q).tolist()
    # Where every sum is another one, each gives all away.
    if edge == Fraction(1, 2):
        assert found.epsilon == math.inf


@pytest.mark.parametrize(("n", "q"), [(2, 5), (2, 8), (3, 5), (4, 3)])
def test_a_sum_modulo_q_is_secure(n, q):
    delta = mis.learner_delta(lambda counts: np.dot(counts, range(q)) % q, np.full(q, 1 / q), n)
    assert delta < 1e-12
    # With one record less to hide behind it is not.
    assert mis.learner_delta(lambda counts: np.dot(counts, range(q)) % q, [1 / q] * q, 1) > 0.6


def in_pool(n):
    def learner(counts):
        inside = sum(counts[: 2 * n]) == n and max(counts) == 1
        return counts if inside else "nothing"

    return learner


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_publishing_half_of_a_pool_is_between_its_bounds(n):
    low, high = accounting.match_bracket(n)
    chance = Fraction(math.factorial(2 * n), math.factorial(n) * (2 * n) ** n)
    assert high == pytest.approx(float(chance), rel=1e-13)
    uniform = mis.learner_delta(in_pool(n), np.full(2 * n, 1 / (2 * n)), n)
    assert low == pytest.approx(uniform, rel=1e-12)
    rng = np.random.default_rng(n)
    for size in (2 * n, 2 * n + 2):
        for _ in range(8):
            law = rng.dirichlet(np.full(size, 2.0))
            assert mis.learner_delta(in_pool(n), law, n) <= high + 1e-12


# ------------------------------------------------------------------------------- random tags


@pytest.mark.parametrize(("n", "odds", "share", "epsilon", "delta"), TAGS)
def test_tags_against_another_program(n, odds, share, epsilon, delta):
    found = accounting.tag_release(n, odds, share)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert found.delta == pytest.approx(delta, rel=1e-9)
    best = accounting.tag_release(n, odds)
    assert best.epsilon == found.epsilon
    assert found.delta <= best.delta < np.tanh(best.epsilon / 2)


@pytest.mark.parametrize(("n", "values"), [(1, 4), (2, 6), (3, 7)])
def test_tags_keep_their_promise_on_every_pool_of_a_small_world(n, values):
    odds, share = 2.0, 0.4
    weights = np.exp(accounting.tag_weights(n, odds))
    tags = np.array(list(product((0, 1), repeat=values)))
    base = np.where(tags, share, 1 - share).prod(axis=1)
    worst = 0.0
    for pool in combinations(range(values), 2 * n):
        rows = [base * weights[tags[:, list(half)].sum(axis=1)] for half in combinations(pool, n)]
        table = np.array(rows)
        table /= table.sum(axis=1, keepdims=True)
        worst = max(worst, pmp.finite_pmp_epsilon(table, mip.subsets(2 * n)))
    assert accounting.tag_release(n, odds, share).epsilon == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_the_gain_from_tags_in_fractions(n):
    share, odds = Fraction(2, 5), Fraction(3)
    weights = [Fraction(1)]
    for j in range(n):
        h = Fraction(j, n)
        early = h <= odds / (1 + odds)
        ratio = (odds - h) / (1 - h) if early else odds * h / (odds * h - odds + 1)
        weights.append(weights[-1] * ratio)
    np.testing.assert_allclose(
        accounting.tag_weights(n, 3.0), [math.log(w) for w in weights], rtol=1e-12, atol=1e-12
    )

    def mean(drawn, shift):
        return sum(
            math.comb(drawn, k) * share**k * (1 - share) ** (drawn - k) * weights[k + shift]
            for k in range(drawn + 1)
        )

    # Given the record: tagged with the chance of a member's tag, not of anybody's.
    tagged = share * mean(n - 1, 1) / mean(n, 0)
    expected = float(tagged - share)
    assert accounting.tag_release(n, 3.0, 0.4).delta == pytest.approx(expected, rel=1e-12)


def test_one_record_is_private_everywhere_and_the_gain_is_that_of_dp():
    for odds in (1.0, 1.5, 4.0, 1e4):
        found = accounting.tag_release(1, odds)
        assert found.epsilon == pytest.approx(math.log(odds), abs=1e-12)
        assert found.delta == pytest.approx(math.tanh(math.log(odds) / 4), abs=1e-9)
