"""Other tools: their stored answers against truth computed again, and how they are asked."""

import sys

import numpy as np
import pytest
from mpmath import mp
from shared import refused

from mipbook.stored import store, tools
from mipbook.stored.tools import FAMILIES, QUESTIONS, TOOLS, Question
from studies import other_tools, truth

STORED = store.load("other_tools")
TRUTHS = dict(zip([q.name for q in QUESTIONS], STORED.arrays["truths"].tolist(), strict=True))
TRAINING = {"sampling": 256 / 60_000, "steps": 14_062}


def some() -> list[Question]:
    """A few questions of each family, those first that take no minutes."""
    rng = np.random.default_rng(5)
    found = []
    for family in FAMILIES:
        of = [q for q in QUESTIONS if q.family == family]
        count = {"sigma": 25, "concentrated_tpr": 6, "training": 0, "laplace_epsilon": 0}
        chosen = rng.permutation(len(of))[: count.get(family, 3 if "training" not in family else 0)]
        found += [of[i] for i in chosen]
    return found


@pytest.mark.parametrize("question", some(), ids=lambda q: q.name)
def test_a_stored_truth_is_found_again(question):
    assert truth.answer(question) == TRUTHS[question.name]


def test_no_truth_is_missing():
    with mp.workdps(60):
        assert all(mp.mpf(text) > 0 for text in TRUTHS.values())
    lengths = {len(t.replace(".", "").split("e")[0].strip("0")) for t in TRUTHS.values()}
    assert max(lengths) <= truth.DIGITS


def test_a_truth_keeps_its_promise_and_a_little_less_noise_does_not():
    """The definition itself, at the stored noise: delta by quadrature of the densities."""
    for epsilon, delta in ((0.1, 1e-5), (1.0, 1e-10), (8.0, 1e-100), (20.0, 0.01)):
        text = TRUTHS[Question("sigma", {"epsilon": epsilon, "delta": delta}).name]
        with mp.workdps(30):
            for change, sign in ((1, 0), (mp.mpf("0.999999"), 1), (mp.mpf("1.000001"), -1)):
                sigma = mp.mpf(text) * change
                edge = epsilon * sigma**2 + mp.mpf(1) / 2
                ends = [edge + sigma * t for t in (0, 0.02, 0.1, 0.5, 1, 2, 4, 8, 14, 24)]
                gap = lambda x: mp.npdf(x, 1, sigma) - mp.exp(epsilon) * mp.npdf(x, 0, sigma)  # noqa: B023, E731
                found = mp.quad(gap, ends) / delta - 1
                assert abs(found) < 1e-7 if sign == 0 else found * sign > 1e-5


def test_sampled_training_agrees_with_finer_steps_and_with_certified_bounds(request):
    small = {"sigma": mp.mpf(2), "sampling": mp.mpf("0.1")}
    coarse = truth.training_advantage(**small, steps=100)
    assert float(coarse) == pytest.approx(0.20586, abs=5e-6)  # certified bounds of an accountant
    if request.config.getoption("all"):
        fine = truth.training_advantage(**small, steps=100, fine=2)
        assert abs(coarse / fine - 1) < mp.mpf(10) ** -28
        found = truth.training_epsilon(**small, steps=100, delta=mp.mpf("1e-5"))
        assert float(found) == pytest.approx(2.3374, abs=5e-7)


def test_known_truths():
    """Values that were found elsewhere, by other means."""
    training = {"sigma": 1.1, "sampling": 256 / 60_000, "steps": 14_062}
    for family, inputs, value in (
        ("laplace_delta", {"scale": 2.0, "times": 10, "epsilon": 1.0}, 0.307040543187255528),
        ("pure", {"epsilon": 0.1, "times": 100, "delta": 1e-6}, 4.774567588),
        ("concentrated_advantage", {"rho": 0.5}, 0.4790984231),
        ("concentrated", {"rho": 0.5, "delta": 1e-5}, 4.72838565),
        ("training", {**training, "delta": 1e-5}, 2.3815969),
        ("training_advantage", training, 0.22446155),
    ):
        name = Question(family, inputs).name
        assert float(TRUTHS[name]) == pytest.approx(value, rel=1e-7)


def test_a_promise_of_zcdp_is_sharp_at_the_rate_that_it_allows():
    """At the stored rates no order is exceeded, and with a thousandth more one is."""
    for rho, fpr in ((0.0005, 0.001), (0.005, 0.01), (0.5, 0.1), (2.0, 0.01)):
        tpr = float(TRUTHS[Question("concentrated_tpr", {"rho": rho, "fpr": fpr}).name])
        orders = 1 + np.geomspace(1e-6, 1e5, 4001)
        worst = []
        for rate in (tpr, tpr * 1.001):
            told = []
            for p, q in ((rate, fpr), (fpr, rate)):
                both = np.logaddexp(
                    orders * np.log(p) + (1 - orders) * np.log(q),
                    orders * np.log1p(-p) + (1 - orders) * np.log1p(-q),
                )
                told.append((both / (orders - 1) / orders).max())
            worst.append(max(told))
        assert worst[0] <= rho * (1 + 1e-6) < worst[1]


