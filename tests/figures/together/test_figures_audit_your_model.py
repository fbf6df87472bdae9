"""The figures on audits draw what the package computes."""

import numpy as np
import pytest

from mipbook import audit, figures
from mipbook.audit.examples import TABLE


def traces(figure):
    return {trace.name: trace for trace in figure.data}


@pytest.mark.parametrize("guessed", TABLE["guessed"])
def test_proofs_are_those_of_the_package(guessed):
    drawn = traces(figures.together.one_run_proof(83, 2000, guessed))
    guesses = round(2000 * guessed)
    right = [np.floor(share * guesses / 100) for share in TABLE["right"]]
    for name, bound in (("sharp (bound)", "sharp"), ("as published (bound)", "published")):
        proved = audit.canary_epsilon(right, guesses, 1e-5, 2000, bound=bound)
        assert np.asarray(drawn[name].y) == pytest.approx(proved, abs=1e-9)
    assert drawn["at your share"].y[0] == pytest.approx(
        audit.canary_epsilon(round(0.83 * guesses), guesses, 1e-5, 2000), abs=1e-9
    )


def test_coverage_is_that_of_the_package():
    figure = figures.together.audit_coverage(1.0, 100)
    assert "95.5%" in figure.layout.meta["sentence"]
    assert 1 - audit.false_alarm(100, 1.0) == pytest.approx(0.956, abs=5e-4)
    median = traces(figure)["the median run (exact)"]
    at = list(median.x).index(1.0)
    assert median.y[at] == pytest.approx(audit.proof_quantile(0.5, 100, 1.0))


@pytest.mark.parametrize("shared", [False, True])
def test_an_alarm_is_told_where_the_line_reaches_a_mark(shared):
    seen = set()
    for run in range(1, 16):
        figure = figures.together.chosen_afterwards(4, run, shared)
        drawn = traces(figure)
        line = drawn["right guesses of a run without a leak"]
        marks = drawn["so many would be an alarm (exact)"]
        heights = dict(zip(line.x, line.y, strict=True))
        over = any(heights[r] >= y for r, y in zip(marks.x, marks.y, strict=True))
        assert ("a false alarm" in figure.layout.meta["sentence"]) == over
        seen.add(over)
    assert seen == {False, True}


def test_alarms_are_those_of_the_package():
    drawn = traces(figures.together.chosen_afterwards(8, 1))["chosen after looking (exact)"]
    eight = audit.false_alarm(np.arange(125, 1001, 125))
    assert drawn.y[list(drawn.x).index(8)] == pytest.approx(eight)
