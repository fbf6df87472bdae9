"""The figures of the MIP part: what they draw and say is what the package computes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from mipbook import figures, mip
from mipbook.explore import UploadedFile


@pytest.mark.parametrize("weights", [(0.5, 1, 2, 1), (0, 4, 4, 0), (1, 1, 1, 1)])
def test_posterior_bars_sum_to_the_attackers_score(weights):
    figure = figures.mip.posterior_bars(*map(float, weights))
    out, inside = (np.array(named(figure, n).y) for n in ("record out", "record in"))
    assert out.sum() == pytest.approx(0.5)
    assert inside.sum() == pytest.approx(0.5)
    accuracy = float(re.search(r"right ([\d.]+)% of the time", sentence(figure))[1]) / 100
    assert np.maximum(out, inside).sum() == pytest.approx(accuracy, abs=5e-4)
    says = named(figure, "the optimal").text
    assert [s == "says in" for s in says] == (inside >= out).tolist()


def test_release_clouds_attack_is_the_posterior():
    quiet, loud = (figures.mip.release_clouds(s, "the outlier") for s in (0.05, 5.0))
    right = [float(re.search(r"in ([\d.]+)% of", sentence(f))[1]) for f in (quiet, loud)]
    assert right[0] > 95 > 60 > right[1] > 45
    lines = named(quiet, "chance")
    assert 0 <= np.min(lines.z) < np.max(lines.z) <= 1


def test_blood_pressure_against_simulation():
    rng = np.random.default_rng(1)
    n, games = 5, 200_000
    mates = rng.standard_normal((games, n))
    member = rng.random(games) < 0.5
    person = np.where(member, mates[:, 0], rng.standard_normal(games))
    mean = mates.mean(axis=1)
    inside = stats.norm(person / n, math.sqrt(n - 1) / n).logpdf(mean)
    right = ((inside >= stats.norm(0, 1 / math.sqrt(n)).logpdf(mean)) == member).mean()
    figure = figures.mip.blood_pressure(1.0, n)
    assert named(figure, "member or another").y[0] == pytest.approx(right, abs=0.004)
    assert named(figure, "member or anybody").y[0] == 0.5


def test_dp_to_eta_is_attained_and_below_its_tangent():
    figure = figures.mip.dp_to_eta(2.0, 0.05)
    curve, line = named(figure, "eta that DP"), named(figure, "tangent")
    assert (np.array(curve.y) <= np.array(line.y) + 1e-12).all()
    assert named(figure, "the tight").y[0] == pytest.approx(mip.eta_from_dp(2.0, 0.05), rel=1e-12)


def test_eta_without_dp_against_enumeration():
    for n, example, want in (
        (6, "one half answers yes", 1 / 20),
        (6, "publish a random record", 0.05 / 6),
        (6, "publish each record", 0.025),
    ):
        figure = figures.mip.eta_without_dp(n, 0.05, example)
        assert named(figure, "at your n").y[0] == pytest.approx(want, rel=1e-12)


def test_roc_square_breaks_one_line_and_touches_the_other():
    figure = figures.mip.roc_square(1.0)
    best = named(figure, "its best")
    eta = math.tanh(0.5) / 2
    assert best.y[0] - best.x[0] == pytest.approx(2 * eta, rel=1e-12)
    assert "all lines meet" in sentence(figures.mip.roc_square(0.0))


def test_radius_meter_tells_who_breaks_the_promise():
    assert "breaks its promise" in sentence(figures.mip.radius_meter(8, "infinity", 0.1))
    assert "keeps its promise" in sentence(figures.mip.radius_meter(2, 2, 0.1))
    figure = figures.mip.radius_meter(4, 2, 0.25)
    delivered = named(figure, "eta delivered, laplace")
    assert delivered.y[-1] == pytest.approx(0.430694954, rel=1e-4)
    assert max(named(figure, "eta delivered, gamma").y) <= 0.25 + 1e-12
    for name, law in (
        ("repaired", stats.gamma(4, scale=mip.noise_scale(0.25))),
        ("published", stats.expon(scale=mip.noise_scale(0.25, as_published=True))),
    ):
        curve = named(figure, name)
        want = law.pdf(np.array(curve.x)) * np.array(curve.x)
        np.testing.assert_allclose(curve.y, want, rtol=1e-9, atol=1e-20)


def test_noise_lab_orders_its_curves():
    for query in ("mean", "median", "maximum", "variance", "one over the sum"):
        figure = figures.mip.noise_lab("incomes", query, 0.1)
        exact, corrected, published, dp = (
            np.array(named(figure, n).y) for n in ("smallest", "corrected", "published", "through")
        )
        assert (exact <= corrected * (1 + 1e-9)).all()
        assert (corrected <= dp * (1 + 1e-9)).all()
        assert (exact <= published).all()
    own = figures.mip.noise_lab(UploadedFile("a.csv", "x\n1\n2\n3\n5\n"), "mean", 0.13)
    assert "of these 4 numbers" in sentence(own)
    # Between the marks too, every number is computed, none read off a line.
    members = mip.subsets(4)
    means = members @ np.array([1.0, 2.0, 3.0, 5.0]) / 2
    at = named(own, "at your eta").y
    assert at[2] == mip.minimal_laplace_scale(means, members, 0.13)
    assert at[0] == pytest.approx(mip.noise_scale(0.13, as_published=True) * means.std(), rel=1e-12)


@pytest.mark.parametrize("table", figures.mip.EXAMPLE_TABLES)
def test_release_lab_keeps_its_promise_by_measurement(table):
    figure = figures.mip.release_lab(table, "median", 0.2)
    points = named(figure, "attack measured")
    lows = np.array(points.y) - np.array(points.error_y.arrayminus)
    assert (lows <= 0.5 + np.array(points.x)).all()
    rows = {row[0]: row[1] for row in figure.layout.meta["table"]}
    assert rows["promised accuracy"] == "70%"


def test_release_lab_reads_a_table():
    text = "age,weight\n" + "".join(f"{20 + i},{50 + 2 * i + i % 3}\n" for i in range(31))
    figure = figures.mip.release_lab(UploadedFile("t.csv", text), "line through two columns", 0.2)
    assert "half of 30 records" in sentence(figure)
    one = UploadedFile("t.csv", "\n".join(str(i) for i in range(10)))
    assert "half of 10 records" in sentence(figures.mip.release_lab(one, "mean", 0.2))
    with pytest.raises(ValueError, match="same on every half"):
        figures.mip.release_lab(UploadedFile("t.csv", "1\n" * 10), "mean", 0.2)


def test_last_digits_break_the_promise_in_floating_point_only():
    for eta in (0.01, 0.05, 0.3):
        assert "breaks the promise" in sentence(figures.mip.last_digits("floating point", eta))
        assert "gains nothing" in sentence(figures.mip.last_digits("public grid", eta))
        by_value = named(figures.mip.last_digits("public grid", eta), "attack on the value")
        for x, y, down in zip(by_value.x, by_value.y, by_value.error_y.arrayminus, strict=True):
            assert y - down <= 0.5 + x
