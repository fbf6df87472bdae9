"""The game on finite mechanisms, against enumeration and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipbook import game
from mipbook.mechanisms import randomised_response, sampling_mechanism, tight_mechanism


@st.composite
def tables(draw, rows=2):
    """Rational mechanisms with outputs that may be impossible on one side."""
    outputs = draw(st.integers(2, 6))
    rows_ = []
    for _ in range(rows):
        weights = draw(st.lists(st.integers(0, 7), min_size=outputs, max_size=outputs))
        weights[draw(st.integers(0, outputs - 1))] += 1
        rows_.append([Fraction(w, sum(weights)) for w in weights])
    return rows_


def attackers(outputs):
    """All attackers that do not toss coins."""
    return list(product([False, True], repeat=outputs))


def as_floats(table):
    return np.array([[float(p) for p in row] for row in table])


@given(tables())
def test_accuracy_is_the_best_over_all_attackers(table):
    out, inside = table
    best = max(
        sum((inside[o] if said else out[o]) for o, said in enumerate(who)) / 2
        for who in attackers(len(out))
    )
    floats = as_floats(table)
    assert game.optimal_accuracy(floats) == pytest.approx(float(best), rel=1e-14)
    said = game.optimal_decisions(floats)
    tpr, fpr = game.finite_rates(floats, said)
    assert (tpr + 1 - fpr) / 2 == pytest.approx(float(best), rel=1e-13)


@given(tables(), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]))
def test_epsilon_is_the_worst_ratio_over_all_attackers(table, delta):
    worst = Fraction(1)
    for p, q in (table, table[::-1]):
        for who in attackers(len(p)):
            hit = sum((p[o] for o, said in enumerate(who) if said), Fraction(0))
            false = sum((q[o] for o, said in enumerate(who) if said), Fraction(0))
            if hit > delta:
                worst = max(worst, (hit - delta) / false) if false else math.inf
            if worst == math.inf:
                break
        if worst == math.inf:
            break
    got = game.finite_epsilon(as_floats(table), float(delta))
    if worst == math.inf:
        assert got == math.inf
    else:
        assert got == pytest.approx(math.log(worst), rel=1e-9, abs=1e-12)
        assert game.finite_delta(as_floats(table), got) <= float(delta) + 1e-12


@given(tables())
def test_roc_is_concave_and_holds_every_attacker(table):
    floats = as_floats(table)
    fpr, tpr = game.finite_roc(floats)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    rates = game.finite_rates(floats, np.array(attackers(floats.shape[1])))
    # On the vertical first stretch the curve's highest point counts.
    top = dict(zip(fpr, tpr, strict=True))
    ceiling = np.interp(rates[1], list(top), list(top.values()))
    assert (rates[0] <= ceiling + 1e-12).all()


@given(tables(rows=4), st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_posterior_is_bayes(table, weights):
    member = [True, False, True, False]
    total = sum(weights)
    joint = [[Fraction(w, total) * p for p in row] for w, row in zip(weights, table, strict=True)]
    chance = np.array(weights) / total
    got = game.posterior(as_floats(table), member, chance)
    prior = sum(Fraction(w, total) for w, m in zip(weights, member, strict=True) if m)
    for o, value in enumerate(got):
        inside = sum(row[o] for row, m in zip(joint, member, strict=True) if m)
        everything = sum(row[o] for row in joint)
        want = inside / everything if everything else prior
        assert value == pytest.approx(float(want), rel=1e-12)
    best = sum(
        max(
            sum(r[o] for r, m in zip(joint, member, strict=True) if m),
            sum(r[o] for r, m in zip(joint, member, strict=True) if not m),
        )
        for o in range(len(table[0]))
    )
    assert game.optimal_accuracy(as_floats(table), member, chance) == pytest.approx(float(best))


def test_known_mechanisms():
    assert game.optimal_accuracy(sampling_mechanism(0.5)) == 0.75
    assert game.finite_epsilon(sampling_mechanism(0.5), 0.49) == math.inf
    assert game.finite_epsilon(sampling_mechanism(0.5), 0.5) == 0.0
    assert game.finite_epsilon(randomised_response(0.0)) == 0.0
    assert game.finite_epsilon(randomised_response(math.inf)) == math.inf
    assert game.finite_epsilon(tight_mechanism(2.0, 0.1), 0.1) == pytest.approx(2.0, rel=1e-12)
    assert game.finite_epsilon(tight_mechanism(2.0, 0.1), 1.0) == 0.0
    assert game.finite_rates(sampling_mechanism(0.5), [0.5, 0.5]) == (0.5, 0.5)
    # Both orders count: what is possible on one side only may be either side.
    for table in (sampling_mechanism(0.3), sampling_mechanism(0.3)[::-1]):
        assert game.finite_delta(table, 5.0) == pytest.approx(0.3, rel=1e-12)
        assert game.finite_epsilon(table, 0.2) == math.inf


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: game.posterior([[0.5, 0.4], [0.5, 0.5]]), "probabilities"),
        (lambda: game.posterior([0.5, 0.5]), "probabilities"),
        (lambda: game.posterior([[1.0, -0.1], [0.5, 0.5]]), "probabilities"),
        (lambda: game.posterior(np.full((3, 2), 0.5)), "member"),
        (lambda: game.posterior([[1.0], [1.0]], [True, True]), "member"),
        (lambda: game.posterior([[1.0], [1.0]], [0, 1]), "member"),
        (lambda: game.posterior([[1.0], [1.0]], [True, False], [0.0, 1.0]), "weights"),
        (lambda: game.posterior([[1.0], [1.0]], [True, False], [1.0]), "weights"),
        (lambda: game.finite_rates([[1.0], [1.0]], [True, False]), "decisions"),
        (lambda: game.finite_rates([[1.0], [1.0]], [1.5]), "decisions"),
        (lambda: game.finite_epsilon([[1.0], [1.0]], -0.1), "delta"),
        (lambda: game.finite_delta([[1.0], [1.0]], -0.1), "epsilon"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} = "):
        call()
