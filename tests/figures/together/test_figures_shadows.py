"""The figures of shadow models draw what the package computes."""

import numpy as np
import pytest

from mipbook import figures, mis
from mipbook.audit.examples import ATTACKED_SIGMAS, attacked
from mipbook.stored.trained import MODELS, SIGMAS, few_shadows, promised, trained


def _traces(figure):
    return {trace.name: trace for trace in figure.data}


@pytest.mark.parametrize(("d", "n", "tau", "noise"), [(1, 10, "none", 0.0), (20, 10, "0.3", 0.3)])
def test_every_curve_is_its_attacks(d, n, tau, noise):
    drawn = _traces(figures.together.shadow_roc(d, n, tau))
    for name, attack in {
        "best attack": "best",
        "LiRA, in and out models": "lira",
        "LiRA, out models": "offline",
        "the same, two-sided": "two-sided",
        "one threshold": "loss",
    }.items():
        x, y = np.array(drawn[name].x), np.array(drawn[name].y)
        kept = x < 0.999
        truth = mis.mean_attack_tpr(x[kept], n, d, noise, attack)
        # Both rates are drawn to three digits.
        assert y[kept] == pytest.approx(truth, rel=0.012)
    marked = drawn["at 1% accused"]
    assert marked.y[0] == pytest.approx(mis.mean_attack_tpr(0.01, n, d, noise))


def test_the_readings_at_a_number_of_models_lie_on_their_curves():
    figure = figures.together.shadow_count(16, 20, 0.01)
    drawn, place = _traces(figure), MODELS.index(16)
    exact = mis.mean_attack_tpr(0.01, 10, 20, attack="offline", shadows=16)
    pooled, each = (few_shadows(20, f"online, {n}", 0.01)[0][place] for n in ("pooled", "each"))
    assert list(drawn["at your number of models"].y) == pytest.approx([exact, pooled, each])
    curve = drawn["out models, one variance for all (exact)"]
    assert curve.y[place] == pytest.approx(exact, abs=1e-6)


def test_accuracy_is_drawn_at_what_its_noise_promises():
    figure = figures.together.trained_accuracy(1.0, 2.0)
    curve = _traces(figure)["test accuracy (estimate)"]
    place = SIGMAS.index(2.0) - 1
    assert curve.x[place] == pytest.approx(promised(2.0).epsilon, abs=1e-3)
    assert curve.y[place] == pytest.approx(trained("softmax", 1.0).accuracy[place + 1], abs=1e-4)


@pytest.mark.parametrize(("measure", "row"), [("calls right", 2), ("found at 1%", 1)])
def test_attacks_are_drawn_under_the_promise(measure, row):
    drawn = _traces(figures.together.trained_attack(measure))
    lira = drawn["LiRA, in and out models (estimate)"]
    assert list(lira.y) == pytest.approx(attacked().found["LiRA online"][row], abs=1e-5)
    allowed = [promised(s).accuracy if row == 2 else promised(s).tpr for s in ATTACKED_SIGMAS]
    bound = drawn["what the promise allows (bound)"]
    assert list(bound.y) == pytest.approx(allowed, abs=1e-5)
    assert (np.array(bound.y) > np.array(lira.y)).all()
