"""The plan of a training run: the reader's norms, and what the accountant says of the plan."""

import pytest
from shared import named

from explorable.panels.controls import UploadedFile
from mipbook import dpsgd, figures
from mipbook.stored import accounting as runs


def test_a_plan_costs_what_the_accountant_says():
    figure = figures.together.clip_lab("two lengths", 1000, 100, 10, 1.1, 3.0)
    truth = dpsgd.training_epsilon(0.1, 1.1, 100, 1e-5)
    assert truth < named(figure, "your plan (bound)").y[0] < 1.001 * truth
    noise = named(figure, "the noise that keeps it (bound)").x[0]
    assert dpsgd.training_epsilon(0.1, noise, 100, 1e-5) <= 3.0
    assert dpsgd.training_epsilon(0.1, 0.999 * noise, 100, 1e-5) > 3.0
    rows = dict(figure.layout.meta["table"])
    assert rows["steps"] == "100"
    assert float(rows["epsilon at most (bound)"]) >= truth
    assert float(rows["epsilon at least (bound)"]) <= truth


def test_the_best_clip_is_that_of_the_norms():
    norms = [1.0] * 90 + [10.0] * 10
    file = UploadedFile("norms.csv", "norm\n" + "\n".join(map(str, norms)))
    figure = figures.together.clip_lab(file, 60_000, 500, 10, 2.0, 3.0)
    best = dpsgd.best_sample_clip(60_000, 2.0, norms, 500 / 60_000)
    star = named(figure, "the best clip (exact)")
    assert star.x[0] == pytest.approx(best / 10.0, rel=1e-9)
    rows = dict(figure.layout.meta["table"])
    told = rows["best clip (exact for gradients that point one way)"]
    assert float(told) == pytest.approx(best, rel=1e-3)
    assert "100 norms" in figure.layout.meta["sentence"]


@pytest.mark.parametrize("text", ["norm\n1\n-2\n3", "norm\n0\n0\n0"])
def test_a_file_without_norms_is_refused(text):
    with pytest.raises(ValueError, match="norms"):
        figures.together.clip_lab(UploadedFile("norms.csv", text))


def test_a_stored_plan_is_what_is_computed():
    at = (1000, 500, 10)
    assert runs.plan(*at, 2.0) == pytest.approx(runs._plan(*at, 2.0), rel=1e-9)
    assert runs.plan(*at, 1.1)[1] > runs.plan(*at, 2.0)[1] + 0.1
    noise = dpsgd.certified_sigma(*runs.schedule(*at), 8.0, 1e-5)
    assert runs.needed(*at, 8.0) == pytest.approx(noise, rel=1e-9)
