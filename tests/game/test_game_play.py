"""Simulated games against exact rates, and attackers as objects."""

import io
import math
import time
from contextlib import contextmanager

import numpy as np
import pytest
from shared import refused

from explorable import progress
from mipbook import game, tradeoff
from mipbook.game import ExactMatch, InnerProduct, distributional_game, worst_case_game
from mipbook.mechanisms import Gaussian, Sampling, randomised_response


def close(rate, truth, trials):
    return abs(rate - truth) <= 4 * math.sqrt(max(truth * (1 - truth), 1 / trials) / trials)


@pytest.mark.parametrize("neighbours", game.NEIGHBOURS)
def test_tracing_rates_are_the_theorems(neighbours):
    rng = np.random.default_rng(1)
    k, n, sigma = 400, 100, 0.1
    attack = game.TracingAttack(k, n, sigma, neighbours)
    played = worst_case_game(
        Gaussian(sigma), np.zeros((n, k)), np.ones(k), InnerProduct(), 40_000, rng, neighbours=neighbours
    )
    for share in (0.3, 0.7, 1.0, 1.3):
        at = played.confusion(share * k / n)
        assert close(at.tpr, attack.tpr(share * k / n), at.members)
        assert close(at.fpr, attack.fpr(share * k / n), at.others)
    assert played.roc().auc == pytest.approx(
        float(tradeoff.gaussian_tpr(0.5, math.sqrt(2) / attack.signal)), abs=0.006
    )
    assert played.neighbours == neighbours
    assert close(played.member.mean(), 0.5, 40_000)


def test_any_callable_is_a_mechanism_and_releases_may_differ_in_size():
    rng = np.random.default_rng(3)

    def report(data, rng):
        table = randomised_response(1.0)
        return rng.choice(2, p=table[int(data[-1])])

    played = worst_case_game(
        report, [0, 0], 1, lambda outputs, target: outputs, 4000, rng, neighbours="replace"
    )
    at = played.confusion(0.5)
    assert close(at.tpr, math.e / (1 + math.e), at.members)
    assert close(at.fpr, 1 / (1 + math.e), at.others)
    # With an odd number of records the sample's size depends on who is in: lists, not arrays.
    seen = worst_case_game(
        Sampling(0.5), np.arange(9), 77, ExactMatch(), 4000, rng, neighbours="add or remove"
    ).confusion(0.5)
    assert seen.fp == 0
    assert close(seen.tpr, 5 / 10, seen.members)


def test_the_result_does_not_depend_on_the_number_of_processes():
    played = Gaussian(1.0), np.zeros((2, 30)), np.ones(30), InnerProduct(), 20_000
    runs = [worst_case_game(*played, np.random.default_rng(9), n_jobs=jobs) for jobs in (None, 2)]
    assert (runs[0].scores == runs[1].scores).all()
    assert (runs[0].member == runs[1].member).all()
    rng = np.random.default_rng(9)
    first, second = (
        worst_case_game(Gaussian(1.0), [[0.0]], [1.0], InnerProduct(), 10, rng) for _ in range(2)
    )
    assert (first.scores != second.scores).any()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_long_runs_show_progress_and_can_be_interrupted(monkeypatch):
    screen = Terminal()

    @contextmanager
    def reader():
        yield screen

    monkeypatch.setattr(progress, "reader", reader)

    def slow(data, rng):
        time.sleep(0.004)
        return 0.0

    def play(mechanism):
        def constant(outputs, target):
            return np.zeros(len(outputs))

        return distributional_game(
            mechanism, lambda count, rng: np.zeros(count), 1, constant, 600, np.random.default_rng()
        )

    play(slow)
    assert "mipbook games:" in screen.getvalue()
    assert "2/3" in screen.getvalue()

    def interrupted(data, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(interrupted)


def test_a_far_tracing_attack_is_sure_and_nothing_overflows():
    far = game.TracingAttack(10_000, 10, 0.1)
    assert far.fpr(far.shift) == 0.0, "underflows"
    assert far.certified_epsilon(far.shift, 1e-5) == pytest.approx(
        5000 + math.log(50 * math.sqrt(2 * math.pi)), abs=1e-3
    )
    assert far.fnr(-far.shift) == 0.0
    assert far.certified_epsilon(0.0, 1.0) == 0.0
    assert game.TracingAttack(4, 3, 0.5, "add or remove").shift == 1.0


def test_reconstruction_numbers():
    law = game.rows_recovered(10, 4, 0.25)
    assert law.sum() == pytest.approx(1, rel=1e-12)
    assert law @ np.arange(11) == pytest.approx(4 + 6 * 0.25, rel=1e-12)
    assert game.reconstruction_probability(10, 4, 0.25, 0.9) == pytest.approx(law[9:].sum(), rel=1e-12)
    assert game.reconstruction_probability(10, 10, 0.0, 1.0) == 1.0
    assert game.reconstruction_probability(10, 0, 0.0, 0.0) == 1.0
    rng = np.random.default_rng(6)
    values = np.array([1.0, 2.0, 4.0, 9.0, 9.5])
    means = [rng.choice(values, 3, replace=False).mean() for _ in range(20_000)]
    assert np.std(means) == pytest.approx(game.sample_mean_error(values, 3), rel=0.02)
    assert game.sample_mean_error(values, 5) == 0.0


RNG = np.random.default_rng(0)


def test_bad_input_is_named():
    refused("^target = ", worst_case_game, Gaussian(1), [[0.0]], [1.0, 2.0], None, 1, RNG)
    for scores in (lambda y, x: 0.0, lambda y, x: np.full(len(y), math.nan)):
        refused("^attacker's scores = ", worst_case_game, Gaussian(1), [[0.0]], [1.0], scores, 1, RNG)
    for draw in (3, lambda c, r: np.zeros(c - 1)):
        refused("^draw = ", distributional_game, Gaussian(1), draw, 2, InnerProduct(), 1, RNG)
    refused("^threshold = ", game.TracingAttack(1, 1, 1.0).tail_bound, -1.0)
    refused("^released = ", game.rows_recovered, 3, 4, 0.5)
    refused("^released = ", game.sample_mean_error, [1.0], 0)
