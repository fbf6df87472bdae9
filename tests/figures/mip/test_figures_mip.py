"""The figures of the MIP part: what they draw and say is what the package computes."""

import itertools

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from explorable.panels import Explorable
from mipbook import figures, mip


def test_the_handles_of_posterior_bars_are_the_tops_of_its_bars():
    panel = Explorable(figures.mip.posterior_bars)
    for grab in panel.figure().layout.meta["grab"]:
        stops = panel.controls[grab["control"]].stops
        for stop in (stops[0], stops[7], stops[-1]):
            figure = panel.figure(**{grab["control"]: stop})
            bar = named(figure, "in, and" if grab["control"].startswith("in") else "out, and")
            place = 1 if grab["control"] == "in_b" else 0
            assert grab["track"]["y"][stops.index(stop)] == pytest.approx(bar.y[place], abs=1e-4)


@pytest.mark.parametrize("person", ["Ben", "Anna", "Finn", "Zoe"])
@pytest.mark.parametrize(("published", "rest"), [("the sum", 9), ("remainder", 3)])
def test_four_coins_counts_the_pairs_behind_each_number(published, rest, person):
    figure = figures.mip.four_coins(published, person)
    pairs, owned = [*itertools.combinations((1, 2, 3, 5), 2)], {"Ben": 1, "Anna": 2, "Finn": 3, "Zoe": 5}
    numbers = sorted({sum(pair) % rest for pair in pairs})
    counts = {
        side: [sum((owned[person] in p) == side and sum(p) % rest == v for p in pairs) for v in numbers]
        for side in (True, False)
    }
    for side, name in ((True, "the person is in"), (False, "the person is out")):
        # A card has five points and a gap behind it; its middle is its box.
        places = [x for x in named(figure, name).x if x is not None]
        boxes = np.rint(np.reshape(places, (-1, 5))[:, :2].mean(axis=1)).astype(int)
        assert np.bincount(boxes, minlength=len(numbers)).tolist() == counts[side]
    right = sum(map(max, *counts.values())) / 6
    assert named(figure, "how often").y[list(owned).index(person)] == pytest.approx(100 * right)
    said_in = [s == "<b>“in”</b>" for s in named(figure, "the spy says").text]
    assert said_in == [i > o for i, o in zip(counts[True], counts[False], strict=True)]


def test_radius_meter_tells_which_length_keeps_the_promise():
    figure = figures.mip.radius_meter(4, 2)
    far = 0.5 + mip.delivered_eta(10**6, 2.0, 0.1).value
    assert named(figure, "the spy, your noise").y[-1] == pytest.approx(100 * far, rel=1e-9)
    assert far > 0.6
    assert max(named(figure, "the spy, enough noise").y) <= 60 + 1e-9
    longer = mip.noise_scale(0.1, M=2, as_published=True) / mip.noise_scale(0.1)
    for name, shape, scale in (("enough noise", 4, 1.0), ("your noise", 1, longer)):
        cloud = named(figure, name)
        lengths = np.sort([np.hypot(x, y) for x, y in zip(cloud.x, cloud.y, strict=True) if x is not None])
        # The longest crosses are beyond the picture's edge.
        rank = (np.arange(len(cloud.x)) + 0.5)[: lengths.size] / len(cloud.x)
        assert lengths.size >= 0.9 * len(cloud.x)
        np.testing.assert_allclose(lengths, stats.gamma(shape, scale=scale).ppf(rank), rtol=2e-3, atol=2e-3)
    line = figures.mip.radius_meter(1)
    assert not any(named(line, name).y[3] for name in ("enough noise", "your noise"))


# --- The figures of noise: what they draw is what the package computes ----------------------------


def test_the_year_holds_every_draw_once():
    figure = figures.mip.fatal_subset(1000)
    days = named(figure, "all draws")
    assert len(set(zip(days.x, days.y, strict=True))) == len(set(days.customdata)) == 252
    richest = max(days.customdata, key=lambda told: float(told.split(": ")[1]))
    lit = named(figure, "the fatal draw")
    assert days.customdata[list(zip(days.x, days.y, strict=True)).index((lit.x[0], lit.y[0]))] == richest
    assert "Zoe" in richest
    assert "promise of 60 is kept" in sentence(figure)
    assert "promise of 60 is broken" in sentence(figures.mip.fatal_subset(5000))


def test_print_figure_draws_the_papers_lines():
    lines = figures.mip.noise_vs_eta_print((36, 48)).axes[0].lines
    assert [line.get_label() for line in lines] == [
        "MIP, any n (bound)",
        "DP, n = 36 (exact)",
        "DP, n = 48 (exact)",
    ]
    eta, noise = lines[2].get_data()
    np.testing.assert_allclose(noise, mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(48)))