def test_every_tool_is_asked_everything():
    arrays = STORED.arrays
    pairs = zip(arrays["tool"].tolist(), arrays["question"].tolist(), strict=True)
    asked = set(pairs)
    assert asked == {(t, q) for t in range(len(TOOLS)) for q in range(len(QUESTIONS))}
    for family in FAMILIES:
        for answer in tools.tool_answers(family):
            assert bool(answer.message) == (answer.status != "answered")
            assert bool(answer.side) == (answer.status == "answered")
    assert len(tools.tool_versions()) == len(TOOLS)


def test_errors_are_those_of_the_answers():
    rng = np.random.default_rng(2)
    answers = [a for f in FAMILIES for a in tools.tool_answers(f) if a.status == "answered"]
    for i in rng.permutation(len(answers))[:300]:
        with mp.workdps(70):
            right = mp.mpf(answers[i].truth)
            error = (mp.mpf(answers[i].value) - right) / right
        assert answers[i].error == pytest.approx(float(error), rel=0.006, abs=1e-30)


def planted(change) -> None:
    arrays = {key: value.copy() for key, value in STORED.arrays.items()}
    change(arrays)
    tools._check(arrays)


def test_damaged_answers_are_refused():
    planted(lambda arrays: None)
    row = int(np.flatnonzero(np.abs(STORED.arrays["error"]) > 1e-3)[0])
    for column, factor in (("value", 1.01), ("error", 1.05), ("error", -1.0), ("error", 0.0)):
        wrong = lambda found, c=column, f=factor: found[c].__setitem__(row, f * found[c][row])  # noqa: E731
        refused("answers = .*damaged at .*--again", planted, wrong)


def made(value: float, right: str, route: str = "") -> tools.ToolAnswer:
    error = other_tools.relative_error(value, right)
    return tools.ToolAnswer("tool", route, {}, "answered", value, right, error, 0.1, "")


def test_the_wrong_side_is_called_unsafe_and_rounding_is_not():
    right = "3.7306316348159418138"
    assert made(3.7306316348159, right).side == "right"
    assert made(3.7306316348159 * (1 - 9e-5), right).side == "right"
    assert made(3.7306316348159 * (1 - 2e-4), right).side == "unsafe"
    assert made(3.7306316348159 * (1 + 2e-4), right).side == "safe"
    assert made(3.0, right, "estimate").side == "no promise"
    assert made(3.0, right)._replace(status="refused").side == ""


@pytest.fixture(scope="module")
def here():
    """The field's accountant, as it is installed here, asked as every tool is."""
    tool = other_tools.Tool("dp_accounting", sys.executable)
    tool.start()
    yield tool
    tool.stop()


def test_what_is_installed_here_answers_as_stored(here):
    assert here.about["version"] in tools.tool_versions()["dp-accounting"]
    for family, inputs, route in (
        ("sigma", {"epsilon": 1.0, "delta": 1e-5}, "analytic"),
        ("training", {"sigma": 1.1, **TRAINING, "delta": 1e-5}, "PLD"),
        ("training", {"sigma": 1.1, **TRAINING, "delta": 1e-5}, "RDP"),
        ("laplace_delta", {"scale": 2.0, "times": 10, "epsilon": 1.0}, "PLD"),
        ("pure", {"epsilon": 0.1, "times": 100, "delta": 1e-6}, "PLD"),
        ("concentrated", {"rho": 0.5, "delta": 1e-5}, "RDP"),
        ("promise_advantage", {"epsilon": 1.0, "delta": 1e-5}, "PLD"),
    ):
        got = here.ask(Question(family, inputs), route)
        assert got.status == "answered", got.message
        kept = [a for a in tools.tool_answers(family, **inputs) if a.route == route]
        kept = [a for a in kept if a.tool == "dp-accounting"]
        assert got.value == pytest.approx(kept[0].value, rel=1e-9)


def test_the_book_answers_as_stored():
    tool = other_tools.Tool("mipbook", sys.executable)
    answers = other_tools._asked(_started(tool), [q for q in some() if q.family != "concentrated_tpr"])
    tool.stop()
    for got in answers:
        kept = tools.tool_answers(got.question.family, **got.question.inputs)
        kept = [a for a in kept if a.tool == "mipbook" and a.route == got.route]
        assert (got.status, got.message) == (kept[0].status, kept[0].message)
        assert got.value == pytest.approx(kept[0].value, rel=1e-9)


def _started(tool: other_tools.Tool) -> other_tools.Tool:
    tool.start()
    return tool


def test_bad_input_is_refused():
    refused("family = 'noise'", tools.tool_answers, "noise")
    refused("inputs = 'rho'", tools.tool_answers, "sigma", rho=1.0)
    refused("epsilon = nan", tools.tool_answers, "sigma", epsilon=float("nan"))
