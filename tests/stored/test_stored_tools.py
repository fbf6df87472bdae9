"""Other tools: their stored answers against truth computed again, and how they are asked."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest
from mpmath import mp
from shared import refused

from mipbook.stored import store, tools
from mipbook.stored.tools import FAMILIES, QUESTIONS, TOOLS, Question
from studies import other_tools, truth

STORED = store.load("other_tools")
TRUTHS = dict(zip([q.name for q in QUESTIONS], STORED.arrays["truths"].tolist(), strict=True))
TRAINING = {"sigma": 1.1, "sampling": 256 / 60_000, "steps": 14_062}


def some():
    """A few questions of each family, but of those that take minutes."""
    rng, found = np.random.default_rng(5), []
    counts = {
        "sigma": 25,
        "concentrated_tpr": 6,
        "laplace_epsilon": 0,
        "training": 0,
        "training_advantage": 0,
    }
    for family in FAMILIES:
        of = [q for q in QUESTIONS if q.family == family]
        found += [of[i] for i in rng.permutation(len(of))[: counts.get(family, 3)]]
    return found


@pytest.mark.parametrize("question", some(), ids=lambda q: q.name)
def test_a_stored_truth_is_found_again(question):
    assert truth.answer(question) == TRUTHS[question.name]


def test_a_truth_keeps_its_promise_and_a_little_less_noise_does_not():
    """The definition itself, at the stored noise: delta by quadrature of the densities."""

    def off(sigma, epsilon, delta):
        edge = epsilon * sigma**2 + mp.mpf(1) / 2
        ends = [edge + sigma * t for t in (0, 0.02, 0.1, 0.5, 1, 2, 4, 8, 14, 24)]
        gap = mp.quad(lambda x: mp.npdf(x, 1, sigma) - mp.exp(epsilon) * mp.npdf(x, 0, sigma), ends)
        return gap / delta - 1

    for epsilon, delta in ((0.1, 1e-5), (1.0, 1e-10), (8.0, 1e-100), (20.0, 0.01)):
        with mp.workdps(30):
            sigma = mp.mpf(TRUTHS[Question("sigma", {"epsilon": epsilon, "delta": delta}).name])
            assert abs(off(sigma, epsilon, delta)) < 1e-7
            assert off(sigma * mp.mpf("0.999999"), epsilon, delta) > 1e-5
            assert off(sigma * mp.mpf("1.000001"), epsilon, delta) < -1e-5


def test_sampled_training_agrees_with_finer_steps_and_with_certified_bounds(request):
    small = {"sigma": mp.mpf(2), "sampling": mp.mpf("0.1")}
    coarse = truth.training_advantage(**small, steps=100)
    assert float(coarse) == pytest.approx(0.20586, abs=5e-6)  # certified bounds of an accountant
    if request.config.getoption("all"):
        fine = truth.training_advantage(**small, steps=100, fine=2)
        assert abs(coarse / fine - 1) < mp.mpf(10) ** -28
        found = truth.training_epsilon(**small, steps=100, delta=mp.mpf("1e-5"))
        assert float(found) == pytest.approx(2.3374, abs=5e-7)


def test_no_truth_is_missing_and_some_are_known():
    """Values that were found elsewhere, by other means."""
    for text in TRUTHS.values():
        assert mp.mpf(text) > 0
        assert len(text.replace(".", "").split("e")[0].strip("0")) <= truth.DIGITS
    for family, inputs, value in (
        ("laplace_delta", {"scale": 2.0, "times": 10, "epsilon": 1.0}, 0.307040543187255528),
        ("pure", {"epsilon": 0.1, "times": 100, "delta": 1e-6}, 4.774567588),
        ("concentrated_advantage", {"rho": 0.5}, 0.4790984231),
        ("concentrated", {"rho": 0.5, "delta": 1e-5}, 4.72838565),
        ("training", {**TRAINING, "delta": 1e-5}, 2.3815969),
        ("training_advantage", TRAINING, 0.22446155),
    ):
        assert float(TRUTHS[Question(family, inputs).name]) == pytest.approx(value, rel=1e-7)


def told(rate, fpr):
    """Return the most that two coins tell of each other, over the orders of Rényi's divergence."""
    orders, coins = 1 + np.geomspace(1e-6, 1e5, 4001), np.log([[rate, 1 - rate], [fpr, 1 - fpr]])[..., None]
    both = [np.logaddexp(*(orders * p + (1 - orders) * q)) for p, q in (coins, coins[::-1])]
    return np.max(both / (orders - 1) / orders)


