"""Simulated games against exact rates, attackers as objects, and the tracer's exact rates."""

import io
import math
import time
from contextlib import nullcontext
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import norm
from shared import refused

from explorable import progress
from mipbook import game
from mipbook.game import ExactMatch, InnerProduct, distributional_game, worst_case_game
from mipbook.mechanisms import Gaussian, Sampling, randomised_response


def close(rate, truth, trials):
    return abs(rate - truth) <= 4 * math.sqrt(max(truth * (1 - truth), 1 / trials) / trials)


def within(seen, exact, threshold):
    """Say whether exact rates lie in the intervals of what was counted."""
    low, high = seen.fpr_interval(0.9999)
    least, most = seen.tpr_interval(0.9999)
    return low <= exact.fpr(threshold) <= high and least <= exact.tpr(threshold) <= most


@pytest.mark.parametrize("neighbours", game.NEIGHBOURS)
def test_tracing_rates_are_the_theorems(neighbours):
    rng = np.random.default_rng(1)
    k, n, sigma = 400, 100, 0.1
    attack = game.TracingAttack(k, n, sigma, neighbours)
    played = worst_case_game(
        Gaussian(sigma), np.zeros((n, k)), np.ones(k), InnerProduct(), 40_000, rng, neighbours=neighbours
    )
    for share in (0.3, 0.7, 1.0, 1.3):
        assert within(played.confusion(share * k / n), attack, share * k / n)
    assert close(played.member.mean(), 0.5, 40_000)
    drawn = attack.play(20_000, np.random.default_rng(3))
    assert drawn.neighbours == played.neighbours == neighbours
    for threshold in (0.0, attack.shift):
        assert within(drawn.confusion(threshold), attack, threshold)


def test_any_callable_is_a_mechanism_and_releases_may_differ_in_size():
    rng = np.random.default_rng(3)

    def report(data, rng):
        return rng.choice(2, p=randomised_response(1.0)[int(data[-1])])

    def told(outputs, target):
        return outputs

    at = worst_case_game(report, [0, 0], 1, told, 4000, rng, neighbours="replace").confusion(0.5)
    assert close(at.tpr, math.e / (1 + math.e), at.members)
    assert close(at.fpr, 1 / (1 + math.e), at.others)
    # With an odd number of records the sample's size depends on who is in: lists, not arrays.
    seen = worst_case_game(Sampling(0.5), np.arange(9), 77, ExactMatch(), 4000, rng).confusion(0.5)
    assert seen.fp == 0
    assert close(seen.tpr, 5 / 10, seen.members)


def test_the_result_does_not_depend_on_the_number_of_processes():
    played = Gaussian(1.0), np.zeros((2, 30)), np.ones(30), InnerProduct(), 20_000
    one, two = (worst_case_game(*played, np.random.default_rng(9), n_jobs=jobs) for jobs in (None, 2))
    assert (one.scores == two.scores).all()
    assert (one.member == two.member).all()
    rng = np.random.default_rng(9)
    first, second = (worst_case_game(*played[:-1], 10, rng) for _ in range(2))
    assert (first.scores != second.scores).any()


