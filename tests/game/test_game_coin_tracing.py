"""The tracer on random records: its exact rates against games that know nothing of them."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from mipbook import game
from mipbook.mechanisms import Gaussian


def test_rates_are_those_of_played_games():
    k, n, sigma, games = 20, 5, 0.2, 8000

    def coins(count, rng):
        return rng.integers(0, 2, (count, k)) * 1.0

    played = game.distributional_game(
        Gaussian(sigma),
        coins,
        n,
        game.InnerProduct(0.5),
        games,
        np.random.default_rng(1),
        neighbours="replace",
    )
    exact = game.CoinTracing(k, n, sigma)
    for threshold in (-0.5, 0.0, 0.4, 1.0):
        seen = played.confusion(threshold)
        for rate, (low, high) in (
            (exact.fpr(threshold), seen.fpr_interval(0.9999)),
            (exact.tpr(threshold), seen.tpr_interval(0.9999)),
        ):
            assert low <= rate <= high
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


def test_many_coins_lose_next_to_nothing():
    exact = game.CoinTracing(1600, 100, 0.1)
    places, chances = exact._sides[0]
    middle = int(np.flatnonzero(places == 0)[0])
    coins = 160_000
    assert chances[middle] == pytest.approx(comb(coins, coins // 2) / 2**coins, rel=1e-9)
    assert exact.fpr(exact.spread * 60) < 1e-12


def test_tpr_at_inverts_the_fpr():
    exact = game.CoinTracing(400, 20, 0.1)
    for threshold in (-1.0, 0.0, 2.0, 5.0):
        at = exact.fpr(threshold)
        assert exact.tpr_at(float(at)) == pytest.approx(exact.tpr(threshold), abs=1e-8)


def test_games_on_the_statistic_are_games_of_the_attack():
    attack = game.TracingAttack(400, 100, 0.1, "add or remove")
    played = attack.play(20_000, np.random.default_rng(3))
    assert played.neighbours == "add or remove"
    for threshold in (0.0, attack.shift):
        seen = played.confusion(threshold)
        low, high = seen.fpr_interval(0.9999)
        assert low <= attack.fpr(threshold) <= high
        low, high = seen.tpr_interval(0.9999)
        assert low <= attack.tpr(threshold) <= high