def test_a_promise_of_zcdp_is_sharp_at_the_rate_that_it_allows():
    """At the stored rates no order is exceeded, and with a thousandth more one is."""
    for rho, fpr in ((0.0005, 0.001), (0.005, 0.01), (0.5, 0.1), (2.0, 0.01)):
        tpr = float(TRUTHS[Question("concentrated_tpr", {"rho": rho, "fpr": fpr}).name])
        assert told(tpr, fpr) <= rho * (1 + 1e-6) < told(tpr * 1.001, fpr)


def test_every_tool_is_asked_everything_and_errors_are_those_of_its_answers():
    arrays, rng = STORED.arrays, np.random.default_rng(2)
    asked = set(zip(arrays["tool"].tolist(), arrays["question"].tolist(), strict=True))
    assert asked == set(np.ndindex(len(TOOLS), len(QUESTIONS)))
    assert len(tools.tool_versions()) == len(TOOLS)
    answers = [answer for family in FAMILIES for answer in tools.tool_answers(family)]
    for answer in answers:
        is_number = answer.status == "answered"
        assert (bool(answer.side), bool(answer.message)) == (is_number, not is_number)
        if is_number and rng.random() < 0.2:
            with mp.workdps(70):
                right = mp.mpf(answer.truth)
                error = (mp.mpf(answer.value) - right) / right
            assert answer.error == pytest.approx(float(error), rel=0.006, abs=1e-30)


def test_damaged_answers_are_refused():
    tools._check(dict(STORED.arrays))
    row = int(np.flatnonzero(np.abs(STORED.arrays["error"]) > 1e-3)[0])
    for column, factor in (("value", 1.01), ("error", 1.05), ("error", -1.0), ("error", 0.0)):
        wrong = STORED.arrays[column].copy()
        wrong[row] *= factor
        refused("answers = .*damaged at .*--again", tools._check, {**STORED.arrays, column: wrong})


def test_the_wrong_side_is_called_unsafe_and_rounding_is_not():
    right, sides = (
        "3.7306316348159418138",
        {1: "right", 1 - 9e-5: "right", 1 - 2e-4: "unsafe", 1 + 2e-4: "safe"},
    )
    for factor, side in sides.items():
        value = 3.7306316348159 * factor
        error = other_tools.relative_error(value, right)
        made = tools.ToolAnswer("tool", "", {}, "answered", value, right, error, 0.1, "")
        assert made.side == side
    assert made._replace(route="estimate").side == "no promise"
    assert made._replace(status="refused").side == ""


@contextmanager
def started(name):
    """Start a tool as it is installed here, asked as every tool is."""
    tool = other_tools.Tool(name, sys.executable)
    tool.start()
    try:
        yield tool
    finally:
        tool.stop()


def is_as_stored(got, tool):
    of = tools.tool_answers(got.question.family, **got.question.inputs)
    stored = next(answer for answer in of if (answer.tool, answer.route) == (tool, got.route))
    assert (got.status, got.message) == (stored.status, stored.message)
    assert got.value == pytest.approx(stored.value, rel=1e-9)


def test_what_is_installed_here_answers_as_stored():
    with started("dp_accounting") as here:
        assert here.about["version"] in tools.tool_versions()["dp-accounting"]
        for family, inputs, route in (
            ("sigma", {"epsilon": 1.0, "delta": 1e-5}, "analytic"),
            ("training", {**TRAINING, "delta": 1e-5}, "PLD"),
            ("training", {**TRAINING, "delta": 1e-5}, "RDP"),
            ("laplace_delta", {"scale": 2.0, "times": 10, "epsilon": 1.0}, "PLD"),
            ("pure", {"epsilon": 0.1, "times": 100, "delta": 1e-6}, "PLD"),
            ("concentrated", {"rho": 0.5, "delta": 1e-5}, "RDP"),
            ("promise_advantage", {"epsilon": 1.0, "delta": 1e-5}, "PLD"),
        ):
            is_as_stored(here.ask(Question(family, inputs), route), "dp-accounting")


def test_the_book_answers_as_stored():
    with started("mipbook") as book:
        for got in other_tools._asked(book, [q for q in some() if q.family != "concentrated_tpr"]):
            is_as_stored(got, "mipbook")


def test_an_input_of_another_question_is_refused():
    refused("inputs = 'rho'", tools.tool_answers, "sigma", rho=1.0)
