"""The opening game: posterior, accuracy, rounds."""

from functools import partial
from itertools import combinations, pairwise
from unittest import mock

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm
from shared import refused

from mipbook import mip
from mipbook.mip import mean_game
from mipbook.mip.mean_game import noisy_mean_accuracies

RECORDS = np.array([1.0, 2.0, 4.0, 9.0])


@given(st.integers(0, 3), st.floats(-20, 30), st.floats(0.2, 10))
def test_posterior_against_counting(target, released, sigma):
    logs = {True: [], False: []}
    for half in combinations(range(4), 2):
        logs[target in half].append(norm.logpdf(released, RECORDS[list(half)].mean(), sigma))
    no, yes = (np.logaddexp.reduce(logs[way]) for way in (False, True))
    got = mip.noisy_mean_posterior(RECORDS, target, released, sigma)
    assert got == pytest.approx(expit(yes - no), rel=1e-9, abs=1e-300)


def by_fine_scan(inside, outside, sigma):
    """Crossings on a hundred times finer grid, then areas by mpmath; no shared code."""
    points = np.arange(min(*inside, *outside) - 10 * sigma, max(*inside, *outside) + 10 * sigma, sigma / 1000)

    def gap(law, y):
        left, right = (sum(law((y - m) / sigma) for m in side) / len(side) for side in (inside, outside))
        return left - right

    signs = np.sign(gap(norm.pdf, points))
    with mpmath.workdps(30):
        ends = [(points[i], points[i + 1]) for i in np.flatnonzero(signs[:-1] * signs[1:] < 0)]
        cuts = [mpmath.findroot(partial(gap, mpmath.npdf), pair, solver="anderson") for pair in ends]
        levels = [0, *(gap(mpmath.ncdf, cut) for cut in cuts), 0]
        return float(sum(abs(b - a) for a, b in pairwise(levels)) / 2)


def test_crossings_are_found_to_many_digits():
    records = [1.0, 1.0, 3.0, 4.0, 1.0, 5.0, 4.0, 4.0]
    sigma = 0.12496115910538537
    members = mip.subsets(8)
    means = members @ np.array(records) / 4
    want = by_fine_scan(means[members[:, 2]], means[~members[:, 2]], sigma)
    assert mip.noisy_mean_accuracy(records, 2, sigma) == pytest.approx(0.5 + want / 2, abs=1e-12)


def test_two_crossings_in_one_cell_are_found():
    inside = np.array([0.0, 2.0, 0.5, 0.5, 0.5, 2.5])
    outside = np.array([0.0, 3.5, 1.0, 0.0, 3.0, 2.0])
    sigma = 0.5313263801542125
    want = by_fine_scan(inside, outside, sigma)
    [found] = mean_game.mixture_distances([(inside, outside, (np.full(6, 1 / 6),) * 2)], sigma)
    assert found == pytest.approx(want, abs=1e-12)


def test_sixteen_records_and_symmetric_laws_have_their_crossing():
    records = np.random.default_rng(4).normal(size=16)
    assert 0.5 < mip.noisy_mean_accuracy(records, 3, 0.3) < 1
    for sigma in (1e-9, 0.02):
        assert mip.noisy_mean_accuracy(np.arange(16.0), 0, sigma) == pytest.approx(0.67327117327)


def test_posteriors_far_out_and_with_hardly_any_noise():
    for released, sigma, want in (
        *((1e200, 1.0, 1.0), (-1e200, 1.0, 0.0), (0.5, 1e-300, 0.5)),
        *((0.3, 5e-324, 0.0), (0.7, 5e-324, 1.0), (1e308, 1e-300, 1.0)),
    ):
        assert mip.noisy_mean_posterior([0.0, 1.0], 1, released, sigma) == want
    assert mip.noisy_mean_silent_accuracy([0.0, 1.0], 0, 1e-300, 0.3) == 1
    four = mip.noisy_mean_posterior([0.0, 1.0, 2.0, 3.0], 1, [1e200, 1.5], 1e-5)
    assert four.tolist() == [0.0, 0.5]
    assert mip.noisy_mean_posterior(RECORDS, 3, [-1e6, 1e6], 0.1).tolist() == [0.0, 1.0]


