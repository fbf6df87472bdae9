"""A run in the field's words: both sides hold the truth; the cost of clipping, against quadrature."""

import json

import numpy as np
import pytest
from mpmath import exp as mpexp
from mpmath import expm1, log, loggamma, mp, mpf, sinh, sqrt
from scipy.integrate import quad
from shared import refused

from mipbook import dpsgd
from mipbook.commands.answers import dpsgd as command
from mipbook.dpsgd import profile
from mipbook.dpsgd.profile import PrivacyProfile
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve

RATES = np.array([0.0, 1e-6, 1e-3, 0.01, 0.2, 0.5, 0.9, 0.999, 1.0])
LINE = ["--records", "60000", "--batch", "256", "--epochs", "60", "--noise", "1.1"]
# Runs whose curve has a closed form: without sampling, and of one step.
CLOSED = [
    ((1.0, 5.0, 10, "add-remove"), GaussianCurve(5.0, 10**0.5)),
    ((1.0, 5.0, 10, "replace"), GaussianCurve(5.0, 2 * 10**0.5)),
    ((0.2, 1.0, 1, "add-remove"), SubsampledCurve(0.2, GaussianCurve(1.0))),
]


@pytest.mark.parametrize(("setting", "truth"), CLOSED)
def test_the_closed_forms_lie_between_the_sides_and_these_are_near(setting, truth):
    run, tiny = PrivacyProfile(*setting), 1e-13
    low, high = run.trade_off_curve(RATES)
    assert (low <= truth.tpr(RATES) + tiny).all()
    assert (truth.tpr(RATES) <= high + tiny).all()
    assert (high[2:] < low[2:] * 1.001).all()
    for ends, exact in ((run.advantage, truth.advantage), (run.auc, truth.auc)):
        assert ends.low - tiny <= exact <= ends.high + tiny < 1.001 * ends.low
    for epsilon in (0.1, 0.5, 1.0):
        ends, at = run.delta(epsilon), np.array([epsilon])
        assert ends.low - tiny <= max(truth.delta_in(at)[0], truth.delta_out(at)[0]) <= ends.high + tiny


def test_the_command_names_the_option_that_is_wrong():
    for given, named in (
        ([*LINE, "--delta", "0"], "--delta"),
        ([*LINE, "--steps", "3"], "--epochs"),
        ([*LINE, "--sampling", "0.1"], "--sampling"),
        (LINE[:6], "--target-epsilon"),
        ([*LINE[:6], "--target-epsilon", "0"], "--target-epsilon"),
        (["--sampling", "0.1", "--steps", "0", "--noise", "1"], "--steps"),
        (["--records", "5", "--batch", "6", "--epochs", "1", "--noise", "1"], "--batch"),
        # What was typed is named, also where what it makes is out of range.
        ([*LINE[:5], "1e9", *LINE[6:]], "--epochs"),
        (["--records", "9000000", "--batch", "2", "--epochs", "0.1", "--noise", "1"], "--batch"),
        ([*LINE[:-1], "0.1"], "--noise"),
    ):
        refused(named, command, given)


def test_five_numbers_give_the_answer_of_the_package(capsys):
    command([*LINE, "--target-epsilon", "2", "--json"])
    told = json.loads(capsys.readouterr().out)
    for kind, known in (("add-remove", 2.381), ("replace", 4.221)):
        here = told[kind]
        assert known < here["epsilon"]["low"] < here["epsilon"]["high"] < known + 0.001
        run = PrivacyProfile(256 / 60000, 1.1, 14063, kind)
        assert here["tpr"]["0.01"]["high"] == pytest.approx(run.tpr(0.01).high, rel=1e-11)
        kept = PrivacyProfile(256 / 60000, here["noise_for_target"]["high"], 14063, kind)
        assert kept.epsilon(1e-5).high <= 2.0
    command(LINE)
    assert "14,063 steps" in capsys.readouterr().out


def test_the_noise_of_a_target_is_found_for_a_rate_and_steps_as_for_epochs(capsys):
    for schedule in (["--steps", "100"], ["--epochs", "10"]):
        command(["--sampling", "0.1", *schedule, "--target-epsilon", "2", "--json"])
        told = json.loads(capsys.readouterr().out)
        for kind in profile.NEIGHBOURS:
            here = told[kind]
            assert here["steps"] == 100
            assert here["noise_multiplier"] == here["noise_for_target"]["high"]
            assert here["epsilon"]["high"] <= 2.0
            less = PrivacyProfile(0.1, here["noise_multiplier"] * 0.9995, 100, kind)
            assert less.epsilon(1e-5).high > 2.0
    report = dpsgd.account(sampling_rate=0.1, steps=100, target_epsilon=2)
    assert str(told["replace"]["noise_multiplier"]) in dict(report.rows())["noise for epsilon 2"]
    refused("^noise_multiplier = None: must be given, or target", dpsgd.account, sampling_rate=0.1, steps=1)
    refused("^target_epsilon = 0", dpsgd.account, sampling_rate=0.1, steps=1, target_epsilon=0)


