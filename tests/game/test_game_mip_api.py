"""Bad or extreme arguments get an answer or a ValueError that names them, and soon."""

import time
import tracemalloc

import numpy as np
import pytest
from scipy.stats import norm

from mipbook import game, mip
from mipbook.mechanisms import Gaussian, exponential_probabilities, records_mean, sampling_mechanism
from mipbook.release import MIPRelease

RNG = np.random.default_rng(0)
RAGGED = [[0.1, 0.2], [0.3]]
PAIR = [[True, False], [False, True]]
FOUR = np.arange(4.0)
ZEROS = np.zeros((4, 2))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("delta", lambda: Gaussian.for_dp(1.0, 0.0, 1.0)),
        ("member", lambda: game.posterior(np.eye(2), RAGGED)),
        ("member", lambda: game.roc([1.0, 2.0], RAGGED)),
        ("x", lambda: mip.weighted_norm([np.inf, 1], [1, 1])),
        ("x", lambda: mip.weighted_norm([1e308, 1], [1e-300, 1])),
        ("eta", lambda: mip.calibrate_scale(FOUR, np.mean, 5e-324, RNG)),
        ("fits", lambda: mip.calibrate_scale(FOUR, np.mean, 1e-300, RNG)),
        ("fits", lambda: MIPRelease(np.mean, 1e-300)),
        ("eta", lambda: mip.noise_scale(1e-310)),
        ("eta", lambda: mip.laplace_dp_scale(1e-310, 1.0)),
        ("eta", lambda: mip.scale_from_distance(1e308, 0.1)),
        ("eta", lambda: mip.gaussian_sigma_for_mip(1.0, 1e-310)),
        ("eta", lambda: mip.sample_noise([1, 1], 1e-310, 2, RNG)),
        ("eta", lambda: mip.delivered_eta(3, 2, 1e-310)),
        (r"fit\(data\)", lambda: mip.fit_on_halves(FOUR, lambda rows: "x", 2, RNG)),
        ("members", lambda: mip.bracket_matching([[True, False]] * 2 + [[False, False]], 0)),
        ("outputs", lambda: mip.average_sensitivity([1e308, -1e308], np.array(PAIR))),
        ("sigma", lambda: mip.noise_crossings(36, 2, 1e-300)),
        ("X", lambda: MIPRelease(np.mean, 0.1).release(RAGGED, rng=RNG)),
        ("size", lambda: mip.sample_noise([1.0], 0.1, 2, RNG, 2**62)),
        ("sigma", lambda: mip.sample_noise([1e308], 1e-9, 2, RNG)),
        ("outputs", lambda: mip.mean_deviation([1e308, -1e308, 1e308, -1e308, -1e308])),
        ("n_jobs", lambda: MIPRelease(np.mean, 0.1, n_jobs=0)),
        ("n_jobs", lambda: MIPRelease(np.mean, 0.1, n_jobs=10**6)),
        ("sensitivity", lambda: MIPRelease(np.mean, 0.1, sensitivity=[-1.0])),
        ("learner", lambda: MIPRelease(lambda r: None, 0.1).release(FOUR, rng=RNG)),
    ],
)
def test_refused_by_name_at_once(name, call):
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(ValueError, match=f"(?s)^{name} = .*must be"):
        call()
    assert time.process_time() - start < 2
    assert tracemalloc.get_traced_memory()[1] < 2**30
    tracemalloc.stop()


def test_extreme_arguments_get_right_answers():
    """Warnings are errors in this suite, so that none of these may overflow aloud."""
    tiny = game.TracingAttack(4, 4, 1e-300)
    assert tiny.fpr(1e10) == 0.0
    assert tiny.tail_bound(1e200) == 0.0
    assert tiny.densities(1e200) == (0.0, 0.0)
    assert Gaussian(1e-300).log_density([1.0], [[0.0]]) == -np.inf
    assert exponential_probabilities([1e308, -1e308], 1).tolist() == [0.0, 1.0]
    assert records_mean([1e308] * 2) == 1e308
    assert mip.fits_needed(1e-300) > 10**299
    assert game.rows_recovered(4, 2, 1e-308)[2] == 1.0
    assert mip.mean_deviation([1e308, 1e308]) == 0.0
    still = mip.scale_from_fits([[0.0], [1.0], [0.5]], np.full((300, 1), 0.5), 0.3, confidence=0.9)
    assert 0 < still.scale < 1e-20


def test_gaussian_noise_for_a_tiny_promise():
    """The old 1/2 + eta lost the digits of eta: 10% too little noise at 1e-16."""
    for eta in (1e-17, 1e-16, 1e-13, 1e-10, 1e-3):
        sigma = mip.gaussian_sigma_for_mip(1.0, eta)
        # Phi^-1(1/2 + eta) is eta sqrt(2 pi) to third order.
        if eta <= 1e-10:
            assert sigma == pytest.approx(1 / (eta * np.sqrt(2 * np.pi)), rel=1e-14)
        else:
            assert norm.cdf(1 / sigma) - 0.5 == pytest.approx(eta, rel=1e-12)


@pytest.mark.parametrize("M", [2, 3, 8])
def test_crossings_exist_at_every_documented_size(M):
    """Where both noises meet they are equal, which is all that a crossing is."""
    for n in (36, 60, 90, 100, 120):
        found = mip.noise_crossings(n, M=M)
        if found is None:
            continue
        ours = np.log(mip.noise_scale(found.low, M=M, as_published=True))
        ours += np.log(mip.reciprocal_absolute_moment(n, M))
        dp = np.log(mip.laplace_dp_scale(found.low, mip.reciprocal_sensitivity(n)))
        assert ours == pytest.approx(dp, abs=1e-9)
    assert mip.noise_crossings(100, 2) is not None
    assert mip.noise_crossings(36, 2, 1e-17) is not None


def test_a_replaced_record_is_seen_too():
    """Under replacement the best ROC curve of a random part is f + x, not f + (1 - f) x."""
    fpr, tpr = game.finite_roc(sampling_mechanism(0.1, "replace"))
    assert np.interp(0.01, fpr[1:], tpr[1:]) == pytest.approx(0.11, rel=1e-12)
    fpr, tpr = game.finite_roc(sampling_mechanism(0.1))
    assert np.interp(0.01, fpr[1:], tpr[1:]) == pytest.approx(0.109, rel=1e-12)
    for neighbours in game.NEIGHBOURS:
        table = sampling_mechanism(0.1, neighbours)
        assert game.finite_delta(table, 5.0) == pytest.approx(0.1)
        assert game.optimal_accuracy(table) == pytest.approx(0.55)