def test_a_line_is_right_as_often_as_the_normal_distribution_says():
    accuracy = mip.noisy_mean_line_accuracy([0.0, 1.0], 1, 0.5, [0.5, 10.0, -10.0])
    assert accuracy == pytest.approx([norm.cdf(1.0), 0.5, 0.5], abs=1e-12)
    lines = np.linspace(RECORDS.min(), RECORDS.max(), 401)
    every = mip.noisy_mean_line_accuracy(RECORDS, 3, 0.4, lines)
    assert (every >= 0.5).all()
    assert every.max() <= mip.noisy_mean_accuracy(RECORDS, 3, 0.4) + 1e-11


@pytest.mark.parametrize("spoken", [1e-4, 0.01, 0.5, 1.0])
def test_who_answers_seldom_is_right_as_often_as_rounds_far_out_are(spoken):
    edges = np.linspace(-20.0, 28.0, 1_000_001)
    inside, outside = (side[::-1].cumsum() for side in mip.noisy_mean_shares(RECORDS, 3, 1.5, edges))
    last = np.searchsorted(inside + outside, spoken)
    share = inside[last] / (inside[last] + outside[last])
    for target, pulled in ((3, RECORDS), (0, 10 - RECORDS[::-1])):  # down as often as up
        got = mip.noisy_mean_silent_accuracy(pulled, target, 1.5, spoken)
        assert got == pytest.approx(share, abs=1e-4)
    assert got >= mip.noisy_mean_line_accuracy(RECORDS, 3, 1.5, RECORDS.mean()) - 1e-12


@pytest.mark.parametrize("sigma", [0.05, 0.6, 20.0])
def test_all_targets_at_once_are_each_by_itself(sigma):
    records = [0.0, 0.3, 1.0, 1.0, 2.5, 7.0]
    each = [mip.noisy_mean_accuracy(records, target, sigma) for target in range(6)]
    np.testing.assert_allclose(noisy_mean_accuracies(records, sigma), each, rtol=1e-13)
    assert max(each) - min(each) > 1e-3  # which one is whose would be seen
    with mock.patch.object(mean_game, "_PAIRS", 1000):
        np.testing.assert_allclose(noisy_mean_accuracies(records, sigma), each, rtol=1e-13)


def test_shares_are_those_of_drawn_rounds_and_of_the_line():
    edges = np.linspace(-6.0, 9.0, 16)
    inside, outside = mip.noisy_mean_shares(RECORDS, 3, 1.0, edges)
    rng = np.random.default_rng(0)
    rounds = [mip.draw_round(RECORDS, 1.0, rng) for _ in range(4000)]
    halves = np.array([half for half, _ in rounds])
    assert (halves.sum(axis=1) == 2).all()
    assert np.abs(halves.mean(axis=0) - 0.5).max() < 0.04
    for was_in, shares in ((True, inside), (False, outside)):
        seen = np.array([released for half, released in rounds if half[3] == was_in])
        counts = np.histogram(seen, edges)[0]
        assert (abs(counts - seen.size * shares) < 5 * np.sqrt(seen.size * shares + 1)).all()
    # A line at an edge says in on one side of it.
    wide = np.concatenate([[-100.0], edges, [100.0]])
    inside, outside = (side.cumsum() for side in mip.noisy_mean_shares(RECORDS, 3, 1.0, wide))
    line = mip.noisy_mean_line_accuracy(RECORDS, 3, 1.0, edges)
    np.testing.assert_allclose(line, 0.5 + abs(outside - inside)[:-1] / 2, atol=1e-12)
    for bad in ([0.0, 0.0], [1.0, 0.0]):
        refused("finite and increasing", mip.noisy_mean_shares, [0.0, 1.0], 1, 1.0, bad)
