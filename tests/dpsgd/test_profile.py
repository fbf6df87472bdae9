"""A run in the field's words: both sides hold the truth, and an error that is planted shows."""

import json

import numpy as np
import pytest
from shared import refused

from mipbook import dpsgd
from mipbook.commands.answers import dpsgd as command
from mipbook.dpsgd import profile
from mipbook.dpsgd.profile import PrivacyProfile
from mipbook.dpsgd.step import GaussianCurve, SubsampledCurve

RATES = np.array([0.0, 1e-6, 1e-3, 0.01, 0.2, 0.5, 0.9, 0.999, 1.0])
LINE = ["--records", "60000", "--batch", "256", "--epochs", "60", "--noise", "1.1"]
NAMED = {"sampling_rate": 0.1, "noise_multiplier": 2.0, "steps": 100}
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


@pytest.mark.parametrize("neighbours", profile.NEIGHBOURS)
def test_the_contour_lies_between_the_sides(neighbours):
    run, again = PrivacyProfile(256 / 60000, 1.1, 14063, neighbours), neighbours == "replace"
    for epsilon in (0.0, 0.7, 2.4):
        exact, found = dpsgd.training_delta(256 / 60000, 1.1, 14063, epsilon, again), run.delta(epsilon)
        assert found.low < exact < found.high < 1.001 * found.low


def test_what_is_asked_for_keeps_the_promise_and_a_little_more_does_not():
    asked = {"epsilon": 2.0, "delta": 1e-5}

    def cost(**changed):
        return PrivacyProfile(**{**NAMED, **changed}).epsilon(1e-5)

    noise = dpsgd.certified_sigma(0.1, 100, **asked)
    assert cost(noise_multiplier=noise).high <= 2.0 < cost(noise_multiplier=noise * 0.9995).high


@pytest.mark.parametrize("name", NAMED)
def test_what_is_no_run_is_refused_by_its_name(name):
    for bad in (0, 1e12):
        refused(name, PrivacyProfile, **{**NAMED, name: bad})


def test_the_command_names_the_option_that_is_wrong():
    for given, named in (
        ([*LINE, "--delta", "0"], "--delta"),
        ([*LINE, "--steps", "3"], "--epochs"),
        ([*LINE, "--sampling", "0.1"], "--sampling"),
        (LINE[:6], "--target-epsilon"),
        ([*LINE[:6], "--target-epsilon", "0"], "--target-epsilon"),
        (["--sampling", "0", "--steps", "3", "--noise", "1"], "--sampling"),
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