def test_long_runs_show_progress(monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True

    def slow(data, rng):
        time.sleep(0.004)
        return 0.0

    monkeypatch.setattr(progress, "reader", lambda: nullcontext(screen))
    draw, score = (lambda count, rng: np.zeros(count)), (lambda outputs, target: 0.0 * outputs)
    distributional_game(slow, draw, 1, score, 600, np.random.default_rng())
    assert "mipbook games:" in screen.getvalue()
    assert "2/3" in screen.getvalue()


def test_a_far_tracing_attack_is_sure_and_nothing_overflows():
    far = game.TracingAttack(10_000, 10, 0.1)
    assert far.fpr(far.shift) == 1.0 - far.tpr(-far.shift) == 0.0, "underflows"
    epsilon = 5000 + math.log(50 * math.sqrt(2 * math.pi))
    assert far.certified_epsilon(far.shift, 1e-5) == pytest.approx(epsilon, abs=1e-3)
    assert far.certified_epsilon(0.0, 1.0) == 0.0
    assert game.TracingAttack(4, 3, 0.5, "add or remove").shift == 1.0


def test_reconstruction_numbers():
    law = game.rows_recovered(10, 4, 0.25)
    assert law.sum() == pytest.approx(1, rel=1e-12)
    assert law @ np.arange(11) == pytest.approx(4 + 6 * 0.25, rel=1e-12)
    assert game.reconstruction_probability(10, 4, 0.25, 0.9) == pytest.approx(law[9:].sum(), rel=1e-12)
    assert game.reconstruction_probability(10, 10, 0.0, 1.0) == 1.0
    values = np.array([1.0, 2.0, 4.0, 9.0, 9.5])
    every = [np.mean(few) for few in combinations(values, 3)]
    assert np.std(every) == pytest.approx(game.sample_mean_error(values, 3), rel=1e-12)


def test_bad_input_is_named():
    rng = np.random.default_rng(0)
    refused("^target = ", worst_case_game, Gaussian(1), [[0.0]], [1.0, 2.0], None, 1, rng)
    for scores in (lambda y, x: 0.0, lambda y, x: np.full(len(y), math.nan)):
        refused("^attacker's scores = ", worst_case_game, Gaussian(1), [[0.0]], [1.0], scores, 1, rng)
    refused("^draw = ", distributional_game, Gaussian(1), lambda c, r: [0.0], 2, InnerProduct(), 1, rng)
    refused("^released = ", game.rows_recovered, 3, 4, 0.5)


# --- The tracer on random records: its exact rates against games that know nothing of them --------


def test_rates_on_random_records_are_those_of_played_games():
    k, n, sigma, rng = 20, 5, 0.2, np.random.default_rng(1)

    def coins(count, rng):
        return rng.integers(0, 2, (count, k)) * 1.0

    attacker = game.InnerProduct(0.5)
    played = distributional_game(Gaussian(sigma), coins, n, attacker, 8000, rng, neighbours="replace")
    exact = game.CoinTracing(k, n, sigma)
    for threshold in (-0.5, 0.0, 0.4, 1.0):
        assert within(played.confusion(threshold), exact, threshold)
    assert abs(played.roc().tpr_at(0.1) - exact.tpr_at(0.1)) < 0.05


def test_few_coins_are_all_counted():
    k, n, sigma, threshold = 2, 2, 0.3, 0.2
    exact = game.CoinTracing(k, n, sigma)

    def beyond(others, shift):
        chance = 0.0
        for signs in product((-1, 1), repeat=k * others):
            z = (sum(signs) + shift) / (4 * n)
            chance += norm.sf((threshold - z) / (sigma * k**0.5 / 2)) / 2 ** (k * others)
        return chance

    assert exact.fpr(threshold) == pytest.approx(beyond(n, 0), rel=1e-12)
    assert exact.tpr(threshold) == pytest.approx(beyond(n - 1, k), rel=1e-12)


def test_many_coins_lose_next_to_nothing_and_tpr_at_inverts_the_fpr():
    exact = game.CoinTracing(1600, 100, 0.1)
    places, chances = exact._sides[0]
    coins = 160_000
    middle = math.comb(coins, coins // 2) / 2**coins
    assert chances[int(np.flatnonzero(places == 0)[0])] == pytest.approx(middle, rel=1e-9)
    assert exact.fpr(exact.spread * 60) < 1e-12
    exact = game.CoinTracing(400, 20, 0.1)
    for threshold in (-1.0, 0.0, 2.0, 5.0):
        at = float(exact.fpr(threshold))
        assert exact.tpr_at(at) == pytest.approx(exact.tpr(threshold), abs=1e-8)