# --- The cost of clipping --------------------------------------------------------------------------

# Elsewhere: alpha, n, sigma, the best clip, its error, its approximation.
KNOWN = [
    (1.5, 100, 4.0, 10.295209435926703, 0.7745805118566096, 10.772173450159418),
    (1.5, 10000, 4.0, 218.98397682128964, 0.1753206248099757, 232.07944168063887),
    (2.5, 1000, 1.0, 11.937303613478969, 0.03901136865865595, 14.614425516219256),
    (3.0, 100, 1.0, 3.60798592097032, 0.07662463658018297, 4.135185542000137),
    (3.0, 10000, 1.0, 15.701372733697864, 0.008333601218114309, 19.193831036664843),
    (3.0, 10000, 4.0, 11.48955706639403, 0.00970542058526745, 12.091355875609784),
]


@pytest.mark.parametrize(("alpha", "n", "sigma", "clip", "error", "guess"), KNOWN)
def test_the_best_clip_is_what_it_was_elsewhere(alpha, n, sigma, clip, error, guess):
    assert dpsgd.best_pareto_clip(n, sigma, alpha) == pytest.approx(clip, rel=1e-6)
    assert dpsgd.pareto_clip_error(clip, n, sigma, alpha).rmse == pytest.approx(error, rel=1e-9)
    assert dpsgd.pareto_clip_guess(n, sigma, alpha) == pytest.approx(guess, rel=1e-12)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 2.0 + 1e-9, 4.0])
@pytest.mark.parametrize("clip", [0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("sampling", [1.0, 0.1])
def test_the_parts_are_those_of_quadrature(alpha, clip, sampling):
    first = quad(lambda g: 1.0 if g < 1 else g**-alpha, 0, clip, points=[1.0], limit=200)[0]
    second = quad(lambda g: 2 * g * (1.0 if g < 1 else g**-alpha), 0, clip, points=[1.0])[0]
    found = dpsgd.pareto_clip_error(clip, 500, 1.5, alpha, sampling)
    batch = 500 * sampling
    assert found.bias == pytest.approx(first - alpha / (alpha - 1), rel=1e-7)
    assert found.spread**2 == pytest.approx((second - sampling * first**2) / batch, abs=1e-8)
    assert found.noise == pytest.approx(1.5 * clip / batch)
    assert found.rmse**2 == pytest.approx(found.bias**2 + found.spread**2 + found.noise**2)


def test_few_norms_have_their_best_clip_too():
    norms, best = [1.0, 2.0, 9.0], dpsgd.best_sample_clip(100, 1.0, [1.0, 2.0, 9.0])
    grid = np.linspace(0.1, 12, 2000)
    errors = [dpsgd.sample_clip_error(c, 100, 1.0, norms).rmse for c in grid]
    assert dpsgd.sample_clip_error(best, 100, 1.0, norms).rmse <= min(errors)
    assert grid[int(np.argmin(errors))] == pytest.approx(best, abs=0.01)


def slowly(n, numbers):
    with mp.workdps(40):
        a, wide = mpf(numbers) / 2, -log(1 - mpf(1) / n)
        middle = log(wide / sinh(wide))
        far = 40 / sqrt(a) if a > 100 else mpf(2)
        low, high = max(middle - wide, -far), min(middle + wide, far)
        ends = [low + (high - low) * i / 16 for i in range(17)]
        inside = mp.quad(lambda u: mpexp(a * (u - expm1(u))), ends)
        return float(mpexp(a * log(a) - a - loggamma(a)) * inside)


@pytest.mark.parametrize(
    ("n", "numbers"),
    [
        (2, 1), (2, 10), (10, 3), (200, 10**5), (10**4, 10**4), (10**4, 401), (10**4, 399),
        (60_000, 14_062 * 10**5), (60_000, 14_062 * 10**6), (10**7, 7e9), (10**9, 1e6),
        (10**9, 1e20), (10**12, 1e12), (10**15, 1e28), (2, 1e6), (100, 4e4),
    ],
)  # fmt: skip
def test_every_digit(n, numbers):
    assert dpsgd.divisor_advantage([[n], [n]], numbers) == pytest.approx(slowly(n, numbers), rel=5e-15)
