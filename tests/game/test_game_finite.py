"""The game on finite mechanisms, against enumeration and exact fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import refused

from mipbook import game
from mipbook.game.finite import output_laws
from mipbook.mechanisms import (
    exponential_probabilities,
    randomised_response,
    sampling_mechanism,
    tight_mechanism,
)


@st.composite
def tables(draw):
    """Rational mechanisms with outputs that may be impossible on one side."""
    outputs, rows = draw(st.integers(2, 6)), []
    for _ in "01":
        weights = draw(st.lists(st.integers(0, 7), min_size=outputs, max_size=outputs))
        weights[draw(st.integers(0, outputs - 1))] += 1
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows


def attackers(outputs):
    """All attackers that do not toss coins."""
    return list(product([False, True], repeat=outputs))


def as_floats(table):
    return np.array(table, dtype=float)


@given(tables())
def test_accuracy_is_the_best_over_all_attackers(table):
    out, inside = table
    best = max(
        sum((inside[o] if said else out[o]) for o, said in enumerate(who)) / 2 for who in attackers(len(out))
    )
    floats = as_floats(table)
    assert game.optimal_accuracy(floats) == pytest.approx(float(best), rel=1e-14)
    tpr, fpr = game.finite_rates(floats, game.optimal_decisions(floats))
    assert (tpr + 1 - fpr) / 2 == pytest.approx(float(best), rel=1e-13)


@given(tables(), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]))
def test_epsilon_is_the_worst_ratio_over_all_attackers(table, delta):
    worst = Fraction(1)
    for p, q in (table, table[::-1]):
        for who in attackers(len(p)):
            hit, false = (sum(x for x, said in zip(law, who, strict=True) if said) for law in (p, q))
            if hit > delta:
                worst = max(worst, (hit - delta) / false if false else math.inf)
    got = game.finite_epsilon(as_floats(table), float(delta))
    assert got == pytest.approx(math.log(worst), rel=1e-9, abs=1e-12)
    assert got == math.inf or game.finite_delta(as_floats(table), got) <= float(delta) + 1e-12


def test_known_mechanisms():
    half = sampling_mechanism(0.5)
    assert (game.finite_epsilon(half, 0.49), game.finite_epsilon(half, 0.5)) == (math.inf, 0.0)
    assert game.finite_rates(half, [0.5, 0.5]) == (0.5, 0.5)
    assert game.finite_epsilon(randomised_response(math.inf)) == math.inf
    assert game.finite_epsilon(tight_mechanism(2.0, 0.1), 1.0) == 0.0


def test_bad_input_is_named():
    refused("^probabilities = ", game.posterior, [[0.5, 0.4], [0.5, 0.5]])
    refused("^member = ", game.posterior, [[1.0], [1.0]], [True, True])
    refused("^weights = ", game.posterior, [[1.0], [1.0]], [True, False], [0.0, 1.0])


def test_epsilon_of_rare_outputs_is_not_rounded_away():
    table = exponential_probabilities([[0.0, 80.0], [0.0, 78.0]], 1.0)
    # The second output's log ratio is 1 + ln of the two norms, which are 1 to 17 digits.
    assert game.finite_epsilon(table) == pytest.approx(1.0, rel=1e-12)
    assert game.finite_epsilon(tight_mechanism(1.0, 1e-16)) == math.inf
    assert game.finite_epsilon(tight_mechanism(1.0, 1e-16), 1e-16) == pytest.approx(1.0)
    assert game.finite_epsilon(sampling_mechanism(1e-17)) == math.inf
    assert game.finite_epsilon(sampling_mechanism(1e-17), 1e-17) == 0.0
    assert game.finite_epsilon(sampling_mechanism(1e-17), 0.9e-17) == math.inf
    # With delta below the first output's chance, it alone decides.
    table = [[0.0, 1e-20, 1.0], [0.3, 0.3, 0.4]]
    assert game.finite_epsilon(table, 0.2) == math.inf
    assert game.finite_epsilon(table, 0.3) == pytest.approx(math.log(0.3) + 20 * math.log(10))
    fpr, tpr = game.finite_roc(table)
    assert fpr[:3].tolist() == [0.0, 0.0, 1e-20]
    assert tpr[:3] == pytest.approx([0.0, 0.3, 0.6])


def test_epsilon_is_never_below_the_smallest_that_will_do():
    """In 50 digits: delta at the answer is at most what was asked, and not far below."""
    rng = np.random.default_rng(11)
    with localcontext() as context:
        context.prec = 50
        for trial in range(600):
            table = rng.dirichlet(np.full(rng.integers(2, 9), 0.5), 2) + 1e-12
            delta = (0.0, 1e-9, 1e-3, 0.05)[trial % 4]
            epsilon = game.finite_epsilon(table, delta)
            laws = [[Decimal(x) for x in law] for law in output_laws(table)]

            def needed(at, laws=laws):
                e = Decimal(at).exp()
                return max(
                    sum(max(p - e * q, 0) for p, q in zip(one, two, strict=True))
                    for one, two in (laws, laws[::-1])
                )

            assert needed(epsilon) <= Decimal(delta)
            if epsilon > 0:
                assert needed(epsilon - 1e-12) > Decimal(delta)


@given(tables(), st.floats(0, 1))
def test_the_best_tpr_is_what_two_attackers_and_a_coin_reach(table, fpr):
    table = as_floats(table)
    rates = np.array(game.finite_rates(table, np.array(attackers(table.shape[1])))).T
    best = float(game.finite_tpr(fpr, table))
    for tpr, own in rates:
        assert tpr <= game.finite_tpr(min(own + 1e-12, 1.0), table) + 1e-9
    # A coin between the best attacker below this FPR and one above it.
    below, above = rates[rates[:, 1] <= fpr], rates[rates[:, 1] > fpr]
    pairs = product(below, above)
    mixed = [one[0] + (two[0] - one[0]) * (fpr - one[1]) / (two[1] - one[1]) for one, two in pairs]
    assert best == pytest.approx(max([*mixed, *below[:, 0]]), abs=1e-9)
